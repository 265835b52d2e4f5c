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

SPARE = """
import sys
import numpy, pytest, torch
if sys.stdin.readline():
    sys.exit(pytest.main(sys.argv[1:]))
"""


def watch(args: list[str]) -> int:
    """Grade at once and after every save in exercises/, until Ctrl-C."""
    args = [arg for arg in args if arg != "--watch"]
    spare, running = _start(args), None
    try:
        before: dict[Path, int] = {}
        while True:
            now = _saved()
            if now != before:
                now = _settled(now)
                if running:
                    running.kill()  # an endless loop ends with the next save
                    running.wait()
                if sys.stdout.isatty():
                    print("\x1b[2J\x1b[H", end="", flush=True)
                running, before = spare or _start(args), now
                running.stdin.write(b"now\n")
                running.stdin.flush()
                spare = None
            if running and spare is None and running.poll() is not None:
                spare = _start(args)
                print("Watching exercises/. Save to grade again, Ctrl-C to stop.", flush=True)
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
