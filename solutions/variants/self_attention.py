"""Right answers in many styles: every one must pass every test, without a warning and a hint.

To add one, put a function into the class of its exercise, under a name that says its style.
Then run `pytest tests/test_grader`.
"""

import math
from collections import namedtuple
from functools import partial, reduce
from operator import add

import numpy as np
import torch
import torch.nn.functional as F

NEG = float("-inf")

Projections = namedtuple("Projections", "q k v")


# Helpers such as a learner would put beside the five functions.


def _future(q, k):
    i = torch.arange(q.shape[-2], device=q.device)[:, None]
    j = torch.arange(k.shape[-2], device=k.device)
    return j > i


def _scaled_scores(q, k):
    return (q / q.shape[-1] ** 0.5) @ k.transpose(-1, -2)


def _hide_future(scores):
    keep = torch.ones_like(scores, dtype=torch.bool).tril()
    return torch.where(keep, scores, NEG)


def _exp_minus_logsumexp(scores):
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def _attend_2d(q, k, v, is_causal):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    if is_causal:
        scores = scores.masked_fill(_future(q, k), NEG)
    return torch.softmax(scores, dim=-1) @ v


def _attend_each(q, k, v, is_causal):
    if q.dim() == 2:
        return _attend_2d(q, k, v, is_causal)
    return torch.stack([_attend_each(*one, is_causal) for one in zip(q, k, v)])


