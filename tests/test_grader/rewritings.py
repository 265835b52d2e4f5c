"""Known mistakes as somebody else would have written them.

`id__style` has the same outcome as the mistake `id` of solutions/mistakes/self_attention.py on
every input, so the diagnosis has to find the same name for it however little the code looks alike.
"""

import math

import torch
import torch.nn.functional as F


class make_qkv:
    def weight_transposed__linear(x, w_q, w_k, w_v):
        return F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)

    def returns_k_q_v__einsum(x, w_q, w_k, w_v):
        q, k, v = (torch.einsum("...td,dk->...tk", x, w) for w in (w_q, w_k, w_v))
        return k, q, v

    def v_uses_w_k__fused(x, w_q, w_k, w_v):
        d_k = w_q.shape[1]
        y = x @ torch.cat((w_q, w_k), dim=1)
        return y[..., :d_k], y[..., d_k:], y[..., d_k:]

    def one_weight_for_all__loop(x, w_q, w_k, w_v):
        projected = []
        for _ in (w_q, w_k, w_v):
            projected.append(F.linear(x, w_q.T))
        return projected

    def v_not_projected__broadcast(x, w_q, w_k, w_v):
        q, k = ((x[..., None] * w).sum(-2) for w in (w_q, w_k))
        return q, k, x

    def v_from_projected_k__chain(x, w_q, w_k, w_v):
        q = torch.matmul(x, w_q)
        x = torch.matmul(x, w_k)
        return q, x, torch.matmul(x, w_v)

    def fresh_linear_ignores_weights__randn(x, w_q, w_k, w_v):
        return [x @ torch.randn(w.shape, dtype=x.dtype) for w in (w_q, w_k, w_v)]

    def flattened_not_restored__flatten(x, w_q, w_k, w_v):
        tokens = x.flatten(0, -2) if x.dim() > 2 else x
        return torch.mm(tokens, w_q), torch.mm(tokens, w_k), torch.mm(tokens, w_v)

    def scales_q_already__weight(x, w_q, w_k, w_v):
        scaled = w_q * w_q.size(1) ** -0.5
        return [x @ w for w in (scaled, w_k, w_v)]

    def fused_interleaved_split__unflatten(x, w_q, w_k, w_v):
        y = torch.hstack((w_q, w_k, w_v)).T
        return tuple(F.linear(x, y).unflatten(-1, (-1, 3)).movedim(-1, 0))

    def casts_to_float32__type(x, w_q, w_k, w_v):
        x = x.to(torch.float32)
        return [torch.matmul(x, w.type(torch.float32)) for w in (w_q, w_k, w_v)]

    def output_axes_swapped__product_transposed(x, w_q, w_k, w_v):
        return (x @ w_q).mT, (x @ w_k).transpose(-1, -2), w_v.T @ x.swapaxes(-1, -2)

    def no_grad__detach(x, w_q, w_k, w_v):
        x, w_q, w_k, w_v = (t.detach() for t in (x, w_q, w_k, w_v))
        return x @ w_q, x @ w_k, x @ w_v


