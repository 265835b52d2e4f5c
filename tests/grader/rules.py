"""The vocabulary in which a specification is written.

Each word states one rule about a result or a function, and its last argument is the rule in
plain words: what a learner reads when it breaks. Type and shape are gates, the test stops there;
values and promises are checks, the test goes on to the next rule.
"""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from grader import operations, show, verdict
from grader.explain import is_plain, kind, short
from grader.graded import Graded

# Absolute and relative. Right answers differ by 1.4e-6 in float32, more where scores are large;
# in float64 a float32 constant such as torch.rsqrt(torch.tensor(6.0)) is right as well.
TOLERANCE = {torch.float32: (1e-5, 1e-4), torch.float64: (1e-7, 1e-6)}


def shape(result: object, expected: dict[str, int], rule: str, **others: int) -> None:
    """Gate: a tensor with these axes, given by name and size in order.

    The sizes of other axes help to say what came instead.
    """
    sizes, found = tuple(expected.values()), tuple(_tensor(result).shape)
    if found != sizes:
        lines = [
            f"expected shape   {show.axes(sizes, expected)}",
            f"yours            {show.axes(found, expected | others)}",
        ]
        verdict.stop(_failure(rule, lines, result))


def several(result: object, count: int, rule: str) -> Sequence[Tensor]:
    """Gate: a sequence of so many tensors, which it returns."""
    if isinstance(result, Tensor) or not isinstance(result, Sequence) or len(result) != count:
        verdict.stop(_failure(rule, [f"expected {count} tensors", f"yours    {kind(result)}"]))
    for position, member in enumerate(result, start=1):
        _tensor(member, f"number {position}")
    return result


def close(result: object, expected: Tensor, rule: str, *, within: float | None = None) -> None:
    """The values agree, up to rounding, or `within` an absolute difference. NaN never does."""
    yours = _of_shape(result, expected, rule)
    atol, rtol = TOLERANCE[expected.dtype] if within is None else (within, 0.0)
    same = torch.isclose(yours.double(), expected.double(), atol=atol, rtol=rtol)
    _check_values(result, expected, same, rule)


def exactly(result: object, expected: Tensor, rule: str) -> None:
    """The values agree to the last bit."""
    yours = _of_shape(result, expected, rule)
    _check_values(result, expected, yours == expected, rule)


def at_least(result: Tensor, bound: float, rule: str) -> None:
    """No entry is below the bound."""
    worst = _tensor(result).min().item()
    if not worst >= bound:
        verdict.note(_failure(rule, [f"expected   at least {bound:g}", f"yours      {worst:.4g}"]))


def at_most(result: Tensor, bound: float, rule: str) -> None:
    """No entry is above the bound."""
    worst = _tensor(result).max().item()
    if not worst <= bound:
        verdict.note(_failure(rule, [f"expected   at most {bound:g}", f"yours      {worst:.4g}"]))


def keeps_dtype(function: Graded, inputs: tuple[Tensor, ...], rule: str, **options: object) -> None:
    """The result has the dtype of the inputs: float32, float64 or bfloat16, and about one value."""
    lines, usual = [], None
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        given = [tensor.to(dtype) for tensor in inputs]
        results = _results(function(*given, **options))
        usual = usual or results
        for result, expected in zip(results, usual, strict=True):
            if result.dtype != dtype:
                lines.append(f"{short(dtype)} in, {short(result.dtype)} out")
            elif not _about(result, expected):
                lines.append(f"in {short(dtype)} the values are not those of float32")
    if lines:
        verdict.note(_failure(rule, list(dict.fromkeys(lines))))


def _about(one: Tensor, other: Tensor) -> bool:
    """Whether they are the same but for the coarse rounding of bfloat16."""
    one, other = one.double(), other.double()
    return one.shape == other.shape and bool(torch.isclose(one, other, 0.1, 0.2).all())


def gradients(
    function: Graded,
    inputs: tuple[Tensor, ...],
    reference: Callable[..., object],
    rule: str,
    **options: object,
) -> None:
    """Gradients reach every input, and they are those of the reference. For float64 inputs."""
    _results(function(*inputs, **options))
    found = function.perform(operations.gradients, *inputs, **options)
    wanted = operations.gradients(reference, *inputs)
    names = list(verdict.calls[-1].arguments)
    cut = [name for name, gradient in zip(names, found, strict=False) if gradient is None]
    if cut:
        verdict.note(_failure(rule, [f"no gradient reaches {', '.join(cut)}"]))
    names += [f"input {i}" for i in range(len(names), len(wanted))]  # a function of *args
    for name, yours, expected in zip(names[: len(wanted)], found, wanted, strict=True):
        if yours is not None:
            close(yours, expected, f"{rule} (here: the gradient of {name})")