class _Project(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        flat_x = x.reshape(-1, x.shape[-1])
        flat_grad = grad.reshape(-1, grad.shape[-1])
        return grad @ w.T, flat_x.T @ flat_grad


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return weights * (grad - (grad * weights).sum(-1, keepdim=True))


class make_qkv:
    def at_operator(x, w_q, w_k, w_v):
        return x @ w_q, x @ w_k, x @ w_v

    def einsum(x, w_q, w_k, w_v):
        return tuple(torch.einsum("...i,ij->...j", x, w) for w in (w_q, w_k, w_v))

    def f_linear_transposed(x, w_q, w_k, w_v):
        return tuple(F.linear(x, w.T) for w in (w_q, w_k, w_v))

    def fused_slices(x, w_q, w_k, w_v):
        y = x @ torch.hstack((w_q, w_k, w_v))
        a, b = w_q.shape[1], w_q.shape[1] + w_k.shape[1]
        # Views of one tensor, hence not contiguous.
        return y[..., :a], y[..., a:b], y[..., b:]

    def flatten_mm_view(x, w_q, w_k, w_v):
        flat = x.reshape(-1, x.shape[-1])
        return tuple(torch.mm(flat, w).view(*x.shape[:-1], w.shape[1]) for w in (w_q, w_k, w_v))

    def broadcast_sum(x, w_q, w_k, w_v):
        return tuple((x.unsqueeze(-1) * w).sum(-2) for w in (w_q, w_k, w_v))

    def named_tuple(x, w_q, w_k, w_v):
        return Projections(x @ w_q, x @ w_k, x @ w_v)

    def list_of_three(x, w_q, w_k, w_v):
        projections = []
        for w in [w_q, w_k, w_v]:
            projections.append(x.matmul(w))
        return projections

    def fused_split(x, w_q, w_k, w_v):
        weights = (w_q, w_k, w_v)
        return (x @ torch.cat(weights, dim=1)).split([w.size(1) for w in weights], dim=-1)

    def mapped_partial(x, w_q, w_k, w_v):
        return tuple(map(partial(torch.matmul, x), (w_q, w_k, w_v)))

    def tensordot(x, w_q, w_k, w_v):
        q, k, v = (torch.tensordot(x, w, dims=1) for w in (w_q, w_k, w_v))
        return q, k, v

    def addmm_onto_zeros(x, w_q, w_k, w_v):
        flat = x.reshape(-1, x.shape[-1])
        zero = x.new_zeros(())
        return [torch.addmm(zero, flat, w).reshape(*x.shape[:-1], -1) for w in (w_q, w_k, w_v)]

    def transposed_product(x, w_q, w_k, w_v):
        return tuple((w.T @ x.mT).mT for w in (w_q, w_k, w_v))

    def feature_by_feature(x, w_q, w_k, w_v):
        features = range(x.shape[-1])
        return tuple(
            reduce(add, (x[..., f, None] * w[f] for f in features)) for w in (w_q, w_k, w_v)
        )

    def handwritten_backward(x, w_q, w_k, w_v):
        return _Project.apply(x, w_q), _Project.apply(x, w_k), _Project.apply(x, w_v)

    def other_parameter_names(inputs, query_weight, key_weight, value_weight, bias=None):
        def project(weight):
            projected = inputs @ weight
            return projected if bias is None else projected + bias

        return project(query_weight), project(key_weight), project(value_weight)


class score:
    def div_math_sqrt(q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))

    def mul_pow_minus_half(q, k):
        return torch.matmul(q, k.mT) * k.shape[-1] ** -0.5

    def scale_q_first(q, k):
        return (q / q.shape[-1] ** 0.5) @ k.transpose(-1, -2)

    def fourth_root_on_both(q, k):
        r = q.shape[-1] ** -0.25
        return (q * r) @ (k * r).mT

    def einsum(q, k):
        return torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5

    def rsqrt(q, k):
        return q @ k.mT * torch.rsqrt(torch.tensor(float(q.shape[-1]))).item()

    def numpy_sqrt(q, k):
        return q @ k.mT / np.sqrt(q.shape[-1])

    def flatten_bmm(q, k):
        q3 = q.flatten(0, -3) if q.dim() > 3 else q.reshape(-1, *q.shape[-2:])
        k3 = k.reshape(-1, *k.shape[-2:])
        out = torch.bmm(q3, k3.transpose(1, 2))
        return out.reshape(*q.shape[:-1], k.shape[-2]) / math.sqrt(q.shape[-1])

    def row_loop(q, k):
        rows = [(k * q[..., i : i + 1, :]).sum(-1) for i in range(q.shape[-2])]
        return torch.stack(rows, dim=-2).div(math.sqrt(q.shape[-1]))

    def kq_transposed_back(q, k):
        return (k @ q.mT).mT / math.sqrt(q.shape[-1])

    def zero_dim_tensor_sqrt(q, k):
        return q @ k.mT / torch.tensor(q.shape[-1]).sqrt()

    def type_as(q, k):
        d_k = torch.tensor(float(q.shape[-1])).type_as(q)
        return q @ k.mT / d_k.sqrt()

    def new_tensor(q, k):
        return (q @ k.swapaxes(-1, -2)).mul(q.new_tensor(q.size(-1)).pow(-0.5))

    def baddbmm_alpha(q, k):
        *lead, t_q, d_k = q.shape
        q3, k3 = q.reshape(-1, t_q, d_k), k.reshape(-1, *k.shape[-2:])
        zero = q.new_zeros(1, 1, 1)
        out = torch.baddbmm(zero, q3, k3.mT, beta=0, alpha=1 / math.sqrt(d_k))
        return out.reshape(*lead, t_q, -1)

    def broadcast_mean(q, k):
        # The mean divides by d_k, so the root of d_k has to come back.
        return (q[..., :, None, :] * k[..., None, :, :]).mean(-1) * math.sqrt(q.shape[-1])

    def outer_product_per_feature(q, k):
        total = 0
        for q_f, k_f in zip(q.unbind(-1), k.unbind(-1)):
            total = total + q_f.unsqueeze(-1) * k_f.unsqueeze(-2)
        return total / len(q.unbind(-1)) ** 0.5

    def recursion_over_batches(q, k):
        def pairs(a, b):
            if a.dim() == 2:
                return torch.inner(a, b)
            return torch.stack([pairs(*one) for one in zip(a, b)])

        return pairs(q, k) / math.sqrt(q.shape[-1])

    def vmap_over_keys(q, k):
        # One key against all queries, for every key, which becomes the last axis.
        one_key = torch.vmap(lambda key: (q * key.unsqueeze(-2)).sum(-1), in_dims=-2, out_dims=-1)
        return one_key(k) * math.exp(-0.5 * math.log(q.shape[-1]))

    def extra_parameters(query, key, scale=None, *, transpose=True):
        scale = query.size(-1) ** -0.5 if scale is None else scale
        return query @ (key.mT if transpose else key) * scale


