"""The process of a submission, as seen by the tests: started, asked, and ended for good.

multiprocessing's fork server has torch loaded and has never computed with it, so a new process
takes milliseconds, and nothing of one submission is left for the next. Where there is no fork
server every process starts from nothing, which takes longer and is otherwise the same.
"""

import contextlib
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
import types
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from grader.katas import ROOT, Kata

from submissions import child
from submissions.confined import Bounds
from submissions.wire import Line, Malformed

METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
CONTEXT = multiprocessing.get_context(METHOD)
CONTEXT.set_forkserver_preload([child.__name__])
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT / "tests"),  # for the fork server to find what it loads
    "OMP_NUM_THREADS": "1",
    "PYTHONBREAKPOINT": "0",  # nobody sits in front of it
    "TORCHDYNAMO_DISABLE": "1",  # torch.compile gives the function back as it is
}
NO_REPLY = "sent back what no function returns"
LONGEST_START = 120.0  # seconds; a whole new interpreter on a busy machine may need some


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes:
        call: seconds for one call of a function
        total: seconds for all of the submission
        memory: gigabytes, beyond what torch takes
    """

    call: float
    total: float
    memory: float


class Fault(Exception):
    """The process did not do what it was asked to. The message is a sentence."""


class Process:
    """A process that holds one submission.

    Raises:
        Fault: it does not start
    """

    def __init__(
        self, path: Path, kata: Kata, limits: Limits, closed: tuple[Path, ...], own: Path
    ) -> None:
        self._scratch = tempfile.mkdtemp(prefix="kata-")
        ours, theirs = socket.socketpair()
        self._line = Line(ours)
        bounds = Bounds(Path(self._scratch), closed, own, limits.memory, limits.total)
        self._process = CONTEXT.Process(
            target=child.main, args=(theirs, path, kata, bounds), daemon=True
        )
        # Without a main module it does not run pytest's once more.
        main = mock.patch.dict(sys.modules, {"__main__": types.ModuleType("__main__")})
        try:
            with theirs, main, mock.patch.dict(os.environ, ENVIRONMENT):
                self._process.start()
            self._line.receive(time.monotonic() + LONGEST_START)
        except (OSError, EOFError, Malformed) as error:
            self.stop()
            raise Fault(f"No process could be started for it: {error!r}") from error

    def ask(self, doing: str, seconds: float, question: dict[str, object]) -> dict[str, object]:
        """Ask for something, and return the reply and what was printed.

        Args:
            doing: who is at work, in words
            seconds: how long it may take
            question: the name of a method of the other side, and its arguments

        Raises:
            Fault: there is no reply in time, or the process has ended, or it is no reply
        """
        deadline = time.monotonic() + seconds
        try:
            self._line.send(question, deadline)
            reply = self._line.receive(deadline)
        except TimeoutError:
            if self._process.exitcode is not None:  # what it has started keeps the line open
                raise Fault(f"{doing} {self._how_it_ended()}.") from None
            raise Fault(f"{doing} was still running after {seconds:g} s.") from None
        except (EOFError, OSError):
            raise Fault(f"{doing} {self._how_it_ended()}.") from None
        except Malformed:
            raise Fault(f"{doing} {NO_REPLY}.") from None
        if not isinstance(reply, dict) or set(reply) != {"reply", "printed"}:
            raise Fault(f"{doing} {NO_REPLY}.")
        return reply

    def _how_it_ended(self) -> str:
        self._process.join(1)
        code = self._process.exitcode
        if code is None:
            return "cut the connection to the tests"
        if code < 0:
            known = {s.value: s.name for s in signal.Signals}
            return f"ended its own process ({known.get(-code, f'signal {-code}')})"
        return f"ended its own process (exit status {code})"

    def stop(self) -> None:
        """End it, whatever it is doing, and all that it has started. It gets no last word."""
        self._line.close()
        if self._process.pid is not None:
            with contextlib.suppress(OSError, AttributeError):  # no group (yet), or Windows
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                self._process.kill()
            self._process.join()
        shutil.rmtree(self._scratch, ignore_errors=True)