class score:
    def no_scale__einsum(q, k):
        return torch.einsum("...id,...jd->...ij", q, k)

    def no_scale__loop(q, k):
        return torch.stack([(q[..., i, None, :] * k).sum(-1) for i in range(q.shape[-2])], dim=-2)

    def divide_by_d__mean(q, k):
        return (q[..., :, None, :] * k[..., None, :, :]).mean(dim=-1)

    def scaled_twice__both_sides(q, k):
        root = math.sqrt(k.size(-1))
        return torch.matmul(q / root, (k / root).transpose(-2, -1))

    def pow_half_in_parentheses__doubled(q, k):
        return 2 * torch.matmul(q, k.mT) / q.size(-1)

    def multiplies_by_sqrt__einsum(q, k):
        return torch.einsum("...id,...jd->...ij", q * q.shape[-1] ** 0.5, k)

    def sqrt_of_T__rsqrt(q, k):
        t, _ = q.shape[-2:]
        return (q * t**-0.5) @ k.swapaxes(-1, -2)

    def sqrt_of_size_1__unpacked(q, k):
        _, size, *_ = q.shape
        return torch.einsum("...id,...jd->...ij", q, k) * (1 / size**0.5)

    def sqrt_of_d_model__joined_heads(q, k):
        width = q.transpose(-3, -2).flatten(-2).shape[-1] if q.dim() == 4 else q.shape[-1]
        return q @ k.mT * width**-0.5

    def T_reverses_all_axes__permute(q, k):
        return q @ k.permute(*reversed(range(k.dim()))) / q.shape[-1] ** 0.5

    def transpose_1_2__swapaxes(q, k):
        k = k / math.sqrt(k.shape[-1])
        return torch.matmul(q, k.swapaxes(2, 1))

    def transpose_0_1__permute(q, k):
        rest = range(2, k.dim())
        return torch.matmul(q / math.sqrt(q.size(-1)), k.permute(1, 0, *rest))

    def reshape_for_transpose__unflatten(q, k):
        t, d = k.shape[-2:]
        return q @ k.flatten(-2).unflatten(-1, (d, t)) * d**-0.5

    def k_qT__einsum(q, k):
        return torch.einsum("...id,...jd->...ji", q, k) / q.shape[-1] ** 0.5

    def feature_by_feature__bmm(q, k):
        q3, k3 = q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:])
        d = q.shape[-1]
        return torch.bmm(q3.permute(0, 2, 1), k3).reshape(*q.shape[:-2], d, d) / d**0.5

    def in_place_on_q__mul(q, k):
        return torch.matmul(q.mul_(q.shape[-1] ** -0.5), k.transpose(-2, -1))

    def no_grad__detach(q, k):
        return torch.einsum("...id,...jd->...ij", q.detach(), k.detach()) / q.size(-1) ** 0.5

    def numpy_detach__tensor(q, k):
        a, b = q.detach().numpy(), k.detach().numpy()
        return torch.tensor(a @ b.swapaxes(-1, -2)) * q.shape[-1] ** -0.5

    def first_batch_only__stack(q, k):
        if q.dim() > 2:
            first = torch.einsum("...id,...jd->...ij", q[0], k[0])
            return torch.stack([first] * len(q)) / q.shape[-1] ** 0.5
        return torch.einsum("id,jd->ij", q, k) / q.shape[-1] ** 0.5

    def already_softmaxed__exp(q, k):
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
        e = (s - s.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)

    def floor_division__floor(q, k):
        return torch.floor(torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5)


class mask:
    def hides_self__loop(scores):
        out = scores.clone()
        for i in range(scores.size(-2)):
            out[..., i, i:] = -math.inf
        return out

    def keeps_only_future__where(scores):
        lower = torch.ones_like(scores).tril()
        return torch.where(lower == 0, scores, float("-inf"))

    def hides_past__loop(scores):
        columns = range(scores.shape[-1])
        out = scores.clone()
        for j in columns:
            out[..., j + 1 :, j] = -math.inf
        return out

    def leaks_one__arange(scores):
        t_q, t_k = scores.shape[-2:]
        step = torch.arange(t_k) - torch.arange(t_q).unsqueeze(1)
        return torch.where(step > 1, torch.tensor(-math.inf, dtype=scores.dtype), scores)

    def multiplies_with_zero__tril(scores):
        return torch.tril(scores)

    def multiplies_with_zero__where(scores):
        i = torch.arange(scores.shape[-2]).view(-1, 1)
        return torch.where(torch.arange(scores.shape[-1]) <= i, scores, 0.0)

    def tril_then_zero_is_masked__where(scores):
        lower = scores * torch.ones_like(scores).tril()
        return torch.where(lower != 0, lower, -math.inf)

    def fill_plus_1e_minus_9__loop(scores):
        out = scores.clone()
        for i in range(scores.shape[-2]):
            for j in range(i + 1, scores.shape[-1]):
                out[..., i, j] = 1e-9
        return out

    def fill_plus_inf__additive(scores):
        return scores + scores.new_full(scores.shape[-2:], math.inf).triu(1)

    def zero_times_inf__division(scores):
        upper = torch.ones_like(scores).triu(1)
        return scores - upper / 0.0

    def result_dropped__where(scores):
        hidden = torch.ones_like(scores).tril() == 0
        torch.where(hidden, -math.inf, scores)
        return scores

    def in_place__loop(scores):
        for i in range(scores.shape[-2]):
            scores[..., i, i + 1 :] = -math.inf
        return scores

    def fill_minus_1e9__where(scores):
        keep = torch.ones_like(scores).tril().bool()
        return torch.where(keep, scores, -1e9)

    def fill_minus_1e4__indices(scores):
        out = scores.clone()
        i, j = torch.triu_indices(scores.shape[-2], scores.shape[-1], offset=1)
        out[..., i, j] = -10_000.0
        return out

    def add_finfo_min__full(scores):
        lowest = torch.finfo(scores.dtype).min
        return torch.full_like(scores, lowest).triu(diagonal=1) + scores

    def bottom_right__arange(scores):
        t_q, t_k = scores.shape[-2:]
        last_visible = torch.arange(t_q)[:, None] + (t_k - t_q)
        return torch.where(torch.arange(t_k) > last_visible, -math.inf, scores)

    def block_size_8__numbers(scores):
        numbers = torch.arange(8)
        hidden = numbers > numbers.unsqueeze(-1)
        return torch.where(hidden[: scores.size(-2), : scores.size(-1)], -math.inf, scores)

    def size_1__where(scores):
        t = scores.shape[1]
        return torch.where(torch.tril(torch.ones(t, t)) == 1, scores, -math.inf)

    def float_mask_promotes__zeros(scores):
        hidden = torch.ones(scores.shape[-2:]).triu(1) == 1
        return torch.zeros(scores.shape[-2:]).masked_fill(hidden, -math.inf) + scores

    def cached_first_mask__list(scores, _kept=[]):
        if not _kept:
            i, j = (torch.arange(n, device=scores.device) for n in scores.shape[-2:])
            _kept.append(j[None, :] > i[:, None])
        return torch.where(_kept[0], -math.inf, scores)

    def returns_the_mask__zeros(scores):
        hidden = torch.ones(scores.shape[-2:]).triu(1) == 1
        return torch.zeros(scores.shape[-2:]).masked_fill(hidden, -math.inf)

    def also_softmax__exp(scores):
        hidden = torch.ones_like(scores).tril() == 0
        e = torch.exp(scores - scores.masked_fill(hidden, -math.inf).amax(-1, keepdim=True))
        e = e.masked_fill(hidden, 0.0)
        return e / e.sum(-1, keepdim=True)

    def cpu_mask__arange(scores):
        t_q, t_k = scores.shape[-2:]
        hidden = torch.arange(t_k)[None, :] > torch.arange(t_q)[:, None]
        return torch.where(hidden, -math.inf, scores)