class mask:
    def masked_fill_triu(scores):
        fut = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(fut, NEG)

    def tril_equals_zero(scores):
        t = torch.tril(torch.ones(scores.size(-2), scores.size(-1), device=scores.device))
        return scores.masked_fill(t == 0, float("-inf"))

    def where_tril(scores):
        keep = torch.ones_like(scores, dtype=torch.bool).tril()
        return torch.where(keep, scores, NEG)

    def additive_full_triu(scores):
        add = torch.full(scores.shape[-2:], NEG, dtype=scores.dtype, device=scores.device).triu(1)
        return scores + add

    def arange_comparison(scores):
        i = torch.arange(scores.shape[-2], device=scores.device)[:, None]
        j = torch.arange(scores.shape[-1], device=scores.device)
        return scores.masked_fill(j > i, NEG)

    def clone_and_loop(scores):
        out = scores.clone()
        for i in range(scores.shape[-2]):
            out[..., i, i + 1 :] = NEG
        return out

    def triu_indices(scores):
        out = scores.clone()
        r, c = torch.triu_indices(*scores.shape[-2:], offset=1, device=scores.device)
        out[..., r, c] = NEG
        return out

    def numpy_triu(scores):
        m = np.triu(np.ones(tuple(scores.shape[-2:])), k=1).astype(bool)
        return scores.masked_fill(torch.from_numpy(m).to(scores.device), NEG)

    def growing_buffer(scores, _buf={}):
        n = max(scores.shape[-2:])
        key = str(scores.device)
        if key not in _buf or _buf[key].shape[0] < n:
            _buf[key] = torch.ones(n, n, device=scores.device).tril()
        return scores.masked_fill(_buf[key][: scores.shape[-2], : scores.shape[-1]] == 0, NEG)

    def log_of_triangle(scores):
        # log(1) = 0 changes nothing, and log(0) = -inf.
        return scores + torch.ones_like(scores).tril().log()

    def counted_ones(scores):
        # The running sum along an axis counts the positions: j + 1 here, i + 1 there.
        ones = scores.new_ones(scores.shape[-2:], dtype=torch.int)
        return scores.masked_fill(ones.cumsum(-1) > ones.cumsum(-2), NEG)

    def tril_indices_into_full(scores):
        out = torch.full_like(scores, NEG)
        i, j = torch.tril_indices(*scores.shape[-2:], device=scores.device)
        out[..., i, j] = scores[..., i, j]
        return out

    def padded_prefixes(scores):
        t_q, t_k = scores.shape[-2:]
        prefixes = [scores[..., i, : i + 1] for i in range(t_q)]
        padded = [F.pad(row, (0, t_k - row.shape[-1]), value=NEG) for row in prefixes]
        return torch.stack(padded, dim=-2)

    def nested_lists(scores):
        t_q, t_k = scores.shape[-2:]
        hidden = [[j > i for j in range(t_k)] for i in range(t_q)]
        return scores.masked_fill(torch.tensor(hidden, device=scores.device), NEG)

    def columns_from_the_right(scores):
        columns = list(scores.unbind(-1))
        for j in range(1, len(columns)):
            row = torch.arange(scores.shape[-2], device=scores.device)
            columns[j] = torch.where(row < j, scores.new_tensor(NEG), columns[j])
        return torch.stack(columns, dim=-1)

    def in_place_on_a_copy(attention_scores, fill_value=-math.inf):
        copy = attention_scores.clone()
        return copy.masked_fill_(torch.ones_like(copy).triu_(1).bool(), fill_value)

    def addition_in_place(scores):
        hidden = scores.new_full(scores.shape, NEG).triu(diagonal=1)
        hidden += scores
        return hidden


