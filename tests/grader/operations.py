"""What the rules may do with a function: call it, and look at it from other sides.

Each operation takes the function and the arguments of one call, leaves the arguments as they
are, and returns plain data. A rule never touches autograd or torch's global state itself.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from grader.elsewhere import Elsewhere, is_stray

Function = Callable[..., object]
Watched = tuple[object, object]  # what was found, and the result of the call that was watched


def call(function: Function, *args: object, **kwargs: object) -> object:
    """What the function returns for copies of the arguments."""
    return function(*map(_copy, args), **kwargs)


def changed(function: Function, *args: Tensor, **kwargs: object) -> Watched:
    """The positions of the arguments that the function changes, in value or in kind."""
    given = [_copy(arg) for arg in args]
    before = [(_copy(arg), arg.stride()) for arg in given]
    result = function(*given, **kwargs)
    positions = [
        position
        for position, (arg, (copy, stride)) in enumerate(zip(given, before, strict=True))
        if arg.requires_grad or arg.stride() != stride or not torch.equal(arg, copy)
    ]
    return positions, result


def shares_memory(function: Function, *args: Tensor) -> Watched:
    """Whether the result is an argument, or a view of one."""
    given = [_copy(arg) for arg in args]
    storages = {tensor.untyped_storage().data_ptr() for tensor in given}
    result = function(*given)
    shared = [t.untyped_storage().data_ptr() in storages for t in tensors_in(result)]
    return any(shared), result


def gradients(function: Function, *args: Tensor, **kwargs: object) -> list[Tensor | None]:
    """The gradient of a weighted sum of the results for each argument, None where none arrives."""
    leaves = [_copy(arg).requires_grad_() for arg in args]
    # Not the leaves themselves: those refuse to be changed in place, which is another rule.
    results = tensors_in(function(*[leaf.clone() for leaf in leaves], **kwargs))
    weighted = [(_weights(r) * r).sum() for r in results if r.requires_grad]
    if not weighted:
        return [None] * len(leaves)
    # A scalar, so that autograd needs no weights from us: checking those imports sympy.
    return list(torch.autograd.grad(sum(weighted), leaves, allow_unused=True))


def _weights(result: Tensor) -> Tensor:
    # They differ from entry to entry: under a plain sum the gradient of a softmax is 0. Through
    # an entry that is not finite no gradient is asked for, so it does not matter which arrives.
    weights = torch.arange(1.0, result.numel() + 1, dtype=result.dtype).cos().view(result.shape)
    return weights.where(result.detach().isfinite(), 0.0)


def clashes(function: Function, *args: Tensor, **kwargs: object) -> Watched:
    """What would fail on a GPU, in words, or None."""
    given = [_copy(arg) for arg in args]
    with Elsewhere() as gpu:
        result = function(*given, **kwargs)
    stays = "the result stays on the CPU" if any(map(is_stray, tensors_in(result))) else None
    return gpu.clash or stays, result


def attention_calls(function: Function, *args: Tensor, **kwargs: object) -> Watched:
    """The ready-made attention functions of torch that the function calls, under any name."""
    result = None
    with Listen() as listener, in_the_dispatcher(listener):
        try:
            result = call(function, *args, **kwargs)
        except Exception:
            if not listener.heard:
                raise
    return listener.heard, result


def tensors_in(result: object) -> list[Tensor]:
    """The tensors of a result: itself, or the members of a sequence."""
    members = result if isinstance(result, Sequence) else [result]
    return [member for member in members if isinstance(member, Tensor)]


def _copy(arg: object) -> Any:
    # clone keeps the strides of a transposed tensor, so non-contiguous input stays that.
    return arg.detach().clone() if isinstance(arg, Tensor) else arg


class Listen(TorchFunctionMode):
    """Hears which attention functions of torch are called. An alias does not hide the name."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func)).partition(".")[0]
        if "dot_product_attention" in name or "multi_head_attention" in name:
            self.heard.append(name)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def in_the_dispatcher(listener: Listen) -> Iterator[None]:
    """Hear SDPA in torch's dispatcher too, where other threads and compiled functions call it."""

    def hear(*args: object, **kwargs: object) -> None:
        listener.heard.append("scaled_dot_product_attention")
        raise RuntimeError("heard, and that is all we ask")

    dispatcher = torch.library.Library("aten", "IMPL")
    for name in ("scaled_dot_product_attention", "_scaled_dot_product_attention_math"):
        for key in ("AutogradCPU", "CPU"):
            dispatcher.impl(name, hear, key)
    try:
        yield
    finally:
        dispatcher._destroy()
