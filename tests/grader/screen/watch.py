"""`pytest --watch`: grade again at every save, with torch already loaded.

A spare process that has only imported torch waits for the next save. It is a new interpreter
each time, so nothing of an earlier run is left in it, and it never forks: a child forked after
torch has computed would hang.
"""

import subprocess
import sys
import time
from pathlib import Path

from grader.katas import ROOT

SECONDS = 0.03  # between two looks at the files
LONG_RUN = 2.0  # seconds, after which a run is likely to be in an endless loop

SPARE = """
import os, sys
import numpy, pytest, torch
if sys.stdin.readline():
    try:  # the terminal in the place of the pipe, for breakpoint()
        os.dup2(os.open("/dev/tty", os.O_RDONLY), 0)
        sys.stdin = open(0)
    except OSError:
        pass
    sys.exit(pytest.main(sys.argv[1:]))
"""


def watch(args: list[str]) -> int:
    """Grade at once and after every save in exercises/, until Ctrl-C."""
    args = [arg for arg in args if arg != "--watch"]
    spare, running, since = _start(args), None, 0.0
    before: dict[Path, int] = {}
    try:
        while True:
            now = _saved()
            if now != before:
                before = _settled(now)
                if running:
                    running.kill()  # an endless loop ends with the next save
                    running.wait()
                clear = "\x1b[2J\x1b[H" if sys.stdout.isatty() else ""
                print(f"{clear}Grading ...", flush=True)
                running, spare, since = spare or _start(args), None, time.monotonic()
                running.stdin.write(b"now\n")
                running.stdin.flush()
            if running and running.poll() is not None:
                if running.returncode not in (0, 1):
                    print(f"The run ended with exit code {running.returncode}.")
                print("Watching exercises/. Save to grade again, Ctrl-C to stop.", flush=True)
                running = None
            if not spare and (not running or time.monotonic() - since > LONG_RUN):
                spare = _start(args)  # not at once: importing torch would slow the run down
            time.sleep(SECONDS)
    except KeyboardInterrupt:
        return 0
    finally:
        for process in filter(None, (spare, running)):
            process.kill()
            process.wait()


def _start(args: list[str]) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", SPARE, *args], stdin=subprocess.PIPE)


def _saved() -> dict[Path, int]:
    """The files of the learner and when they were saved. One may vanish while we look."""
    files = {}
    for path in (ROOT / "exercises").rglob("*.py"):
        try:
            files[path] = path.stat().st_mtime_ns
        except OSError:
            continue
    return files


def _settled(files: dict[Path, int]) -> dict[Path, int]:
    """Editors save in bursts, and in two steps: wait until nothing changes any more."""
    while True:
        time.sleep(SECONDS)
        now = _saved()
        if now == files:
            return now
        files = now
