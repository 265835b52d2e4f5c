"""How long things take, as ratios to the imports that no run can do without.

    python .ci/benchmark.py [RUNS]
    python .ci/benchmark.py submissions 10 100 1000

The second says what one more submission costs, as a ratio to a whole run on one's own answers.
The commands take turns, because the speed of a machine drifts: quote the medians and the
ratios, not a single time.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORTS = "import torch, pytest, pytest_check"
PYTEST = [sys.executable, "-m", "pytest"]
REFERENCE = "pytest --against=solutions"
SAVE = "from a save to the verdict of --watch"
PROOF = "the proof on all mistakes"
NO_MORE = shutil.ignore_patterns("mistakes", "variants", "__pycache__")


def measure(*command: str) -> tuple[float, float]:
    """Seconds and peak MB of one run of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


class Watch:
    """A watch in a terminal of its own; measures from a save to the verdict."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [*PYTEST, "--watch"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        self._wait_for("Watching exercises/")

    def _wait_for(self, words: str) -> None:
        while words not in self.process.stdout.readline():
            pass

    def save(self) -> tuple[float, float]:
        """Save a file, and wait for the verdict."""
        time.sleep(6)  # the time it takes to think: the spare process is ready by then
        start = time.perf_counter()
        os.utime(next((ROOT / "exercises").glob("*.py")))
        self._wait_for("Next: ")  # the stubs are red, and the screen says what to do
        seconds = time.perf_counter() - start
        self._wait_for("Watching exercises/")
        return seconds, 0.0

    def stop(self) -> None:
        """End the watch."""
        self.process.terminate()


def submissions(counts: list[int]) -> None:
    """The cost of one more submission where there are so many, right ones and isolated."""
    for options in [], ["-n2"]:
        for count in counts:
            with tempfile.TemporaryDirectory() as folder:
                for i in range(count):
                    shutil.copytree(ROOT / "solutions", Path(folder, "all", str(i)), ignore=NO_MORE)
                fresh, _ = measure(*PYTEST, "--against=solutions")
                one, _ = measure(*PYTEST, f"--against={folder}/all/0", *options)
                all_of_them, memory = measure(*PYTEST, f"--against={folder}/all/*", *options)
                again, _ = measure(*PYTEST, "--against=solutions")
            more, whole = (all_of_them - one) / (count - 1), (fresh + again) / 2
            what = f"{count:5} submissions {' '.join(options):4}"
            print(f"{what} {all_of_them:7.1f} s {memory:5.0f} MB", end="   ")
            print(f"one more: {more:.2f} s, to a whole run: {more / whole:.2f}", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["submissions"]:
        return submissions([int(count) for count in sys.argv[2:]])
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    watch = Watch()
    commands = {
        IMPORTS: lambda: measure(sys.executable, "-c", IMPORTS),
        REFERENCE: lambda: measure(*PYTEST, "--against=solutions"),
        "pytest": lambda: measure(*PYTEST),
        SAVE: watch.save,
        "pytest --hint": lambda: measure(*PYTEST, "--hint"),
        PROOF: lambda: measure(*PYTEST, "tests/test_grader/test_catalogue.py"),
    }
    for command in commands.values():
        command()  # warm the caches
    figures = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            figures[name].append(command())
    watch.stop()
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in figures.items()
    }
    base_seconds, base_memory = medians[IMPORTS]
    print(f"medians of {runs} alternating runs")
    for name, (seconds, memory) in medians.items():
        print(
            f"{name:38} {seconds:6.2f} s  × {seconds / base_seconds:5.2f}"
            + f"   {memory:5.0f} MB  × {memory / base_memory:4.2f}" * (memory > 0)
        )
    for over, under in [(SAVE, "pytest"), (PROOF, REFERENCE)]:
        print(f"{over} / {under}: {medians[over][0] / medians[under][0]:.2f}")


if __name__ == "__main__":
    main()
