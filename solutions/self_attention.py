"""Scaled dot-product self-attention in five functions.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V

    make_qkv → score → mask → softmax_rows → attend

Read the formula from the inside out. `make_qkv` turns every token into a query, a key and a
value. `score` compares each query with each key. `mask` hides the future from each token.
`softmax_rows` turns the scores of a token into weights that sum to 1. `attend` does it all, and
returns for each token the weighted average of the values.

The axes have one name each, here and in the tests:

    ...      no axis, a batch (B), or a batch and heads (B, H), the same in all inputs
    T        tokens;  T_q tokens that ask,  T_k tokens that are asked
    d_model  width of a token;  d_k width of a query and of a key;  d_v width of a value

Every size is at least 1. Of all five functions: the result has the dtype and the device of the
inputs; gradients reach every input; the inputs are not changed; the result depends on the
arguments alone. Other parameter names are fine, and so are more parameters with defaults.

Vaswani et al., Attention Is All You Need, 2017: https://arxiv.org/abs/1706.03762
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def make_qkv(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Sequence[Tensor]:
    """What does each token ask, offer and pass on?

    The query asks: what am I looking for? The key offers: what do I contain? The value is what
    the token passes on to those who attend to it. Each is the token times a weight: q = x·W_q,
    k = x·W_k, v = x·W_v. There is no bias and no scaling.

    Args:
        x: tokens, (..., T, d_model)
        w_q: weight of the queries, (d_model, d_k)
        w_k: weight of the keys, (d_model, d_k)
        w_v: weight of the values, (d_model, d_v)

    Returns:
        three tensors, in this order: q (..., T, d_k), k (..., T, d_k), v (..., T, d_v)
    """
    return x @ w_q, x @ w_k, x @ w_v


make_qkv.hints = [
    "A projection is one matrix product: rows of tokens times a weight whose rows are features.",
    "The weights come as (features in, features out), so nothing has to be transposed.",
    "In torch, a @ b is the matrix product; leading axes of a are carried along. Three of them "
    "make the answer: the query's, the key's and the value's, in this order.",
]


def score(q: Tensor, k: Tensor) -> Tensor:
    """How much does each query match each key?

    Entry (i, j) is the dot product of query i and key j, divided by √d_k. The dot product of two
    random vectors has variance d_k; divided by √d_k it has variance 1, whatever the width.
    Without that, wide vectors give scores so far apart that the softmax puts all weight on one
    of them, and its gradients vanish.

    Args:
        q: queries, (..., T_q, d_k)
        k: keys, (..., T_k, d_k)

    Returns:
        scores, (..., T_q, T_k): a row for each query, a column for each key
    """
    # mT transposes the last two axes only; T would reverse the batch axes as well.
    return q @ k.mT / math.sqrt(q.shape[-1])


score.hints = [
    "A matrix product is a table of dot products: rows of the left with columns of the right.",
    "The keys are rows. As columns they stand in the transpose of their last two axes, k.mT; "
    "k.T would turn the batch around as well.",
    "What is left is the division. d_k is the size of the last axis of q, and you need its square "
    "root, not itself.",
]


def mask(scores: Tensor) -> Tensor:
    """What may a token not see?

    The future: query i sees the keys 0 to i. Entries with j > i become -inf, which the softmax
    turns into exactly 0. Every other entry stays as it came. Row 0 is the first query and
    column 0 the first key, also when T_q and T_k differ.

    Args:
        scores: finite scores, (..., T_q, T_k)

    Returns:
        the masked scores, a new tensor of the same shape
    """
    # The diagonal is 1, not 0: a token sees itself. ones_like keeps the mask on the same device.
    future = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)
    return scores.masked_fill(future, float("-inf"))


mask.hints = [
    "Write down a 3 × 3 table and cross out what each query must not see. Is the diagonal in it?",
    "torch.triu and torch.tril keep one triangle of a matrix and set the rest to 0; their "
    "argument diagonal moves the edge. A triangle of True and False says where to hide.",
    "masked_fill returns a copy with a value in the place of every True. Make the triangle from "
    "ones_like(scores, dtype=torch.bool): then it has the size and the device of the scores.",
]


def softmax_rows(scores: Tensor) -> Tensor:
    """How is each token's attention shared out?

    Row by row, each score becomes a weight: entry (i, j) is exp(s_ij) / Σ_j' exp(s_ij'). The
    weights of a row are non-negative and sum to 1; -inf gets exactly 0. Scores in the thousands,
    or thousands apart, stay finite and right. You may use torch.softmax.

    Args:
        scores: (..., T_q, T_k), each row with at least one finite entry, -inf anywhere else

    Returns:
        weights of the same shape
    """
    # The largest score of a row becomes 0, so exp cannot overflow; the ratio stays the same.
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)


softmax_rows.hints = [
    "Each row is shared out on its own, so whatever you sum or compare, do it over the last axis.",
    "exp of a large score is infinite. What happens to exp(s_ij) / Σ exp(s_ij') if you take the "
    "same number away from every score of a row? Which number makes the largest exp a 1?",
    "amax(dim=-1, keepdim=True) is the largest score of each row, and keepdim lets you subtract "
    "it. Or let torch.softmax do all of it: you only have to say over which axis.",
]


def attend(q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False) -> Tensor:
    """What does each token take away?

    softmax(Q Kᵀ / √d_k) V: for each query, the average of the values, weighted by how well the
    query matches their keys. With is_causal, no query sees a later key, as in `mask`.

    The result equals torch.nn.functional.scaled_dot_product_attention(q, k, v,
    is_causal=is_causal), also for scores as large as ±1e6. Write it yourself: call neither that
    function nor nn.MultiheadAttention. You may call your other functions.

    Args:
        q: queries, (..., T_q, d_k)
        k: keys, (..., T_k, d_k)
        v: values, (..., T_k, d_v)
        is_causal: hide later keys; always given by name, is_causal=True

    Returns:
        (..., T_q, d_v)
    """
    scores = score(q, k)
    if is_causal:
        scores = mask(scores)
    return softmax_rows(scores) @ v


attend.hints = [
    "Read the formula from the inside out: scores, then the mask if it is asked for, then weights, "
    "then the values.",
    "You have a function for each of the steps but the last one. Mask before the softmax, so that "
    "the weights in sight still sum to 1.",
    "The last step is a weighted average of the values for each query: weights (T_q, T_k) times "
    "values (T_k, d_v) is one matrix product.",
]