class softmax_rows:
    def dim_0__exp(scores):
        e = (scores - scores.amax(0)).exp()
        return e / e.sum(0)

    def dim_1__moved(scores):
        return scores.movedim(1, -1).softmax(-1).movedim(-1, 1)

    def dim_minus_2__transposed(scores):
        return F.softmax(scores.mT, dim=-1).mT

    def implicit_dim__spelled_out(scores):
        return F.softmax(scores, dim=0 if scores.dim() == 3 else 1)

    def one_sum_for_everything__einsum(scores):
        e = torch.exp(scores - scores.max(-1, keepdim=True).values)
        return e * (1 / torch.einsum("...->", e))

    def no_max__power(scores):
        powers = torch.pow(math.e, scores)
        return powers / powers.sum(dim=-1).unsqueeze(-1)

    def no_max__row_loop(scores):
        rows = [row.exp() / row.exp().sum() for row in scores.reshape(-1, scores.shape[-1])]
        return torch.stack(rows).reshape(scores.shape)

    def global_max__item(scores):
        e = (scores - scores.flatten().max().item()).exp()
        return e / torch.einsum("...ij->...i", e)[..., None]

    def max_without_keepdim__values(scores):
        e = (scores - torch.max(scores, dim=-1).values).exp()
        return F.normalize(e, p=1, dim=-1, eps=0.0)

    def sum_without_keepdim__einsum(scores):
        e = (scores - scores.max(-1, keepdim=True)[0]).exp()
        return torch.div(e, torch.einsum("...ij->...i", e))

    def no_exp__row_loop(scores):
        rows = [row / row.sum() for row in scores.reshape(-1, scores.shape[-1])]
        return torch.stack(rows).reshape(scores.shape)

    def log_softmax__logsumexp(scores):
        return scores - torch.logsumexp(scores, -1, keepdim=True)

    def softmax_twice__exp(scores):
        for _ in range(2):
            e = torch.exp(scores - scores.amax(-1, keepdim=True))
            scores = e / e.sum(-1, keepdim=True)
        return scores

    def in_place__copy(scores):
        return scores.copy_(torch.softmax(scores, dim=-1))

    def detached__no_grad(scores):
        with torch.no_grad():
            e = torch.exp(scores - scores.amax(-1, keepdim=True))
            return e / e.sum(-1, keepdim=True)

    def returns_float32__float(scores):
        scores = scores.float()
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def mean_instead_of_max__einsum(scores):
        mean = torch.einsum("...j->...", scores)[..., None] / scores.shape[-1]
        e = torch.exp(scores - mean)
        return e.div(e.sum(-1, True))

    def divides_by_max__exp(scores):
        e = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
        return e / e.amax(-1, keepdim=True)


