"""Wrong answers that people really write, each with the sentence its author needs to read.

To add one, put a function into the class of its exercise. Its name is the name of the mistake.
Its docstring is what the learner reads: say what the code does and what the exercise asks for.
Then run `pytest tests/test_grader`, which tells whether the mistake is caught and named.
If no call can tell it from another one, both sentences name both slips and TWINS lists the two.
"""

import math

import torch
import torch.nn.functional as F

NEG = float("-inf")


# The right parts, so that each function below shows its one wrong part and little else.


def _score(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


def _future(scores):
    return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)


def _mask(scores):
    return scores.masked_fill(_future(scores), NEG)


def _weights(q, k, is_causal):
    scores = _score(q, k)
    return torch.softmax(_mask(scores) if is_causal else scores, dim=-1)


class make_qkv:
    def weight_transposed(x, w_q, w_k, w_v):
        """You multiply by the transposed weight. nn.Linear stores its weight as (out, in), but here
        it comes as (in, out), so x @ w_q is all it takes."""
        return x @ w_q.mT, x @ w_k.mT, x @ w_v.mT

    def returns_k_q_v(x, w_q, w_k, w_v):
        """You return the key first and the query second. The exercise asks for q, k, v in this
        order."""
        return x @ w_k, x @ w_q, x @ w_v

    def v_uses_w_k(x, w_q, w_k, w_v):
        """You make v with w_k, so it is a second copy of k. The value has a weight of its own:
        v = x @ w_v."""
        return x @ w_q, x @ w_k, x @ w_k

    def one_weight_for_all(x, w_q, w_k, w_v):
        """You use w_q three times, so k and v are copies of q. Each of the three has a weight of
        its own: w_q, w_k, w_v."""
        y = x @ w_q
        return y, y, y

    def v_not_projected(x, w_q, w_k, w_v):
        """You return x itself as the value. The exercise asks for v = x @ w_v, just as q and k
        have their weights."""
        return x @ w_q, x @ w_k, x

    def v_from_projected_k(x, w_q, w_k, w_v):
        """You make v from k, which is already multiplied by w_k. All three start from x:
        v = x @ w_v."""
        k = x @ w_k
        return x @ w_q, k, k @ w_v

    def fresh_linear_ignores_weights(x, w_q, w_k, w_v):
        """You multiply by new random weights, such as those of a fresh nn.Linear. The exercise
        hands you the weights to use: w_q, w_k, w_v."""
        layers = (torch.nn.Linear(w.shape[0], w.shape[1], bias=False) for w in (w_q, w_k, w_v))
        return tuple(layer.to(x.dtype)(x) for layer in layers)

    def flattened_not_restored(x, w_q, w_k, w_v):
        """You return all tokens of all batches in one long list. The exercise keeps the leading
        axes of x: q and k are (..., T, d_k), v is (..., T, d_v)."""
        flat = x.reshape(-1, x.shape[-1])
        return flat @ w_q, flat @ w_k, flat @ w_v

    def scales_q_already(x, w_q, w_k, w_v):
        """You divide q by √d_k here. That division belongs to score; here q is just x @ w_q."""
        return x @ w_q / math.sqrt(w_q.shape[-1]), x @ w_k, x @ w_v

    def fused_interleaved_split(x, w_q, w_k, w_v):
        """You deal the columns of one joint product out in turn, one to q, one to k, one to v. They
        lie in three blocks: first all of q, then all of k, then all of v."""
        y = x @ torch.cat([w_q, w_k, w_v], dim=-1)
        return tuple(y.reshape(*x.shape[:-1], -1, 3).unbind(-1))

    def casts_to_float32(x, w_q, w_k, w_v):
        """You turn everything into float32. The exercise keeps the dtype of its inputs: float64
        stays float64, and bfloat16 stays bfloat16."""
        return tuple(x.float() @ w.float() for w in (w_q, w_k, w_v))

    def output_axes_swapped(x, w_q, w_k, w_v):
        """You return (..., d_k, T), features before tokens. The exercise keeps a row for each
        token: (..., T, d_k)."""
        return tuple(torch.einsum("...td,dk->...kt", x, w) for w in (w_q, w_k, w_v))

    def v_uses_w_q(x, w_q, w_k, w_v):
        """You make v with w_q, so it is a second copy of q. The value has a weight of its own:
        v = x @ w_v."""
        return x @ w_q, x @ w_k, x @ w_q

    def returns_q_v_k(x, w_q, w_k, w_v):
        """You return the value second and the key last. The exercise asks for the order q, k, v."""
        return x @ w_q, x @ w_v, x @ w_k

    def leaves_out_v(x, w_q, w_k, w_v):
        """You return q and k only. The exercise asks for three tensors: q, k and v."""
        return x @ w_q, x @ w_k

    def fused_not_split(x, w_q, w_k, w_v):
        """You return q, k and v joined in one tensor. The exercise asks for three separate tensors,
        so cut it after d_k and after 2·d_k columns."""
        return x @ torch.cat([w_q, w_k, w_v], dim=-1)

    def cut_into_thirds(x, w_q, w_k, w_v):
        """You cut one joint product into three parts of equal width. v may be wider or narrower
        than q and k: give q and k d_k columns each, and v its d_v."""
        return (x @ torch.cat([w_q, w_k, w_v], dim=-1)).chunk(3, dim=-1)

    def adds_x(x, w_q, w_k, w_v):
        """You add x to each product. The exercise asks for the product alone: q = x @ w_q."""
        return x + x @ w_q, x + x @ w_k, x + x @ w_v

    def weights_cut_off(x, w_q, w_k, w_v):
        """You multiply by copies of the weights that are cut off from them, as nn.Parameter(w)
        and w.detach() are, so no gradient reaches w_q, w_k, w_v. Use the weights themselves."""
        return tuple(x @ torch.nn.Parameter(w) for w in (w_q, w_k, w_v))

    def no_grad(x, w_q, w_k, w_v):
        """You cut the gradients off, as torch.no_grad and detach do. The exercise asks that they
        reach x and all three weights."""
        with torch.no_grad():
            return x @ w_q, x @ w_k, x @ w_v

    def k_uses_w_q(x, w_q, w_k, w_v):
        """You make k with w_q, so it is a second copy of q. The key has a weight of its own:
        k = x @ w_k."""
        return x @ w_q, x @ w_q, x @ w_v

    def k_transposed(x, w_q, w_k, w_v):
        """You return k transposed, (..., d_k, T). The exercise keeps a row for each token in all
        three, (..., T, d_k); the transposing belongs to score."""
        return x @ w_q, (x @ w_k).mT, x @ w_v

    def returns_v_k_q(x, w_q, w_k, w_v):
        """You return the value first and the query last. The exercise asks for the order q, k,
        v."""
        return x @ w_v, x @ w_k, x @ w_q

    def returns_v_q_k(x, w_q, w_k, w_v):
        """You return the value first, then query and key. The exercise asks for the order q, k,
        v."""
        return x @ w_v, x @ w_q, x @ w_k

    def returns_k_v_q(x, w_q, w_k, w_v):
        """You return the query last, after key and value. The exercise asks for the order q, k,
        v."""
        return x @ w_k, x @ w_v, x @ w_q

    def numpy_detach(x, w_q, w_k, w_v):
        """You leave torch on the way, for instance through numpy, and with it the gradients and
        bfloat16. The exercise keeps both, so stay with torch operations."""
        given = x.detach().numpy()
        return tuple(torch.from_numpy(given @ w.detach().numpy()) for w in (w_q, w_k, w_v))

    def stacked(x, w_q, w_k, w_v):
        """You stack q, k and v into one tensor, which works only when v is as wide as q and k. Just
        return the three: return q, k, v."""
        return torch.stack([x @ w_q, x @ w_k, x @ w_v])

    def w_v_cut_off(x, w_q, w_k, w_v):
        """You cut the gradients off on the way to v, as detach and nn.Parameter do, so none
        reaches w_v. Make v as you make q and k: v = x @ w_v."""
        return x @ w_q, x @ w_k, (x @ w_v).detach()

    def x_cut_off(x, w_q, w_k, w_v):
        """You cut x off from its gradients, as x.detach() and torch.tensor(x) do, so the weights
        learn but nothing before x does. Use x itself."""
        y = x.detach()
        return y @ w_q, y @ w_k, y @ w_v

    def divides_by_sqrt_d_model(x, w_q, w_k, w_v):
        """You divide all three by √d_model. The exercise asks for the plain products, q = x @ w_q,
        without any scaling."""
        y = x / math.sqrt(x.shape[-1])
        return y @ w_q, y @ w_k, y @ w_v

    def overwrites_x(x, w_q, w_k, w_v):
        """You make k and v from q, as happens when x = x @ w_q replaces x. All three start from the
        same x: k = x @ w_k, v = x @ w_v."""
        q = x @ w_q
        return q, q @ w_k, q @ w_v

    def one_after_the_other(x, w_q, w_k, w_v):
        """You make k from q and v from k, one after the other. All three start from x: k = x @ w_k,
        v = x @ w_v."""
        q = x @ w_q
        k = q @ w_k
        return q, k, k @ w_v

    def v_cut_to_d_k(x, w_q, w_k, w_v):
        """You give v no more than d_k columns. It may be wider than q and k: v has all d_v columns
        of x @ w_v."""
        return x @ w_q, x @ w_k, (x @ w_v)[..., : w_k.shape[-1]]

    def two_axes_only(x, w_q, w_k, w_v):
        """Yours works only when x is a single sequence, (T, d_model). There may be batches and
        heads in front: x @ w_q takes any number of axes."""
        return torch.mm(x, w_q), torch.mm(x, w_k), torch.mm(x, w_v)

    def three_axes_only(x, w_q, w_k, w_v):
        """Yours works only when x has three axes, (B, T, d_model). There may be no batch, or heads
        as well: x @ w_q takes any number of axes."""
        _, _, _ = x.shape
        return x @ w_q, x @ w_k, x @ w_v

    def returns_dict(x, w_q, w_k, w_v):
        """You return a dict. The exercise asks for the three tensors in a row, without names:
        return q, k, v."""
        return {"q": x @ w_q, "k": x @ w_k, "v": x @ w_v}

    def returns_generator(x, w_q, w_k, w_v):
        """You return a generator, which is used up after one pass. The exercise asks for a
        sequence: tuple(x @ w for w in ...), or just return q, k, v."""
        return (x @ w for w in (w_q, w_k, w_v))

    def equal_widths_only(x, w_q, w_k, w_v):
        """Yours works only when v is as wide as q and k, as a torch.stack of the three does. The
        width of v is its own, d_v: make it apart, v = x @ w_v."""
        return torch.stack([x @ w_q, x @ w_k, x @ w_v]).unbind(0)

    def forgets_return(x, w_q, w_k, w_v):
        """You return nothing, so the answer is None. End make_qkv with a return of q, k and v."""
        x @ w_q, x @ w_k, x @ w_v


