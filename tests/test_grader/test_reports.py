"""--report, the table on the screen, and the ways in: what a host sees and cannot get wrong."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from grader.katas import ROOT
from submissions.report import cell, escaped

REFERENCE = (ROOT / "solutions/self_attention.py").read_text()
MASK = "tests/self_attention/test_3_mask.py"
WRONG = "def mask(scores):\n    return scores.tril()\n"
NASTY = ["=1+1", "+c|' '!A0", "@x", "a|b", "<script>", "a\nb", "\x1b[31mred", "`x`", "\u202ex"]


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """Three submissions: one right, one wrong, one that is not begun."""
    for name, code in {"ann": REFERENCE, "bob": WRONG, "cy": "def mask(s):\n    raise X\n"}.items():
        hand_in(tmp_path / "all" / name, code)
    return tmp_path / "all"


def hand_in(folder: Path, code: str) -> None:
    folder.mkdir(parents=True)
    (folder / "self_attention.py").write_text(code, encoding="utf-8")


@pytest.fixture
def report(run, tmp_path):
    """Run with a report of the given ending, and return it as text."""

    def report(ending: str, *args: str) -> str:
        file = tmp_path / f"report{ending}"
        run(f"--report={file}", "--in-process", *args)
        return file.read_text(encoding="utf-8")

    return report


def test_json_says_all_that_is_known(report, submissions):
    found = json.loads(report(".json", f"--against={submissions}/*", MASK))

    assert found["partial"] is False
    assert [submission["name"] for submission in found["submissions"]] == ["ann", "bob", "cy"]
    ann, bob, cy = (
        {row["name"]: row for row in submission["katas"][0]["exercises"]}
        for submission in found["submissions"]
    )
    assert ann["mask"] == {
        "name": "mask",
        "status": "passed",
        "passed": 33,
        "total": 33,
        "mistake": None,
        "sentence": None,
    }
    assert ann["score"]["status"] == "not run"
    assert bob["mask"]["status"] == "failed"
    assert bob["mask"]["mistake"] == "multiplies_with_zero"
    assert bob["mask"]["sentence"].startswith("You")
    assert cy["mask"]["mistake"] is None
    assert "NameError: name 'X' is not defined" in cy["mask"]["sentence"]


def test_csv_is_a_row_for_each(report, submissions):
    ann, bob, cy = csv.DictReader(io.StringIO(report(".csv", f"--against={submissions}/*", MASK)))

    assert (ann["submission"], ann["mask"], ann["exercises passed"]) == ("ann", "33 of 33", "1")
    assert bob["mask: why"].startswith("You")
    assert (bob["of"], bob["partial"]) == ("5", "")
    assert cy["tests passed"] == "0"


def test_markdown_is_a_table_and_reasons(report, submissions):
    lines = report(".md", f"--against={submissions}/*", MASK).splitlines()

    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 5
    assert {line.count("|") for line in table} == {10}
    assert "| ✅ |" in table[2]
    assert any(line.startswith("- **bob**, mask \\(") for line in lines)


@pytest.mark.parametrize("ending", [".json", ".csv", ".md"])
def test_what_comes_from_a_submission_stays_text(report, tmp_path, ending):
    for name in NASTY:
        hand_in(tmp_path / "all" / name, f"raise Exception({name!r} * 2)\n")

    text = report(ending, f"--against={tmp_path}/all/*", MASK)

    assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    if ending == ".json":
        assert len(json.loads(text)["submissions"]) == len(NASTY)
    elif ending == ".csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows) == 1 + len(NASTY)
        assert len({len(row) for row in rows}) == 1
        assert not [
            value for row in rows for value in row if value.startswith(("=", "+", "-", "@"))
        ]
    else:
        table = [line for line in text.splitlines() if line.startswith("|")]
        assert len(table) == 2 + len(NASTY)
        assert {line.replace("\\|", "").count("|") for line in table} == {10}
        assert "<script>" not in text


def test_no_cell_is_a_formula():
    assert cell("=1") == "'=1"
    assert cell("a=1") == "a=1"
    assert escaped("a_b *c* [d](e)\n# f") == "a\\_b \\*c\\* \\[d\\]\\(e\\) \\# f"


def test_the_screen_survives_any_name(run, tmp_path):
    for name in NASTY:
        hand_in(tmp_path / "all" / name, "")

    screen = run(f"--against={tmp_path}/all/*", "--in-process", MASK).stdout.str()

    assert set(screen) - {"\n"} == {c for c in screen if c.isprintable()}


@pytest.mark.parametrize("file", ["marks.txt", "marks", "nowhere/marks.csv"])
def test_a_report_that_cannot_be_written_is_a_usage_error(run, submissions, file):
    result = run(f"--against={submissions}/*", f"--report={file}", MASK)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--report: " in result.stderr.str()


def test_the_report_of_pytest_itself_is_right(run, submissions, tmp_path):
    run(f"--against={submissions}/*", "--in-process", f"--junit-xml={tmp_path / 'junit.xml'}", MASK)

    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    failed = [case for case in suite if case.find("failure") is not None]
    assert suite.get("tests") == "99"
    assert suite.get("failures") == str(len(failed))
    assert {case.get("name").partition("[")[2][:3] for case in failed} == {"bob", "cy-", "cy]"}
    assert all("mask" in case.find("failure").text for case in failed)


@pytest.mark.parametrize(
    ("names", "status"),
    [("ann", 0), ("ann ann2", 0), ("ann bob", 1), ("ann nothing", 1), ("nothing nothing2", 1)],
)
def test_the_exit_status_is_0_only_if_all_passed(run, tmp_path, names, status):
    for name in names.split():
        hand_in(tmp_path / "all" / name, WRONG if name == "bob" else REFERENCE)
        if name.startswith("nothing"):
            (tmp_path / "all" / name / "self_attention.py").unlink()

    assert run(f"--against={tmp_path}/all/*", "--in-process", MASK).ret == status


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_reports_what_it_had_graded(tmp_path, tmp_path_factory, stop):
    hand_in(tmp_path / "all/a", REFERENCE)
    hand_in(tmp_path / "all/b", "def mask(scores):\n    while True: pass\n")
    report = tmp_path / "report.json"
    scratch = tmp_path_factory.mktemp("s")  # the path of a socket must not be long
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--against={tmp_path}/all/*"]
        + [f"--report={report}", "--call-limit=100", MASK],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in run.stdout:
        if "1 of 2" in line:
            break
    time.sleep(4)  # the first is done by then, and the second in its endless loop
    run.send_signal(stop)
    run.communicate(timeout=60)

    found = json.loads(report.read_text())
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert found["partial"] is True
    rows = [row for s in found["submissions"] for row in s["katas"][0]["exercises"]]
    assert [row["status"] for row in rows if row["name"] == "mask"] == ["passed", "not run"]
    assert list(scratch.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if "report" in path.name] == ["report.json"]


def test_a_run_that_stops_at_the_first_failure_is_partial(report, submissions):
    found = json.loads(report(".json", f"--against={submissions}/*", "-x", MASK))

    assert found["partial"] is True
    assert found["submissions"][0]["katas"][0]["exercises"][2]["status"] == "passed"


def test_submissions_of_one_name_are_told_apart(run, tmp_path):
    for group in ("monday", "friday"):
        hand_in(tmp_path / group / "ann", REFERENCE)

    screen = run(f"--against={tmp_path}/*/ann", "--in-process", MASK).stdout.str()

    assert "monday/ann" in screen
    assert "friday/ann" in screen


def test_the_option_may_be_repeated(run, submissions):
    result = run(
        f"--against={submissions}/ann", f"--against={submissions}/bob", "--in-process", MASK
    )

    assert "2 submissions" in result.stdout.str()


@pytest.mark.parametrize("args", ["--against {0}", "--against {0} {1}", "--against={0} {1}", "{0}"])
def test_a_pattern_without_quotes_is_told_and_runs_nothing(run, submissions, args):
    for name in ("ann", "bob"):
        (submissions / name / "conftest.py").write_text("raise SystemExit('loaded')\n")
    inside = ROOT / ".attempts/test_reports"
    shutil.copytree(submissions, inside, dirs_exist_ok=True)
    try:
        result = run(*args.format(inside / "ann", inside / "bob").split())
    finally:
        shutil.rmtree(inside)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = result.stdout.str() + result.stderr.str()
    assert "a pattern in quotes: --against='ALL/*'" in said
    assert "loaded" not in said


def test_the_folder_of_all_is_told_how_to_grade_them(run, submissions):
    result = run(f"--against={submissions}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"holds several. Write --against='{submissions}/*'" in result.stderr.str()


@pytest.mark.parametrize("option", ["--hint", "--redo", "--watch"])
def test_what_is_for_ones_own_exercises_is_not_for_others(run, submissions, option):
    result = run(f"--against={submissions}/ann", option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{option} is for your own exercises/" in result.stderr.str()


def test_the_next_command_grades_the_same(run, submissions):
    screen = run(f"--against={submissions}/bob", "--in-process", MASK).stdout.str()

    assert "more tests fail: add -v to the command" in screen
    assert "--hint" not in screen


def test_the_table_in_the_readme_is_true(run, tmp_path):
    stubs = (ROOT / "exercises/self_attention.py").read_text()
    two = stubs.replace("    raise NotImplementedError", "    return x @ w_q, x @ w_k, x @ w_v", 1)
    two = two.replace("raise NotImplementedError", "return q @ k.mT / math.sqrt(q.shape[-1])", 1)
    hand_in(tmp_path / "all/alice", REFERENCE)
    hand_in(tmp_path / "all/bob", f"{REFERENCE}\n\ndef score(q, k):\n    return q @ k.mT\n")
    hand_in(tmp_path / "all/carol", two)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("```text\nself_attention · 3 sub")[2].partition("```")[0]

    screen = run(f"--against={tmp_path}/all/*", "--in-process").stdout.str()

    assert table.count("\n") == 9
    assert table in screen


def test_nothing_that_matches_is_a_usage_error(run, tmp_path):
    result = run(f"--against={tmp_path}/*")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no" in result.stderr.str()


def test_what_most_have_to_hear_is_on_the_screen_and_the_rest_with_v(run, submissions):
    hand_in(submissions / "dan", WRONG)

    brief = run(f"--against={submissions}/*", "--in-process", MASK).stdout.str()
    details = run(f"--against={submissions}/*", "--in-process", "-v", MASK).stdout.str()

    assert "2 × mask: You" in brief
    assert "NameError" not in brief
    assert "NameError: name 'X' is not defined" in " ".join(details.split())
    assert "PASSED" not in details


def test_the_numbers_are_drawn_anew_for_others_and_the_seed_is_printed(run, submissions, tmp_path):
    def score(name: str, *args: str) -> str:
        code = "def score(q, k):\n    print('drew', q.sum().item())\n    return q @ k.mT\n"
        (submissions / name / "self_attention.py").write_text(code)
        command = "tests/self_attention/test_2_score.py", "-k", "batch", "-v", *args
        return "".join(run(f"--against={submissions / name}", *command).stdout.str())

    first, second, again = score("ann"), score("bob"), None
    seed = first.partition("--seed=")[2].split()[0]
    again = score("cy", f"--seed={seed}")

    def drawn(screen: str) -> list[str]:
        return [line for line in screen.splitlines() if line.strip().startswith("drew")]

    assert drawn(first) == drawn(again) != []
    assert drawn(first) != drawn(second)


def test_the_numbers_of_ones_own_run_stay_the_same(run):
    screen = run("--against=solutions", MASK).stdout.str()

    assert "--seed" not in screen


def test_what_an_isolated_function_prints_is_shown(run, tmp_path):
    code = "def mask(scores):\n    print('so', 'far')\n    return scores.tril()\n"
    hand_in(tmp_path / "ann", code)

    screen = run(f"--against={tmp_path / 'ann'}", MASK).stdout.str()

    assert "Your function printed:" in screen
    assert "so far" in screen


def test_ones_own_exercises_may_be_isolated(copy, run):
    (copy / "exercises/self_attention.py").write_text(REFERENCE)

    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--isolated"], cwd=copy, capture_output=True, text=True
    )

    assert result.returncode == 0
    assert "5 of 5" in result.stdout
    assert "random numbers: --seed=" in result.stdout


def test_without_this_folder_all_else_works(copy, run):
    shutil.rmtree(copy / "tests/submissions")

    assert run("--against=solutions", root=copy).ret == pytest.ExitCode.OK
    assert "Next: write make_qkv" in run(root=copy).stdout.str()
    assert "one at a time" in run("--against=a", "--against=b", root=copy).stderr.str()
