"""attend: what does each token take away?"""

import math

import pytest
import torch
import torch.nn.functional as F
from grader.rules import (
    at_most,
    close,
    elsewhere,
    gradients,
    keeps_dtype,
    repeatable,
    shape,
    unchanged,
    written_by_hand,
)
from torch import Tensor


def sdpa(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """PyTorch's own."""
    return F.scaled_dot_product_attention(q, k, v)


def causal_sdpa(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """PyTorch's own, where no query sees a later key."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def test_each_query_takes_away_a_vector_as_wide_as_a_value(attend, randn):
    q, k, v = randn(2, 3, 6), randn(2, 4, 6), randn(2, 4, 5)

    out = attend(q, k, v)

    rule = "each query takes away a vector of width d_v"
    shape(out, {"B": 2, "T_q": 3, "d_v": 5}, rule, T_k=4, d_k=6)


def test_a_query_that_matches_all_keys_alike_takes_the_average(attend):
    q = torch.zeros(1, 3)
    k = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    v = torch.tensor([[1.0, 2.0], [3.0, 6.0]])

    out = attend(q, k, v)

    close(out, torch.tensor([[2.0, 4.0]]), "where all keys match alike, the result is the average")


def test_one_query_and_two_keys_by_hand(attend):
    q = torch.tensor([[math.sqrt(3), 0.0, 0.0]])
    k = torch.tensor([[0.0, 0.0, 0.0], [math.log(3), 0.0, 0.0]])
    v = torch.tensor([[0.0, 4.0], [8.0, 0.0]])

    out = attend(q, k, v)

    # The scores are 0 and ln 3 once they are divided by √3, so the weights are 1/4 and 3/4.
    close(out, torch.tensor([[6.0, 1.0]]), "the values are averaged with softmax(q·k / √d_k)")


def test_without_is_causal_every_query_sees_every_key(attend):
    q = torch.zeros(2, 3)
    k = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    v = torch.tensor([[1.0], [3.0]])

    close(attend(q, k, v), torch.tensor([[2.0], [2.0]]), "by default every query sees every key")
    close(
        attend(q, k, v, is_causal=False),
        torch.tensor([[2.0], [2.0]]),
        "with is_causal=False every query sees every key",
    )


def test_with_is_causal_query_i_sees_keys_0_to_i(attend):
    q = torch.zeros(3, 3)
    k = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [2.0, 0.0, 0.0]])
    v = torch.tensor([[1.0, 8.0], [3.0, 6.0], [8.0, 1.0]])

    out = attend(q, k, v, is_causal=True)

    expected = torch.tensor([[1.0, 8.0], [2.0, 7.0], [4.0, 5.0]])
    close(out, expected, "with is_causal=True query i sees the keys 0 to i, and no later one")


def test_the_scores_in_sight_are_scaled_as_well(attend):
    q = torch.tensor([[0.0, 0.0, 0.0], [math.sqrt(3), 0.0, 0.0]])
    k = torch.tensor([[0.0, 0.0, 0.0], [math.log(3), 0.0, 0.0]])
    v = torch.tensor([[0.0, 4.0], [8.0, 0.0]])

    out = attend(q, k, v, is_causal=True)

    # The first query sees one key. The second has the weights 1/4 and 3/4, as above.
    expected = torch.tensor([[0.0, 4.0], [6.0, 1.0]])
    close(out, expected, "with is_causal=True the scores in sight are divided by √d_k, too")


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("t_q", "t_k"), [(3, 3), (2, 4), (4, 2), (1, 3), (9, 40)])
def test_one_sequence_equals_sdpa(attend, randn, t_q, t_k, is_causal):
    q, k, v = randn(t_q, 3), randn(t_k, 3), randn(t_k, 2)
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    out = attend(q, k, v, is_causal=is_causal)

    close(out, expected, f"the result equals PyTorch's, here with is_causal={is_causal}")


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("lead", [(2,), (1,), (2, 3), (2, 1)], ids=str)
@pytest.mark.parametrize(("t_q", "t_k", "d_v"), [(4, 4, 6), (3, 5, 1), (5, 3, 2)])
def test_each_item_of_a_batch_equals_sdpa(attend, randn, lead, t_q, t_k, d_v, is_causal):
    q, k, v = randn(*lead, t_q, 6), randn(*lead, t_k, 6), randn(*lead, t_k, d_v)
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    out = attend(q, k, v, is_causal=is_causal)

    close(out, expected, "each item of a batch, and each head, attends on its own")


def test_the_future_does_not_leak(attend, randn):
    q, k, v = randn(5, 3), randn(5, 3), randn(5, 2)
    other_k, other_v = torch.cat([k[:3], randn(2, 3)]), torch.cat([v[:3], randn(2, 2)])
    before = causal_sdpa(q, k, v)

    out = attend(q, other_k, other_v, is_causal=True)

    shape(out, {"T_q": 5, "d_v": 2}, "each query takes away a vector of width d_v")
    close(out[:3], before[:3], "other keys and values from position 3 on change no earlier row")


def test_the_result_has_the_dtype_of_the_inputs(attend, randn):
    inputs = randn(2, 3, 6), randn(2, 4, 6), randn(2, 4, 5)

    keeps_dtype(attend, inputs, "the result has the dtype of the inputs")
    keeps_dtype(attend, inputs, "the result has the dtype of the inputs", is_causal=True)


def test_a_dominant_future_key_has_no_weight(attend):
    # Scores of about -17,000 in sight and +29,000 in the future.
    q = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).double()
    k = torch.tensor([[-3e4, 0.0, 0.0], [-3e4, 0.0, 0.0], [5e4, 0.0, 0.0]]).double()
    v = torch.tensor([[2.0, 0.0], [4.0, 6.0], [9.0, 9.0]]).double()

    out = attend(q, k, v, is_causal=True)

    expected = torch.tensor([[2.0, 0.0], [3.0, 3.0], [9.0, 9.0]]).double()
    close(out, expected, "a future key has no weight, however well it matches")


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_large_scores_stay_finite_and_right(attend, size):
    # The first query scores -size, +size and -size/2, the second one +size, -size and +size/2.
    root = math.sqrt(3)
    q = torch.tensor([[-root, 0.0, 0.0], [root, 0.0, 0.0]]).expand(2, 2, 3)
    k = torch.tensor([[size, 0.0, 0.0], [-size, 0.0, 0.0], [size / 2, 0.0, 0.0]]).expand(2, 3, 3)
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).expand(2, 3, 2)

    everything = attend(q, k, v)
    causal = attend(q, k, v, is_causal=True)

    close(everything, v[:, [1, 0]], f"scores of ±{size:g} stay finite and right")
    close(causal, v[:, [0, 0]], f"with scores of ±{size:g} the future is still hidden")


def test_wide_vectors_do_not_saturate_the_softmax(attend, randn):
    q, k, identity = randn(6, 512), randn(4, 512), torch.eye(4)

    weights = attend(q, k, identity)  # with these values, the result is the weights

    shape(weights, {"T_q": 6, "d_v": 4}, "each query takes away a vector of width d_v")
    highest = weights.amax(dim=-1).mean()
    at_most(highest, 0.8, "at d_k = 512 the weight is still shared out: that is why √d_k")


def test_a_transposed_view_is_as_good_as_any(attend, randn):
    q, k, v = randn(2, 3, 4).mT, randn(2, 3, 5).mT, randn(2, 2, 5).mT

    close(attend(q, k, v), sdpa(q, k, v), "inputs need not be contiguous in memory")


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)], ids=str)
def test_it_is_written_by_hand(attend, randn, lead):
    inputs = randn(*lead, 3, 6), randn(*lead, 4, 6), randn(*lead, 4, 5)

    rule = "write it yourself: scaled_dot_product_attention and MultiheadAttention are the answer"
    written_by_hand(attend, inputs, rule)
    written_by_hand(attend, inputs, rule, is_causal=True)


def test_the_inputs_stay_as_they_are(attend, randn):
    inputs = randn(2, 3, 6), randn(2, 4, 6), randn(2, 4, 5)

    unchanged(attend, inputs, "the inputs are not changed")
    unchanged(attend, inputs, "the inputs are not changed", is_causal=True)


@pytest.mark.parametrize("lead", [(2,), (2, 3)], ids=str)
def test_gradients_reach_queries_keys_and_values(attend, randn, lead):
    inputs = [randn(*lead, *sizes, dtype=torch.float64) for sizes in [(3, 6), (4, 6), (4, 5)]]

    gradients(attend, inputs, sdpa, "gradients reach q, k and v")
    gradients(attend, inputs, causal_sdpa, "gradients reach q, k and v", is_causal=True)


def test_gradients_reach_wide_queries_and_keys(attend, randn):
    d = torch.float64
    inputs = randn(2, 512, dtype=d), randn(3, 512, dtype=d), randn(3, 2, dtype=d)

    gradients(attend, inputs, sdpa, "at d_k = 512 gradients still reach q and k: that is why √d_k")


def test_the_result_depends_on_the_arguments_alone(attend, randn):
    small = randn(2, 3), randn(2, 3), randn(2, 5)
    large = randn(2, 7, 6), randn(2, 4, 6), randn(2, 4, 5)

    rule = "the same inputs give the same result, in any order of sizes"
    repeatable(attend, [small, large], rule)
    repeatable(attend, [small, large], rule, is_causal=True)


def test_it_would_run_on_a_gpu(attend, randn):
    inputs = randn(2, 19, 6), randn(2, 23, 6), randn(2, 23, 5)

    elsewhere(attend, inputs, "the result is on the device of the inputs")
    elsewhere(attend, inputs, "the result is on the device of the inputs", is_causal=True)
