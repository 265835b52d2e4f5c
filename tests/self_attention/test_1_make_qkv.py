"""make_qkv: what does each token ask, offer and pass on?"""

import pytest
import torch
from grader.rules import (
    close,
    elsewhere,
    gradients,
    keeps_dtype,
    repeatable,
    several,
    shape,
    unchanged,
)
from torch import Tensor


def times(x: Tensor, w: Tensor) -> Tensor:
    """x·W the slow way: feature i of a token brings in row i of the weight."""
    return sum(x[..., i : i + 1] * w[i] for i in range(len(w)))


def all_three(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> list[Tensor]:
    return [times(x, w_q), times(x, w_k), times(x, w_v)]


def test_each_token_gets_a_query_a_key_and_a_value(make_qkv, randn):
    x, w_q, w_k, w_v = randn(2, 3, 5), randn(5, 4), randn(5, 4), randn(5, 7)

    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "three tensors come back: q, k, v")

    shape(q, {"B": 2, "T": 3, "d_k": 4}, "q has one query of width d_k for each token", d_v=7)
    shape(k, {"B": 2, "T": 3, "d_k": 4}, "k has one key of width d_k for each token", d_v=7)
    shape(v, {"B": 2, "T": 3, "d_v": 7}, "v has one value of width d_v for each token", d_k=4)


def test_one_token_by_hand(make_qkv):
    x = torch.tensor([[1.0, 2.0]])
    w_q = torch.tensor([[1.0, 3.0], [0.0, 1.0]])
    w_k = torch.tensor([[2.0, 0.0], [1.0, -1.0]])
    w_v = torch.tensor([[0.0, 1.0], [4.0, 1.0]])

    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "three tensors come back: q, k, v")

    close(q, torch.tensor([[1.0, 5.0]]), "the first of the three is the query, x·W_q")
    close(k, torch.tensor([[4.0, -2.0]]), "the second of the three is the key, x·W_k")
    close(v, torch.tensor([[8.0, 3.0]]), "the third of the three is the value, x·W_v")


def test_a_token_of_zeros_asks_offers_and_passes_on_zeros(make_qkv, randn):
    x, w_q, w_k, w_v = torch.zeros(2, 3), randn(3, 4), randn(3, 4), randn(3, 5)

    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "three tensors come back: q, k, v")

    close(q, torch.zeros(2, 4), "there is no bias: a token of zeros has a query of zeros")
    close(k, torch.zeros(2, 4), "there is no bias: a token of zeros has a key of zeros")
    close(v, torch.zeros(2, 5), "there is no bias: a token of zeros has a value of zeros")


@pytest.mark.parametrize(
    "sizes", [(4, 3), (1, 5), (2, 4, 3), (1, 12, 3), (2, 3, 4, 5), (3, 1, 2, 1)]
)
def test_it_works_on_the_last_two_axes(make_qkv, randn, sizes):
    x, d_model = randn(*sizes), sizes[-1]
    w_q, w_k, w_v = randn(d_model, 2), randn(d_model, 2), randn(d_model, 6)

    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "three tensors come back: q, k, v")

    close(q, times(x, w_q), "q is x·W_q for every token of every item")
    close(k, times(x, w_k), "k is x·W_k for every token of every item")
    close(v, times(x, w_v), "v is x·W_v for every token of every item")


def test_a_transposed_view_is_as_good_as_any(make_qkv, randn):
    x, w_q, w_k, w_v = randn(3, 4).mT, randn(2, 3).mT, randn(2, 3).mT, randn(5, 3).mT

    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "three tensors come back: q, k, v")

    close(q, times(x, w_q), "q is right for inputs that are not contiguous in memory")
    close(k, times(x, w_k), "k is right for inputs that are not contiguous in memory")
    close(v, times(x, w_v), "v is right for inputs that are not contiguous in memory")


def test_the_result_has_the_dtype_of_the_inputs(make_qkv, randn):
    inputs = randn(2, 4, 3), randn(3, 6), randn(3, 6), randn(3, 5)

    keeps_dtype(make_qkv, inputs, "q, k and v have the dtype of the inputs")


def test_the_inputs_stay_as_they_are(make_qkv, randn):
    inputs = randn(2, 4, 3), randn(3, 6), randn(3, 6), randn(3, 5)

    unchanged(make_qkv, inputs, "the inputs are not changed")


def test_gradients_reach_the_token_and_all_weights(make_qkv, randn):
    d = torch.float64
    inputs = (
        randn(2, 4, 3, dtype=d),
        randn(3, 2, dtype=d),
        randn(3, 2, dtype=d),
        randn(3, 5, dtype=d),
    )

    gradients(make_qkv, inputs, all_three, "gradients reach x, w_q, w_k and w_v")


def test_the_result_depends_on_the_arguments_alone(make_qkv, randn):
    small = randn(2, 3), randn(3, 4), randn(3, 4), randn(3, 5)
    large = randn(2, 7, 5), randn(5, 2), randn(5, 2), randn(5, 3)

    repeatable(make_qkv, [small, large], "the same inputs give the same result, call after call")


def test_it_would_run_on_a_gpu(make_qkv, randn):
    inputs = randn(2, 19, 3), randn(3, 4), randn(3, 4), randn(3, 5)

    elsewhere(make_qkv, inputs, "the result is on the device of the inputs")
