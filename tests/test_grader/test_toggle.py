"""--against grades what it names, says so, and never anything else."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from grader.katas import ROOT

FILE = ROOT / "solutions/self_attention.py"
MASK = "tests/self_attention/test_3_mask.py"


def test_the_solutions_are_green_without_a_warning(run):
    result = run("--against=solutions")

    assert result.ret == pytest.ExitCode.OK
    screen = result.stdout.str()
    assert "5 of 5" in screen
    assert "warning" not in screen
    assert result.stderr.str() == ""


def test_what_is_graded_is_the_first_and_the_last_word(run):
    lines = run("--against=solutions", MASK).stdout.lines

    assert lines[0] == lines[-1] == "graded: solutions/self_attention.py"


def test_no_test_passes_on_a_stub(run, copy):
    result = run(root=copy)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    screen = result.stdout.str()
    assert "0 of 5" in screen
    assert screen.count("  not started") == 5
    assert re.search(r"^\d+ not started in [\d.]+s$", screen, re.MULTILINE)  # and nothing else
    assert "Next: write make_qkv. What does each token ask, offer and pass on?" in screen


def test_a_fresh_clone_fits_the_screen(run, copy):
    lines = run(root=copy).stdout.lines

    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("wanted", ["", "nowhere", "tests/grader", "README.md", "exercises/x.py"])
def test_what_cannot_be_graded_is_a_usage_error(run, wanted):
    result = run(f"--against={wanted}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    error = result.stderr.str()
    assert "ERROR: --against: " in error
    assert "exercises, solutions, solutions/mistakes, solutions/variants" in error


@pytest.mark.parametrize("folder", ["exercises", "solutions", ".ci"])
def test_it_works_from_any_folder_of_the_repository(run, folder):
    result = run("--against=solutions", start=ROOT / folder)

    assert "5 of 5" in result.stdout.str()
    assert result.ret == pytest.ExitCode.OK


def test_it_works_from_outside_the_repository(run, tmp_path):
    result = run(str(ROOT), f"--against={ROOT / 'solutions'}", start=tmp_path)

    assert "5 of 5" in result.stdout.str()
    assert result.ret == pytest.ExitCode.OK


def test_a_relative_name_is_looked_up_from_where_one_stands(run, tmp_path):
    shutil.copy(FILE, tmp_path)

    result = run(str(ROOT / MASK), "--against=self_attention.py", start=tmp_path)

    assert result.stdout.lines[-1] == f"graded: {tmp_path / 'self_attention.py'}"


@pytest.mark.parametrize("name", ["self_attention.py", "my answers.py", "übung – 注意.py"])
def test_a_single_file_may_have_any_name(run, tmp_path, name):
    shutil.copy(FILE, tmp_path / name)

    result = run(f"--against={tmp_path / name}", MASK)

    assert result.stdout.lines[0] == f"graded: {tmp_path / name}"
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("command", [("-k", "alone"), ("-x",), ("-n2",), ("--tb=short",)])
def test_pytests_own_options_work(run, command):
    result = run("--against=solutions", MASK, *command)

    assert result.ret == pytest.ExitCode.OK
    assert result.stdout.lines[-1] == "graded: solutions/self_attention.py"


def test_one_test_on_its_own_does_not_make_an_exercise_done(run):
    result = run("--against=solutions", f"{MASK}::test_three_tokens_by_hand")

    screen = result.stdout.str()
    assert "mask          1 of 1 run" in screen
    assert "0 of 5" in screen
    assert result.ret == pytest.ExitCode.OK


def test_a_whole_clone_is_graded_and_its_configuration_left_alone(run, tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "solutions", clone / "solutions")
    (clone / "exercises").mkdir()
    (clone / "exercises/self_attention.py").write_text("def score(q, k):\n    return q @ k.mT\n")
    for name in ("conftest.py", "exercises/conftest.py"):
        (clone / name).write_text("raise SystemExit('loaded')\n")
    (clone / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--no-such'\n")

    result = run(f"--against={clone}")

    assert result.stdout.lines[0] == f"graded: {clone / 'exercises/self_attention.py'}"
    assert "loaded" not in result.stdout.str() + result.stderr.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_clone_may_not_copy_from_its_own_solutions(run, tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "solutions", clone / "solutions")
    (clone / "exercises").mkdir()
    (clone / "exercises/self_attention.py").write_text(
        f"import sys\nsys.path.insert(0, {str(clone)!r})\nfrom solutions.self_attention import *\n"
    )

    result = run(f"--against={clone}")

    assert "reads solutions/. The answers here have to be" in " ".join(result.stdout.str().split())
    assert "passed" not in result.stdout.str()


def test_nothing_is_left_behind(run, copy):
    before = names(copy)

    run(root=copy)

    assert names(copy) == before


def names(folder: Path) -> set[str]:
    """What a reader sees of a folder: no dotfiles, no caches of Python below the top level."""
    seen = {path.relative_to(folder) for path in folder.rglob("*")}
    shown = {path for path in seen if "__pycache__" not in path.parts[1:]}
    return {str(path) for path in shown if not path.parts[0].startswith(".")}


def test_a_copy_without_solutions_grades_as_before(run, copy):
    shutil.copy(copy / "solutions/self_attention.py", copy / "exercises/self_attention.py")
    shutil.rmtree(copy / "solutions")

    result = run(root=copy)

    assert "5 of 5" in result.stdout.str()
    assert "no solutions/ here" in result.stdout.str()
    assert result.ret == pytest.ExitCode.OK


def test_own_helpers_beside_the_file_may_be_imported(run, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "my_helper.py").write_text("ROOT_OF = 0.5\n")
    code = "def lazy():\n    import my_helper\n    return my_helper.ROOT_OF\n" + FILE.read_text()
    code += "\n\ndef score(q, k):\n    return q @ k.mT / q.shape[-1] ** lazy()\n"
    (folder / "self_attention.py").write_text(code)

    result = run(f"--against={folder}", "tests/self_attention/test_2_score.py")

    assert result.ret == pytest.ExitCode.OK
    assert str(folder) not in sys.path
