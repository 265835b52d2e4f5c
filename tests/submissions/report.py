"""`--report=FILE`: what was found, for a program, a spreadsheet or a page.

What comes from a submission, its name and its sentences, is text and stays text: nothing in it
becomes a formula, a tag or a column.
"""

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from grader.show import printable

from submissions.results import Results, Rows, counted, functions, reasons, sentence, status

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # how a cell begins that a spreadsheet runs


def as_json(results: Results) -> str:
    """For a program.

        {"partial": false, "submissions": [{"name", "katas": [{"name", "exercises": [
            {"name", "status", "passed", "total", "mistake", "sentence"}]}]}]}

    status is passed, failed, not started, not graded (the file is broken), not run or partly run;
    mistake a name from the catalogue; sentence that of the mistake or the first broken rule.
    """
    submissions = [
        {
            "name": name,
            "katas": [
                {"name": kata, "exercises": _exercises(rows)} for kata, rows in katas.items()
            ],
        }
        for name, katas in results.rows.items()
    ]
    report = {"partial": not results.complete, "submissions": submissions}
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _exercises(rows: Rows) -> list[dict[str, object]]:
    return [
        {
            "name": row.name,
            "status": status(row),
            "passed": row.passed,
            "total": row.total,
            "mistake": row.mistake[0] if row.mistake else None,
            "sentence": sentence(row),
        }
        for row in rows.values()
    ]


def as_csv(results: Results) -> str:
    """For a spreadsheet: a row for each submission, the exercises in columns."""
    columns = [(kata, name) for kata in results.katas.values() for name in kata.exercises]
    several = len(results.katas) > 1
    heads = [f"{kata.name}.{name}" if several else name for kata, name in columns]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["submission", "exercises passed", "of", "tests passed"]
        + heads
        + [f"{head}: why" for head in heads]
        + ["partial"]
    )
    for name, katas in results.rows.items():
        rows = [katas.get(kata.name, {}).get(exercise) for kata, exercise in columns]
        exercises = [row for rows in katas.values() for row in functions(rows)]
        table.writerow(
            [cell(name), sum(row.done for row in exercises), len(exercises)]
            + [sum(row.passed for row in rows if row)]
            + [counted(row) if row else "" for row in rows]
            + [cell(sentence(row) or "") if row else "" for row in rows]
            + ["" if results.complete or all_run(katas) else "partial"]
        )
    return text.getvalue()


def all_run(katas: dict[str, Rows]) -> bool:
    """Whether every test of a submission was run."""
    return all(row.complete for rows in katas.values() for row in rows.values())


def cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def as_markdown(results: Results) -> str:
    """For a pull request or the summary of a job: a table, and below it what to mend."""
    lines = []
    for kata in results.katas.values():
        heads = ["submission", *kata.exercises, "exercises", "tests"]
        lines += [f"### {escaped(kata.name)}", "", _line(heads), _line(["---"] * len(heads))]
        for name, katas in results.rows.items():
            rows = katas.get(kata.name)
            if rows:
                done = [row.done for row in functions(rows)]
                tests = sum(row.passed for row in rows.values())
                lines.append(
                    _line(
                        [escaped(name)]
                        + ["✅" if row.done else counted(row) for row in rows.values()]
                        + [f"{sum(done)} of {len(done)}"]
                        + [f"{tests} of {sum(row.total for row in rows.values())}"]
                    )
                )
        lines.append("")
        for name, katas in results.rows.items():
            lines += [
                f"- **{escaped(name)}**, {escaped(what)}: {escaped(why)}"
                for what, why in reasons(katas.get(kata.name, {}))
            ]
        lines.append("")
    if not results.complete:
        lines.append("The run was interrupted: this is what had been graded by then.")
    return "\n".join(lines).strip() + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """The text as Markdown shows it letter by letter, on one line."""
    plain = re.sub(r"\s+", " ", printable(text))
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~&@:$=^\"'])", r"\\\1", plain)


FORMATS: dict[str, Callable[[Results], str]] = {
    ".json": as_json,
    ".csv": as_csv,
    ".md": as_markdown,
}


class Report:
    """Writes the results to a file when the run ends, however it ends.

    Raises:
        ValueError: the ending of the file is none of FORMATS, or its folder cannot be written to
    """

    def __init__(self, file: Path, results: Results) -> None:
        if file.suffix not in FORMATS:
            raise ValueError(f"{file.name} ends in none of {', '.join(FORMATS)}")
        try:
            with tempfile.TemporaryFile(dir=file.parent):
                pass
        except OSError as error:
            raise ValueError(f"nothing can be written to {file.parent}: {error.strerror}") from None
        self._file = file
        self._results = results

    def pytest_sessionfinish(self) -> None:
        text = FORMATS[self._file.suffix](self._results)
        # Beside it first: then it is there as a whole, or what was there before.
        handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=f".{self._file.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, self._file)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(f"report: {self._file}")
