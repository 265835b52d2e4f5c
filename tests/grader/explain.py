"""What went wrong in somebody's code, in words: an exception, or something else that came back."""

import inspect
import traceback
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import Tensor

from grader.katas import SOLUTIONS, shown

MOST = 200  # characters of a message


class OutOfBounds(PermissionError):
    """Raised at the line of the answers that does what it may not; the message says what."""


@dataclass(frozen=True)
class Described:
    """Words in the place of a value of which no more is known."""

    words: str


def ends_the_run(error: BaseException) -> bool:
    """Whether somebody asked for the end: Ctrl-C, or `q` in the debugger."""
    by_debugger = isinstance(error, pytest.exit.Exception) and error.returncode is None
    return by_debugger or isinstance(error, KeyboardInterrupt)


def told(error: BaseException, path: Path, doing: str, unwritten: set[str]) -> str:
    """An exception in the file as a sentence, with the line of the file that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and not own:
        return syntax(error, path)
    where, code = shown(path), ""
    if own:
        where, code = f"{where}:{own[-1].lineno}", f"\n    {(own[-1].line or '')[:MOST]}"
    folder = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ImportError) and folder in (SOLUTIONS.name, "tests"):
        return f"{where} reads {folder}/. The answers here have to be your own.{code}"
    if isinstance(error, OutOfBounds):
        return f"{where} {error}. An answer may only compute.{code}"
    if isinstance(error, SystemExit):
        return f"{doing} called sys.exit() at {where}.{code}"
    if isinstance(error, NotImplementedError) and own and own[-1].name in unwritten:
        return f"{doing} calls {own[-1].name}, which is not written yet: {where}"
    try:
        message = str(error).strip()
    except Exception:  # somebody's own exception class
        message = "(no message)"
    if isinstance(error, MemoryError) or "can't allocate memory" in message:
        return f"{doing} needs more memory than there is at {where}.{code}"
    lines = "\n    ".join(message[:MOST].splitlines()[:3])
    name = type(error).__name__[:MOST]
    return f"{doing} raised an exception at {where}\n    {name}: {lines}{code}"


def syntax(error: SyntaxError | ValueError, path: Path) -> str:
    """A file that is not Python as a sentence, with the place marked."""
    if "unicode error" in str(error) or "null bytes" in str(error):
        return f"{shown(path)} is not plain text in UTF-8. Save it with this encoding."
    line = getattr(error, "lineno", None)
    said = f"{shown(path)}{f':{line}' if line else ''} is not Python yet: {error.args[0]}."
    text = (getattr(error, "text", None) or "").rstrip().expandtabs(1)
    indent = len(text) - len(text.lstrip())
    if not text or len(text) > MOST:
        return said
    caret = " " * max((error.offset or 1) - 1 - indent, 0) + "^"
    return f"{said}\n    {text.strip()}\n    {caret}"


def is_plain(result: object) -> bool:
    """Whether it is a tensor as every test can compare it, of whatever dtype."""
    dense = type(result) is Tensor and result.layout is torch.strided and not result.is_nested
    return dense and result.device.type == "cpu"


def kind(result: object) -> str:
    """What came back instead of a plain tensor of floating-point numbers, in words."""
    if isinstance(result, Described):
        return result.words
    if result is None:
        return "None (is a `return` missing?)"
    if isinstance(result, Tensor):
        if type(result) is not Tensor:
            return f"a {type(result).__name__}, a special kind of tensor"
        if result.layout is not torch.strided or result.is_nested:
            return "a sparse or nested tensor"
        return f"a tensor of {short(result.dtype)} on {result.device}"
    if inspect.iscoroutine(result):
        result.close()
        return "a coroutine (`async def` instead of `def`?)"
    if inspect.isgenerator(result):
        return "a generator (`yield`, or parentheses that make no tuple?)"
    if isinstance(result, (tuple, list)):
        return f"a {type(result).__name__} of {len(result)}"
    if isinstance(result, (bool, int, float, complex)):
        return "a very large number" if abs(result) > 1e40 else f"the number {result}"
    return f"a {'NumPy ' * (type(result).__module__ == 'numpy')}{type(result).__name__}"


def short(dtype: torch.dtype) -> str:
    """The name of a dtype without its module."""
    return str(dtype).removeprefix("torch.")
