"""Tensors as a learner can read them: small, side by side, with the differing entries marked."""

from torch import Tensor

LARGEST = 5  # rows and columns of what is shown of a matrix
INDENT = "    "


def arguments(given: dict[str, object]) -> list[str]:
    """What a function was called with: in numbers if they can be checked by hand, else shapes."""
    tensors = [value for value in given.values() if isinstance(value, Tensor)]
    by_hand = all(t.dim() <= 2 and max((*t.shape, 1)) <= LARGEST for t in tensors)
    small = by_hand and sum(t.numel() for t in tensors) <= 2 * LARGEST * LARGEST
    lines = [INDENT]
    for name, value in given.items():
        if not isinstance(value, Tensor):
            text = f"{name}={value}"
        elif small:
            text = f"{name} = {numbers(value)}"
        else:
            text = f"{name} {tuple(value.shape)}"
        if len(lines[-1]) + len(text) > 76 and lines[-1].strip():
            lines.append(INDENT)
        lines[-1] += ("   " if lines[-1].strip() else "") + text
    return lines


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
    """The two side by side: all of them if they are small, else a window on the first difference.

    All three have one shape; `wrong` is True where the two differ.
    """
    if expected.numel() == 1:
        digits = _digits(expected.reshape(-1), yours.reshape(-1), wrong.reshape(-1), most=6)
        return [
            f"expected   {_cell(expected.item(), digits)}",
            f"yours      {_cell(yours.item(), digits)}",
        ]
    while expected.dim() < 2:
        expected, yours, wrong = expected[None], yours[None], wrong[None]
    *batch, row, column = (int(i) for i in wrong.nonzero()[0])
    where = []
    if batch and max(expected.shape[:-2]) > 1:
        where.append(f"item {', '.join(map(str, batch))} of the batch")
    expected, yours, wrong = (t[tuple(batch)] for t in (expected, yours, wrong))
    windows = []
    for axis, first, word in ((0, row, "row"), (1, column, "column")):
        size = expected.shape[axis]
        start = 0 if first < LARGEST else min(first, size - LARGEST)
        windows.append(slice(start, start + LARGEST))
        if size > LARGEST:
            where.append(f"{word}s {start} to {min(start + LARGEST, size) - 1} of {size}")
    expected, yours, wrong = (t[tuple(windows)] for t in (expected, yours, wrong))
    lines = [f"({'; '.join(where)})"] if where else []
    return lines + _side_by_side(expected, yours, wrong)


def _side_by_side(expected: Tensor, yours: Tensor, wrong: Tensor) -> list[str]:
    digits = _digits(expected.flatten(), yours.flatten(), wrong.flatten(), most=4)
    left = [[_cell(number, digits) + " " for number in row] for row in expected.tolist()]
    right = [
        [
            _cell(number, digits) + ("*" if bad else " ")
            for number, bad in zip(row, marks, strict=True)
        ]
        for row, marks in zip(yours.tolist(), wrong.tolist(), strict=True)
    ]
    width = max(len(cell) for rows in (left, right) for row in rows for cell in row)
    texts = [
        ["".join(cell.rjust(width + 1) for cell in row) for row in rows] for rows in (left, right)
    ]
    block = max(len(texts[0][0]), len("expected"))
    if len(INDENT) + 2 * block + 3 > 80:  # one above the other
        return [
            "expected",
            *texts[0],
            "yours (* differs)",
            *texts[1],
        ]
    lines = [f"{'expected'.ljust(block)}   yours (* differs)"]
    return lines + [f"{a.ljust(block)}   {b}" for a, b in zip(*texts, strict=True)]


def _digits(expected: Tensor, yours: Tensor, wrong: Tensor, most: int) -> int:
    """As few decimals as tell the differing entries apart, and at least two."""
    pairs = list(zip(expected[wrong].tolist(), yours[wrong].tolist(), strict=True))
    for digits in range(2, most):
        if all(_cell(a, digits) != _cell(b, digits) for a, b in pairs):
            return digits
    return most


def _cell(number: float, digits: int) -> str:
    if isinstance(number, bool) or number in (float("inf"), float("-inf")):
        return str(number)
    return f"{number:.{digits}f}" if abs(number) < 1e5 else f"{number:.{digits + 1}g}"


def axes(sizes: tuple[int, ...], names: dict[str, int]) -> str:
    """A shape with the names of its axes, as far as the sizes tell them: (B=2, T_q=3)."""
    known = {}
    for name, size in names.items():
        known[size] = None if size in known else name  # two axes of one size: no telling
    words = (f"{known[size]}={size}" if known.get(size) else str(size) for size in sizes)
    return f"({', '.join(words)})"
