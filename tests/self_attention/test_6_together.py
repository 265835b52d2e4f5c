"""together: x in, attention out, on your own five functions."""

import pytest
import torch
import torch.nn.functional as F
from grader.rules import close, several, shape


def test_the_attention_pattern_of_the_lesson(make_qkv, score, mask, softmax_rows, lesson):
    projected = make_qkv(lesson.x, lesson.w_q, lesson.w_k, lesson.w_v)
    q, k, _ = several(projected, 3, "make_qkv returns q, k and v")

    weights = softmax_rows(mask(score(q, k)))

    close(weights, lesson.weights, "the weights of the lesson come out", within=0.00501)
    close(weights.sum(-1), torch.ones(1, 5), "each token's weights sum to 1")


def test_the_lesson_equals_pytorch(make_qkv, attend, lesson):
    expected = F.scaled_dot_product_attention(
        lesson.x @ lesson.w_q, lesson.x @ lesson.w_k, lesson.x @ lesson.w_v, is_causal=True
    )
    projected = make_qkv(lesson.x, lesson.w_q, lesson.w_k, lesson.w_v)
    q, k, v = several(projected, 3, "make_qkv returns q, k and v")

    out = attend(q, k, v, is_causal=True)

    close(out, expected, "x in, attention out: the same as PyTorch's")


def test_step_by_step_is_the_same_as_attend(make_qkv, score, mask, softmax_rows, attend, randn):
    x, w_q, w_k, w_v = randn(2, 4, 3), randn(3, 6), randn(3, 6), randn(3, 5)
    expected = F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, is_causal=True)
    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "make_qkv returns q, k and v")

    weights = softmax_rows(mask(score(q, k)))
    out = attend(q, k, v, is_causal=True)

    shape(weights, {"B": 2, "T_q": 4, "T_k": 4}, "each query has a weight for each key")
    close(weights @ v, expected, "make_qkv, score, mask and softmax_rows, one after the other")
    close(out, expected, "make_qkv, then attend")


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)], ids=str)
def test_everything_sees_everything_without_a_mask(
    make_qkv, score, softmax_rows, attend, randn, lead
):
    x, w_q, w_k, w_v = randn(*lead, 5, 3), randn(3, 6), randn(3, 6), randn(3, 4)
    expected = F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    q, k, v = several(make_qkv(x, w_q, w_k, w_v), 3, "make_qkv returns q, k and v")

    out = attend(q, k, v)

    close(softmax_rows(score(q, k)) @ v, expected, "make_qkv, score and softmax_rows, without mask")
    close(out, expected, "make_qkv, then attend")
