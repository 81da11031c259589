"""`blockwise_attention` of scores that are infinite or NaN, of no keys, and what it refuses."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tests.attention.arrays import INF, NAN, both, random, refused, tensors
from tests.attention.efficient.blocks import either, near, plain

from plainformer.attention import attention, blockwise_attention
from plainformer.attention.stable_softmax import FullyMaskedRowError

# Scores that are not finite


AWKWARD = {
    "-inf at first": [-INF, -INF, 0.5, 1.0],
    "-inf in the middle": [0.5, -INF, -INF, 1.0],
    "+inf": [0.5, 1.0, INF, -2.0],
    "two of +inf": [INF, 0.0, 1.0, INF],
    "both": [-INF, 3.0, INF, -INF],
}


@both
@either
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("block_size", [1, 2, 3, 8])
def test_infinite_scores_are_those_of_plain_attention(
    name: str, block_size: int, causal: bool, make: Callable[[Any], Any]
) -> None:
    """And nothing is said of it: NumPy warns of ∞ - ∞, which is computed again."""
    k = make(np.asarray(AWKWARD[name])[:, None])
    q, v = make(np.ones((2, 1))), make(np.asarray([[1.0], [10.0], [100.0], [1000.0]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = blockwise_attention(q, k, v, block_size=block_size, causal=causal)
    assert np.isfinite(np.asarray(ours)).all()
    near(ours, plain(q, k, v, causal=causal), atol=1e-9)


def test_gradients_where_scores_are_infinite() -> None:
    arrays = np.ones((2, 1)), np.array([[-1e200], [1.0], [2.0]]), random(0, (3, 2))[0]
    results = []
    for call in (lambda *x, **o: blockwise_attention(*x, block_size=1, **o), plain):
        q, k, v = tensors(*arrays)
        call(1e200 * q, k, v, scale=1e-200).sum().backward()
        results.append([q.grad, k.grad, v.grad])
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


@both
def test_a_nan_spoils_its_own_row(make: Callable[[Any], Any]) -> None:
    q, k, v = random(0, *[(5, 3)] * 3)
    whole = blockwise_attention(q, k, v, block_size=2)
    q[3] = NAN
    ours = np.asarray(blockwise_attention(*(make(x) for x in (q, k, v)), block_size=2))
    assert np.isnan(ours[3]).all()
    near(ours[[0, 1, 2, 4]], whole[[0, 1, 2, 4]])


@both
def test_an_empty_row_is_named(make: Callable[[Any], Any]) -> None:
    q, k, v = np.ones((5, 1)), np.full((4, 1), INF), np.ones((4, 1))
    q[3] = -1
    message = "every query must have a score above -inf; query 3 has none"
    with refused(FullyMaskedRowError, message) as caught:
        blockwise_attention(*(make(x) for x in (q, k, v)), block_size=2)
    assert caught.value.row == (3,)
    q, k, v = (np.stack([x] * 2)[None] for x in (q, k, v))
    q[0, 0] = 1
    message = "every query must have a score above -inf; query 3 (row [0, 1, 3]) has none"
    with refused(FullyMaskedRowError, message):
        blockwise_attention(*(make(x) for x in (q, k, v)), block_size=2)


def test_no_keys_at_all() -> None:
    q, k, v = random(0, (2, 4), (0, 4), (0, 3))
    with refused(FullyMaskedRowError, "every query must have a score above -inf; query 0 has none"):
        blockwise_attention(q, k, v)
    assert blockwise_attention(q[:0], k, v).shape == (0, 3)


# What is refused


def test_causal_with_more_queries_than_keys() -> None:
    q, k, v = random(0, (5, 4), (3, 4), (3, 4))
    with refused(
        ValueError,
        "k must have as many rows as q or more where causal, for the queries are the last "
        "T of S positions; got T = 5, S = 3",
    ):
        blockwise_attention(q, k, v, causal=True)
    assert blockwise_attention(q, k, v).shape == (5, 4)


def test_block_sizes() -> None:
    (x,) = random(0, (3, 4))
    for size in (0, -1):
        with refused(ValueError, f"block_size must be 1 or more; got {size}"):
            blockwise_attention(x, x, x, block_size=size)
    with refused(TypeError, "block_size must be a whole number; got 2.0 (float)"):
        blockwise_attention(x, x, x, block_size=2.0)  # type: ignore[arg-type]


def test_shapes_and_kinds_as_in_plain_attention() -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    wrong: list[tuple[Any, ...]] = [
        (q[0], k, v), (q, k[:, :3], v), (q, k, v[:4]), (np.stack([q] * 2), np.stack([k] * 3), v),
        (q, torch.from_numpy(k), v), (q, k, v + 1j), ("q", k, v),
    ]  # fmt: skip
    for arrays in wrong:
        with pytest.raises((TypeError, ValueError)) as theirs:
            attention(*arrays)
        with refused(type(theirs.value), str(theirs.value)):
            blockwise_attention(*arrays)
    with refused(ValueError, "scale must be finite; got nan"):
        blockwise_attention(q, k, v, scale=NAN)
