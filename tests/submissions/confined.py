"""What the process of a submission may not do: write files, start others, use up the machine.

It guards the verdicts and the folders of the host against what a submission does by mistake or
for a better mark. It is no sandbox: code that is out to harm the machine needs a container.
"""

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from grader.explain import OutOfBounds

try:
    import resource
except ImportError:  # Windows
    resource = None

LARGEST_FILE = 16 * 2**20  # bytes
MOST_DEEP = 30  # folders in one another
BLOCKED: list[object] = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# What Python announces before it happens, and what to say of it.
CHANGES = {  # how many paths it names, and where the numbers of open folders begin
    **dict.fromkeys(["os.rename", "os.link", "os.symlink"], (2, 2)),
    **dict.fromkeys(["os.remove", "os.rmdir"], (1, 1)),
    **dict.fromkeys(["os.mkdir", "os.chmod", "os.truncate"], (1, 2)),
    **dict.fromkeys(["os.chown", "os.utime", "os.setxattr", "os.removexattr"], (1, 3)),
}
FORBIDDEN = {
    **dict.fromkeys(
        ["os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "os.startfile"]
        + ["subprocess.Popen", "pty.spawn"],
        "starts another process",
    ),
    **dict.fromkeys(["os.kill", "os.killpg", "signal.pthread_kill"], "sends a signal"),
    "resource.prlimit": "limits a process",
    "sqlite3.connect": "writes a file",
    **dict.fromkeys(
        ["socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"],
        "uses the network",
    ),
}


@dataclass(frozen=True)
class Bounds:
    """What a process may touch and use.

    Attributes:
        scratch: an empty folder of its own, the only one it may write to
        closed: folders in which it may not even read
        own: what it may read even there
        gigabytes: memory, beyond what torch takes
        seconds: processor time
    """

    scratch: Path
    closed: tuple[Path, ...]
    own: Path
    gigabytes: float
    seconds: float


def confine(bounds: Bounds, line: int) -> None:
    """Cut this process off from all but its bounds, and the open file `line` to the tests."""
    with open(os.devnull, "r+b") as nowhere:
        for stream in range(3):
            os.dup2(nowhere.fileno(), stream)
    os.closerange(3, line)
    os.closerange(line + 1, 1024)
    sys.stdin = open(0, encoding="utf-8")
    sys.dont_write_bytecode = True
    tempfile.tempdir = str(bounds.scratch)
    os.chdir(bounds.scratch)
    torch.set_num_threads(1)
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, which ends with it
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end when the parent does
    if resource:
        _limit_resources(bounds.gigabytes, bounds.seconds)
    _block_what_is_not_announced()
    sys.addaudithook(_guard(bounds.scratch.resolve(), bounds.closed, bounds.own.resolve()))


def _block_what_is_not_announced() -> None:
    """Take away what reads or writes files, starts or stops processes past Python's audit."""

    def blocked(*args: object, **kwargs: object) -> None:
        raise OutOfBounds("goes past Python to files or processes")

    dispatcher = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a kernel that takes the place of another
        dispatcher.impl("from_file", blocked, "CPU")
    BLOCKED.append(dispatcher)  # or it would be taken back
    torch._C.PyTorchFileWriter = torch.UntypedStorage.from_file = blocked
    for module, names in {
        os: ["pidfd_open", "setpriority", "sched_setaffinity", "posix_spawn", "posix_spawnp"],
        signal: ["pidfd_send_signal"],
        sys.modules.get("_posixsubprocess"): ["fork_exec"],
    }.items():
        for name in names:
            if hasattr(module, name):
                setattr(module, name, blocked)


def _limit_resources(gigabytes: float, seconds: float) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(seconds) + 1,
        resource.RLIMIT_FSIZE: LARGEST_FILE,
    }
    with contextlib.suppress(OSError):  # there is no /proc but on Linux
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        in_use = pages * resource.getpagesize()
        limits[resource.RLIMIT_AS] = in_use + int(gigabytes * 2**30)
    for what, most in limits.items():
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _guard(scratch: Path, closed: tuple[Path, ...], own: Path) -> Callable[[str, tuple], None]:
    forbidden, changes, shut = dict(FORBIDDEN), dict(CHANGES), frozenset(closed)

    def real(path: object) -> Path | None:
        if type(path) not in (str, bytes, type(scratch)):
            return None  # an open file, or an object that may name another one next time
        return Path(os.fsdecode(path)).resolve()

    def is_outside(path: object) -> bool:
        place = real(path)
        return place is None or (place != nowhere and scratch not in [place, *place.parents])

    def is_shut(place: Path) -> bool:
        return own not in [place, *place.parents] and not shut.isdisjoint(place.parents)

    def guard(event: str, args: tuple) -> None:
        if event == "open":
            path, mode, flags = args
            if isinstance(path, int):
                return
            if mode is None and not os.path.isabs(os.fsdecode(path)):
                raise OutOfBounds("opens a file by its name in an open folder")
            if flags & WRITING and is_outside(path):
                raise OutOfBounds("writes a file")
            place = real(path)
            if place is None or place.name == "mem" or is_shut(place):
                raise OutOfBounds("reads what is not for it")
        elif event in changes:
            paths, folders = changes[event]
            by_folder = any(type(n) is int and n >= 0 for n in args[folders:])
            deep = event == "os.mkdir" and len(Path.cwd().parts) > MOST_DEEP
            if by_folder or deep or any(map(is_outside, args[:paths])):
                raise OutOfBounds("changes files")
        elif event in forbidden:
            raise OutOfBounds(forbidden[event])

    nowhere = Path(os.devnull).resolve()
    return guard
