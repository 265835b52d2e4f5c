"""The screen for many submissions: a line for each, a column for each exercise."""

import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from grader.katas import Kata
from grader.screen.scoreboard import Row
from grader.show import simple, wrapped

from submissions.results import WHOLE_FILE, Results, Rows, functions, reasons, status

WIDTH = 79
MOST_HEARD = 5  # sentences that several need to hear
SIGNS = {"passed": "✓", "not started": "–", "not graded": "!", "not run": "", "partly run": "?"}


class Board:
    """Prints the results, and how far the run is.

    Args:
        results: what is found
        details: say what is wrong with each submission
    """

    def __init__(self, results: Results, details: bool) -> None:
        self.results = results
        self.details = details
        self._shown = 0  # submissions begun, as the last line said

    def pytest_report_teststatus(self, report: pytest.TestReport):
        """No letters: a hundred submissions have thousands of tests."""
        if hasattr(report, "kata") and (report.when == "call" or report.failed):
            return "not started" if report.kata["not_started"] else report.outcome, "", ""
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        count, total = len(self.results.seen), len(self.results.rows)
        if count > self._shown:
            self._shown, name = count, report.kata["submission"]
            if sys.stdout.isatty():
                line = f"{count} of {total}  {name}"[:WIDTH]
                print(f"\r{line:{WIDTH}}", end="\n" if count == total else "", flush=True)
            elif count == total or count % max(total // 10, 1) == 0:
                print(f"{count} of {total}", flush=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        encoding = getattr(terminalreporter._tw._file, "encoding", None) or "utf-8"
        for kata in self.results.katas.values():
            for line, markup in self._lines(kata):
                terminalreporter.write_line(simple(line.rstrip(), encoding), **markup)

    def _lines(self, kata: Kata) -> Iterator[tuple[str, dict[str, bool]]]:
        all_rows = {
            name: katas[kata.name]
            for name, katas in self.results.rows.items()
            if kata.name in katas and any(row.total for row in katas[kata.name].values())
        }
        if not all_rows:
            return
        heads = [_head(name) for name in kata.exercises]
        width = max(10, min(max(map(len, all_rows)), WIDTH - 6 - len("  ".join(["", *heads, ""]))))
        finished = sum(all(row.done for row in rows.values()) for rows in all_rows.values())
        title = f"{kata.name} · {len(self.results.rows)} submissions"
        yield "", {}
        yield f"{title}{f'{finished} finished':>{max(WIDTH - len(title), 12)}}", {"bold": True}
        yield "", {}
        yield "  ".join([" " * width, *heads]), {"bold": True}
        for name, rows in all_rows.items():
            done = [row.done for row in functions(rows)]
            cells = [f"{_cell(row):{len(_head(row.name))}}" for row in rows.values()]
            line = "  ".join(
                [f"{_cut(name, width):{width}}", *cells, f"{sum(done)} of {len(done)}"]
            )
            yield line, {"green": all(row.done for row in rows.values())}
        yield "", {}
        used = {status(row) for rows in all_rows.values() for row in rows.values()}
        signs = [f"{sign} {word}" for word, sign in SIGNS.items() if sign and word in used]
        yield f"  {'   '.join([*signs, '3/7 tests passed'])}", {}
        if not self.results.complete:
            count = len(self.results.rows)
            begun = f"{len(self.results.seen)} of {count} were begun"
            yield f"  The run was stopped: {begun}, and ? marks what is not at its end.", {}
        for line in self._details(all_rows) if self.details else _most_heard(all_rows):
            yield line, {}
        if not self.details:
            for line in _not_graded(all_rows):
                yield line, {}
        if not self.details and finished < len(all_rows):
            yield "  What is wrong with each: -v. More on one: --against with this one alone.", {}

    def _details(self, all_rows: dict[str, Rows]) -> Iterator[str]:
        for name, rows in all_rows.items():
            why = [f"{what}: {text}" for what, text in reasons(rows)]
            if why:
                yield ""
                yield f"  {name}"
                for text in why:
                    yield from _indented(text, "    ")


def _most_heard(all_rows: dict[str, Rows]) -> Iterator[str]:
    """The mistakes that more than one has made, the most frequent first."""
    known = Counter(
        (row.name, row.mistake[1])
        for rows in all_rows.values()
        for row in rows.values()
        if row.mistake
    )
    frequent = [(key, count) for key, count in known.most_common(MOST_HEARD) if count > 1]
    for (exercise, sentence), count in frequent:
        yield ""
        yield from _indented(f"{count} × {exercise}: {sentence}")


def _not_graded(all_rows: dict[str, Rows]) -> Iterator[str]:
    """Why files cannot be graded at all: somebody has to see to these."""
    for name, rows in all_rows.items():
        for what, why in reasons(rows):
            if what == WHOLE_FILE:
                yield from _indented(f"{name}: {why}")


def _indented(text: str, indent: str = "  ") -> Iterator[str]:
    return (indent + line for line in wrapped(text).splitlines())


def _cell(row: Row) -> str:
    return SIGNS.get(status(row), f"{row.passed}/{row.total}{'?' * (not row.complete)}")


def _head(name: str) -> str:
    return _cut(f"{name:6}", 8)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