class softmax_rows:
    def torch_softmax(scores):
        return torch.softmax(scores, dim=-1)

    def f_softmax(scores):
        return F.softmax(scores, dim=scores.dim() - 1)

    def module(scores):
        return torch.nn.Softmax(dim=-1)(scores)

    def exp_over_sum_max(scores):
        e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
        return e / e.sum(dim=-1, keepdim=True)

    def logsumexp(scores):
        return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))

    def upcast_float32(scores):
        wide = torch.float64 if scores.dtype == torch.float64 else torch.float32
        return F.softmax(scores, dim=-1, dtype=wide).to(scores.dtype)

    def row_loop(scores):
        flat = scores.reshape(-1, scores.shape[-1])
        return torch.stack([torch.softmax(r, 0) for r in flat]).reshape(scores.shape)

    def online(scores):
        # The running maximum starts at the lowest finite number: from -inf, a row that begins with
        # -inf would meet -inf minus -inf. Its gradients cancel out, so it needs none.
        m = scores.new_full(scores.shape[:-1], torch.finfo(scores.dtype).min)
        z = scores.new_zeros(scores.shape[:-1])
        for j in range(scores.shape[-1]):
            x = scores[..., j]
            new = torch.maximum(m, x.detach())
            z = z * torch.exp(m - new) + torch.exp(x - new)
            m = new
        return torch.exp(scores - m.unsqueeze(-1)) / z.unsqueeze(-1)

    def tensor_method(scores):
        return scores.softmax(-1)

    def special(scores):
        return torch.special.softmax(scores, -1)

    def log_softmax_exp(scores):
        return F.log_softmax(scores, dim=-1).exp()

    def swapped_axes(scores):
        return scores.mT.softmax(dim=-2).mT

    def walrus(scores):
        return (e := (scores - scores.amax(-1, True)).exp()) / e.sum(-1, True)

    def maximum_without_gradient(scores):
        with torch.no_grad():
            top = scores.amax(dim=-1, keepdim=True)
        e = (scores - top).exp()
        return e * e.sum(dim=-1, keepdim=True).reciprocal()

    def l1_normalize(scores):
        top = torch.max(scores, -1, keepdim=True)[0]
        return F.normalize(torch.exp(scores - top), p=1, dim=-1)

    def einsum_sum(scores):
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return torch.einsum("...ij,...i->...ij", e, 1 / torch.einsum("...ij->...i", e))

    def finite_floor(scores):
        # nan_to_num makes the lowest finite number out of -inf, and its exp is 0 as well.
        finite = torch.nan_to_num(scores)
        e = torch.exp(finite - finite.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def powers_of_two(scores):
        # e to the power of x is 2 to the power of x · log2(e).
        e = torch.exp2((scores - scores.amax(-1, keepdim=True)) * math.log2(math.e))
        return e.div(e.sum(-1, keepdim=True))

    def halves_merged(scores):
        # Each half brings its maximum and its sum; sums are rescaled to the larger maximum.
        def top_and_total(part):
            n = part.shape[-1]
            if n == 1:
                top = part.detach().clamp(min=torch.finfo(part.dtype).min)
                return top, torch.exp(part - top)
            (a, x), (b, y) = map(top_and_total, (part[..., : n // 2], part[..., n // 2 :]))
            top = torch.maximum(a, b)
            return top, x * torch.exp(a - top) + y * torch.exp(b - top)

        top, total = top_and_total(scores)
        return torch.exp(scores - top) / total

    def vmap_over_rows(scores):
        rows = scores.reshape(-1, scores.shape[-1])
        return torch.vmap(lambda row: torch.softmax(row, dim=0))(rows).reshape(scores.shape)

    def handwritten_backward(scores):
        return _Softmax.apply(scores)

    def extra_parameters(logits, dim=-1, temperature=1.0):
        return torch.softmax(logits / temperature, dim)


class attend:
    def composed(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(_future(q, k), NEG)
        return torch.softmax(s, dim=-1) @ v

    def from_the_other_exercises(q, k, v, is_causal=False):
        s = _scaled_scores(q, k)
        if is_causal:
            s = _hide_future(s)
        return _exp_minus_logsumexp(s) @ v

    def einsum(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q * q.shape[-1] ** -0.5, k)
        if is_causal:
            s = s + torch.full(s.shape[-2:], NEG, dtype=s.dtype, device=s.device).triu(1)
        return torch.einsum("...ij,...jd->...id", s.softmax(-1), v)

    def mask_before_scale(q, k, v, is_causal=False):
        s = q @ k.mT
        if is_causal:
            s = s.masked_fill(_future(q, k), NEG)
        return torch.softmax(s / q.shape[-1] ** 0.5, -1) @ v

    def prefix_loop_no_mask(q, k, v, is_causal=False):
        rows = []
        for i in range(q.shape[-2]):
            n = min(i + 1, k.shape[-2]) if is_causal else k.shape[-2]
            w = torch.softmax(q[..., i : i + 1, :] @ k[..., :n, :].mT / math.sqrt(q.shape[-1]), -1)
            rows.append(w @ v[..., :n, :])
        return torch.cat(rows, -2)

    def batch_loop(q, k, v, is_causal=False):
        if q.dim() == 2:
            return _attend_2d(q, k, v, is_causal)
        return torch.stack([_attend_each(a, b, c, is_causal) for a, b, c in zip(q, k, v)])

    def flatten_bmm(q, k, v, is_causal=False):
        q3, k3, v3 = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
        s = torch.bmm(q3, k3.transpose(1, 2)).div_(math.sqrt(q.shape[-1]))
        if is_causal:
            s = s.masked_fill(_future(q, k), NEG)
        return torch.bmm(torch.softmax(s, 2), v3).reshape(*q.shape[:-1], v.shape[-1])

    def online_blocks(q, k, v, is_causal=False):
        # Two keys at a time, with a running maximum and a running sum.
        m = q.new_full((*q.shape[:-1], 1), NEG)
        z = torch.zeros_like(m)
        acc = q.new_zeros((*q.shape[:-1], v.shape[-1]))
        i = torch.arange(q.shape[-2], device=q.device)[:, None]
        for a in range(0, k.shape[-2], 2):
            kb, vb = k[..., a : a + 2, :], v[..., a : a + 2, :]
            s = q @ kb.mT / math.sqrt(q.shape[-1])
            if is_causal:
                j = torch.arange(a, a + kb.shape[-2], device=q.device)
                s = s.masked_fill(j > i, NEG)
            # Finite from the first block on, since key 0 is always visible.
            new = torch.maximum(m, s.amax(-1, keepdim=True))
            p, c = torch.exp(s - new), torch.exp(m - new)
            z, acc, m = z * c + p.sum(-1, keepdim=True), acc * c + p @ vb, new
        return acc / z

    def unnormalised_then_divide(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(_future(q, k), NEG)
        e = torch.exp(s - s.amax(-1, keepdim=True))
        return (e @ v) / e.sum(-1, keepdim=True)

    def softmax_float32_cast_back(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(_future(q, k), NEG)
        wide = torch.float64 if s.dtype == torch.float64 else torch.float32
        return F.softmax(s, -1, dtype=wide).to(v.dtype) @ v

    def mask_is_the_bias_of_baddbmm(q, k, v, is_causal=False):
        q3, k3, v3 = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
        bias = q.new_zeros(q.shape[-2], k.shape[-2])
        if is_causal:
            bias = bias.masked_fill(_future(q, k), NEG)
        s = torch.baddbmm(bias, q3, k3.mT, alpha=q.shape[-1] ** -0.5)
        return torch.bmm(s.softmax(-1), v3).reshape(*q.shape[:-1], -1)

    def column_of_ones(q, k, v, is_causal=False):
        # A column of ones beside v collects the sum of each row.
        s = _scaled_scores(q, k)
        s = _hide_future(s) if is_causal else s
        e = torch.exp(s - s.amax(-1, keepdim=True))
        out = e @ torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)
        return out[..., :-1] / out[..., -1:]

    def fill_minus_1e9(q, k, v, is_causal=False):
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        if is_causal:
            s = s.masked_fill(_future(q, k), -1e9)
        return torch.matmul(F.softmax(s, dim=-1), v)

    def fill_finfo_min(q, k, v, is_causal=False):
        s = _scaled_scores(q, k)
        if is_causal:
            s = s.masked_fill(_future(q, k), torch.finfo(s.dtype).min)
        return s.softmax(-1).matmul(v)

    def weights_broadcast_over_v(q, k, v, is_causal=False):
        s = _scaled_scores(q, k)
        weights = torch.softmax(_hide_future(s) if is_causal else s, dim=-1)
        return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)

    def values_in_front(q, k, v, is_causal=False):
        # Everything transposed: keys down, queries across.
        s = k @ q.mT / math.sqrt(k.shape[-1])
        if is_causal:
            s = s.masked_fill(_future(q, k).T, NEG)
        return (v.mT @ s.softmax(-2)).mT

    def reduce_over_keys(q, k, v, is_causal=False):
        # One key after the other, each pulling the running mean towards its value.
        row = torch.arange(q.shape[-2], device=q.device)

        def take_in(state, j):
            log_total, out = state
            s = (q * k[..., j : j + 1, :]).sum(-1) / math.sqrt(q.shape[-1])
            if is_causal:
                s = s.masked_fill(row < j, NEG)
            new = torch.logaddexp(log_total, s)
            share = torch.exp(s - new).unsqueeze(-1)
            return new, torch.lerp(out, v[..., j : j + 1, :].expand_as(out), share)

        nothing = q.new_full(q.shape[:-1], NEG), q.new_zeros(*q.shape[:-1], v.shape[-1])
        return reduce(take_in, range(k.shape[-2]), nothing)[1]

    def float64_inside(q, k, v, is_causal=False):
        wide = [t.to(torch.float64) for t in (q, k, v)]
        s = wide[0] @ wide[1].mT / math.sqrt(q.shape[-1])
        s = _hide_future(s) if is_causal else s
        return (torch.softmax(s, dim=-1) @ wide[2]).to(q.dtype)

    def vmap_over_queries(q, k, v, is_causal=False):
        def one_query(query, last):
            s = (k @ query.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.shape[-1])
            s = torch.where(torch.arange(k.shape[-2], device=k.device) > last, NEG, s)
            return (s.softmax(-1).unsqueeze(-2) @ v).squeeze(-2)

        last = torch.arange(q.shape[-2], device=q.device)
        last = last if is_causal else torch.full_like(last, k.shape[-2])
        return torch.vmap(one_query, in_dims=(-2, 0), out_dims=-2)(q, last)

    def handwritten_softmax(q, k, v, is_causal=False):
        s = _scaled_scores(q, k)
        return _Softmax.apply(_hide_future(s) if is_causal else s) @ v

    def extra_parameters(query, key, value, is_causal=False, scale=None, dropout_p=0.0):
        s = query @ key.mT * (scale or query.shape[-1] ** -0.5)
        if is_causal:
            s = s + s.new_full(s.shape[-2:], NEG).triu(1)
        return F.dropout(s.softmax(-1), dropout_p) @ value
