"""Runs pytest inside pytest, on answers made for the occasion, and reads the screen."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy  # noqa: F401  an inner run may not be the first to import it
import pytest
from grader.katas import ROOT

pytest_plugins = ["pytester"]

REFERENCE = (ROOT / "solutions/self_attention.py").read_text()

Grade = Callable[..., pytest.RunResult]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error"))


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Grade:
    """Run pytest in this process as somebody would in `root`; each run loads its own grader."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*args: str, root: Path = ROOT, start: Path | None = None) -> pytest.RunResult:
        for name in list(sys.modules):
            if name.partition(".")[0] in ("grader", "self_attention", "submissions", "tests"):
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.chdir(start or root)
        result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *args)
        _keep(result.stdout.str())
        return result

    return run


@pytest.fixture
def grade(run: Grade, tmp_path: Path) -> Grade:
    """Grade the reference with something else at its end, where the last definition counts."""

    def grade(code: str, *args: str, base: str = REFERENCE) -> pytest.RunResult:
        file = tmp_path / "answers/self_attention.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{base}\n\n{code}\n")
        return run(f"--against={file.parent}", "--in-process", *args)

    return grade


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository, as a learner has it."""
    hidden = shutil.ignore_patterns(".*", "__pycache__", "test_grader")
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=hidden)


def _keep(words: str) -> None:
    """WORDS=FILE pytest tests/test_grader writes all that a learner may read into one file."""
    if "WORDS" in os.environ:
        with open(os.environ["WORDS"], "a", encoding="utf-8") as file:
            file.write(f"{words}\n{'-' * 80}\n")


@pytest.fixture
def keep() -> Callable[[str], None]:
    """Keeps words for reading."""
    return _keep


FIGURES = pytest.StashKey[dict[str, int]]()


@pytest.fixture(scope="session")
def figures(pytestconfig: pytest.Config) -> Counter[str]:
    """Counts what the proof has shown; printed at the end."""
    return pytestconfig.stash.setdefault(FIGURES, Counter())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, count in terminalreporter.config.stash.get(FIGURES, {}).items():
        terminalreporter.write_line(f"{what}: {count}")
