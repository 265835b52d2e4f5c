"""mask: what may a token not see?"""

import pytest
import torch
from grader.rules import (
    close,
    elsewhere,
    exactly,
    gradients,
    keeps_dtype,
    new_tensor,
    repeatable,
    shape,
    unchanged,
)
from torch import Tensor

HIDDEN = float("-inf")


def entry_by_entry(scores: Tensor) -> Tensor:
    """The slow way: entry (i, j) is hidden if key j comes after query i."""
    masked = scores.clone()
    for i in range(scores.shape[-2]):
        for j in range(scores.shape[-1]):
            if j > i:
                masked[..., i, j] = HIDDEN
    return masked


def test_the_shape_stays(mask, randn):
    masked = mask(randn(2, 3, 4))

    shape(masked, {"B": 2, "T_q": 3, "T_k": 4}, "the masked scores have the shape of the scores")


def test_three_tokens_by_hand(mask):
    scores = torch.tensor([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0], [7.0, 8.0, 9.0]])

    masked = mask(scores)

    expected = torch.tensor([[1.0, HIDDEN, HIDDEN], [4.0, -5.0, HIDDEN], [7.0, 8.0, 9.0]])
    exactly(masked, expected, "scores above the diagonal become -inf, the others stay")


def test_a_score_of_zero_is_a_score_like_any_other(mask):
    scores = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]])

    masked = mask(scores)

    expected = torch.tensor([[0.0, HIDDEN, HIDDEN], [2.0, 0.0, HIDDEN], [0.0, 3.0, 0.0]])
    exactly(masked, expected, "a score of exactly 0 stays if its key is not in the future")


def test_after_the_softmax_the_future_has_weight_zero(mask, randn):
    scores = randn(4, 4)

    weights = torch.softmax(mask(scores), dim=-1)

    exactly(weights.triu(1), torch.zeros(4, 4), "after the softmax, future keys weigh exactly 0")
    close(weights.sum(-1), torch.ones(4), "after the softmax, the keys in sight share all weight")


def test_even_a_dominant_future_is_hidden(mask):
    scores = torch.tensor([[-3e4, 5e4], [-3e4, -3e4]])

    weights = torch.softmax(mask(scores), dim=-1)

    expected = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    close(weights, expected, "a future key has no weight, however well it matches")


@pytest.mark.parametrize(("t_q", "t_k"), [(2, 4), (4, 2), (1, 3), (3, 1)])
def test_query_i_sees_keys_0_to_i_when_the_counts_differ(mask, randn, t_q, t_k):
    scores = randn(t_q, t_k)

    masked = mask(scores)

    rule = "row 0 is the first query and column 0 the first key, also when T_q and T_k differ"
    exactly(masked, entry_by_entry(scores), rule)


def test_a_lone_token_sees_itself(mask):
    scores = torch.tensor([[2.0]])

    masked = mask(scores)

    exactly(masked, torch.tensor([[2.0]]), "a lone token sees itself")


@pytest.mark.parametrize("lead", [(2,), (2, 3), (1,), (2, 1)], ids=str)
@pytest.mark.parametrize(("t_q", "t_k"), [(4, 4), (3, 5), (5, 3)])
def test_each_item_of_a_batch_is_masked(mask, randn, lead, t_q, t_k):
    scores = randn(*lead, t_q, t_k)

    masked = mask(scores)

    exactly(
        masked, entry_by_entry(scores), "every item of a batch, and every head, is masked alike"
    )


@pytest.mark.parametrize(("t_q", "t_k"), [(9, 9), (12, 70)])
def test_a_sequence_may_be_longer(mask, randn, t_q, t_k):
    scores = randn(t_q, t_k)

    masked = mask(scores)

    exactly(
        masked, entry_by_entry(scores), "the mask is as large as the scores, whatever their size"
    )


def test_a_transposed_view_is_as_good_as_any(mask, randn):
    scores = randn(2, 4, 3).mT

    masked = mask(scores)

    exactly(masked, entry_by_entry(scores), "scores need not be contiguous in memory")


def test_the_result_has_the_dtype_of_the_scores(mask, randn):
    keeps_dtype(mask, (randn(2, 3, 4),), "the masked scores have the dtype of the scores")


def test_the_scores_stay_as_they_are(mask, randn):
    unchanged(mask, (randn(2, 3, 4),), "the scores that come in are not changed")


def test_gradients_reach_the_scores_in_sight(mask, randn):
    scores = randn(2, 3, 4, dtype=torch.float64)

    gradients(mask, (scores,), entry_by_entry, "gradients reach the scores that are not hidden")


@pytest.mark.parametrize("sizes", [(3, 4), (1, 1), (2, 3, 1)], ids=str)
def test_the_result_is_a_tensor_of_its_own(mask, randn, sizes):
    new_tensor(mask, (randn(*sizes),), "a new tensor comes back, also where nothing is hidden")


def test_the_result_depends_on_the_scores_alone(mask, randn):
    calls = [(randn(1, 1),), (randn(3, 3),), (randn(2, 5, 4),), (randn(2, 2),)]

    repeatable(mask, calls, "the same scores give the same result, in any order of sizes")


def test_it_would_run_on_a_gpu(mask, randn):
    elsewhere(mask, (randn(2, 19, 23),), "the masked scores are on the device of the scores")
