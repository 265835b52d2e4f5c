"""The lesson's example: five tokens, and then random queries and keys of two widths.

The recipe is torch.manual_seed(0), and everything drawn in this order. A generator with the
seed 0 draws the same numbers and leaves the global state alone.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

Function = Callable[..., Tensor]


@dataclass(frozen=True)
class Lesson:
    """The inputs of the lesson and the weights that come out.

    Attributes:
        x: five tokens, (1, T, d)
        w_q, w_k, w_v: weights, (d, d)
        weights: causal attention weights, rounded to 2 decimals, (1, T, T)
    """

    x: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    weights: Tensor


def lesson() -> Lesson:
    """Draw the example."""
    generator = torch.Generator().manual_seed(0)
    return _draw(generator)


def pairs(width: int) -> Iterator[tuple[Tensor, Tensor]]:
    """10,000 queries of the lesson, each with one key, in forty batches of shape (250, 1, width).

    Drawn after the tokens and the weights, for width 8 first and then for width 512.
    """
    queries, keys = (torch.Generator().manual_seed(0) for _ in range(2))
    for generator in (queries, keys):
        _draw(generator)
        if width == 512:
            torch.randn(2 * 10_000, 8, generator=generator)
    # Small batches: a wrong answer may make a table of d_k by d_k for each pair.
    for _ in range(40):  # the keys come after all queries
        torch.randn(250, 1, width, generator=keys)
    for _ in range(40):
        yield tuple(torch.randn(250, 1, width, generator=g) for g in (queries, keys))


def _draw(generator: torch.Generator) -> Lesson:
    t, d = 5, 8
    x = torch.randn(1, t, d, generator=generator)
    w_q, w_k, w_v = (torch.randn(d, d, generator=generator) / math.sqrt(d) for _ in range(3))
    weights = [
        [1.00, 0.00, 0.00, 0.00, 0.00],
        [0.48, 0.52, 0.00, 0.00, 0.00],
        [0.20, 0.33, 0.47, 0.00, 0.00],
        [0.14, 0.32, 0.23, 0.31, 0.00],
        [0.07, 0.06, 0.39, 0.10, 0.39],
    ]
    return Lesson(x, w_q, w_k, w_v, torch.tensor([weights]))


def pattern(
    make_qkv: Function, score: Function, mask: Function, softmax_rows: Function, attend: Function
) -> tuple[str, Tensor]:
    """A title and the weights of the example, as these functions compute them."""
    example = lesson()
    q, k, _ = make_qkv(example.x, example.w_q, example.w_k, example.w_v)
    weights = softmax_rows(mask(score(q, k)))
    return "What the five tokens of the lesson attend to, a row for each query:", weights[0]
