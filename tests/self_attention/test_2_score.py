"""score: how much does each query match each key?"""

import math

import pytest
import torch
from grader.rules import close, elsewhere, gradients, keeps_dtype, repeatable, shape, unchanged
from torch import Tensor


def pair_by_pair(q: Tensor, k: Tensor) -> Tensor:
    """The slow way: one dot product, divided by √d_k, for each query and each key."""
    t_q, t_k, d_k = q.shape[-2], k.shape[-2], q.shape[-1]
    rows = [
        torch.stack([(q[..., i, :] * k[..., j, :]).sum(-1) / d_k**0.5 for j in range(t_k)], -1)
        for i in range(t_q)
    ]
    return torch.stack(rows, dim=-2)


def test_there_is_a_score_for_each_query_and_each_key(score, randn):
    q, k = randn(2, 3, 6), randn(2, 4, 6)

    scores = score(q, k)

    shape(scores, {"B": 2, "T_q": 3, "T_k": 4}, "each query has a row, each key a column")


def test_one_query_and_one_key_by_hand(score):
    q = torch.tensor([[1.0, 2.0, 2.0]])
    k = torch.tensor([[3.0, 0.0, 3.0]])

    scores = score(q, k)

    # The dot product is 3 + 0 + 6 = 9, and d_k is 3.
    close(scores, torch.tensor([[9 / math.sqrt(3)]]), "a score is the dot product divided by √d_k")


def test_two_queries_and_three_keys_by_hand(score):
    q = torch.tensor([[1.0, 0.0, 0.0], [0.0, 2.0, 1.0]])
    k = torch.tensor([[3.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 2.0, 0.0]])

    scores = score(q, k)

    dot_products = torch.tensor([[3.0, 0.0, 1.0], [0.0, 3.0, 4.0]])
    close(scores, dot_products / 3**0.5, "entry (i, j) is query i · key j, divided by √d_k")


@pytest.mark.parametrize("d_k", [1, 2, 3, 6])
def test_the_divisor_is_the_root_of_the_width(score, randn, d_k):
    q, k = randn(3, d_k), randn(5, d_k)

    scores = score(q, k)

    close(scores, pair_by_pair(q, k), f"for d_k = {d_k} the dot products are divided by √{d_k}")


@pytest.mark.parametrize("lead", [(2,), (1,), (2, 4), (3, 1)], ids=str)
@pytest.mark.parametrize(("t_q", "t_k"), [(3, 5), (5, 3), (1, 9)])
def test_each_item_of_a_batch_is_scored_on_its_own(score, randn, lead, t_q, t_k):
    q, k = randn(*lead, t_q, 6), randn(*lead, t_k, 6)

    scores = score(q, k)

    close(scores, pair_by_pair(q, k), "each item of a batch is scored on its own")


@pytest.mark.parametrize(("d_k", "spread"), [(8, 0.99), (512, 1.00)])
def test_scores_have_variance_1_whatever_the_width(score, lesson_pairs, d_k, spread):
    # The lesson: over 10,000 random pairs the standard deviation of q·k is 2.79 at d_k = 8 and
    # 22.67 at d_k = 512. After the division by √d_k it is 0.99 and 1.00.
    scores = []
    for q, k in lesson_pairs(d_k):
        scores.append(score(q, k))
        shape(scores[-1], {"B": 250, "T_q": 1, "T_k": 1}, "each item of a batch has its own scores")

    deviation = torch.cat(scores).std()
    close(deviation, torch.tensor(spread), "the standard deviation of scores is 1", within=0.005)


def test_a_transposed_view_is_as_good_as_any(score, randn):
    q, k = randn(2, 3, 4).mT, randn(2, 3, 5).mT

    scores = score(q, k)

    close(scores, pair_by_pair(q, k), "inputs need not be contiguous in memory")


def test_the_result_has_the_dtype_of_the_inputs(score, randn):
    keeps_dtype(score, (randn(2, 4, 3), randn(2, 5, 3)), "the scores have the dtype of the inputs")


def test_the_inputs_stay_as_they_are(score, randn):
    unchanged(score, (randn(2, 4, 3), randn(2, 5, 3)), "the inputs are not changed")


def test_gradients_reach_queries_and_keys(score, randn):
    q, k = randn(2, 3, 6, dtype=torch.float64), randn(2, 4, 6, dtype=torch.float64)

    gradients(score, (q, k), pair_by_pair, "gradients reach q and k")


def test_the_result_depends_on_the_arguments_alone(score, randn):
    small, large = (randn(2, 3), randn(4, 3)), (randn(2, 7, 6), randn(2, 5, 6))

    repeatable(score, [small, large], "the same inputs give the same result, call after call")


def test_it_would_run_on_a_gpu(score, randn):
    q, k = randn(2, 19, 6), randn(2, 23, 6)

    elsewhere(score, (q, k), "the scores are on the device of the inputs")
