"""`blockwise_attention` gives what `attention` gives, whatever the blocks, and with less memory."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.attention.arrays import NAN, random, seeds, tensors
from tests.attention.efficient.blocks import block_sizes, either, near, plain, sizes
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plainformer.attention import blockwise_attention, causal_mask
from plainformer.attention.efficient import online_attention

# The same numbers


@given(
    lead=st.lists(st.integers(1, 3), max_size=2).map(tuple),
    T=sizes, earlier=st.integers(0, 9), K=sizes, Dv=sizes,
    block_size=block_sizes, causal=st.booleans(),
    scale=st.sampled_from([None, 1.0, 0.25, -2.0]), seed=seeds,
)  # fmt: skip
def test_plain_attention_for_any_block_size(
    lead: tuple[int, ...],
    T: int,
    earlier: int,
    K: int,
    Dv: int,
    block_size: int,
    causal: bool,
    scale: float | None,
    seed: int,
) -> None:
    S = T + earlier
    arrays = random(seed, (*lead, T, K), (*lead, S, K), (*lead, S, Dv))
    for make in (np.asarray, torch.asarray):
        q, k, v = (make(x) for x in arrays)
        ours = blockwise_attention(q, k, v, block_size=block_size, causal=causal, scale=scale)
        assert ours.shape == (*lead, T, Dv)
        near(ours, plain(q, k, v, causal=causal, scale=scale))


@given(T=sizes, S=sizes, block_size=block_sizes, seed=seeds)
def test_more_queries_than_keys(T: int, S: int, block_size: int, seed: int) -> None:
    """As in cross-attention, where nothing is causal."""
    q, k, v = random(seed, (2, T, 3), (2, S, 3), (2, S, 4))
    near(blockwise_attention(q, k, v, block_size=block_size), plain(q, k, v))


@given(
    block_size=block_sizes, T=sizes, S=sizes, causal=st.booleans(), seed=seeds,
    dtype=st.sampled_from([np.float32, np.float64]),
    make=st.sampled_from([np.asarray, torch.asarray]),
)  # fmt: skip
def test_scores_of_ten_thousand(
    block_size: int, T: int, S: int, causal: bool, seed: int, dtype: Any, make: Callable[[Any], Any]
) -> None:
    """exp(10⁴) overflows and exp(-10⁴) is 0: of two such sums, none may be missed."""
    rng = np.random.default_rng(seed)
    S = max(S, T)
    q = np.ones((T, 1), dtype=dtype)
    k = rng.choice([-1e4, 1e4, 9999.0, 0.0], size=(S, 1)).astype(dtype)
    q, k, v = (make(x) for x in (q, k, rng.standard_normal((S, 2)).astype(dtype)))
    theirs, atol = plain(q, k, v, causal=causal), 8 * float(np.finfo(dtype).eps)
    near(blockwise_attention(q, k, v, block_size=block_size, causal=causal), theirs, atol)
    near(online_attention(q, k, v, block_size, causal), theirs, atol)  # with nothing done again


@either
@pytest.mark.parametrize(
    ("T", "block_size"), [(40, 1), (90, 7), (300, 64), (300, 128), (300, 1000)]
)
def test_torchs_fused_kernel(T: int, block_size: int, causal: bool) -> None:
    q, k, v = (torch.from_numpy(x).float() for x in random(0, *[(2, 3, T, 16)] * 3))
    ours = blockwise_attention(q, k, v, block_size=block_size, causal=causal)
    torch.testing.assert_close(ours, sdpa(q, k, v, is_causal=causal), rtol=0, atol=2e-6)


def test_torchs_fused_kernel_where_the_queries_are_the_last() -> None:
    """Its own causal mask would let the first query see the first key alone."""
    q, k, v = (torch.from_numpy(x) for x in random(0, (2, 3, 20, 8), *[(2, 3, 50, 8)] * 2))
    mask = torch.from_numpy(causal_mask(20, 50, offset=30))
    ours = blockwise_attention(q, k, v, block_size=16, causal=True)
    near(ours, sdpa(q, k, v, attn_mask=mask))
    assert not torch.allclose(ours, sdpa(q, k, v, is_causal=True))


def test_narrow_floats() -> None:
    """As far from the exact result as the plain formula, though sums are rounded at every block."""
    exact = [torch.from_numpy(x).bfloat16() for x in random(0, *[(4, 200, 16)] * 3)]
    ours = blockwise_attention(*exact, block_size=16, causal=True)
    assert ours.dtype == torch.bfloat16
    wide = plain(*(x.double() for x in exact), causal=True)
    off, plain_off = (
        float((x.double() - wide).abs().max()) for x in (ours, plain(*exact, causal=True))
    )
    assert off <= 4 * max(plain_off, torch.finfo(torch.bfloat16).eps)


@given(block_size=block_sizes, causal=st.booleans(), seed=seeds)
def test_leading_axes_broadcast(block_size: int, causal: bool, seed: int) -> None:
    """Grouped queries: (B, G, H/G, T, K) beside keys (B, G, 1, S, K)."""
    q, k, v = random(seed, (2, 3, 2, 5, 4), (2, 3, 1, 7, 4), (7, 3))
    near(
        blockwise_attention(q, k, v, block_size=block_size, causal=causal),
        plain(q, k, v, causal=causal),
    )


def test_what_is_given_and_what_comes_back() -> None:
    rows = [[1, 2], [3, 4], [5, 7]]
    near(blockwise_attention(rows, rows, rows, block_size=2), plain(*[np.asarray(rows)] * 3))
    narrow = np.asarray(rows, dtype=np.float32)
    assert blockwise_attention(narrow, narrow, narrow).dtype == np.float32
    assert blockwise_attention(narrow, narrow, narrow.astype(np.float64)).dtype == np.float64
    q, k, v = (np.asarray(x) for x in random(0, (0, 4), (5, 4), (5, 3)))
    assert blockwise_attention(q, k, v, causal=True).shape == (0, 3)
    q, k, v = random(0, (2, 0, 3, 4), (2, 0, 5, 4), (2, 0, 5, 6))  # no heads
    assert blockwise_attention(q, k, v).shape == (2, 0, 3, 6)


# The online softmax


@pytest.mark.parametrize(
    "scores", [[1.0, 2, 3, 4], [4.0, 3, 2, 1], [2.0, 2, 2, 2], [-5.0, 9, -7, 3]]
)
def test_a_top_that_rises_or_falls_or_stays(scores: list[float]) -> None:
    v = [[1.0], [10.0], [100.0], [1000.0]]
    weights = np.exp(scores) / np.sum(np.exp(scores))
    for block_size in (1, 2, 3, 4):
        ours = online_attention(
            np.ones((1, 1)), np.asarray(scores)[:, None], np.asarray(v), block_size, False
        )
        np.testing.assert_allclose(ours, weights[None] @ v, rtol=1e-14)


@given(S=sizes, block_size=block_sizes, seed=seeds)
def test_the_order_of_the_keys_does_not_matter(S: int, block_size: int, seed: int) -> None:
    q, k, v = random(seed, (3, 4), (S, 4), (S, 2))
    order = np.random.default_rng(seed).permutation(S)
    ours, shuffled = (
        blockwise_attention(q, keys, values, block_size=block_size)
        for keys, values in ((k, v), (k[order], v[order]))
    )
    near(ours, shuffled)


# Who sees what


@given(T=sizes, earlier=st.integers(0, 5), i=st.integers(0, 20), block_size=block_sizes, seed=seeds)
def test_the_future_never_matters(T: int, earlier: int, i: int, block_size: int, seed: int) -> None:
    """Bit for bit."""
    S, i = T + earlier, i % T
    q, k, v, other_k, other_v = random(seed, (2, T, 3), *[(2, S, 3), (2, S, 4)] * 2)
    before = blockwise_attention(q, k, v, block_size=block_size, causal=True)
    k[:, earlier + i + 1 :], v[:, earlier + i + 1 :] = (
        1e6 * x[:, earlier + i + 1 :] for x in (other_k, other_v)
    )
    after = blockwise_attention(q, k, v, block_size=block_size, causal=True)
    np.testing.assert_array_equal(before[:, : i + 1], after[:, : i + 1])


@given(T=sizes, seed=seeds, block_size=block_sizes, cut=st.integers(0, 9))
def test_a_text_in_two_pieces(T: int, seed: int, block_size: int, cut: int) -> None:
    """With the keys of the first piece kept, as in a cache, the second one gets the same."""
    q, k, v = random(seed, *[(2, T, 4)] * 3)
    cut = min(cut, T)
    whole = blockwise_attention(q, k, v, block_size=block_size, causal=True)
    pieces = [
        blockwise_attention(q[:, a:b], k[:, :b], v[:, :b], block_size=block_size, causal=True)
        for a, b in ((0, cut), (cut, T))
    ]
    near(np.concatenate(pieces, axis=-2), whole)


def test_blocks_that_nobody_may_see_are_not_read() -> None:
    """The plain formula multiplies what stands there by 0, which a NaN survives."""
    q, k, v = random(0, *[(6, 4)] * 3)
    whole = blockwise_attention(q, k, v, block_size=2, causal=True)
    k[4:], v[4:] = NAN, NAN
    ours = blockwise_attention(q, k, v, block_size=2, causal=True)
    np.testing.assert_array_equal(ours[:4], whole[:4])
    assert np.isnan(ours[4:]).all() and np.isnan(plain(q, k, v, causal=True)).all()


@either
def test_one_head_does_not_matter_to_another(causal: bool) -> None:
    q, k, v = random(0, *[(2, 3, 9, 4)] * 3)
    before = blockwise_attention(q, k, v, block_size=4, causal=causal)
    for x in (q, k, v):
        x[0, 1] = 100.0
    after = blockwise_attention(q, k, v, block_size=4, causal=causal)
    changed = np.any(before != after, axis=(-2, -1))
    assert changed.tolist() == [[False, True, False], [False, False, False]]


# Memory


def peak(call: Callable[[], Any]) -> int:
    """The most bytes in use at a time, beyond those from before. NumPy reports its own."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@either
