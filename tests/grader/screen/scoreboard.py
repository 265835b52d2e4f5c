"""The learner's screen: a line for each exercise, the one in hand in detail, the next step."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from grader.grading import Grading
from grader.katas import SOLUTIONS, TOGETHER
from grader.screen.picture import picture
from grader.screen.record import Record
from grader.show import simple, wrapped

MOST_PRINTED = 5  # lines of what a function printed


@dataclass
class Row:
    """What this run has seen of one exercise."""

    name: str
    total: int = 0
    place: str = ""
    tests: str = ""
    question: str = ""
    not_started: bool = False
    trouble: bool = False
    passed: int = 0
    failures: list[pytest.TestReport] = field(default_factory=list)

    def add(self, report: pytest.TestReport) -> None:
        """Take in what was found in one more test of the exercise."""
        seen = report.kata
        self.total, self.place, self.question = seen["total"], seen["place"], seen["question"]
        self.tests = report.nodeid.partition("::")[0]
        self.not_started = self.not_started or seen["not_started"]
        self.trouble = seen["trouble"]
        self.passed += report.passed
        if report.failed:
            self.failures.append(report)
            self.failures.sort(key=lambda r: r.location[1])  # other processes report in any order

    @property
    def done(self) -> bool:
        """Every test of the exercise was run, and passed."""
        return 0 < self.total == self.passed

    @property
    def complete(self) -> bool:
        """Every test of the exercise was run."""
        return 0 < self.total == self.passed + len(self.failures)

    @property
    def wrong(self) -> bool:
        """Something is written, and does not pass."""
        return bool(self.failures) and not self.not_started

    @property
    def mistake(self) -> tuple[str, str] | None:
        """The known mistake that was found in it, by name and sentence."""
        return next((r.kata["mistake"] for r in self.failures if r.kata["mistake"]), None)

    def __str__(self) -> str:
        if self.not_started:
            return "when the others are done" if self.name == TOGETHER else "not started"
        if not self.total:
            return "not run"
        if self.trouble:
            return "not graded"
        run = self.passed + len(self.failures)
        return f"{self.passed} of {self.total if self.failures or self.done else f'{run} run'}"


class Scoreboard:
    """Listens to the reports of the tests, also to those from other processes, and prints.

    Args:
        grading: what is graded
        show_all: leave the failures to pytest, which shows every one
        show: draw what the functions attend to, also when something else fails
    """

    def __init__(self, grading: Grading, show_all: bool, show: bool) -> None:
        self.grading = grading
        self.show_all = show_all
        self.show = show
        katas = [grading.katas[name] for name in grading.files]
        self.rows = {k.name: {name: Row(name) for name in k.exercises} for k in katas}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seen = getattr(report, "kata", None)
        if seen is None or not (report.when == "call" or report.failed):
            return
        self.rows[seen["kata"]][seen["exercise"]].add(report)

    def pytest_report_teststatus(self, report: pytest.TestReport):
        if report.failed and getattr(report, "kata", {}).get("not_started"):
            return "not started", "", "NOT STARTED"  # no letter: a fresh clone is not a wall of F
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        record = Record()
        encoding = getattr(terminalreporter._tw._file, "encoding", None) or "utf-8"
        for kata, rows in self.rows.items():
            if any(row.total for row in rows.values()):
                for line, markup in self._lines(kata, list(rows.values()), record):
                    terminalreporter.write_line(simple(line.rstrip(), encoding), **markup)
        if record.notice:
            terminalreporter.write_line(f"  {record.notice}")

    def _lines(
        self, kata: str, rows: list[Row], record: Record
    ) -> Iterator[tuple[str, dict[str, bool]]]:
        functions = [row for row in rows if row.name != TOGETHER]
        place = next((row.place.partition(":")[0] for row in rows if row.place), "")
        title = f"{kata} · grading {place}"
        count = f"{sum(row.done for row in functions)} of {len(functions)}"
        yield "", {}
        yield f"{title}{count:>{max(78 - len(title), len(count) + 1)}}", {"bold": True}
        yield "", {}
        width = max(len(row.name) for row in rows)
        open_rows = [row for row in rows if row.wrong] + [row for row in rows if row.not_started]
        in_hand = open_rows[0] if open_rows else None
        for row in rows:
            sign = "✓" if row.done else "▶" if row is in_hand else " "
            note = row.place if row is in_hand else f"({row.mistake[0]})" if row.mistake else ""
            line = f"  {sign} {row.name:{width}}  {row!s:15}{note}"
            yield line, {"green": row.done, "bold": row is in_hand}
        yield "", {}
        finished = all(row.done for row in rows)
        for line in self._next_step(in_hand, finished):
            yield f"  {line}", {}
        if finished or self.show:
            yield from ((f"  {line}", {}) for line in picture(self.grading, kata))
        if self.grading.is_own:
            time = self._remember(record, kata, rows, in_hand, count)
            if time:
                yield f"  {time}{' Again? pytest --redo' * SOLUTIONS.is_dir()}", {}

    def _remember(
        self, record: Record, kata: str, rows: list[Row], in_hand: Row | None, count: str
    ) -> str:
        """Keep what the next run and the commands need; the time, if the kata is finished."""
        entry, complete = record.kata(kata), all(row.complete for row in rows)
        if complete:
            entry.result = count
        broken_file = in_hand and in_hand.trouble
        if (complete or in_hand) and not broken_file:
            entry.in_hand = in_hand.name if in_hand else ""
        answers = self.grading.answers(kata)
        if all(map(answers.not_started, self.grading.katas[kata].functions)):
            entry.start_the_watch()
        time = entry.stop_the_watch() if all(row.done for row in rows) else ""
        record.save()
        return time

    def _next_step(self, row: Row | None, finished: bool) -> Iterator[str]:
        if row is None:
            yield "All of it works." if finished else "Everything that was run passed."
            return
        if row.not_started:
            yield f"Next: write {row.name}. {row.question}"
            yield "Its docstring in the file says all you need. Then run pytest again."
        elif row.trouble:
            yield from wrapped(row.failures[0].longreprtext).splitlines()
            return
        elif not self.show_all:
            yield from self._detail(row)
        if self.grading.is_own and SOLUTIONS.is_dir() and row.name != TOGETHER:
            yield "Stuck? pytest --hint"

    def _detail(self, row: Row) -> Iterator[str]:
        broken = [sentence for report in row.failures for sentence in report.kata["broken"]]
        yield from wrapped(broken[0] if broken else row.failures[0].longreprtext).splitlines()
        if row.mistake:
            yield from wrapped(row.mistake[1]).splitlines()
        printed = (row.failures[0].capstdout + row.failures[0].capstderr).splitlines()
        if printed:
            yield "Your function printed:"
            yield from (f"  {line[:74]}" for line in printed[:MOST_PRINTED])
        if len(printed) > MOST_PRINTED:
            yield f"  and {len(printed) - MOST_PRINTED} lines more"
        more = len(row.failures) - 1
        if more:
            tests = "test fails" if more == 1 else "tests fail"
            how = f"pytest -v {row.tests}" if self.grading.is_own else "add -v to the command"
            yield f"{more} more {tests}: {how}"