class score:
    def no_scale(q, k):
        """You leave the dot products as they are. The exercise divides them by √d_k, which keeps
        the variance of the scores at 1."""
        return q @ k.mT

    def divide_by_d(q, k):
        """You divide by d_k itself, or by √d_k twice. The exercise divides once by √d_k, which
        keeps the variance of the scores at 1."""
        return q @ k.mT / q.shape[-1]

    def pow_half_in_parentheses(q, k):
        """You divide by d_k / 2. The exercise asks for √d_k. Python reads d_k ** 1 / 2 as
        (d_k ** 1) / 2, so write d_k ** 0.5 or math.sqrt(d_k)."""
        d = q.shape[-1]
        return q @ k.mT / (d**1 / 2)

    def multiplies_by_sqrt(q, k):
        """You multiply by √d_k; dividing by d_k ** -0.5 does just that. The exercise divides by
        √d_k, which is the same as multiplying by d_k ** -0.5."""
        return q @ k.mT / q.shape[-1] ** -0.5

    def sqrt_of_T(q, k):
        """You divide by √T_q, the root of the number of queries. The exercise asks for √d_k, and
        d_k is the size of the last axis: q.shape[-1]."""
        return q @ k.mT / math.sqrt(q.shape[-2])

    def sqrt_of_size_1(q, k):
        """You divide by the root of the size of axis 1, which is d_k only when there are no leading
        axes. d_k is the last axis, q.shape[-1]."""
        return q @ k.mT / math.sqrt(q.size(1))

    def sqrt_of_d_model(q, k):
        """You divide by the root of heads times d_k, the width of all heads together. The exercise
        asks for √d_k, where d_k is the width of one head: q.shape[-1]."""
        heads = q.shape[-3] if q.dim() > 3 else 1
        return q @ k.mT / math.sqrt(heads * q.shape[-1])

    def scaled_twice(q, k):
        """You divide by √d_k twice, or once by d_k itself. The exercise divides once by √d_k: scale
        q or the product, not both."""
        d = q.shape[-1] ** 0.5
        return (q / d) @ k.mT / d

    def T_reverses_all_axes(q, k):
        """You turn around all axes of k, as k.T does, so batches and heads are swapped along with
        the rest. Only the last two axes change places: k.mT or k.transpose(-2, -1)."""
        return q @ k.T / math.sqrt(q.shape[-1])

    def transpose_1_2(q, k):
        """You swap axes 1 and 2 of k, which are the right ones only for three axes. Count from the
        end, k.transpose(-2, -1), and it works for any number."""
        return q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])

    def transpose_0_1(q, k):
        """You swap axes 0 and 1 of k, which are the right ones only for a single matrix. Count from
        the end, k.transpose(-2, -1), and it works for batches and heads too."""
        return q @ k.transpose(0, 1) / math.sqrt(q.shape[-1])

    def reshape_for_transpose(q, k):
        """You give k the shape (..., d_k, T_k) without turning it: reshape and view only cut the
        numbers anew, in their old order. Swap its last two axes: k.mT."""
        return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / math.sqrt(q.shape[-1])

    def k_qT(q, k):
        """Your scores are transposed: a row for each key. The exercise asks for a row for each
        query and a column for each key: q times k transposed."""
        return k @ q.mT / math.sqrt(q.shape[-1])

    def feature_by_feature(q, k):
        """You match features with features and get a d_k by d_k table. The exercise matches every
        query with every key, (T_q, T_k): transpose k, not q."""
        return q.mT @ k / math.sqrt(q.shape[-1])

    def in_place_on_q(q, k):
        """You change the caller's q, as q /= ... does. The exercise leaves its inputs as they were:
        write q = q / ... for a new tensor."""
        q /= math.sqrt(q.shape[-1])
        return q @ k.mT

    def numpy_detach(q, k):
        """You leave torch on the way, for instance through numpy, and with it the gradients and
        bfloat16. The exercise keeps both, so stay with torch operations."""
        return torch.from_numpy(q.detach().numpy() @ k.detach().mT.numpy()) / math.sqrt(q.shape[-1])

    def no_grad(q, k):
        """You cut the gradients off, as torch.no_grad and detach do. The exercise asks that they
        reach q and k."""
        with torch.no_grad():
            return q @ k.mT / math.sqrt(q.shape[-1])

    def first_batch_only(q, k):
        """You give every batch the scores of the first one. The exercise scores each batch by its
        own q and k; q @ k.mT does that for all of them at once."""
        if q.dim() == 2:
            return q @ k.mT / math.sqrt(q.shape[-1])
        return (q[:1] @ k[:1].mT).expand(*q.shape[:-1], k.shape[-2]) / math.sqrt(q.shape[-1])

    def already_softmaxed(q, k):
        """You apply the softmax here. That is the task of softmax_rows; score returns the plain
        scaled dot products."""
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)

    def floor_division(q, k):
        """You round the scores down to whole numbers, as // does. The exercise divides with a
        single /."""
        return q @ k.mT // math.sqrt(q.shape[-1])

    def sqrt_of_T_k(q, k):
        """You divide by √T_k, the root of the number of keys. The exercise asks for √d_k, and d_k
        is the size of the last axis: k.shape[-1]."""
        return q @ k.mT / math.sqrt(k.shape[-2])

    def whole_root(q, k):
        """You round √d_k down to a whole number, as int() and math.isqrt do. The exercise divides
        by the root as it is: math.sqrt(d_k)."""
        return q @ k.mT / math.isqrt(q.shape[-1])

    def root_of_the_score(q, k):
        """You take the root of the whole score, dot product and all. The exercise takes the root of
        d_k alone and divides the dot product by it."""
        return (q @ k.mT / q.shape[-1]) ** 0.5

    def cosine(q, k):
        """You divide by the lengths of query and key, which is the cosine of their angle. The
        exercise keeps the lengths and divides by √d_k only."""
        return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT

    def distance(q, k):
        """You measure how far each query is from each key. The exercise asks for their dot product,
        divided by √d_k."""
        return torch.cdist(q, k)

    def same_row_only(q, k):
        """You match each query with the one key in the same row. The exercise matches every query
        with every key and returns (..., T_q, T_k)."""
        return (q * k).sum(-1) / math.sqrt(q.shape[-1])

    def forgets_the_sum(q, k):
        """You multiply query and key feature by feature and leave it at that. A dot product also
        adds these products up, over the last axis."""
        return q.unsqueeze(-2) * k.unsqueeze(-3) / math.sqrt(q.shape[-1])

    def sums_before_multiplying(q, k):
        """You add up the features of q and of k first and multiply the two sums. A dot product
        multiplies feature by feature and then adds: in einsum, q and k share the letter d."""
        return torch.einsum("...id,...je->...ij", q, k) / math.sqrt(q.shape[-1])

    def adds_instead_of_multiplying(q, k):
        """You add query and key, feature by feature. A dot product multiplies them and then adds
        the products up."""
        return (q.unsqueeze(-2) + k.unsqueeze(-3)).sum(-1) / math.sqrt(q.shape[-1])

    def masks_already(q, k):
        """You hide the future here. That is the task of mask; score returns the scores of every
        query with every key."""
        return _mask(_score(q, k))

    def returns_float32(q, k):
        """You return float32 whatever comes in. The exercise keeps the dtype of its inputs: float64
        stays float64, and bfloat16 stays bfloat16."""
        return q.float() @ k.float().mT / math.sqrt(q.shape[-1])

    def k_cut_off(q, k):
        """You cut k off from its gradients, as detach and .data do, so the keys never learn. Use k
        itself."""
        return q @ k.detach().mT / math.sqrt(q.shape[-1])

    def q_cut_off(q, k):
        """You cut q off from its gradients, as detach and .data do, so the queries never learn. Use
        q itself."""
        return q.detach() @ k.mT / math.sqrt(q.shape[-1])

    def q_with_q(q, k):
        """You match the queries with each other and never look at k. The exercise matches queries
        with keys: q @ k.mT."""
        return q @ q.mT / math.sqrt(q.shape[-1])

    def k_with_k(q, k):
        """You match the keys with each other and not with q. The exercise matches queries with
        keys: q @ k.mT."""
        return k @ k.mT / math.sqrt(q.shape[-1])

    def negated(q, k):
        """You turn the sign round, so the best match gets the lowest score. The exercise asks for
        the dot product as it is, divided by √d_k."""
        return -(q @ k.mT) / math.sqrt(q.shape[-1])

    def sqrt_of_size_0(q, k):
        """You divide by the root of the size of axis 0, which is also len(q). The exercise asks for
        √d_k, and d_k is the last axis: q.shape[-1]."""
        return q @ k.mT / math.sqrt(q.size(0))

    def fourth_root(q, k):
        """You divide by the fourth root of d_k, a root too many. Divide the product by √d_k, or q
        and k both by the fourth root."""
        return q @ k.mT / q.shape[-1] ** 0.25

    def length_of_q(q, k):
        """You divide each row by the length of its query. The exercise divides all scores by the
        same number, √d_k."""
        return q @ k.mT / q.norm(dim=-1, keepdim=True)

    def scaled_only_if_batched(q, k):
        """You divide by √d_k only when there are leading axes. A single matrix of queries needs the
        division just as much."""
        s = q @ k.mT
        return s / math.sqrt(q.shape[-1]) if q.dim() > 2 else s

    def multiplies_by_d(q, k):
        """You multiply by d_k. The exercise divides, and by the root: q @ k.mT / √d_k."""
        return q @ k.mT * q.shape[-1]

    def always_8(q, k):
        """You divide by 8 whatever d_k is, and that is right for d_k = 64 only. Take d_k from the
        input: math.sqrt(q.shape[-1])."""
        return q @ k.mT / 8

    def subtracts_the_root(q, k):
        """You subtract √d_k. The exercise divides by it: q @ k.mT / √d_k."""
        return q @ k.mT - math.sqrt(q.shape[-1])

    def subtracts_max(q, k):
        """You subtract the largest score of each row. That is a step of softmax_rows; score returns
        the plain scaled dot products."""
        s = _score(q, k)
        return s - s.amax(-1, keepdim=True)

    def across_batches(q, k):
        """You match queries with the keys of every batch, as tensordot does. Each batch has scores
        of its own, (..., T_q, T_k): use q @ k.mT."""
        return torch.tensordot(q, k, dims=([-1], [-1])) / math.sqrt(q.shape[-1])

    def two_axes_only(q, k):
        """Yours works only for two axes, (T, d_k). There may be batches and heads in front:
        q @ k.mT takes any number of axes."""
        return torch.mm(q, k.mT) / math.sqrt(q.shape[-1])

    def three_axes_only(q, k):
        """Yours works only for three axes, (B, T, d_k). There may be no batch, or heads as well:
        q @ k.mT takes any number of axes."""
        return torch.bmm(q, k.mT) / math.sqrt(q.shape[-1])

    def forgets_return(q, k):
        """You return nothing, so the answer is None. End score with a return of the scores."""
        q @ k.mT / math.sqrt(q.shape[-1])


