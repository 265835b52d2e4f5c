"""Tensors as a learner can read them: small, side by side, with the differing entries marked."""

import math
import textwrap

import torch
from torch import Tensor

ASCII = str.maketrans(
    {"✓": "+", "▶": ">", "·": "-", "√": "root of ", "−": "-", "→": "->", "×": "x"}
    | dict(zip("░▒▓█", ".:+#", strict=True))
)
SHADES = "░▒▓█"  # a quarter of the weight each
LARGEST = 5  # rows and columns of what is shown of a matrix
INDENT = "    "
WIDTH = 70  # characters, so that a line with its indents fits into 80


def arguments(given: dict[str, object], in_numbers: bool = True) -> list[str]:
    """What a function was called with: in numbers if they can be checked by hand, else shapes."""
    tensors = [value for value in given.values() if isinstance(value, Tensor)]
    small = all(t.dim() <= 3 and t.numel() <= LARGEST**2 for t in tensors)
    texts = [_named(name, value, in_numbers and small) for name, value in given.items()]
    if in_numbers and max(map(len, texts), default=0) > WIDTH:
        return arguments(given, in_numbers=False)
    lines = [""]
    for text in texts:
        if len(lines[-1]) + len(text) > WIDTH:
            lines.append("")
        lines[-1] += "   " * bool(lines[-1]) + text
    return lines


def _named(name: str, value: object, small: bool) -> str:
    if not isinstance(value, Tensor):
        return f"{name}={value}"
    return f"{name} = {numbers(value)}" if small else f"{name} {tuple(value.shape)}"


def numbers(tensor: Tensor) -> str:
    """A vector or a small matrix on one line; a matrix of one row without its outer brackets."""
    if tensor.dim() == 2 and len(tensor) == 1:
        tensor = tensor[0]
    if tensor.dim() == 0:
        return _plain(tensor.item())
    return f"[{', '.join(map(numbers, tensor))}]"


def _plain(number: float) -> str:
    return f"{number:.0f}" if number % 1 == 0 else f"{number:.4g}"


def comparison(expected: Tensor, yours: Tensor, wrong: Tensor) -> list[str]:
    """The two side by side: whole if they are small, else a window on the first difference.

    All three have one shape; `wrong` is True where the two differ.
    """
    where, (expected, yours, wrong) = _window(expected, yours, wrong)
    digits = _digits(expected, yours, wrong)
    if expected.numel() == 1:
        left, right = _cell(expected.item(), digits), _cell(yours.item(), digits)
        return [*where, f"expected   {left}", f"yours      {right}"]
    shades = shades_for(expected) if len(expected) > 1 else ""
    left = _rows(expected, torch.zeros_like(wrong), digits, shades)
    right = _rows(yours, wrong, digits, shades)
    width = max(len(left[0]), len("expected"))
    if len(INDENT) + 2 * width + 3 > WIDTH:
        return [*where, "expected", *left, "yours (* differs)", *right]
    pairs = zip(["expected", *left], ["yours (* differs)", *right], strict=True)
    return [*where, *(f"{a.ljust(width)}   {b}" for a, b in pairs)]


def _window(*triple: Tensor) -> tuple[list[str], list[Tensor]]:
    """Where to look, in words, and what is seen there of each: a matrix of a few entries."""
    first, where = triple[-1].nonzero()[0].tolist(), []
    if len(first) > 2:
        *item, _, _ = first
        triple = [t[tuple(item)] for t in triple]
        where.append(f"item {', '.join(map(str, item))} of the batch")
    triple = [t.reshape(-1, t.shape[-1]) if t.dim() else t.reshape(1, 1) for t in triple]
    for axis, word in ((-2, "row"), (-1, "column")):
        size, index = triple[0].shape[axis], first[axis] if len(first) >= -axis else 0
        start = 0 if index < LARGEST else min(index, size - LARGEST)
        triple = [t.narrow(axis, start, min(LARGEST, size)) for t in triple]
        if size > LARGEST:
            where.append(f"{word}s {start} to {start + LARGEST - 1} of {size}")
    return [f"({'; '.join(where)})"] if where else [], triple


def _rows(numbers: Tensor, wrong: Tensor, digits: int | None, shades: str) -> list[str]:
    cells = [[_cell(n, digits) for n in row] for row in numbers.tolist()]
    width = max(len(cell) for row in cells for cell in row) + 1
    pictures = ["".join(shade(n, shades) for n in row) + " " * bool(shades) for row in numbers]
    marks = [["*" if bad else " " for bad in row] for row in wrong.tolist()]
    return [
        picture + "".join(f"{cell:>{width}}{mark}" for cell, mark in zip(row, signs, strict=True))
        for picture, row, signs in zip(pictures, cells, marks, strict=True)
    ]


def shades_for(numbers: Tensor) -> str:
    """How to draw who attends to whom: scores some of which are hidden, weights, or not at all."""
    if numbers.isneginf().any():
        return "█"
    return SHADES if ((numbers >= 0) & (numbers <= 1)).all() else ""


def shade(number: float, shades: str) -> str:
    """A block as dark as the number is large; blank for 0 and for what is hidden."""
    if not shades or not math.isfinite(number) or (number == 0 and len(shades) > 1):
        return " " * bool(shades)
    return shades[math.ceil(min(max(number, 0.01), 1.0) * len(shades)) - 1]


def _digits(expected: Tensor, yours: Tensor, wrong: Tensor) -> int | None:
    """As few decimals as tell all differing entries apart, or at least one; None: any number."""
    pairs = list(zip(expected[wrong].tolist(), yours[wrong].tolist(), strict=True))
    for enough, most in ((all, 4), (any, 8)):
        for digits in range(2, most):
            if enough(_cell(a, digits) != _cell(b, digits) for a, b in pairs):
                return digits
    return None


def _cell(number: float, digits: int | None) -> str:
    if not math.isfinite(number):
        return str(number)
    if digits is None:
        return f"{number:.3g}"
    return f"{number:.{digits}f}" if abs(number) < 1e5 else f"{number:.{digits + 2}g}"


def simple(text: str, encoding: str) -> str:
    """The text as a terminal with this encoding can show it."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = wrapped(text.translate(ASCII).encode("ascii", "replace").decode())
    return text


def printable(text: str) -> str:
    """The text without what could change a screen or a file: control and other unseen signs."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def wrapped(text: str) -> str:
    """The text in lines that fit the screen, each with the indent it had."""
    lines = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        long = len(line) > WIDTH + len(INDENT)
        lines += textwrap.wrap(line, WIDTH + 6, subsequent_indent=indent) if long else [line]
    return "\n".join(lines)


def axes(sizes: tuple[int, ...], names: dict[str, int]) -> str:
    """A shape with the names of its axes, as far as the sizes tell them: (B=2, T_q=3)."""
    once = {size for size in sizes if sizes.count(size) == 1}
    known = {size: name for name, size in names.items() if list(names.values()).count(size) == 1}
    words = (f"{known[n]}={n}" if n in known.keys() & once else str(n) for n in sizes)
    return f"({', '.join(words)})"
