"""What goes from one process to another: bytes that can be nothing but data.

A message is its length, a header in JSON and the numbers of its tensors. There is no pickle, so
reading one runs no code; and whatever does not fit the format is Malformed.
"""

import json
import math
import socket
import struct
import time
from collections.abc import Sequence

import torch
from grader.explain import Described, is_plain, kind
from grader.show import printable
from torch import Tensor

MOST_BYTES = 64 * 2**20  # of a message; the largest that a test sends has 2 MB
ALIGNED = 16  # bytes; the numbers of a tensor begin at a multiple of it
LARGE = 2**16  # bytes; a smaller message is sent in one part
MOST_IN_HEADER = 2**20  # bytes; a reader is busy with it for a while
MOST_LETTERS = 50_000  # of a text

DTYPES = {
    str(dtype): dtype
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    + (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool)
    + (torch.complex64, torch.complex128)
}


class Malformed(ValueError):
    """Not a message, or a longer one than anybody needs."""


class Line:
    """One end of the connection between the tests and a submission."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, message: object, deadline: float | None = None) -> None:
        """Send a message.

        Raises:
            TimeoutError: the other side does not take it
            OSError: there is no other side any more
        """
        self._connection.settimeout(deadline and max(deadline - time.monotonic(), 0.001))
        for part in pack(message):
            self._connection.sendall(part)

    def receive(self, deadline: float | None = None) -> object:
        """The next message.

        Raises:
            TimeoutError: there is none in time
            EOFError, OSError: there is no other side any more
            Malformed: it is no message
        """
        length, header = struct.unpack(">QQ", self._exactly(16, deadline))
        if length > MOST_BYTES or header > MOST_IN_HEADER:
            raise Malformed
        return unpack(self._exactly(length, deadline), header)

    def _exactly(self, count: int, deadline: float | None) -> bytearray:
        received = bytearray(count)
        rest = memoryview(received)
        while rest:
            self._connection.settimeout(deadline and max(deadline - time.monotonic(), 0.001))
            came = self._connection.recv_into(rest)
            if not came:
                raise EOFError
            rest = rest[came:]
        return received

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def pack(message: object) -> list[bytes | memoryview]:
    """A message as bytes, in parts. What is neither data nor a plain tensor goes as words."""
    numbers: list[Tensor] = []
    header = json.dumps(_coded(message, numbers)).encode()
    header += b" " * (-len(header) % ALIGNED)
    parts = [struct.pack(">QQ", 0, 0), header]
    for flat in numbers:
        data = flat.view(torch.uint8).numpy().data
        parts += [data, bytes(-len(data) % ALIGNED)]
    length = sum(map(len, parts[1:]))
    if length > MOST_BYTES:
        return pack(Described("more than 64 MB of numbers"))
    parts[0] = struct.pack(">QQ", length, len(header))
    return parts if length > LARGE else [b"".join(parts)]


def _coded(value: object, numbers: list[Tensor]) -> object:
    if isinstance(value, str):
        return str.__str__(value)[:MOST_LETTERS]
    if value is None or type(value) in (bool, float):
        return value
    if type(value) is int and abs(value) < 2**63:
        return value
    if isinstance(value, Tensor) and is_plain(value) and str(value.dtype) in DTYPES:
        if value.numel() * value.element_size() > MOST_BYTES // 2:
            return {"words": f"a tensor of {value.numel():,} numbers, more than anybody needs"}
        value = value.detach().resolve_conj().resolve_neg()
        order = sorted(range(value.dim()), key=value.stride, reverse=True)  # transposed stays so
        value = value.permute(order)
        numbers.append(value.contiguous().view(-1))
        return {"tensor": str(value.dtype), "sizes": list(value.shape), "order": order}
    if isinstance(value, dict):
        return {"dict": {str(key): _coded(item, numbers) for key, item in value.items()}}
    if isinstance(value, Sequence) and not isinstance(value, bytes) and len(value) < 10_000:
        name = "list" if isinstance(value, list) else "tuple"
        return {name: [_coded(item, numbers) for item in value]}
    return {"words": kind(value)}


def unpack(message: bytearray, header: int) -> object:
    """The message in these bytes, of which the header takes so many.

    Raises:
        Malformed: it is no message
    """
    try:
        value, end = _decoded(json.loads(message[:header]), message, header)
    except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise Malformed from error  # RecursionError is a RuntimeError
    if end != len(message):
        raise Malformed
    return value


def _decoded(coded: object, message: bytearray, at: int) -> tuple[object, int]:
    """The value, whose tensors begin there in the message, and where the next one begins."""
    if isinstance(coded, str):
        return printable(coded[:MOST_LETTERS]), at
    if coded is None or type(coded) in (bool, int, float):
        return coded, at
    if not isinstance(coded, dict):
        raise Malformed
    if "tensor" in coded:
        return _tensor(coded, message, at)
    ((name, content),) = coded.items()
    if name == "words":
        return Described(printable(content[:MOST_LETTERS])), at
    items = []
    for item in content.values() if name == "dict" else content:
        value, at = _decoded(item, message, at)
        items.append(value)
    if name == "dict":
        return dict(zip(content, items, strict=True)), at
    return {"list": list, "tuple": tuple}[name](items), at


def _tensor(coded: dict, message: bytearray, at: int) -> tuple[Tensor, int]:
    dtype, sizes, order = DTYPES[coded["tensor"]], coded["sizes"], coded["order"]
    count = math.prod(sizes)
    end = at + count * dtype.itemsize
    if not all(type(n) is int and n >= 0 for n in [*sizes, *order]) or end > len(message):
        raise Malformed
    if not count:
        return torch.empty(sizes, dtype=dtype), at
    tensor = torch.frombuffer(message, dtype=dtype, count=count, offset=at).view(sizes)
    back = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(back), end + -end % ALIGNED