class mask:
    def hides_self(scores):
        """You hide each token from itself as well: the diagonal is -inf. The exercise hides j > i
        only, which is triu(1), or what tril() leaves out."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).triu().bool(), NEG)

    def keeps_only_future(scores):
        """You hide the past and the present and keep the future. It is the other way round: entries
        with j > i become -inf, all others stay."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).tril().bool(), NEG)

    def hides_past(scores):
        """You hide the past, j < i: your triangle is the wrong one of the two. The exercise hides
        the future, j > i, where the column lies after the row."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).triu() == 0, NEG)

    def leaks_one(scores):
        """You let each token see one step ahead: the first entry right of the diagonal is still
        there. Hide from j = i + 1 on, which is triu(1)."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).triu(2).bool(), NEG)

    def multiplies_with_zero(scores):
        """You set the future to 0, as tril or a product with zeros does. A score of 0 still gets
        weight in the softmax; the exercise asks for -inf."""
        t_q, t_k = scores.shape[-2:]
        return scores * torch.ones(t_q, t_k, dtype=scores.dtype).tril()

    def tril_then_zero_is_masked(scores):
        """You hide every score that is 0, also those a token may see. Choose by position, j > i,
        and not by value."""
        s = torch.tril(scores)
        return s.masked_fill(s == 0, NEG)

    def fill_plus_1e_minus_9(scores):
        """You fill the future with 1e-9, which is almost 0 and still gets weight in the softmax.
        The exercise asks for -inf (and -1e9 has its minus in front)."""
        return scores.masked_fill(_future(scores), 1e-9)

    def fill_plus_inf(scores):
        """You fill the future with +inf, so it would win every softmax. The exercise asks for -inf:
        mind the sign."""
        return scores.masked_fill(_future(scores), -NEG)

    def zero_times_inf(scores):
        """You turn all visible scores into NaN: 0 times inf is NaN, and so is 0 / 0. Put -inf in
        with masked_fill or torch.where instead of calculating it."""
        t_q, t_k = scores.shape[-2:]
        return scores + torch.ones(t_q, t_k, dtype=scores.dtype).triu(1) * NEG

    def result_dropped(scores):
        """You return the scores unmasked. masked_fill, like triu and where, returns a new tensor
        and leaves the old one alone: keep its result and return that."""
        scores.masked_fill(_future(scores), NEG)
        return scores

    def in_place(scores):
        """You write into the caller's scores, as masked_fill_ does. The exercise leaves its input
        as it was: use masked_fill, or work on a clone."""
        return scores.masked_fill_(_future(scores), NEG)

    def fill_minus_1e9(scores):
        """You fill the future with -1e9. The exercise asks for -inf itself, which gets a weight of
        exactly 0 however low the other scores are."""
        return scores.masked_fill(_future(scores), -1e9)

    def fill_minus_1e4(scores):
        """You fill the future with -10000. Scores can be lower than that, and then the future wins;
        the exercise asks for -inf."""
        return scores.masked_fill(_future(scores), -1e4)

    def add_finfo_min(scores):
        """You bring the future down to the lowest finite number. The exercise asks for -inf, which
        float("-inf") gives you."""
        m = torch.zeros_like(scores).masked_fill(_future(scores), torch.finfo(scores.dtype).min)
        return scores + m

    def bottom_right(scores):
        """You line the triangle up with the last key. The exercise lines it up with the first:
        query 0 sees key 0 alone, also when T_q and T_k differ."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).triu(1 + t_k - t_q).bool(), NEG)

    def block_size_8(scores):
        """You cut the mask out of a table of 8 by 8, so it fails beyond 8 tokens. Make it as large
        as the scores: scores.shape[-2:]."""
        table = torch.ones(8, 8).tril()
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(table[:t_q, :t_k] == 0, NEG)

    def size_1(scores):
        """You take the size of axis 1 for both sides of the mask; with four axes that is the number
        of heads. Queries and keys are the last two: scores.shape[-2:]."""
        t = scores.size(1)
        return scores.masked_fill(torch.ones(t, t).triu(1).bool(), NEG)

    def float_mask_promotes(scores):
        """You add a mask that is always float32, so bfloat16 scores come back as float32. Make the
        mask with dtype=scores.dtype and device=scores.device."""
        t_q, t_k = scores.shape[-2:]
        return scores + torch.full((t_q, t_k), NEG, dtype=torch.float32).triu(1)

    def cached_first_mask(scores, _cache={}):
        """You use the mask of the first call for ever, whatever the size of the scores. Make a new
        one, or keep one for each shape."""
        m = _cache.setdefault("m", _future(scores))
        return scores.masked_fill(m, NEG)

    def returns_the_mask(scores):
        """You return the mask alone, 0 and -inf. The exercise asks for the scores with the mask
        applied: scores + mask."""
        t_q, t_k = scores.shape[-2:]
        return torch.full((t_q, t_k), NEG).triu(1)

    def also_softmax(scores):
        """You mask and then apply the softmax as well. That is the task of softmax_rows; mask
        returns scores, with -inf where j > i."""
        return torch.softmax(_mask(scores), dim=-1)

    def cpu_mask(scores):
        """You make the mask on the CPU wherever the scores are, so it fails on a GPU. Add
        device=scores.device where you make it."""
        t_q, t_k = scores.shape[-2:]
        return scores.masked_fill(torch.ones(t_q, t_k).triu(1).bool(), NEG)

    def square_of_T_q(scores):
        """You make the mask T_q by T_q. There may be more or fewer keys than queries: make it T_q
        by T_k, which is scores.shape[-2:]."""
        t_q = scores.shape[-2]
        return scores.masked_fill(torch.ones(t_q, t_q).triu(1).bool(), NEG)

    def fill_nan(scores):
        """You fill the future with NaN, and one NaN spoils its whole row in the softmax. The
        exercise asks for -inf."""
        return scores.masked_fill(_future(scores), float("nan"))

    def times_minus_inf(scores):
        """You multiply the future by -inf, which turns negative scores into +inf and 0 into NaN.
        Replace the score by -inf, or add -inf to it."""
        return torch.where(_future(scores), scores * NEG, scores)

    def adds_ones(scores):
        """You add 1 to the future, as scores + triangle does when the triangle holds ones. The
        exercise asks for -inf there: the ones only say where."""
        return scores + _future(scores).to(scores.dtype)

    def only_self(scores):
        """You hide everything but the diagonal. A token may see itself and all tokens before it:
        only j > i becomes -inf."""
        eye = torch.eye(*scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~eye, NEG)

    def first_batch_only(scores):
        """You mask the first batch only. The exercise masks every one: a mask of shape (T_q, T_k)
        spreads over all leading axes by itself."""
        out = scores.clone()
        first = out if out.dim() == 2 else out[0]
        first.masked_fill_(_future(scores), NEG)
        return out

    def skips_row_0(scores):
        """You leave the first row unmasked. Query 0 may see key 0 only, so start with row 0."""
        out = scores.clone()
        for i in range(1, scores.shape[-2]):
            out[..., i, i + 1 :] = NEG
        return out

    def mirrored(scores):
        """You cut along the wrong diagonal, the one from top right to bottom left. The visible part
        starts at the top left: key j is visible to query i when j <= i."""
        return scores.masked_fill(_future(scores).flip(-1), NEG)

    def detached(scores):
        """You cut the gradients off, as detach, .data and torch.no_grad do. The exercise asks that
        they reach the scores: work on scores or scores.clone()."""
        return scores.detach().masked_fill(_future(scores), NEG)

    def columns_stop_at_T_q(scores):
        """You leave the keys from number T_q on visible. There may be more keys than queries, and
        all of those lie in the future: run j up to T_k."""
        t = scores.shape[-2]
        hidden = _future(scores)
        hidden[:, t:] = False
        return scores.masked_fill(hidden, NEG)

    def only_if_square(scores):
        """You hide nothing when T_q and T_k differ. The exercise hides j > i then too, counted from
        the first query and the first key."""
        t_q, t_k = scores.shape[-2:]
        return _mask(scores) if t_q == t_k else scores.clone()

    def zeros_stay(scores):
        """You leave scores of the future alone that are 0, as triu(scores, 1) != 0 does. Choose by
        position, j > i, and not by value."""
        return scores.masked_fill(scores.triu(1) != 0, NEG)

    def hides_positive_only(scores):
        """You hide only the positive scores of the future, as triu(scores, 1) > 0 does. Choose by
        position, j > i, and not by value."""
        return scores.masked_fill(scores.triu(1) > 0, NEG)

    def fill_minus_1e30(scores):
        """You fill the future with -1e30. The exercise asks for -inf itself, which gets a weight of
        exactly 0 however low the other scores are."""
        return scores.masked_fill(_future(scores), -1e30)

    def fill_minus_1e6(scores):
        """You fill the future with -1e6. Scores can be as low as that, and then the future gets
        weight; the exercise asks for -inf."""
        return scores.masked_fill(_future(scores), -1e6)

    def scales_again(scores):
        """You divide the scores by √T_k. They come in scaled already, and the exercise leaves the
        visible ones as they are."""
        return _mask(scores / math.sqrt(scores.shape[-1]))

    def sizes_0_and_1(scores):
        """You take the sizes of axes 0 and 1, which are T_q and T_k only of a single matrix. Count
        from the end: scores.shape[-2:]."""
        m = torch.ones(scores.size(0), scores.size(1), dtype=torch.bool, device=scores.device)
        return scores.masked_fill(m.triu(1), NEG)

    def two_axes_only(scores):
        """Yours works only for two axes, as T_q, T_k = scores.shape does. There may be batches and
        heads in front: T_q, T_k = scores.shape[-2:]."""
        _, _ = scores.shape
        return _mask(scores)

    def three_axes_only(scores):
        """Yours works only for three axes, as B, T_q, T_k = scores.shape does. There may be no
        batch, or heads as well: T_q, T_k = scores.shape[-2:]."""
        _, _, _ = scores.shape
        return _mask(scores)

    def returns_where_visible(scores):
        """You return a table of 1 (True) where a token may see and 0 elsewhere. The exercise asks
        for the scores, with -inf where j > i."""
        return torch.ones_like(scores).tril().bool()

    def returns_where_hidden(scores):
        """You return a table of 1 (True) where the future is and 0 elsewhere. The exercise asks for
        the scores, with -inf where j > i."""
        return torch.ones_like(scores).triu(1).bool()

    def square_of_T_k(scores):
        """You make the mask T_k by T_k. There may be more or fewer queries than keys: make it T_q
        by T_k, which is scores.shape[-2:]."""
        t_k = scores.shape[-1]
        return scores.masked_fill(torch.ones(t_k, t_k).triu(1).bool(), NEG)

    def subtracts_1e6(scores):
        """You lower the scores of the future by 1e6. Scores can be that far apart, and then the
        future keeps its weight; the exercise asks for -inf."""
        return scores - 1e6 * _future(scores).to(scores.dtype)

    def visible_becomes_zero(scores):
        """You return 0 wherever a token may see. The exercise keeps the scores there as they came:
        scores + mask, or scores.masked_fill(...)."""
        return torch.full_like(scores, NEG).triu(1)

    def forgets_return(scores):
        """You return nothing, so the answer is None. End mask with a return of the masked
        scores."""
        scores.masked_fill(_future(scores), NEG)


class softmax_rows:
    def dim_0(scores):
        """You share out along axis 0, the first. The exercise makes each row sum to 1: along the
        last axis, dim=-1."""
        return torch.softmax(scores, dim=0)

    def dim_1(scores):
        """You share out along axis 1, which is the last axis only of a single matrix. Rows run
        along the last axis whatever their number: dim=-1."""
        return torch.softmax(scores, dim=1)

    def dim_minus_2(scores):
        """You make the columns sum to 1: each key is shared out among the queries. Each row shall
        sum to 1, so use dim=-1."""
        return torch.softmax(scores, dim=-2)

    def implicit_dim(scores):
        """You let F.softmax choose the axis, and it takes axis 0 for three axes and axis 1 for two
        or four. Name the axis yourself: dim=-1."""
        import warnings

        # The deprecation warning is not the mistake: it must not end the call.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return F.softmax(scores)

    def one_sum_for_everything(scores):
        """You divide by the sum of the whole tensor. Each row has its own sum:
        e.sum(dim=-1, keepdim=True)."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum()

    def no_max(scores):
        """You do not subtract the largest score of its row from each score, so exp overflows for
        large scores and vanishes for very low ones, and NaN comes out. Subtract it before exp."""
        e = torch.exp(scores)
        return e / e.sum(-1, keepdim=True)

    def global_max(scores):
        """You subtract one maximum for the whole tensor, so a row far below it becomes 0 / 0, which
        is NaN. Subtract from each row its own maximum."""
        e = torch.exp(scores - scores.max())
        return e / e.sum(-1, keepdim=True)

    def max_without_keepdim(scores):
        """You subtract the row maxima without keepdim=True, so they do not line up with their rows
        but with the columns, or not at all."""
        e = torch.exp(scores - scores.amax(-1))
        return e / e.sum(-1, keepdim=True)

    def sum_without_keepdim(scores):
        """You divide by the row sums without keepdim=True, so they do not line up with their rows
        but with the columns, or not at all."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(-1)

    def no_exp(scores):
        """You divide the scores themselves by their sum. The exercise takes exp of each score
        first, which makes all of them positive."""
        return scores / scores.sum(-1, keepdim=True)

    def log_softmax(scores):
        """You return the logarithm of the weights. The exercise asks for the weights themselves:
        positive, and 1 in sum."""
        return torch.log_softmax(scores, dim=-1)

    def softmax_twice(scores):
        """You apply the softmax twice, which flattens the weights and gives hidden positions some
        again. Apply it once."""
        return torch.softmax(torch.softmax(scores, dim=-1), dim=-1)

    def in_place(scores):
        """You write into the caller's scores, as -= and exp_ do. The exercise leaves its input as
        it was: use new tensors, scores = scores - ... ."""
        scores -= scores.amax(-1, keepdim=True)
        scores.exp_()
        return scores / scores.sum(-1, keepdim=True)

    def detached(scores):
        """You cut the gradients off, as detach, .data and torch.no_grad do. The exercise asks that
        they reach the scores."""
        return torch.softmax(scores.detach(), dim=-1)

    def returns_float32(scores):
        """You return float32 whatever comes in. The exercise keeps the dtype of the scores: float64
        stays float64, and bfloat16 stays bfloat16."""
        return F.softmax(scores, dim=-1, dtype=torch.float32)

    def mean_instead_of_max(scores):
        """You subtract the mean of each row. One -inf makes the mean -inf, and one large score
        still overflows. Subtract the maximum."""
        e = torch.exp(scores - scores.mean(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def min_instead_of_max(scores):
        """You subtract the smallest score of each row. One -inf turns the row into NaN, and large
        scores overflow. Subtract the largest."""
        e = torch.exp(scores - scores.amin(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def max_over_queries(scores):
        """You subtract the maximum of each column, which changes the entries of a row by different
        amounts, and so the result. Subtract the maximum of the row: dim=-1."""
        e = torch.exp(scores - scores.amax(-2, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def sum_over_queries(scores):
        """You divide by the sums of the columns. Each row shall sum to 1, so divide by the row
        sums: e.sum(dim=-1, keepdim=True)."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(-2, keepdim=True)

    def divides_by_max(scores):
        """You give the largest entry of each row the weight 1, so the row sums to more. Subtracting
        the maximum is only half of it: then divide by the sum of the row."""
        return torch.exp(scores - scores.amax(-1, keepdim=True))

    def exp_only(scores):
        """You return exp of the scores and stop there. The exercise then divides each row by its
        sum, so that it sums to 1."""
        return torch.exp(scores)

    def euclidean_norm(scores):
        """You divide each row by its length, as F.normalize does, so that its squares sum to 1. The
        exercise divides by the sum of the row."""
        return F.normalize(torch.exp(scores - scores.amax(-1, keepdim=True)), dim=-1)

    def base_2(scores):
        """You raise 2 to the power of the scores. The exercise asks for exp, powers of e:
        torch.exp."""
        e = torch.exp2(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def sigmoid(scores):
        """You squeeze each score by itself with a sigmoid. In a softmax the scores of a row share a
        total of 1."""
        return torch.sigmoid(scores)

    def one_hot(scores):
        """You give all weight to the largest score of the row. The softmax is softer: every finite
        score gets a share, exp of it over the sum of the row."""
        best = scores.argmax(-1, keepdim=True)
        return torch.zeros_like(scores).scatter(-1, best, 1.0)

    def sign_flipped(scores):
        """You give the most weight to the lowest score: a sign is turned round. Use exp(scores -
        maximum), not exp(maximum - scores)."""
        return torch.softmax(-scores, dim=-1)

    def absolute(scores):
        """You drop the sign of the scores, so -3 counts as much as 3. The exercise takes exp of the
        score as it is."""
        return torch.softmax(scores.abs(), dim=-1)

    def scales_again(scores):
        """You divide the scores by √T_k first. They come in scaled already: softmax_rows takes exp
        of them as they are."""
        return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)

    def clamped(scores):
        """You clamp the scores from both sides before exp, so all that lie beyond a limit look
        equal. Subtract the maximum of each row instead, and nothing overflows."""
        e = torch.exp(scores.clamp(-80, 80))
        return e / e.sum(-1, keepdim=True)

    def nan_to_zero(scores):
        """You let exp overflow and then turn NaN into 0, so the largest scores lose their weight.
        Subtract the maximum of each row first, and no NaN appears."""
        e = torch.exp(scores)
        return torch.nan_to_num(e / e.sum(-1, keepdim=True))

    def minus_inf_becomes_zero(scores):
        """You replace -inf by 0 before the softmax, which gives hidden positions weight again.
        Leave it: exp(-inf) is exactly 0."""
        return torch.softmax(scores.masked_fill(scores == NEG, 0.0), dim=-1)

    def masks_inside(scores):
        """You hide the future here. That is the task of mask: softmax_rows gives every finite score
        its share."""
        return torch.softmax(_mask(scores), dim=-1)

    def clamped_above(scores):
        """You cut large scores off before exp, so they look equal; very low ones still vanish, and
        0 / 0 is NaN. Subtract the maximum of each row instead."""
        e = torch.exp(scores.clamp(max=80))
        return e / e.sum(-1, keepdim=True)

    def sums_as_a_row(scores):
        """You lay the row sums out as a row, as unsqueeze(-2) does, so they line up with the
        columns or not at all. Use unsqueeze(-1), or keepdim=True in the sum."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(-1).unsqueeze(-2)

    def flat(scores):
        """You take one softmax over the whole tensor, so all rows together sum to 1. Each row
        shall sum to 1: dim=-1."""
        return torch.softmax(scores.reshape(-1), dim=0).reshape(scores.shape)

    def flat_per_matrix(scores):
        """You take one softmax over all rows of a matrix, so they sum to 1 only together. Each row
        shall sum to 1: dim=-1."""
        return torch.softmax(scores.flatten(-2), dim=-1).reshape(scores.shape)

    def max_in_numerator_only(scores):
        """You subtract the maximum above the line but not below it, so the rows do not sum to 1.
        Compute e = exp(scores - maximum) once, and use it for both."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / torch.exp(scores).sum(-1, keepdim=True)

    def max_in_denominator_only(scores):
        """You subtract the maximum below the line but not above it, so the rows do not sum to 1.
        Compute e = exp(scores - maximum) once, and use it for both."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return torch.exp(scores) / e.sum(-1, keepdim=True)

    def one_in_denominator(scores):
        """You add 1 to the sum you divide by, so the row sums to less than 1. Divide by the sum
        alone: it is never 0 once the maximum is subtracted."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / (1 + e.sum(-1, keepdim=True))

    def mean_instead_of_sum(scores):
        """You divide by the mean of the row, so it sums to T_k. Divide by its sum, so that it sums
        to 1."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.mean(-1, keepdim=True)

    def largest_amount_instead_of_max(scores):
        """You subtract the largest absolute value of the row. Of a row of very low scores, or with
        -inf in it, nothing is left, and NaN comes out. Subtract the maximum."""
        e = torch.exp(scores - scores.abs().amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def first_instead_of_max(scores):
        """You subtract the first score of each row. It may be -inf, or much lower than another one,
        and then NaN comes out. Subtract the maximum."""
        e = torch.exp(scores - scores[..., :1])
        return e / e.sum(-1, keepdim=True)

    def minus_inf_becomes_finite(scores):
        """You replace -inf by a finite number. The other scores of the row may be lower still, and
        then hidden positions get the weight. Leave it: exp(-inf) is exactly 0."""
        return torch.softmax(scores.masked_fill(scores == NEG, -1e4), dim=-1)

    def log_of_overflowing_sum(scores):
        """You take the logarithm of a sum of exps, and with large scores exp overflows before that.
        Subtract the maximum of each row first, or use torch.logsumexp."""
        return torch.exp(scores - torch.log(torch.exp(scores).sum(-1, keepdim=True)))

    def sum_over_axis_1(scores):
        """You divide by sums along axis 1, which is the last axis only of a single matrix. Sum
        along the last axis whatever their number: e.sum(dim=-1, keepdim=True)."""
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return e / e.sum(1, keepdim=True)

    def dim_2(scores):
        """You share out along axis 2, which is the last only of three axes. Rows run along the last
        axis whatever their number: dim=-1."""
        return torch.softmax(scores, dim=2)

    def dim_3(scores):
        """You share out along axis 3, and there may be only two or three axes. Rows run along the
        last axis whatever their number: dim=-1."""
        return torch.softmax(scores, dim=3)

    def clamped_below(scores):
        """You lift low scores up to a limit, and -inf with them. In a row of scores that are all
        lower, hidden positions get weight. Leave -inf: exp(-inf) is exactly 0."""
        return torch.softmax(scores.clamp(min=-1e4), dim=-1)

    def small_number_in_denominator(scores):
        """You add a small number to the sum instead of subtracting the maximum. Large scores still
        overflow, and rows of very low ones become 0. Subtract the maximum of each row."""
        e = torch.exp(scores)
        return e / (e.sum(-1, keepdim=True) + 1e-9)

    def numpy_detach(scores):
        """You leave torch on the way, for instance through numpy, and with it the gradients and
        bfloat16. The exercise keeps both, so stay with torch operations."""
        return torch.from_numpy(torch.softmax(scores, dim=-1).detach().numpy())

    def forgets_return(scores):
        """You return nothing, so the answer is None. End softmax_rows with a return of the
        weights."""
        torch.softmax(scores, dim=-1)


class attend:
    def weights_transposed(q, k, v, is_causal=False):
        """You multiply v by the transposed weights. Row i of the weights belongs to query i: use
        weights @ v as they are."""
        return _weights(q, k, is_causal).mT @ v

    def v_at_weights(q, k, v, is_causal=False):
        """You put v in front: v @ weights. The exercise asks for weights @ v, a weighted sum of the
        rows of v for each query."""
        return v @ _weights(q, k, is_causal)

    def attends_keys(q, k, v, is_causal=False):
        """You average the keys. Keys are for matching only; what a token takes away are the values:
        weights @ v."""
        return _weights(q, k, is_causal) @ k

    def never_masks(q, k, v, is_causal=False):
        """You return the same with and without is_causal: it is not looked at, or the masked scores
        are not kept. When it is True, use the scores that come out of the mask."""
        return _weights(q, k, False) @ v

    def always_masks(q, k, v, is_causal=False):
        """You mask in every call. The exercise masks only when is_causal is True; otherwise every
        query sees every key."""
        return _weights(q, k, True) @ v

    def flag_inverted(q, k, v, is_causal=False):
        """You mask when is_causal is False, and do not when it is True. It is the other way
        round."""
        return _weights(q, k, not is_causal) @ v

    def mask_after_softmax(q, k, v, is_causal=False):
        """You set weights of the future to 0 after the softmax, so causal rows sum to less than 1.
        Set their scores to -inf before it."""
        w = _weights(q, k, False)
        return (w.tril() if is_causal else w) @ v

    def scale_after_softmax(q, k, v, is_causal=False):
        """You divide by √d_k after the softmax, so the weights no longer sum to 1. Divide the
        scores, before the softmax."""
        s = q @ k.mT
        s = _mask(s) if is_causal else s
        return torch.softmax(s, -1) / math.sqrt(q.shape[-1]) @ v

    def masks_the_unscaled(q, k, v, is_causal=False):
        """You lose the division by √d_k when is_causal is True: there the unscaled scores go into
        the mask. Mask the scores that are divided already."""
        raw = q @ k.mT
        s = raw / math.sqrt(q.shape[-1])
        if is_causal:
            s = _mask(raw)
        return torch.softmax(s, -1) @ v

    def no_scale(q, k, v, is_causal=False):
        """You do not divide the dot products by √d_k, so the softmax comes out too sharp. Divide
        before the softmax."""
        s = q @ k.mT
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def softmax_over_queries(q, k, v, is_causal=False):
        """You take the softmax over the queries. Each query shares out its attention among the
        keys: softmax along the last axis, dim=-1."""
        s = _score(q, k)
        return torch.softmax(_mask(s) if is_causal else s, -2) @ v

    def softmax_dim_1(q, k, v, is_causal=False):
        """You take the softmax along axis 1, which is the axis of the keys only without leading
        axes. The keys are the last axis: dim=-1."""
        s = _score(q, k)
        return torch.softmax(_mask(s) if is_causal else s, 1) @ v

    def dropout_always(q, k, v, is_causal=False):
        """You have chance in your answer, as with dropout: two equal calls differ. The exercise
        asks for the weighted sum alone, the same every time."""
        return F.dropout(_weights(q, k, is_causal), 0.1) @ v

    def returns_tuple(q, k, v, is_causal=False):
        """You return the weights along with the result. The exercise asks for one tensor:
        weights @ v."""
        w = _weights(q, k, is_causal)
        return w @ v, w

    def returns_weights(q, k, v, is_causal=False):
        """You return the weights. One step is missing: weights @ v."""
        return _weights(q, k, is_causal)

    def bottom_right(q, k, v, is_causal=False):
        """You line the causal triangle up with the last key. The exercise lines it up with the
        first: query 0 sees key 0 alone, also when T_q and T_k differ."""
        s = _score(q, k)
        if is_causal:
            offset = 1 + k.shape[-2] - q.shape[-2]
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(offset), NEG)
        return torch.softmax(s, -1) @ v

    def zero_mask(q, k, v, is_causal=False):
        """You set the scores of the future to 0, and the softmax still gives them exp(0) = 1 to
        share. Set them to -inf."""
        s = _score(q, k)
        return torch.softmax(s.tril() if is_causal else s, -1) @ v

    def zero_is_masked(q, k, v, is_causal=False):
        """You hide every score that is 0, also of keys a query may see. Choose by position, j > i,
        and not by value."""
        s = _score(q, k)
        if is_causal:
            s = s.tril()
            s = s.masked_fill(s == 0, NEG)
        return torch.softmax(s, -1) @ v

    def fill_minus_1e4(q, k, v, is_causal=False):
        """You hide the future with a finite number such as -10000. Scores can be far lower, and
        then the future gets the weight. Use -inf."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(_future(s), -1e4)
        return torch.softmax(s, -1) @ v

    def hides_self(q, k, v, is_causal=False):
        """You hide each token from itself, so the first row has nothing to see and becomes NaN.
        Hide j > i only: triu(1)."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(), NEG)
        return torch.softmax(s, -1) @ v

    def scores_transposed(q, k, v, is_causal=False):
        """You let the keys ask and the queries answer: your scores are k times q transposed. The
        exercise asks for q @ k.mT, a row for each query."""
        return _weights(k, q, is_causal) @ v

    def first_batch_only(q, k, v, is_causal=False):
        """You use the weights of the first batch for all. The exercise gives each batch the weights
        of its own q and k."""
        w = _weights(q, k, is_causal)
        return (w if w.dim() == 2 else w[:1].expand_as(w)) @ v

    def weights_detached(q, k, v, is_causal=False):
        """You cut the weights off from their gradients, so v learns but q and k do not. Multiply v
        by the weights as they are, without detach."""
        return _weights(q, k, is_causal).detach() @ v

    def no_grad(q, k, v, is_causal=False):
        """You cut the gradients off, as torch.no_grad and detach do. The exercise asks that they
        reach q, k and v."""
        with torch.no_grad():
            return _weights(q, k, is_causal) @ v

    def scales_q_in_place(q, k, v, is_causal=False):
        """You change the caller's q, as q *= ... does, so the next call starts from another q.
        Write q = q * ... for a new tensor."""
        q *= q.shape[-1] ** -0.5
        s = q @ k.mT
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def keys_cut_to_T_q(q, k, v, is_causal=False):
        """You use only as many keys as there are queries and drop the rest. Without is_causal every
        query sees all T_k keys."""
        t = q.shape[-2]
        return _weights(q, k[..., :t, :], is_causal) @ v[..., :t, :]

    def exclusive_prefix_loop(q, k, v, is_causal=False):
        """You do not let query i see key i itself, so the first one sees nothing and takes 0. Hide
        j > i only: that is triu(1), or k[..., : i + 1, :] in a loop."""
        if not is_causal:
            return _weights(q, k, False) @ v
        rows = [
            _weights(q[..., i : i + 1, :], k[..., :i, :], False) @ v[..., :i, :]
            for i in range(q.shape[-2])
        ]
        return torch.cat(rows, dim=-2)

    def cached_first_mask(q, k, v, is_causal=False, _cache={}):
        """You use the mask of the first causal call for ever, whatever T_q and T_k are. Make a new
        one, or keep one for each size."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(_cache.setdefault("m", _future(s)), NEG)
        return torch.softmax(s, -1) @ v

    def cpu_mask(q, k, v, is_causal=False):
        """You make the mask on the CPU wherever q is, so it fails on a GPU. Add device=q.device
        where you make it."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(torch.ones(s.shape[-2:]).triu(1).bool(), NEG)
        return torch.softmax(s, -1) @ v

    def mask_dropped_by_non_inplace(q, k, v, is_causal=False):
        """You get the same with and without is_causal: the masked scores are thrown away, or
        is_causal is not looked at. masked_fill returns a new tensor: s = s.masked_fill(...)."""
        s = _score(q, k)
        if is_causal:
            s.masked_fill(_future(s), NEG)
        return torch.softmax(s, -1) @ v

    def returns_v(q, k, v, is_causal=False):
        """You return v as it came in. Each query takes away a weighted sum of the rows of v:
        weights @ v."""
        return v.clone()

    def averages_v(q, k, v, is_causal=False):
        """You give every value the same weight, so q and k have no say. The weights are the softmax
        of the scores of q with k."""
        mean = v.mean(-2, keepdim=True)
        return mean.expand(*v.shape[:-2], q.shape[-2], v.shape[-1])

    def adds_q(q, k, v, is_causal=False):
        """You add q to the result, like the shortcut around a transformer layer. The exercise asks
        for weights @ v alone."""
        return q + _weights(q, k, is_causal) @ v

    def k_and_v_swapped(q, k, v, is_causal=False):
        """You swap the roles of k and v: queries are matched with the values. Match them with the
        keys, q @ k.mT, and average the values."""
        return _weights(q, v, is_causal) @ k

    def sqrt_of_d_v(q, k, v, is_causal=False):
        """You divide the scores by √d_v, the width of the values. The exercise asks for √d_k, the
        width of the queries and keys: q.shape[-1]."""
        s = q @ k.mT / math.sqrt(v.shape[-1])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def scaled_twice(q, k, v, is_causal=False):
        """You divide the scores by d_k: by √d_k twice, or without the root. Divide once by √d_k;
        what comes out of score is divided already."""
        s = _score(q, k) / math.sqrt(q.shape[-1])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def no_softmax(q, k, v, is_causal=False):
        """You multiply the scores themselves by v. The softmax between the two is missing: it turns
        each row of scores into weights that sum to 1."""
        s = _score(q, k)
        return (_mask(s) if is_causal else s) @ v

    def softmax_twice(q, k, v, is_causal=False):
        """You apply the softmax twice, which flattens the weights and lets some of the future back
        in. Apply it once."""
        return torch.softmax(_weights(q, k, is_causal), -1) @ v

    def no_max(q, k, v, is_causal=False):
        """You do not subtract the largest score of each row, so exp of large ones overflows and NaN
        comes out. Subtract it before exp, or use torch.softmax."""
        s = _score(q, k)
        e = torch.exp(_mask(s) if is_causal else s)
        return e @ v / e.sum(-1, keepdim=True)

    def leaks_one(q, k, v, is_causal=False):
        """You let each query see one step ahead when is_causal is True. Hide from j = i + 1 on,
        which is triu(1)."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(2), NEG)
        return torch.softmax(s, -1) @ v

    def hides_past(q, k, v, is_causal=False):
        """You hide the past, j < i, when is_causal is True: your triangle is the wrong one of the
        two. Hide the future, j > i."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).tril(-1), NEG)
        return torch.softmax(s, -1) @ v

    def renormalised_after_softmax(q, k, v, is_causal=False):
        """You mask after exp or after the softmax and divide by what is left. If the future had all
        the weight, that is 0, and 0 / 0 is NaN. Mask the scores, before their maximum is taken."""
        w = _weights(q, k, False)
        if is_causal:
            w = w.tril()
            w = w / w.sum(-1, keepdim=True)
        return w @ v

    def merges_heads(q, k, v, is_causal=False):
        """You join the heads side by side in one axis. The exercise keeps the leading axes as they
        are: (..., T_q, d_v)."""
        out = _weights(q, k, is_causal) @ v
        return out.transpose(1, 2).flatten(2) if out.dim() == 4 else out

    def squeezes(q, k, v, is_causal=False):
        """You drop axes of size 1, as squeeze() does. The exercise returns (..., T_q, d_v) whatever
        the sizes: a batch of one is still a batch."""
        return (_weights(q, k, is_causal) @ v).squeeze()

    def causal_by_default(q, k, v, is_causal=True):
        """You mask when is_causal is left out. Its default is False: without it every query sees
        every key."""
        return _weights(q, k, is_causal) @ v

    def returns_float32(q, k, v, is_causal=False):
        """You return float32 whatever comes in. The exercise keeps the dtype of its inputs: float64
        stays float64, and bfloat16 stays bfloat16."""
        return _weights(q.float(), k.float(), is_causal) @ v.float()

    def global_max(q, k, v, is_causal=False):
        """You subtract one maximum for all queries, so exp of a query whose scores lie far below it
        is 0 throughout, and 0 / 0 is NaN. Subtract the maximum of each row."""
        s = _score(q, k)
        s = _mask(s) if is_causal else s
        e = torch.exp(s - s.max())
        return e / e.sum(-1, keepdim=True) @ v

    def sqrt_of_T_k(q, k, v, is_causal=False):
        """You divide the scores by √T_k, the root of the number of keys. The exercise asks for
        √d_k, the width of the queries and keys: q.shape[-1]."""
        s = q @ k.mT / math.sqrt(k.shape[-2])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def sqrt_of_T_q(q, k, v, is_causal=False):
        """You divide the scores by √T_q, the root of the number of queries. The exercise asks for
        √d_k, the width of the queries and keys: q.shape[-1]."""
        s = q @ k.mT / math.sqrt(q.shape[-2])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def scales_the_result_too(q, k, v, is_causal=False):
        """You divide by √d_k once more, after the softmax, so the weights sum to less than 1.
        Divide the scores, before the softmax, and nothing else."""
        return _weights(q, k, is_causal) @ v / math.sqrt(q.shape[-1])

    def causal_only_if_square(q, k, v, is_causal=False):
        """You hide nothing when T_q and T_k differ. With is_causal, j > i is hidden then too,
        counted from the first query and the first key."""
        return _weights(q, k, is_causal and q.shape[-2] == k.shape[-2]) @ v

    def hides_past_nan_to_zero(q, k, v, is_causal=False):
        """You hide the past, j < i, when is_causal is True, and queries that see nothing take 0.
        Your triangle is the wrong one of the two: hide the future, j > i."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).tril(-1), NEG)
        return torch.softmax(s, -1).nan_to_num() @ v

    def bottom_right_nan_to_zero(q, k, v, is_causal=False):
        """You line the causal triangle up with the last key, and queries that see nothing take 0.
        The exercise lines it up with the first: query 0 always sees key 0."""
        s = _score(q, k)
        if is_causal:
            offset = 1 + k.shape[-2] - q.shape[-2]
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(offset), NEG)
        return torch.softmax(s, -1).nan_to_num() @ v

    def hides_self_but_in_row_0(q, k, v, is_causal=False):
        """You do not let query i see key i itself, but for the first query, which has no other.
        Hide j > i only: that is triu(1), or k[..., : i + 1, :] in a loop."""
        s = _score(q, k)
        if is_causal:
            hidden = torch.ones_like(s, dtype=torch.bool).triu()
            hidden[..., 0, 0] = False
            s = s.masked_fill(hidden, NEG)
        return torch.softmax(s, -1) @ v

    def k_transpose_1_2(q, k, v, is_causal=False):
        """You swap axes 1 and 2 of k, which are the right ones only for three axes. Count from the
        end, k.transpose(-2, -1), and it works for any number."""
        s = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def k_transpose_0_1(q, k, v, is_causal=False):
        """You swap axes 0 and 1 of k, which are the right ones only for a single matrix. Count from
        the end, k.transpose(-2, -1), and it works for batches and heads too."""
        s = q @ k.transpose(0, 1) / math.sqrt(q.shape[-1])
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def no_softmax_zero_mask(q, k, v, is_causal=False):
        """You multiply the scores themselves by v. The softmax between the two is missing, and it
        needs -inf where you now put 0 for the future."""
        s = _score(q, k)
        return (s.tril() if is_causal else s) @ v

    def q_with_q(q, k, v, is_causal=False):
        """You match the queries with each other and never look at k. Match them with the keys:
        q @ k.mT."""
        return _weights(q, q, is_causal) @ v

    def k_with_k(q, k, v, is_causal=False):
        """You match the keys with each other and never look at q. Match the queries with the keys:
        q @ k.mT."""
        return _weights(k, k, is_causal) @ v

    def output_transposed(q, k, v, is_causal=False):
        """You return (..., d_v, T_q), features before tokens. The exercise keeps a row for each
        query: weights @ v as it is."""
        return (_weights(q, k, is_causal) @ v).mT

    def minus_inf_after_softmax(q, k, v, is_causal=False):
        """You put -inf into the weights, after the softmax, so infinite values or NaN come out. Put
        it into the scores, before the softmax."""
        w = _weights(q, k, False)
        return (_mask(w) if is_causal else w) @ v

    def v_cut_off(q, k, v, is_causal=False):
        """You cut v off from its gradients, as detach and .data do, so the values never learn. Use
        v itself."""
        return _weights(q, k, is_causal) @ v.detach()

    def adds_q_if_it_fits(q, k, v, is_causal=False):
        """You add q to the result whenever the shapes fit, like the shortcut around a transformer
        layer. The exercise asks for weights @ v alone."""
        out = _weights(q, k, is_causal) @ v
        return out + q if out.shape == q.shape else out

    def clamped(q, k, v, is_causal=False):
        """You clamp the scores, so all that lie beyond a limit look equal. Leave them as they are:
        torch.softmax, or subtracting the maximum of each row, copes with any size."""
        s = _score(q, k).clamp(-1e4, 1e4)
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def fill_minus_1e6(q, k, v, is_causal=False):
        """You hide the future with a finite number such as -1e6. Scores can be as low as that, and
        then the future gets weight. Use -inf."""
        s = _score(q, k)
        if is_causal:
            s = s.masked_fill(_future(s), -1e6)
        return torch.softmax(s, -1) @ v

    def negated(q, k, v, is_causal=False):
        """You turn the sign of the scores round, so the worst match gets the most weight. Take the
        softmax of q @ k.mT / √d_k as it is."""
        return _weights(-q, k, is_causal) @ v

    def one_hot(q, k, v, is_causal=False):
        """You let each query take the one best value. The softmax is softer: every visible key gets
        a share of the weight."""
        s = _score(q, k)
        s = _mask(s) if is_causal else s
        best = s.argmax(-1, keepdim=True)
        return torch.zeros_like(s).scatter(-1, best, 1.0) @ v

    def averages_visible(q, k, v, is_causal=False):
        """You give every visible value the same weight, so q and k have no say. The weights are the
        softmax of the scores of q with k."""
        s = torch.zeros_like(_score(q, k))
        return torch.softmax(_mask(s) if is_causal else s, -1) @ v

    def ones_as_mask(q, k, v, is_causal=False):
        """You move the future down by 1 only, as adding a triangle of ones does. Its scores have to
        become -inf: the ones can only say where."""
        s = _score(q, k)
        return torch.softmax(s + torch.ones_like(s).tril() if is_causal else s, -1) @ v

    def no_is_causal(q, k, v):
        """Your attend has no parameter is_causal. The exercise calls attend(q, k, v,
        is_causal=True), so the name has to be this one."""
        return _weights(q, k, False) @ v

    def masks_if_given(q, k, v, is_causal=None):
        """You mask whenever is_causal is given, even if it is False. Ask whether it is true: if
        is_causal, and not whether it is None."""
        return _weights(q, k, is_causal is not None) @ v

    def masks_v(q, k, v, is_causal=False):
        """You cut v to a triangle. Which keys a query may see is a matter of the scores: set those
        with j > i to -inf before the softmax, and leave v whole."""
        return _weights(q, k, False) @ (v.tril() if is_causal else v)

    def renormalised_with_eps(q, k, v, is_causal=False):
        """You mask after exp or after the softmax and divide by what is left and a little more. If
        the future had all the weight, 0 comes out. Mask the scores, before the softmax."""
        w = _weights(q, k, False)
        if is_causal:
            w = w.tril()
            w = w / (w.sum(-1, keepdim=True) + 1e-9)
        return w @ v

    def two_axes_only(q, k, v, is_causal=False):
        """Yours works only for two axes, (T, d_k). There may be batches and heads in front: @, .mT
        and shape[-2:] take any number of axes."""
        _, _ = q.shape
        return _weights(q, k, is_causal) @ v

    def three_axes_only(q, k, v, is_causal=False):
        """Yours works only for three axes, (B, T, d_k). There may be no batch, or heads as well: @,
        .mT and shape[-2:] take any number of axes."""
        _, _, _ = q.shape
        return _weights(q, k, is_causal) @ v

    def numpy_detach(q, k, v, is_causal=False):
        """You leave torch on the way, for instance through numpy, and with it the gradients and
        bfloat16. The exercise keeps both, so stay with torch operations."""
        w = _weights(q, k, is_causal)
        return torch.from_numpy(w.detach().numpy() @ v.detach().numpy())

    def mask_of_T_q(q, k, v, is_causal=False):
        """You make the mask T_q by T_q. There may be more or fewer keys than queries: make it T_q
        by T_k, which is scores.shape[-2:]."""
        s = _score(q, k)
        if is_causal:
            t_q = q.shape[-2]
            s = s.masked_fill(torch.ones(t_q, t_q).triu(1).bool(), NEG)
        return torch.softmax(s, -1) @ v

    def mask_of_T_k(q, k, v, is_causal=False):
        """You make the mask T_k by T_k. There may be more or fewer queries than keys: make it T_q
        by T_k, which is scores.shape[-2:]."""
        s = _score(q, k)
        if is_causal:
            t_k = k.shape[-2]
            s = s.masked_fill(torch.ones(t_k, t_k).triu(1).bool(), NEG)
        return torch.softmax(s, -1) @ v

    def forgets_return(q, k, v, is_causal=False):
        """You return nothing, so the answer is None. End attend with a return of weights @ v."""
        _weights(q, k, is_causal) @ v


# No input within the contract tells these apart, so either sentence has to be right for both.
TWINS = [
    (
        "score",
        {"divide_by_d", "scaled_twice"},
        "Dividing by the root of d_k twice is dividing by d_k.",
    ),
    (
        "attend",
        {"never_masks", "mask_dropped_by_non_inplace"},
        "A mask that is thrown away changes as little as one that was never made.",
    ),
]
