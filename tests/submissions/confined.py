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
from collections.abc import Callable
from pathlib import Path

import torch
from grader.explain import OutOfBounds

try:
    import resource
except ImportError:  # Windows
    resource = None

LARGEST_FILE = 16 * 2**20  # bytes
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
    **dict.fromkeys(
        ["socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"],
        "uses the network",
    ),
}


def confine(scratch: Path, gigabytes: float, seconds: float) -> None:
    """Cut this process off: from the terminal, from files outside `scratch`, from other processes.

    Args:
        scratch: an empty folder of its own
        gigabytes: memory it may use, beyond what torch takes
        seconds: processor time it may use
    """
    with open(os.devnull, "r+b") as nowhere:
        for stream in range(3):
            os.dup2(nowhere.fileno(), stream)
    sys.stdin = open(0, encoding="utf-8")
    sys.dont_write_bytecode = True
    tempfile.tempdir = str(scratch)
    os.chdir(scratch)
    torch.set_num_threads(1)
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, which ends with it
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end when the parent does
    if resource:
        _limit_resources(gigabytes, seconds)
    sys.addaudithook(_guard(scratch.resolve()))


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


def _guard(scratch: Path) -> Callable[[str, tuple], None]:
    forbidden, changes = dict(FORBIDDEN), dict(CHANGES)

    def is_outside(path: object) -> bool:
        if type(path) not in (str, bytes, type(scratch)):
            return True  # an open file, or an object that may name another one next time
        name = os.fsdecode(path)
        return name != os.devnull and scratch not in Path(name).resolve().parents

    def guard(event: str, args: tuple) -> None:
        if event == "open":
            path, mode, flags = args
            if isinstance(path, int):
                return
            if mode is None and not os.path.isabs(os.fsdecode(path)):
                raise OutOfBounds("opens a file by its name in an open folder")
            if flags & WRITING and is_outside(path):
                raise OutOfBounds("writes a file")
            if os.path.basename(path) in ("mem", b"mem"):
                raise OutOfBounds("reads the memory of a process")
        elif event in changes:
            paths, folders = changes[event]
            by_folder = any(type(n) is int and n >= 0 for n in args[folders:])
            if by_folder or any(map(is_outside, args[:paths])):
                raise OutOfBounds("changes files")
        elif event in forbidden:
            raise OutOfBounds(forbidden[event])

    return guard
