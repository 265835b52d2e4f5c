"""Many submissions in one run: every verdict is right, and nothing is left of any of them."""

import ast
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import FAULTS, PREAMBLE, RIGHT, WHOLE
from grader.katas import ROOT, find_katas

REFERENCE = (ROOT / "solutions/self_attention.py").read_text()
STUBS = (ROOT / "exercises/self_attention.py").read_text()
EXERCISES = find_katas()["self_attention"].exercises
SPECIFICATION = "tests/self_attention/test_[1-5]*.py"  # not together: each file has five mistakes
LIMITS = ("--call-limit=2", "--memory-limit=1")

Rows = dict[str, dict[str, dict]]


class Desk:
    """A copy of the repository that grades, because some of what it grades is out to harm it."""

    def __init__(self, folder: Path) -> None:
        hidden = shutil.ignore_patterns(".*", "__pycache__", "test_grader")
        self.root = shutil.copytree(ROOT, folder / "copy", ignore=hidden)
        self.scratch = folder / "scratch"
        self.report = folder / "report.json"

    def grade(self, *args: str) -> tuple[Rows, subprocess.CompletedProcess]:
        """Run pytest in a process of its own: what it reports, and how it ended."""
        self.scratch.mkdir(exist_ok=True)
        self.report.unlink(missing_ok=True)
        mark = uuid.uuid4().hex
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
            + [f"--report={self.report}"],
            cwd=self.root,
            env={**os.environ, "TMPDIR": str(self.scratch), "MARK": mark, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert self.report.exists(), run.stdout + run.stderr
        left = [path for path in self.scratch.iterdir() if not path.name.startswith("pytest-of")]
        assert left == []
        assert alive(mark) == []
        return by_name(json.loads(self.report.read_text())), run


def alive(mark: str) -> list[str]:
    """The processes with this mark in their environment, where there is a /proc to tell."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


def by_name(report: dict) -> Rows:
    return {
        submission["name"]: {row["name"]: row for row in submission["katas"][0]["exercises"]}
        for submission in report["submissions"]
    }


def files_in(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if "__pycache__" not in path.parts}


def hand_in(folder: Path, name: str, code: str, file: str = "self_attention.py") -> None:
    (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / name / file).write_text(code, encoding="utf-8")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
def folder(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One submission for each fault, and some that are right, wrong or not begun."""
    folder = tmp_path_factory.mktemp("all of them")
    preamble = PREAMBLE.format(root=str(desk.root))
    for name, fault in FAULTS.items():
        hand_in(folder, name, f"{REFERENCE}\n\n{preamble}\n{fault.code}\n")
    hand_in(folder, "right", REFERENCE)
    hand_in(folder, "right too", REFERENCE)
    hand_in(folder, "Ünïcödé 注意 …", REFERENCE)
    hand_in(folder, "wrong", f"{REFERENCE}\n\ndef score(q, k):\n    return q @ k.mT\n")
    hand_in(folder, "not begun", STUBS)
    hand_in(folder, "empty", "")
    hand_in(folder, "holds nothing", "", "notes.txt")
    hand_in(folder, "clone", REFERENCE, "exercises/self_attention.py")
    for place in ("clone", "clone/exercises", "right"):
        hand_in(folder, place, "raise SystemExit('loaded')", "conftest.py")
    hand_in(folder, "clone", "[tool.pytest.ini_options]\naddopts = '--no-such'", "pyproject.toml")
    hand_in(folder, ".", REFERENCE, "alone.py")
    hand_in(folder, ".", "PK", "packed.zip")
    if hasattr(os, "mkfifo"):
        (folder / "a pipe").mkdir()
        os.mkfifo(folder / "a pipe/self_attention.py")
    return folder


@pytest.fixture(scope="module")
def first(desk: Desk, folder: Path) -> Iterator[tuple[Rows, subprocess.CompletedProcess]]:
    """The run that the others are compared with. It changes no file."""
    before = files_in(desk.root) | files_in(folder / "right")
    result = desk.grade(f"--against={folder}/*", *LIMITS)
    after = files_in(desk.root) | files_in(folder / "right")
    assert {path for path in before | after if before.get(path) != after.get(path)} == set()
    return result


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_its_own_exercise_and_says_why(first, name):
    rows, fault = first[0][name], FAULTS[name]

    spoilt = {WHOLE: set(EXERCISES), RIGHT: set()}.get(fault.spoils, {fault.spoils, "together"})
    failed = {row for row in rows if rows[row]["status"] != "passed"}
    assert failed - {"together"} == spoilt - {"together"}
    if fault.spoils != RIGHT:
        sentence = rows["score" if fault.spoils == WHOLE else fault.spoils]["sentence"]
        assert fault.reason in sentence
        assert "\n" not in sentence
    else:
        assert failed == set()


@pytest.mark.parametrize("name", ["right", "right too", "Ünïcödé 注意 …", "clone", "alone.py"])
def test_a_right_answer_beside_them_passes(first, name):
    assert {row["status"] for row in first[0][name].values()} == {"passed"}


def test_a_wrong_answer_beside_them_is_named(first):
    assert first[0]["wrong"]["score"]["mistake"] == "no_scale"
    assert first[0]["wrong"]["mask"]["status"] == "passed"


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("not begun", "not started", "score is not written yet"),
        ("empty", "failed", "defines no function score"),
        ("holds nothing", "not graded", "holds no self_attention.py"),
        ("packed.zip", "not graded", "neither a folder nor a .py file"),
        ("a pipe", "not graded", "still running after 2 s"),
    ],
)
def test_what_cannot_be_graded_says_why(first, name, status, sentence):
    assert {row["status"] for row in first[0][name].values()} == {status}
    assert sentence in first[0][name]["score"]["sentence"]