def test_memory_grows_as_the_text(causal: bool) -> None:
    """No timing: how many bytes NumPy asks for is the same at every run."""

    def of(T: int) -> int:
        q, k, v = random(0, *[(T, 8)] * 3)
        return peak(lambda: blockwise_attention(q, k, v, block_size=64, causal=causal))

    peaks = {T: of(T) for T in (1024, 2048, 4096)}
    assert peaks[2048] < 2.1 * peaks[1024] and peaks[4096] < 2.1 * peaks[2048]
    assert peaks[4096] < 5 * 4096 * 8 * 8  # a few arrays like q
    q, k, v = random(0, *[(1024, 8)] * 3)
    assert peaks[1024] < 0.1 * peak(lambda: plain(q, k, v, causal=causal))


# Gradients


@given(T=sizes, earlier=st.integers(0, 5), block_size=block_sizes, causal=st.booleans(), seed=seeds)
def test_gradients_of_plain_attention(
    T: int, earlier: int, block_size: int, causal: bool, seed: int
) -> None:
    S = T + earlier
    arrays = random(seed, (2, T, 3), (S, 3), (2, S, 4))
    (grad,) = (torch.from_numpy(x) for x in random(seed + 1, (2, T, 4)))
    ours, theirs = tensors(*arrays), tensors(*arrays)
    blockwise_attention(*ours, block_size=block_size, causal=causal).backward(grad)
    plain(*theirs, causal=causal).backward(grad)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=0, atol=1e-10)


@either
def test_central_differences(causal: bool) -> None:
    q, k, v = tensors(*random(0, (2, 3, 2), (2, 5, 2), (2, 5, 3)))
    assert torch.autograd.gradcheck(
        lambda q, k, v: blockwise_attention(q, k, v, block_size=2, causal=causal), (q, k, v)
    )


def test_gradients_where_scores_are_large() -> None:
    """A weight of exactly 1 and others of exactly 0: nothing comes back to q and k, and no NaN."""
    q, k, v = tensors(np.ones((2, 1)), np.array([[-1e4], [1e4], [0.0]]), np.ones((3, 2)))
    blockwise_attention(q, k, v, block_size=1).sum().backward()
    assert not q.grad.any() and not k.grad.any()
    assert v.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]
