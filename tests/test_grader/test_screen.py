"""What a learner sees, and the commands beside grading."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grader.katas import ROOT, find_katas
from grader.screen.hints import hints_in
from grader.screen.redo import redo  # noqa: F401  imported once, so that a copy of it can be loaded anew

KATA = "self_attention"
SOLUTION = (ROOT / f"solutions/{KATA}.py").read_text()
README = (ROOT / "README.md").read_text()


@pytest.fixture
def exercises(copy) -> Path:
    """The file the learner of the copy edits."""
    return copy / f"exercises/{KATA}.py"


def record_of(copy: Path) -> dict:
    return json.loads((copy / ".attempts/record.json").read_text())[KATA]


def screens_in(readme: str) -> list[str]:
    """The blocks of the README that show a screen."""
    return re.findall(r"```text\n(.*?)```", readme, re.DOTALL)


def test_the_screens_of_the_readme_are_true(run, copy, exercises):
    fresh, one_mistake, _ = screens_in(README)

    first = run(root=copy).stdout.str()
    body = exercises.read_text().replace(
        "    raise NotImplementedError", "    return x @ w_q, x @ w_k, x @ w_v", 1
    )
    exercises.write_text(body.replace("    raise NotImplementedError", "    return q @ k.mT", 1))
    second = run(root=copy).stdout.str()

    assert fresh in first
    assert one_mistake in second


def test_a_finished_kata_ends_with_a_picture_and_the_time(run, copy, exercises):
    run(root=copy)
    exercises.write_text(SOLUTION)

    screen = run(root=copy).stdout.str()

    assert "  ░░░▒▒▒▒▒▒          0.20  0.33  0.47  0.00  0.00" in screen
    assert re.search(r"Done in \d+ s\. Again\? pytest --redo", screen)


def test_the_picture_is_drawn_on_demand_or_promised(run, copy, exercises):
    early = run("--show", root=copy).stdout.str()
    reference = run("--show", "--against=solutions", "-k", "lone", root=copy).stdout.str()

    assert "There is a picture once all of it works." in early
    assert "0.07  0.06  0.39  0.10  0.39" in reference


def test_an_ascii_terminal_gets_ascii(copy):
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"}

    command = [sys.executable, "-m", "pytest", "--against=solutions", "-k", "lone or lesson"]
    result = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)

    screen = result.stdout.decode("ascii")
    assert "self_attention - grading solutions/self_attention.py" in screen
    assert "\\u" not in screen


def test_what_a_function_prints_is_shown_beneath_its_failure(grade):
    code = "def score(q, k):\n    print('q is', q.shape)\n    return q @ k.mT"

    screen = grade(code).stdout.str()

    assert "  Your function printed:\n    q is torch.Size([1, 3])" in screen


def test_two_mistakes_in_two_functions_are_both_named(grade):
    code = "def score(q, k):\n    return q @ k.mT\n\ndef mask(s):\n    return s.tril()"

    brief, full = grade(code).stdout.str(), grade(code, "-v").stdout.str()

    assert "You leave the dot products as they are." in brief
    assert "(multiplies_with_zero)" in brief
    assert "You leave the dot products as they are." in full
    assert "▶ score" in full


@pytest.mark.parametrize("selection", [("-k", "huge or large"), ("-x",), ("-n2",)])
def test_the_name_does_not_depend_on_the_selection(grade, selection):
    code = "def attend(q, k, v, is_causal=False):\n    return softmax_rows(score(q, k)) @ v"

    screen = grade(code, "tests/self_attention/test_5_attend.py", *selection).stdout.str()

    assert "You return the same with and without is_causal" in screen


def test_hints_come_one_by_one(run, copy):
    first, second, third, last = (run("--hint=mask", root=copy).stdout.str() for _ in range(4))

    assert "mask, hint 1 of 3" in first
    assert "mask, hint 2 of 3" in second
    assert third == last
    assert "This was the last one." in last


def test_a_hint_is_for_the_exercise_in_hand(run, copy, exercises):
    assert "make_qkv, hint 1" in run("--hint", root=copy).stdout.str()
    solved = "    return x @ w_q, x @ w_k, x @ w_v"
    exercises.write_text(exercises.read_text().replace("    raise NotImplementedError", solved, 1))

    run(root=copy)

    assert "score, hint 1" in run("--hint", root=copy).stdout.str()


def test_an_unknown_exercise_lists_what_there_is(run, copy):
    result = run("--hint=softmax", root=copy)

    assert "make_qkv, score, mask, softmax_rows, attend" in result.stderr.str()
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_every_function_has_hints_that_do_not_give_the_line_away():
    for kata, entry in find_katas().items():
        hints = hints_in((ROOT / f"solutions/{kata}.py").read_text())
        assert set(hints) == set(entry.functions)
        for line in re.findall(r"^    return (.*)$", SOLUTION, re.MULTILINE):
            assert line not in " ".join(sum(hints.values(), []))


@pytest.mark.parametrize("option", ["--hint", "--redo"])
def test_hint_and_redo_do_without_torch(copy, tmp_path, option):
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')\n")

    result = subprocess.run(
        [sys.executable, "-m", "pytest", option],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stderr
    assert "torch was imported" not in result.stdout + result.stderr


def test_redo_puts_the_stubs_back_and_keeps_what_was_there(run, copy, exercises):
    stubs = exercises.read_text()
    exercises.write_text(SOLUTION)

    screen = run("--redo", root=copy).stdout.str()

    assert exercises.read_text() == stubs
    (kept,) = (copy / ".attempts").glob("*.py")
    assert kept.read_text() == SOLUTION
    assert f".attempts/{kept.name}" in screen


def test_redo_of_one_exercise_leaves_the_others(run, copy, exercises):
    stubs = exercises.read_text()
    mine = SOLUTION.replace("How much does each query match each key?", "my own notes")
    exercises.write_text(mine)

    run("--redo=score", root=copy)

    after = exercises.read_text()
    assert "my own notes" not in after
    assert "return x @ w_q, x @ w_k, x @ w_v" in after
    assert after.count("raise NotImplementedError") == 1
    stub = re.search(r"def score.*?raise NotImplementedError\n", stubs, re.DOTALL)[0]
    assert stub in after


def test_nothing_is_lost_however_often(run, copy, exercises):
    texts = [f"# attempt {i}\n{SOLUTION}" for i in range(4)]
    for text in texts:
        exercises.write_text(text)
        run("--redo", root=copy)
    run("--redo", root=copy)

    kept = [path.read_text() for path in (copy / ".attempts").glob("*.py")]
    assert sorted(kept) == sorted(texts)


def test_redo_of_a_broken_or_missing_file(run, copy, exercises):
    stubs = exercises.read_text()
    exercises.write_text("def score(:\n")

    refused = run("--redo=score", root=copy).stderr.str()
    run("--redo", root=copy)
    restored = exercises.read_text()
    exercises.unlink()
    run("--redo", root=copy)

    assert "pytest --redo puts back all of it" in refused
    assert restored == exercises.read_text() == stubs


def test_the_stopwatch_counts_own_full_attempts_only(run, copy, exercises):
    exercises.write_text(SOLUTION)
    run(root=copy)
    assert record_of(copy)["times"] == []  # it was never seen untouched

    run("--redo", root=copy)
    run(root=copy)
    started = record_of(copy)["started"]
    run("--against=solutions", root=copy)
    run("--hint", root=copy)
    run(root=copy)
    assert record_of(copy)["started"] == started > 0

    exercises.write_text(SOLUTION)
    run("-k", "lone", root=copy)
    assert record_of(copy)["times"] == []
    run(root=copy)
    assert len(record_of(copy)["times"]) == 1
    run("--redo", root=copy)
    run(root=copy)
    exercises.write_text(SOLUTION)
    assert "Your best was" in run(root=copy).stdout.str()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"self_attention": 3}', '{"self_attention": {"times": ["x"]}}', "\0"]
)
def test_an_unreadable_record_is_set_aside(run, copy, text):
    (copy / ".attempts").mkdir()
    (copy / ".attempts/record.json").write_text(text)

    result = run(root=copy)

    assert "record.json was unreadable" in result.stdout.str()
    assert (copy / ".attempts/record-unreadable.json").read_text() == text
    assert record_of(copy)["result"] == "0 of 5"


class Watching:
    """`pytest --watch` in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "pytest", "--watch", "-p", "no:cacheprovider"],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def verdict(self) -> str:
        """All that is printed until the run is over."""
        seen = ""
        for line in self.process.stdout:
            seen += line
            if "Watching exercises/" in line:
                return seen
        raise AssertionError(f"the watch has ended:\n{seen}")

    def stop(self) -> int:
        """Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=20)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are different there")
def test_the_watch_grades_at_every_save(copy, exercises):
    watching = Watching(copy)
    stubs = exercises.read_text()
    assert "0 of 5" in watching.verdict()

    exercises.write_text(SOLUTION)
    assert "5 of 5" in watching.verdict()
    exercises.write_text(f"{SOLUTION}\n\ndef score(q, k):\n    while True:\n        pass\n")
    time.sleep(3)  # it is in the endless loop now
    for half in (SOLUTION[:3000], SOLUTION[:3500], "", f"{SOLUTION}\n\ndel score\n"):
        exercises.write_text(half)  # a burst: only the last one counts
    assert "defines no function score" in watching.verdict()
    exercises.unlink()
    assert "There is no exercises/" in watching.verdict()
    exercises.write_text(stubs)
    assert "0 of 5" in watching.verdict()
    assert watching.stop() == 0


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def score(q, k):\n    z = q.nothing", "-> z = q.nothing"),
        ("def score(q, k):\n    return q @ k.mT", "-> close(scores, "),
    ],
)
def test_the_debugger_opens_where_it_broke(copy, exercises, code, line):
    exercises.write_text(f"{SOLUTION}\n\n{code}\n")

    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--pdb"],
        cwd=copy,
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert line in result.stdout
    assert result.stdout.count("entering PDB") == 1  # and q ends the run


@pytest.mark.parametrize(
    "entry",
    [
        {"hints": {"score": -5}},
        {"hints": {"score": 1.5}},
        {"times": [float("nan")], "started": 5},
        {"times": [-5]},
        {"result": "../../x"},
        {"in_hand": "../x"},
        {"unknown": 1},
    ],
)
def test_a_record_edited_by_hand_is_set_aside(run, copy, entry):
    (copy / ".attempts").mkdir()
    (copy / ".attempts/record.json").write_text(json.dumps({KATA: entry}))

    result = run("--hint=score", root=copy)

    assert "record.json was unreadable" in result.stdout.str()
    assert "score, hint 1 of 3" in result.stdout.str()


def test_where_nothing_can_be_written_everything_but_redo_works(run, copy, exercises):
    (copy / ".attempts").write_text("in the way")
    exercises.write_text(SOLUTION)

    graded = run(root=copy)
    hint = run("--hint=score", root=copy)
    redone = run("--redo", root=copy)

    assert "5 of 5" in graded.stdout.str()
    assert "Nothing of" in graded.stdout.str()
    assert "score, hint 1 of 3" in hint.stdout.str()
    assert "nothing was changed" in redone.stderr.str()
    assert exercises.read_text() == SOLUTION


@pytest.mark.parametrize(
    "source",
    [
        'X = "a\x0cb\x1cc\u2028d"\n\n' + SOLUTION,
        "\ufeff" + SOLUTION,
        SOLUTION.replace("\n", "\r\n"),
        "import functools\n" + SOLUTION.replace("def score", "@functools.cache\ndef score"),
    ],
    ids=["odd line ends", "BOM", "CRLF", "decorated"],
)
def test_redo_of_one_exercise_in_an_odd_file(run, copy, exercises, source):
    exercises.write_bytes(source.encode())

    result = run("--redo=score", root=copy)

    after = exercises.read_bytes().decode()
    compile(after.lstrip("\ufeff"), "after", "exec")
    assert result.ret == 0
    assert after.count("raise NotImplementedError") == 1
    assert after.startswith(source[:8])
    assert ("\r\n" in after) == ("\r\n" in source)


def test_redo_of_one_exercise_of_a_missing_file_brings_all_back(run, copy, exercises):
    stubs = exercises.read_text()
    exercises.unlink()

    assert "There is no exercises/self_attention.py. pytest --redo" in run(root=copy).stdout.str()
    run("--redo=score", root=copy)

    assert exercises.read_text() == stubs


def test_a_partial_run_keeps_what_is_known(run, copy, exercises):
    exercises.write_text(SOLUTION)
    run(root=copy)
    run("tests/self_attention/test_1_make_qkv.py", root=copy)

    assert record_of(copy)["result"] == "5 of 5"
    assert "name one, as in --hint=score" in run("--hint", root=copy).stderr.str()


@pytest.mark.parametrize(
    "options", [("--hint", "--redo"), ("--watch", "--redo"), ("--watch", "--against=solutions")]
)
def test_what_does_not_go_together_is_refused(run, copy, options):
    result = run(*options, root=copy)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert len(result.stderr.lines) <= 3


def test_a_broken_file_is_told_once_and_moves_nothing(run, copy, exercises):
    exercises.write_text(SOLUTION.replace("return q @ k.mT / math.sqrt(q.shape[-1])", "return (q"))

    screen = run(root=copy).stdout.str()

    assert screen.count("is not Python yet") == 1
    assert "not graded" in screen
    assert "Stuck?" not in screen
    assert record_of(copy)["in_hand"] == ""


def test_without_solutions_no_command_is_offered_that_needs_them(run, copy):
    shutil.rmtree(copy / "solutions")

    assert "--hint" not in run(root=copy).stdout.str()
    assert "there is no solutions/ here" in run("--hint", root=copy).stderr.str()
