"""`pytest --redo`: the stubs come back, and what was there is kept under .attempts/."""

import ast
import io
import os
import time
import tokenize
from pathlib import Path

from grader.katas import ROOT, SOLUTIONS
from grader.screen.record import Record, free_name
from grader.stubs import functions_in, stub_of


def redo(kata: str, exercise: str | None, record: Record) -> str:
    """Put back the stub of an exercise, or all of the kata; says what was done.

    The file as it was is copied first, so nothing is lost.

    Raises:
        ValueError: it cannot be done; says why
    """
    file = ROOT / "exercises" / f"{kata}.py"
    stubs = stub_of((SOLUTIONS / f"{kata}.py").read_text(encoding="utf-8"))
    before = file.read_bytes() if file.exists() else b""
    after = _with_stub(file, stubs, exercise) if exercise and before.strip() else stubs.encode()
    if before == after:
        return f"Nothing to do: {exercise or kata} is still to be written."
    try:
        kept = _keep(before, kata, record) if before else None
        _write(file, after)
    except OSError as error:
        raise ValueError(f"nothing was changed, because of {error}") from None
    entry = record.kata(kata)
    entry.in_hand = exercise or ""
    entry.hints = {name: n for name, n in entry.hints.items() if exercise not in (None, name)}
    entry.started = entry.started if exercise else 0.0
    record.save()
    was = f"\nWhat was there is in {kept.relative_to(ROOT).as_posix()}" if kept else ""
    return f"{exercise or kata} is to be written again: exercises/{kata}.py{was}"


def _keep(before: bytes, kata: str, record: Record) -> Path:
    result = record.kata(kata).result.replace(" ", "-")
    kept = free_name(f"{kata}-{time.strftime('%Y-%m-%d-%H%M%S')}-{result}", ".py")
    kept.write_bytes(before)
    return kept


def _with_stub(file: Path, stubs: str, exercise: str) -> bytes:
    """The file with the stub in the place of the function, or at the end if it is not there."""
    try:
        raw = file.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        source = raw.decode(encoding)
        lines, (start, end) = _place_of(source, exercise)
        end_of_line = "\r\n" if "\r\n" in source else "\n"
        stub_lines, (first, last) = _place_of(stubs, exercise)
        stub = [line.rstrip("\n") + end_of_line for line in stub_lines[first:last]]
        gap = [] if start < len(lines) else [end_of_line] * 3
        after = "".join([*lines[:start], *gap, *stub, *lines[end:]])
        ast.parse(after)
        return after.encode(encoding)
    except (SyntaxError, ValueError):
        message = f"exercises/{file.name} is not Python yet; pytest --redo puts back all of it"
        raise ValueError(message) from None


def _place_of(source: str, function: str) -> tuple[list[str], tuple[int, int]]:
    # Lines as Python counts them: str.splitlines() would also split at form feeds and others.
    lines = io.StringIO(source, newline="").readlines()
    found = functions_in(source).get(function)
    if not found:
        return lines, (len(lines), len(lines))
    first = min([found.lineno, *(decorator.lineno for decorator in found.decorator_list)])
    return lines, (first - 1, found.end_lineno)


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    os.replace(draft, file)
