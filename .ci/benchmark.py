"""How long a run takes, as a ratio to the imports that no run can do without.

    python .ci/benchmark.py [RUNS]

The commands take turns, because the speed of a machine drifts: quote the medians and the
ratios, not a single time.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = [sys.executable, "-m", "pytest"]
COMMANDS = {
    "import torch, pytest, pytest_check": [
        *(sys.executable, "-c"),
        "import torch, pytest, pytest_check",
    ],
    "pytest --against=solutions": [*PYTEST, "--against=solutions"],
    "pytest": PYTEST,
}


def measure(command: list[str]) -> tuple[float, float]:
    """Seconds and peak MB of one run of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    for command in COMMANDS.values():
        measure(command)  # warm the caches
    figures = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            figures[name].append(measure(command))
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in figures.items()
    }
    base_seconds, base_memory = next(iter(medians.values()))
    print(f"medians of {runs} alternating runs")
    for name, (seconds, memory) in medians.items():
        print(
            f"{name:36} {seconds:6.2f} s  × {seconds / base_seconds:4.2f}"
            f"   {memory:5.0f} MB  × {memory / base_memory:4.2f}"
        )


if __name__ == "__main__":
    main()
