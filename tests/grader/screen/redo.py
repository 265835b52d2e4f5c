"""`pytest --redo`: the stubs come back, and what was there is kept under .attempts/."""

import os
import time
from pathlib import Path

from grader.katas import ROOT, SOLUTIONS
from grader.screen.record import Record, free_name
from grader.stubs import functions_in, stub_of


def redo(kata: str, exercise: str | None, record: Record) -> str:
    """Put back the stub of an exercise, or all of the kata; says what was done.

    The file as it was is copied first, so nothing is lost.
    """
    file = ROOT / "exercises" / f"{kata}.py"
    stubs = stub_of((SOLUTIONS / f"{kata}.py").read_text(encoding="utf-8"))
    before = file.read_bytes() if file.exists() else b""
    try:
        after = _with_stub(before.decode(), stubs, exercise) if exercise else stubs
    except (SyntaxError, ValueError):
        return f"exercises/{kata}.py is not Python yet. pytest --redo puts back all of it."
    if before == after.encode():
        return f"Nothing to do: exercises/{kata}.py is untouched."
    kept = _keep(before, kata, record) if before else None
    _write(file, after)
    entry = record.kata(kata)
    entry.started, entry.in_hand = 0.0, exercise or ""
    entry.hints = {name: n for name, n in entry.hints.items() if exercise not in (None, name)}
    record.save()
    was = f"\nWhat was there is in {kept.relative_to(ROOT).as_posix()}" if kept else ""
    return f"{exercise or kata} is to be written again: exercises/{kata}.py{was}"


def _keep(before: bytes, kata: str, record: Record) -> Path:
    result = record.kata(kata).result.replace(" ", "-")
    kept = free_name(f"{kata}-{time.strftime('%Y-%m-%d-%H%M%S')}-{result}", ".py")
    kept.write_bytes(before)
    return kept


def _with_stub(source: str, stubs: str, exercise: str) -> str:
    """The source with the stub in the place of the function, or at the end if it is not there."""
    stub = _lines_of(stubs, exercise)[1]
    (start, end), _ = _lines_of(source, exercise)
    lines = source.splitlines()
    gap = [] if start < len(lines) else ["", ""]
    return "\n".join([*lines[:start], *gap, *stub, *lines[end:]]) + "\n"


def _lines_of(source: str, function: str) -> tuple[tuple[int, int], list[str]]:
    lines, found = source.splitlines(), functions_in(source).get(function)
    if not found:
        return (len(lines), len(lines)), []
    first = min([found.lineno, *(decorator.lineno for decorator in found.decorator_list)])
    return (first - 1, found.end_lineno), lines[first - 1 : found.end_lineno]


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)
