"""Finds, on a machine without a GPU, the code that would fail on one.

A tensor made without `device=` is born on the CPU. On a GPU, where the inputs are, the first
operation that mixes the two fails. Here such a tensor is marked as a stray when it is born, what
is computed from strays alone is a stray too, and mixing one with anything else is a clash. No
real second device is needed. (The meta device would do it as well, but its first operation
imports a second's worth of modules.)
"""

from collections.abc import Iterable
from unittest import mock

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

# These take tensors from any device: an index, or a source to copy from.
_ANY_DEVICE = ("__getitem__", "__setitem__", "copy_", "index_put", "index_put_")
_MOVES = ("to", "type", "type_as", "cuda", "__set__")


class Elsewhere(TorchFunctionMode):
    """Plays a machine whose inputs are on a GPU.

    Attributes:
        clash: the first operation that would fail there, in words
    """

    clash: str | None = None

    def __enter__(self) -> "Elsewhere":
        from_numpy = torch.from_numpy  # torch does not tell the mode of this one
        self._patch = mock.patch.object(
            torch, "from_numpy", lambda array: _mark(from_numpy(array), stray=True)
        )
        self._patch.start()
        return super().__enter__()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._patch.stop()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        given = list(_tensors([*args, *kwargs.values()]))
        stray = self._is_stray(name, given, [*args, *kwargs.values()], kwargs.get("device"))
        result = func(*args, **kwargs)
        for tensor in given[:1] if name == "__set__" else _tensors([result]):
            _mark(tensor, stray)
        return result

    def _is_stray(self, name: str, given: list[Tensor], args: list, device: object) -> bool:
        """Whether what comes out of the operation is a stray; notes the first clash."""
        if name == "cpu":
            return True
        if not given:
            return device is None
        if name in _MOVES:
            to_device = any(isinstance(arg, (str, torch.device)) for arg in args)
            return _marked(given[-1]) and not to_device
        if name in _ANY_DEVICE or all(map(_marked, given)):
            return _marked(given[0]) and device is None
        if self.clash is None and any(map(is_stray, given)):
            self.clash = f"{name} mixes a tensor made on the CPU with the inputs"
        return False


def is_stray(tensor: Tensor) -> bool:
    """Whether the tensor would be on the wrong device. A single number may be on any."""
    return _marked(tensor) and tensor.dim() > 0


def _marked(tensor: Tensor) -> bool:
    return getattr(tensor, "_stray", False)


def _mark(tensor: Tensor, stray: bool) -> Tensor:
    tensor._stray = stray
    return tensor


def _tensors(values: Iterable[object]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
