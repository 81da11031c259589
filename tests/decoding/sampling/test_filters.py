"""Top-k, top-p, min-p: transformers' warpers, the laws that each obeys, ties, refusals."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from plainformer.decoding import greedy_search, min_p, top_k, top_p
from plainformer.decoding.example import COUNTS, LOGITS
from plainformer.decoding.sampling.filters import TOLERANCE, largest

INF = math.inf
seeds = st.integers(0, 2**32 - 1)
ks, ps = st.integers(1, 12), st.floats(0.01, 0.99)
widths = st.sampled_from([1, 2, 7, 50, 3000, 5000])  # from 4,096 on, not all is sorted
few = st.sampled_from([-INF, -2.0, 0.0, 0.5, 1.0])  # many ties
TIED = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=9), elements=few).filter(
    lambda z: np.isfinite(z).any(axis=-1).all()
)


def random(seed, width, rows=3):
    """(rows, width) logits without ties: flat, or with a peak, some of them impossible."""
    rng = np.random.default_rng(seed)
    z = rng.choice([0.1, 1.0, 3.0]) * rng.standard_normal((rows, width))
    z[:, 1:][rng.random((rows, width - 1)) < rng.choice([0.0, 0.2, 0.99])] = -INF
    return z


def probabilities(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def warped(warper, logits):
    return warper(None, torch.from_numpy(logits)).numpy()


# transformers


@given(seeds, widths, st.integers(1, 200))
def test_top_k_is_that_of_transformers(seed, width, k):
    z = random(seed, width)
    np.testing.assert_array_equal(top_k(z, k), warped(TopKLogitsWarper(k), z))


@given(TIED.filter(lambda z: z.ndim == 2), ks)
def test_top_k_keeps_ties_as_transformers_does(z, k):
    np.testing.assert_array_equal(top_k(z, k), warped(TopKLogitsWarper(k), z))


@given(seeds, widths, ps)
def test_top_p_is_that_of_transformers(seed, width, p):
    """Where no running sum is so near to p that rounding decides."""
    z = random(seed, width)
    sums = np.cumsum(np.sort(probabilities(z))[:, ::-1], axis=-1)
    assume((abs(sums - p) > 2 * TOLERANCE).all())
    np.testing.assert_array_equal(top_p(z, p), warped(TopPLogitsWarper(p), z))


def test_where_top_p_differs_from_transformers():
    """Ours keeps the first of those that tie. And 0.4 + 0.2 + … is 0.9 to it, not short of it."""
    z = np.zeros((1, 4))
    assert np.isfinite(top_p(z, 0.5)).tolist() == [[True, True, False, False]]
    assert np.isfinite(warped(TopPLogitsWarper(0.5), z)).sum() == 2  # which two, its sort decides
    assert np.isfinite(top_p(LOGITS, 0.9)).sum() == 5  # 40 + 20 + 12 + 10 + 8 = 90
    assert np.isfinite(top_p(LOGITS.astype(np.float32), 0.9)).sum() == 5


@given(seeds, widths, ps)
def test_min_p_is_that_of_transformers(seed, width, p):
    z = random(seed, width)
    shares = probabilities(z) / probabilities(z).max(axis=-1, keepdims=True)
    assume((abs(shares - p) > 2 * TOLERANCE).all())
    np.testing.assert_array_equal(min_p(z, p), warped(MinPLogitsWarper(p), z))


# Laws


@given(TIED, ks, ps)
def test_what_is_kept_stays_as_it_was_and_what_is_cut_was_less_probable(z, k, p):
    for after in (top_k(z, k), top_p(z, p), min_p(z, p)):
        kept = after > -INF
        np.testing.assert_array_equal(after[kept], z[kept])  # so also its relative probability
        assert kept.any(axis=-1).all()
        least = np.where(kept, z, INF).min(axis=-1, keepdims=True)
        assert (np.where(kept, -INF, z) <= least).all()
        top = z == z.max(axis=-1, keepdims=True)
        assert (kept & top).any(axis=-1).all()


@given(TIED, ks)
def test_top_k_keeps_k_and_the_ties_of_the_kth(z, k):
    kept = top_k(z, k) > -INF
    for row, kept_row in zip(
        z.reshape(-1, z.shape[-1]), kept.reshape(-1, z.shape[-1]), strict=True
    ):
        better = [int((row > each).sum()) for each in row]
        assert kept_row.tolist() == [b < k and x > -INF for b, x in zip(better, row, strict=True)]


@given(TIED, ps)
def test_the_nucleus_reaches_p_and_could_not_do_with_one_less(z, p):
    kept, p_of = top_p(z, p) > -INF, probabilities(z)
    together = np.where(kept, p_of, 0).sum(axis=-1)
    assert (together >= p - 2 * TOLERANCE).all()
    least = np.where(kept, p_of, 1).min(axis=-1)
    assert (together - least < p).all()


@given(TIED, ps)
def test_of_those_that_tie_the_nucleus_takes_the_first(z, p):
    def by_hand(row):
        kept, total = set(), 0.0
        for i in sorted(range(len(row)), key=lambda i: (-row[i], i)):
            kept.add(i)
            total += row[i]
            if total >= p - TOLERANCE:
                return [i in kept for i in range(len(row))]
        return [x > 0 for x in row]

    assume((abs(np.cumsum(np.sort(probabilities(z)), axis=-1) - 1 + p) > 2 * TOLERANCE).all())
    rows = probabilities(z).reshape(-1, z.shape[-1])
    kept = (top_p(z, p) > -INF).reshape(rows.shape)
    assert kept.tolist() == [by_hand(row) for row in rows.tolist()]


@given(seeds, widths, ps)
def test_min_p_keeps_what_has_that_share_of_the_best(seed, width, p):
    z = random(seed, width)
    shares = probabilities(z) / probabilities(z).max(axis=-1, keepdims=True)
    assume((abs(shares - p) > 2 * TOLERANCE).all())
    np.testing.assert_array_equal(min_p(z, p) > -INF, shares >= p)


@given(seeds)
def test_top_one_is_greedy(seed):
    table = random(seed, 5, rows=5)
    for only in (lambda z: top_k(z, 1), lambda z: min_p(z, 1), lambda z: top_p(z, 1e-9)):
        kept = only(table) > -INF
        assert (kept.sum(axis=-1) == 1).all()
        text = [0]
        for _ in range(4):
            text.append(int(kept[text[-1]].argmax()))
        assert greedy_search(lambda ids: table[ids[:, -1]], [0], max_new_tokens=4) == text


@given(TIED, ks, ps)
def test_a_second_time_cuts_no_more(z, k, p):
    """Not so for top-p, which would cut p of what is left."""
    np.testing.assert_array_equal(top_k(top_k(z, k), k), top_k(z, k))
    np.testing.assert_array_equal(min_p(min_p(z, p), p), min_p(z, p))


def test_the_small_numbers():
    kept = {
        3: top_k(LOGITS, 3),
        4: top_p(LOGITS, 0.8),
        5: top_p(LOGITS, 0.9),
        6: top_p(LOGITS, 0.90001),
        2: min_p(LOGITS, 0.4),
    }
    for n, after in kept.items():
        assert np.exp(after).round().tolist() == [*COUNTS[:n], *[0] * (8 - n)]
    assert (min_p(LOGITS, 0.5) > -INF).sum() == 2  # 20 is half of 40, to a float too
    assert (min_p(LOGITS.astype(np.float32), 0.25) > -INF).sum() == 4
    for nothing in (top_k(LOGITS, 8), top_k(LOGITS, 10**9), top_p(LOGITS, 1), min_p(LOGITS, 1e-9)):
        np.testing.assert_array_equal(nothing, LOGITS)


# Libraries and types


@pytest.mark.parametrize("cut", [lambda z: top_k(z, 3), lambda z: top_p(z, 0.7),
                                 lambda z: min_p(z, 0.3)])  # fmt: skip
@pytest.mark.parametrize("width", [9, 9000])
def test_torch_and_other_types(cut, width):
    z = random(5, width)
    ours = cut(torch.from_numpy(z))
    assert isinstance(ours, torch.Tensor) and ours.dtype == torch.float64
    np.testing.assert_array_equal(ours.numpy(), cut(z))
    for dtype in (np.float32, np.float16):
        small = cut(z.astype(dtype))
        assert small.dtype == dtype
        exact = cut(z.astype(dtype).astype(np.float64))
        np.testing.assert_array_equal(small.astype(np.float64), exact)
    half = torch.from_numpy(z).to(torch.bfloat16)
    assert cut(half).dtype == torch.bfloat16
    assert torch.equal(cut(half).double(), cut(half.double()))


def test_gradients_flow_through_what_is_kept():
    for cut in (lambda z: top_k(z, 3), lambda z: top_p(z, 0.7), lambda z: min_p(z, 0.2)):
        z = torch.tensor(LOGITS.copy(), requires_grad=True)
        after = cut(z)
        torch.softmax(after, dim=-1)[0].backward()
        assert z.grad is not None
        assert ((z.grad != 0) == torch.isfinite(after)).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_torch_rows_are_sorted_by_numpy(dtype):
    z = torch.from_numpy(random(0, 50)).to(dtype)
    for n in (1, 7, 50):
        ranked = largest(z, n)
        assert ranked.dtype == dtype
        assert torch.equal(ranked, torch.sort(z, descending=True).values[:, :n])


@pytest.mark.parametrize("device", ["cpu", "meta"])  # meta takes the path of a GPU
def test_ranked_logits_have_no_gradient(device):
    z = torch.empty(2, 5, device=device).fill_(1.0).requires_grad_()
    assert not largest(z, 3).requires_grad


def test_the_argument_is_left_alone():
    z = random(3, 5000)
    before = z.copy()
    for after in (top_k(z, 3), top_p(z, 0.5), min_p(z, 0.5)):
        assert after is not z
    np.testing.assert_array_equal(z, before)


# Refusals


@pytest.mark.parametrize("cut", [top_p, min_p])
@pytest.mark.parametrize("p", [0, 1.0001, 90])
def test_shares_out_of_range(cut, p):
    with pytest.raises(ValueError, match=r"^p must be above 0 and at most 1; got "):
        cut(LOGITS, p)