def unchanged(function: Graded, inputs: tuple[Tensor, ...], rule: str, **options: object) -> None:
    """The function does not change its inputs."""
    positions = _watched(function, operations.changed, inputs, options)
    if positions:
        names = list(verdict.calls[-1].arguments)
        changed = ", ".join(names[position] for position in positions)
        verdict.note(_failure(rule, [f"after the call, {changed} is no longer what it was"]))


def new_tensor(function: Graded, inputs: tuple[Tensor, ...], rule: str) -> None:
    """The result shares no memory with the inputs."""
    if _watched(function, operations.shares_memory, inputs, {}):
        verdict.note(_failure(rule, ["yours returns the tensor it was given, or a view of it"]))


def elsewhere(function: Graded, inputs: tuple[Tensor, ...], rule: str, **options: object) -> None:
    """The function would also run on a GPU."""
    clash = _watched(function, operations.clashes, inputs, options, anew=True)
    if clash:
        lines = [f"on a GPU, {clash}", "make new tensors with device=, or from an input"]
        verdict.note(_failure(rule, lines))


def repeatable(
    function: Graded, calls: Sequence[tuple[Tensor, ...]], rule: str, **options: object
) -> None:
    """The same inputs give the same result, whatever was called in between."""
    first = [_results(function(*inputs, **options)) for inputs in calls]
    for inputs, before in zip(reversed(calls), reversed(first), strict=True):
        for again, once in zip(_results(function(*inputs, **options)), before, strict=True):
            close(again, once, rule)


def written_by_hand(
    function: Graded, inputs: tuple[Tensor, ...], rule: str, **options: object
) -> None:
    """The function calls none of torch's ready-made attention functions."""
    heard = _watched(function, operations.attention_calls, inputs, options)
    if heard:
        verdict.note(_failure(rule, [f"yours calls {heard[0]}"]))


def unforeseen(report: pytest.TestReport) -> str:
    """The sentence for a test that could not go on with what the function returned."""
    came = kind(verdict.calls[-1].result) if verdict.calls else "nothing"
    *_, last_line = report.longreprtext.strip().splitlines() or [""]
    return f"{verdict.exercise} returned {came}, and the test could not go on.\n    {last_line}"


def _watched(
    function: Graded, operation: Callable, inputs: tuple[Tensor, ...], options: dict, **how: bool
) -> object:
    """What an operation finds. It is found on a call whose result is the usual one."""
    found, result = function.perform(operation, *inputs, **how, **options)
    if result is not None:
        usual = _results(function(*inputs, **options))
        for yours, expected in zip(_results(result), usual, strict=True):
            if not _about(yours, expected):
                verdict.stop(_failure("the same inputs give the same result", []))
    return found


def _results(result: object) -> Sequence[Tensor]:
    """Gate: a tensor, or a sequence of them."""
    members = result if isinstance(result, Sequence) and len(result) else [result]
    for member in members:
        _tensor(member)
    return members


def _of_shape(result: object, expected: Tensor, rule: str) -> Tensor:
    """Gate: a tensor of the expected shape. Comparing would broadcast others silently."""
    yours = _tensor(result)
    if yours.shape != expected.shape:
        lines = [
            f"expected shape   {tuple(expected.shape)}",
            f"yours            {tuple(yours.shape)}",
        ]
        verdict.stop(_failure(rule, lines, result))
    return yours.detach()


def _check_values(result: Tensor, expected: Tensor, same: Tensor, rule: str) -> None:
    if same.all():
        return
    lines = show.comparison(expected, result.detach(), ~same)
    if result.isnan().any() and not expected.isnan().any():
        lines.append("NaN comes out of 0 / 0, inf / inf, inf - inf or 0 * inf")
    verdict.note(_failure(rule, lines, result))


def _tensor(result: object, name: str = "") -> Tensor:
    """Gate: a plain tensor of floating-point numbers."""
    if is_plain(result) and result.is_floating_point():
        return result
    of_what = f"{name} of what comes back" if name else "what comes back"
    lines = [f"yours   {kind(result)}"]
    verdict.stop(_failure(f"{of_what} is a tensor of floating-point numbers", lines))


def _failure(rule: str, lines: list[str], result: object = None) -> str:
    """The text of a failure: the rule, what the function was called with, and what differs."""
    call = verdict.call_behind(result)
    given = show.arguments(call.arguments) if call else []
    left = [f"your file calls {call}, which changes all that follows" for call in verdict.left]
    details = (show.INDENT + line for line in [*given, *lines, *left])
    return "\n".join([f"{verdict.exercise}: {rule}", *details])