def test_the_screen_has_a_line_for_each(first, folder):
    screen = first[1].stdout

    assert "loaded" not in screen
    assert first[1].returncode == pytest.ExitCode.TESTS_FAILED
    for place in folder.iterdir():
        assert any(line.startswith(place.name[:15]) for line in screen.splitlines())
    assert max(map(len, screen.splitlines())) <= 80
    assert f"graded: {len(list(folder.iterdir()))} submissions" in screen


def differences(one: Rows, other: Rows) -> list[tuple]:
    return [
        (name, exercise, one[name][exercise], other[name][exercise])
        for name in one
        for exercise in one[name]
        if one[name][exercise] != other[name][exercise]
    ]


def test_two_processes_and_another_order_give_the_same_report(first, desk, folder):
    places = sorted(folder.iterdir(), reverse=True)

    rows, _ = desk.grade(*(f"--against={place}" for place in places), *LIMITS, "-n2")

    assert differences(first[0], rows) == []


def answers_from(group: str) -> Iterator[str]:
    """All of solutions/GROUP in as few files as it takes: each exercise is graded on its own."""
    tree = ast.parse((ROOT / "solutions" / group / "self_attention.py").read_bytes())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    others = [node for node in tree.body if node not in classes.values()]
    functions = {
        exercise: [node for node in classes[exercise].body if isinstance(node, ast.FunctionDef)]
        for exercise in EXERCISES[:-1]
    }
    for i in range(max(map(len, functions.values()))):
        chosen = [(name, known[i]) for name, known in functions.items() if i < len(known)]
        lines = [
            line for name, node in chosen for line in (ast.unparse(node), f"{name} = {node.name}")
        ]
        yield "\n".join([*map(ast.unparse, others), *lines, ""])


def test_both_ways_give_the_same_verdicts(desk, tmp_path):
    """All known mistakes, and all right answers, in processes of their own and in this one."""
    for group in ("mistakes", "variants"):
        for i, code in enumerate(answers_from(group)):
            hand_in(tmp_path, f"{group} {i:03}", code)
    every = f"--against={tmp_path}/*", "--seed=1", "-n2", *map(str, desk.root.glob(SPECIFICATION))

    isolated, _ = desk.grade(*every)
    in_process, _ = desk.grade(*every, "--in-process")

    assert len(isolated) > 90
    assert differences(isolated, in_process) == []