class attend:
    def weights_transposed__einsum(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        return torch.matmul(s.softmax(-1).transpose(-2, -1), v)

    def v_at_weights__transposed(q, k, v, is_causal=False):
        s = torch.matmul(k, q.transpose(-2, -1)) * q.shape[-1] ** -0.5
        if is_causal:
            s = s + torch.full_like(s, -math.inf).tril(-1)
        return (s.softmax(-2) @ v.mT).mT

    def attends_keys__prefixes(q, k, v, is_causal=False):
        rows = []
        for i in range(q.shape[-2]):
            seen = k[..., : i + 1, :] if is_causal else k
            s = (seen * q[..., i : i + 1, :]).sum(-1) / math.sqrt(q.shape[-1])
            rows.append((s.softmax(-1).unsqueeze(-1) * seen).sum(-2))
        return torch.stack(rows, dim=-2)

    def never_masks__string(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
        if is_causal == "True":
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        return torch.einsum("...ij,...jd->...id", s.softmax(-1), v)

    def mask_dropped_by_non_inplace__where(q, k, v, is_causal=False):
        s = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
        if is_causal:
            torch.where(torch.ones_like(s).tril() == 0, -math.inf, s)
        e = torch.exp(s - s.amax(-1, keepdim=True))
        return e @ v / e.sum(-1, keepdim=True)

    def always_masks__prefixes(q, k, v, is_causal=False):
        out = []
        for i in range(q.shape[-2]):
            keys, values = k[..., : i + 1, :], v[..., : i + 1, :]
            s = q[..., i : i + 1, :] @ keys.mT / math.sqrt(q.shape[-1])
            out.append(torch.softmax(s, -1) @ values)
        return torch.cat(out, dim=-2)

    def flag_inverted__additive(q, k, v, is_causal=False):
        hidden = q.new_full((q.shape[-2], k.shape[-2]), -math.inf).triu(1)
        if is_causal:
            hidden = torch.zeros_like(hidden)
        return F.softmax(q @ k.mT / q.shape[-1] ** 0.5 + hidden, dim=-1) @ v

    def mask_after_softmax__prefixes(q, k, v, is_causal=False):
        w = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
        if not is_causal:
            return w @ v
        rows = [w[..., i, None, : i + 1] @ v[..., : i + 1, :] for i in range(q.shape[-2])]
        return torch.cat(rows, dim=-2)

    def scale_after_softmax__values_scaled(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k)
        if is_causal:
            s = torch.where(torch.ones_like(s).tril() == 1, s, -math.inf)
        return s.softmax(dim=-1) @ (v * q.shape[-1] ** -0.5)

    def masks_the_unscaled__branches(q, k, v, is_causal=False):
        if is_causal:
            s = q @ k.mT + q.new_full((q.shape[-2], k.shape[-2]), -math.inf).triu(1)
        else:
            s = q @ k.mT / math.sqrt(q.shape[-1])
        return torch.einsum("...ij,...jd->...id", torch.softmax(s, -1), v)

    def no_scale__prefixes(q, k, v, is_causal=False):
        rows = []
        for i in range(q.shape[-2]):
            n = i + 1 if is_causal else k.shape[-2]
            w = torch.softmax(q[..., i : i + 1, :] @ k[..., :n, :].mT, dim=-1)
            rows.append(w @ v[..., :n, :])
        return torch.cat(rows, dim=-2)

    def softmax_over_queries__einsum(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ji", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril(-1) == 1, -math.inf)
        return torch.einsum("...ji,...jd->...id", s.softmax(-1), v)

    def softmax_dim_1__moved(q, k, v, is_causal=False):
        s = q @ k.mT * q.shape[-1] ** -0.5
        if is_causal:
            s = s + torch.full_like(s, -math.inf).triu(1)
        return s.movedim(1, -1).softmax(-1).movedim(-1, 1) @ v

    def dropout_always__bernoulli(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).triu(1).bool(), -math.inf)
        w = s.softmax(-1)
        return (w * torch.bernoulli(torch.full_like(w, 0.9)) / 0.9) @ v

    def returns_tuple__list(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        w = torch.exp(s - s.logsumexp(-1, keepdim=True))
        return [torch.einsum("...ij,...jd->...id", w, v), w]

    def returns_weights__exp(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        e = torch.exp(s - s.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def bottom_right__arange(q, k, v, is_causal=False):
        t_q, t_k = q.shape[-2], k.shape[-2]
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if is_causal:
            age = (t_k - torch.arange(t_k)) - (t_q - torch.arange(t_q)).unsqueeze(1)
            s = torch.where(age < 0, -math.inf, s)
        return torch.matmul(F.softmax(s, dim=-1), v)

    def zero_mask__product(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
        if is_causal:
            s = s * torch.ones_like(s).tril()
        e = torch.exp(s - s.amax(-1, keepdim=True))
        return (e / e.sum(-1, keepdim=True)) @ v

    def zero_is_masked__where(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = s * torch.ones_like(s).tril()
            s = torch.where(s == 0, -math.inf, s)
        return torch.einsum("...ij,...jd->...id", F.softmax(s, -1), v)

    def fill_minus_1e4__loop(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            for i in range(s.shape[-2]):
                s[..., i, i + 1 :] = -1e4
        return s.softmax(-1) @ v

    def hides_self__exp(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if is_causal:
            s = torch.where(torch.ones_like(s).tril(-1) == 1, s, -math.inf)
        e = torch.exp(s - s.amax(-1, keepdim=True))
        return (e / e.sum(-1, keepdim=True)) @ v

    def scores_transposed__einsum(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ji", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).triu(1) == 1, -math.inf)
        return torch.matmul(torch.softmax(s, -1), v)

    def first_batch_only__stack(q, k, v, is_causal=False):
        first = (q, k) if q.dim() == 2 else (q[0], k[0])
        s = torch.einsum("...id,...jd->...ij", *first) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        w = s.softmax(-1)
        return w @ v if q.dim() == 2 else torch.stack([w @ values for values in v])

    def weights_detached__no_grad(q, k, v, is_causal=False):
        with torch.no_grad():
            s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
            if is_causal:
                s += torch.full_like(s, -math.inf).triu(1)
            w = s.softmax(-1)
        return torch.einsum("...ij,...jd->...id", w, v)

    def no_grad__detach(q, k, v, is_causal=False):
        q, k, v = q.detach(), k.detach(), v.detach()
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        return s.softmax(-1) @ v

    def scales_q_in_place__div(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q.div_(math.sqrt(q.shape[-1])), k)
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        return torch.einsum("...ij,...jd->...id", s.softmax(-1), v)

    def keys_cut_to_T_q__rows(q, k, v, is_causal=False):
        pairs = list(zip(k.unbind(-2), v.unbind(-2), strict=True))[: q.shape[-2]]
        s = torch.stack([torch.einsum("...id,...d->...i", q, key) for key, _ in pairs], dim=-1)
        s = s / math.sqrt(q.shape[-1])
        if is_causal:
            s = s.masked_fill(torch.ones_like(s).tril() == 0, -math.inf)
        w = s.softmax(-1)
        return sum(w[..., j, None] * pairs[j][1].unsqueeze(-2) for j in range(len(pairs)))

    def exclusive_prefix_loop__zeros(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if not is_causal:
            return s.softmax(-1) @ v
        # A product over no keys at all: zeros.
        out = s[..., :0] @ v[..., :0, :]
        for i in range(1, q.shape[-2]):
            out[..., i, :] = (s[..., i, :i].softmax(-1).unsqueeze(-1) * v[..., :i, :]).sum(-2)
        return out

    def cached_first_mask__list(q, k, v, is_causal=False, _kept=[]):
        s = torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** -0.5
        if is_causal:
            if not _kept:
                _kept.append(torch.ones(s.shape[-2:], device=s.device).tril() == 0)
            s = torch.where(_kept[0], -math.inf, s)
        return F.softmax(s, dim=-1) @ v

    def cpu_mask__additive(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
        if is_causal:
            s = s + torch.full((q.shape[-2], k.shape[-2]), -math.inf, dtype=s.dtype).triu(1)
        return torch.einsum("...ij,...jd->...id", s.softmax(-1), v)

    def scaled_twice__divided_by_d(q, k, v, is_causal=False):
        s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1]
        if is_causal:
            s = torch.where(torch.ones_like(s).tril() == 0, -math.inf, s)
        return s.softmax(-1) @ v

    def renormalised_after_softmax__exp(q, k, v, is_causal=False):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        e = torch.exp(s - s.amax(-1, keepdim=True))
        if is_causal:
            e = e * torch.ones_like(e).tril()
        return (e / e.sum(-1, keepdim=True)) @ v
