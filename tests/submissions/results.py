"""What was found of each submission: a row for each exercise, filled in as the reports come."""

from collections.abc import Iterator

import pytest
from grader.katas import TOGETHER, Kata
from grader.screen.scoreboard import Row
from grader.show import printable

from submissions.find import Submission

Rows = dict[str, Row]

WHOLE_FILE = "the file"


class Results:
    """Listens to the reports of the tests, also to those from other processes.

    Attributes:
        katas: all katas, by name
        rows: for each submission, by name, and each of its katas the exercises in order
        complete: whether the run went to its end
    """

    def __init__(self, submissions: list[Submission], katas: dict[str, Kata]) -> None:
        self.katas = katas
        self.complete = True
        self.rows: dict[str, dict[str, Rows]] = {
            submission.name: {
                kata: {name: Row(name) for name in katas[kata].exercises}
                for kata in submission.files
            }
            for submission in submissions
        }
        self.seen: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seen = getattr(report, "kata", None)
        if seen and (report.when == "call" or report.failed):
            self.seen.add(seen["submission"])
            self.rows[seen["submission"]][seen["kata"]][seen["exercise"]].add(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """No record is no pass: what nothing is known of was not graded."""
        self.complete = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self.complete = self.complete and not (session.shouldstop or session.shouldfail)
        if session.exitstatus == pytest.ExitCode.OK and self.seen != self.rows.keys():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def functions(rows: Rows) -> list[Row]:
    """The rows of the exercises that are functions."""
    return [row for row in rows.values() if row.name != TOGETHER]


def status(row: Row) -> str:
    """How it stands with an exercise, in one or two words."""
    if row.done:
        return "passed"
    if row.not_started:
        return "not started"
    if not row.total:
        return "not run"
    if row.trouble:
        return "not graded"
    return "failed" if row.failures else "partly run"


def sentence(row: Row) -> str | None:
    """Why an exercise is not passed, in one sentence: the mistake, or the first broken rule."""
    if row.mistake:
        return row.mistake[1]
    if not row.failures:
        return None
    first, *more = row.failures[0].kata["broken"][0].splitlines()
    first = first.removeprefix(f"{row.name}: ")
    said = f"{first}: {more[0].strip()}" if more and "raised an exception" in first else first
    return printable(said)


def counted(row: Row) -> str:
    """How it stands with an exercise, with numbers where there are any."""
    if status(row) not in ("passed", "failed"):
        return status(row)
    return f"{row.passed} of {row.total}" + ", partly run" * (not row.complete)


def reasons(rows: Rows) -> Iterator[tuple[str, str]]:
    """What is written and does not pass: the exercises of one sentence, and the sentence."""
    same: dict[str, list[Row]] = {}
    for row in rows.values():
        why = sentence(row)
        if why and not row.not_started:
            same.setdefault(why, []).append(row)
    for why, those in same.items():
        names = [f"{row.name} ({counted(row)})" for row in those]
        yield WHOLE_FILE if len(names) == len(rows) > 1 else ", ".join(names), why
