"""softmax_rows: how is each token's attention shared out?"""

import math

import pytest
import torch
from grader.rules import (
    at_least,
    close,
    elsewhere,
    exactly,
    gradients,
    keeps_dtype,
    repeatable,
    shape,
    unchanged,
)
from torch import Tensor

HIDDEN = float("-inf")


def rows(scores: Tensor) -> Tensor:
    """torch's own, over the last axis."""
    return torch.softmax(scores, dim=-1)


def test_there_is_a_weight_for_each_score(softmax_rows, randn):
    weights = softmax_rows(randn(2, 3, 4))

    shape(weights, {"B": 2, "T_q": 3, "T_k": 4}, "the weights have the shape of the scores")


def test_two_rows_by_hand(softmax_rows):
    scores = torch.tensor([[0.0, math.log(3)], [math.log(9), 0.0]])

    weights = softmax_rows(scores)

    close(weights, torch.tensor([[0.25, 0.75], [0.9, 0.1]]), "each row is shared out on its own")


def test_one_row_by_hand(softmax_rows):
    scores = torch.tensor([[0.0, math.log(3)]])

    weights = softmax_rows(scores)

    # exp turns the scores into 1 and 3, which add up to 4.
    close(
        weights, torch.tensor([[0.25, 0.75]]), "a weight is exp(score) / the sum of its row's exp"
    )


def test_three_rows_of_two_by_hand(softmax_rows):
    scores = torch.tensor([[0.0, 0.0], [0.0, math.log(3)], [math.log(9), 0.0]])

    weights = softmax_rows(scores)

    expected = torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]])
    close(weights, expected, "each row is shared out on its own")


def test_a_batch_of_two_by_hand(softmax_rows):
    scores = torch.tensor([[[0.0, math.log(3)], [0.0, 0.0]], [[math.log(9), 0.0], [0.0, 0.0]]])

    weights = softmax_rows(scores)

    expected = torch.tensor([[[0.25, 0.75], [0.5, 0.5]], [[0.9, 0.1], [0.5, 0.5]]])
    close(weights, expected, "in a batch, too, rows run along the last axis")


@pytest.mark.parametrize(
    "sizes", [(3, 4), (3, 3), (1, 2), (2, 1), (2, 3, 4), (2, 3, 4, 4)], ids=str
)
def test_each_row_sums_to_one(softmax_rows, randn, sizes):
    scores = randn(*sizes)

    weights = softmax_rows(scores)

    close(
        weights.sum(-1),
        torch.ones(sizes[:-1]),
        "the sums of the rows are all 1",
    )


def test_no_weight_is_negative(softmax_rows, randn):
    weights = softmax_rows(randn(4, 5))

    at_least(weights, 0.0, "no weight is negative")


@pytest.mark.parametrize("lead", [(), (2,), (1,), (3, 2), (2, 1)], ids=str)
@pytest.mark.parametrize(("t_q", "t_k"), [(3, 3), (4, 10)])
def test_it_agrees_with_torch(softmax_rows, randn, lead, t_q, t_k):
    scores = randn(*lead, t_q, t_k)

    weights = softmax_rows(scores)

    close(weights, rows(scores), "the softmax runs along the last axis, over the keys")


def test_the_result_has_the_dtype_of_the_scores(softmax_rows, randn):
    keeps_dtype(softmax_rows, (randn(2, 3, 4),), "the weights have the dtype of the scores")


def test_a_hidden_score_gets_weight_zero(softmax_rows):
    scores = torch.tensor([[1.0, HIDDEN, HIDDEN], [HIDDEN, HIDDEN, 2.0], [HIDDEN, 0.0, 0.0]])

    weights = softmax_rows(scores)

    expected = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.5]])
    close(weights, expected, "-inf gets weight 0, and the other scores share the row")
    exactly(weights[0, 1:], torch.zeros(2), "-inf gets exactly 0")


def test_a_hidden_score_gets_weight_zero_beside_very_low_ones(softmax_rows):
    scores = torch.tensor([[-15000.0, HIDDEN], [HIDDEN, -15000.0]], dtype=torch.float64)

    weights = softmax_rows(scores)

    expected = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    close(weights, expected, "-inf gets weight 0, however low the other scores are")


@pytest.mark.parametrize("shift", [100.0, -1000.0, 5000.0])
def test_adding_a_number_to_a_row_changes_nothing(softmax_rows, shift):
    scores = torch.tensor([[0.0, math.log(3)], [math.log(9), 0.0]], dtype=torch.float64)

    weights = softmax_rows(scores + shift)

    expected = torch.tensor([[0.25, 0.75], [0.9, 0.1]], dtype=torch.float64)
    close(weights, expected, f"{shift:+g} on all scores of a row changes nothing")


def test_rows_may_be_far_apart(softmax_rows):
    one = torch.tensor([[1000.0, 1000.0], [0.0, 0.0], [-1000.0, -1000.0]], dtype=torch.float64)
    scores = torch.stack([one, one - 5000.0])

    weights = softmax_rows(scores)

    expected = torch.full((2, 3, 2), 0.5, dtype=torch.float64)
    close(weights, expected, "rows that are thousands apart do not disturb each other")


def test_scores_of_a_row_may_be_far_apart(softmax_rows):
    scores = torch.tensor([[5000.0, 0.0, -5000.0], [0.0, 0.0, 4000.0]], dtype=torch.float64)

    weights = softmax_rows(scores)

    expected = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    close(weights, expected, "a score that leads by thousands takes all the weight")


def test_a_transposed_view_is_as_good_as_any(softmax_rows, randn):
    scores = randn(2, 4, 3).mT

    weights = softmax_rows(scores)

    close(weights, rows(scores), "scores need not be contiguous in memory")


def test_the_scores_stay_as_they_are(softmax_rows, randn):
    unchanged(softmax_rows, (randn(2, 3, 4),), "the scores that come in are not changed")


def test_gradients_reach_the_scores(softmax_rows, randn):
    scores = randn(2, 3, 4, dtype=torch.float64)

    gradients(softmax_rows, (scores,), rows, "gradients reach the scores")


def test_gradients_reach_the_scores_beside_hidden_ones(softmax_rows):
    scores = torch.tensor([[1.0, HIDDEN, HIDDEN], [HIDDEN, 0.5, 2.0]], dtype=torch.float64)

    gradients(softmax_rows, (scores,), rows, "gradients reach the scores beside -inf")


def test_the_result_depends_on_the_scores_alone(softmax_rows, randn):
    calls = [(randn(2, 3),), (randn(2, 5, 4),)]

    repeatable(softmax_rows, calls, "the same scores give the same result, call after call")


def test_it_would_run_on_a_gpu(softmax_rows, randn):
    elsewhere(softmax_rows, (randn(2, 19, 23),), "the weights are on the device of the scores")
