"""Inputs on which wrong answers give themselves away, for telling which mistake was made.

Small ones in float64, in a fixed order, because some mistakes remember what they saw before.
Equal sizes let a mistake give wrong values where it would otherwise raise an exception, which
tells less; different sizes tell those apart that equal sizes hide.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

Arguments = tuple[tuple[Tensor, ...], dict[str, bool]]

HIDDEN = float("-inf")


def probes(randn: Callable[..., Tensor]) -> dict[str, list[Arguments]]:
    """For each exercise the positional and the named arguments of each call."""
    return {
        "make_qkv": [
            (tuple(randn(*size) for size in sizes), {})
            for sizes in [
                [(3, 4), (4, 2), (4, 2), (4, 5)],
                [(3, 3), (3, 3), (3, 3), (3, 3)],
                [(5, 4), (4, 4), (4, 4), (4, 4)],
                [(2, 3, 4), (4, 4), (4, 4), (4, 4)],
                [(2, 3, 4), (4, 6), (4, 6), (4, 5)],
                [(1, 4, 3), (3, 3), (3, 3), (3, 2)],
                [(2, 3, 4, 2), (2, 3), (2, 3), (2, 3)],
            ]
        ],
        "score": [
            ((randn(*q), randn(*k)), {})
            for q, k in [
                [(2, 3), (4, 3)],
                [(3, 3), (3, 3)],
                [(4, 6), (4, 6)],
                [(3, 3, 3), (3, 3, 3)],
                [(2, 4, 4), (2, 4, 4)],
                [(2, 3, 6), (2, 5, 6)],
                [(1, 4, 2), (1, 3, 2)],
                [(2, 3, 5, 6), (2, 3, 4, 6)],
                [(2, 2, 2, 2), (2, 2, 2, 2)],
            ]
        ],
        "mask": [((scores,), {}) for scores in _scores(randn)],
        "softmax_rows": [
            ((scores,), {})
            for scores in [
                *_scores(randn),
                randn(2, 3, 3),
                torch.tensor([[1.0, HIDDEN, 0.5], [0.0, 2.0, HIDDEN]], dtype=torch.float64),
                torch.tensor([[HIDDEN, 1.0, 1.5], [HIDDEN, HIDDEN, 2.0]], dtype=torch.float64),
                torch.tensor([[1e3, 1e3 + 1], [0.0, 1.0], [-1e3, 1 - 1e3]], dtype=torch.float64),
                torch.tensor([[800.0, 0.0, 1.0]], dtype=torch.float64),
                torch.tensor([[-800.0, -801.0]], dtype=torch.float64),
                torch.tensor([[-2e4, HIDDEN, -2e4 - 1]], dtype=torch.float64),
            ]
        ],
        "attend": [
            (inputs, kwargs)
            for inputs in _triples(randn)
            for kwargs in ({"is_causal": False}, {"is_causal": True}, {})
        ],
    }


def _scores(randn: Callable[..., Tensor]) -> Iterator[Tensor]:
    yield randn(3, 3)
    yield torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 0.5], [0.0, -1.0, 0.0]], dtype=torch.float64)
    for size in [
        (2, 4),
        (4, 2),
        (1, 1),
        (3, 3, 3),
        (2, 4, 3),
        (2, 3, 3, 3),
        (2, 1, 4, 4),
        (11, 11),
        (1, 4),
        (1, 3, 3),
    ]:
        yield randn(*size)
    yield 2e4 * randn(3, 3)


def _triples(randn: Callable[..., Tensor]) -> Iterator[tuple[Tensor, ...]]:
    for q, k, v in [
        [(3, 3), (3, 3), (3, 3)],
        [(2, 3), (4, 3), (4, 4)],
        [(4, 6), (2, 6), (2, 3)],
        [(1, 3), (1, 3), (1, 2)],
        [(2, 3, 6), (2, 3, 6), (2, 3, 3)],
        [(3, 3, 3), (3, 3, 3), (3, 3, 3)],
        [(2, 2, 4, 6), (2, 2, 3, 6), (2, 2, 3, 5)],
        [(2, 3, 3, 3), (2, 3, 3, 3), (2, 3, 3, 3)],
        [(2, 1, 3, 3), (2, 1, 4, 3), (2, 1, 4, 2)],
        [(11, 3), (11, 3), (11, 2)],
        [(1, 3), (3, 3), (3, 2)],
    ]:
        yield randn(*q), randn(*k), randn(*v)
    yield torch.zeros(3, 3, dtype=torch.float64), randn(3, 3), randn(3, 3)
    apart = torch.zeros(2, 3, dtype=torch.float64)
    apart[:, 0] = torch.tensor([1.0, -1.0])
    yield apart, 3e4 * apart.abs() + randn(2, 3), randn(2, 2)
    large = torch.zeros(3, 3, dtype=torch.float64)
    large[:, 0] = torch.tensor([-3e4, -3e4, 5e4])
    low = torch.zeros(3, 3, dtype=torch.float64)
    low[:, 0] = torch.tensor([1.0, 60.0, 1.0])
    yield low, large, randn(3, 2)
