"""`attention` of what is not finite, of a query that may look at nothing, and what it refuses."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from tests.attention.arrays import INF, NAN, both, random, refused, seeds
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plainformer.attention import attention, attention_scores

# What is not finite


@both
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_forbidden_key_may_hold_anything(make: Callable[..., Any], bad: float) -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    mask = np.array([True, True, False, True, False])
    spoilt = k.copy()
    spoilt[~mask] = bad
    with np.errstate(invalid="ignore"):
        ours = attention(make(q), make(spoilt), make(v), mask=mask)
    for x, y in zip(ours, attention(make(q), make(k), make(v), mask=mask), strict=True):
        np.testing.assert_array_equal(x, y)


@both
@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_forbidden_value_must_be_finite(make: Callable[..., Any], bad: float) -> None:
    """0 · NaN is NaN, in this formula as in torch's: honest, and to be known."""
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    v[4] = bad
    mask = np.ones((3, 5), dtype=bool)
    mask[:, 4] = False
    with np.errstate(invalid="ignore"):
        output, weights = attention(make(q), make(k), make(v), mask=mask)
    assert np.isnan(np.asarray(output)).all() and np.isfinite(np.asarray(weights)).all()
    theirs = sdpa(*(torch.from_numpy(x) for x in (q, k, v)), attn_mask=torch.from_numpy(mask))
    assert torch.isnan(theirs).all()


def test_a_nan_in_a_query_spoils_its_row_alone() -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    expected, _ = attention(q, k, v)
    q[1, 0] = NAN
    output, _ = attention(q, k, v)
    assert np.isnan(output[1]).all()
    np.testing.assert_array_equal(output[[0, 2]], expected[[0, 2]])


# Empty rows


ADVICE = '; fully_masked="zero" gives such queries weights and an output of 0'


@both
def test_a_query_that_may_look_at_nothing_is_named(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)))
    mask = np.ones((2, 1, 4, 6), dtype=bool)
    mask[1, 0, 2] = False
    nothing = "mask must allow every query a key; it allows nothing for query "
    with refused(ValueError, nothing + "2 (weights[1, 0, 2])" + ADVICE):
        attention(q, k, v, mask=make(mask))
    with refused(ValueError, nothing + "0 (weights[0, 0, 0])" + ADVICE):
        attention(q, k, v, mask=[False])
    with refused(ValueError, nothing + "3" + ADVICE):
        attention(q[0, 0], k[0, 0], v[0, 0], mask=make(np.arange(4)[:, None] < 3))


@both
def test_not_every_empty_row_is_the_masks_doing(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 4, 5), (2, 6, 5), (2, 6, 2)))
    bias = np.zeros((2, 4, 6))
    bias[1, 3] = -INF
    for mask in (None, np.ones((4, 6), dtype=bool), np.arange(6) < 5):
        message = "every query must have a score above -inf; query 3 (weights[1, 3]) has none"
        with refused(ValueError, message + ADVICE):
            attention(q, k, v, mask=mask, attn_bias=make(bias))


@given(seed=seeds)
def test_empty_rows_of_zeros(seed: int) -> None:
    q, k, v = random(seed, (2, 4, 5), (2, 6, 5), (2, 6, 2))
    mask = np.random.default_rng(seed).random((2, 4, 6)) < 0.3
    lost = ~mask.any(axis=-1)
    output, weights = attention(q, k, v, mask=mask, fully_masked="zero")
    assert not output[lost].any() and not weights[lost].any()
    np.testing.assert_allclose(weights[~lost].sum(-1), 1, rtol=0, atol=1e-14)
    whole, _ = attention(q, k, v, mask=mask | lost[..., None])
    np.testing.assert_array_equal(output[~lost], whole[~lost])


# What is refused


def test_shapes() -> None:
    q, k, v = random(0, (2, 3, 4), (2, 5, 4), (2, 5, 6))
    with refused(ValueError, "q must be (..., T, K); got shape (4,)"):
        attention(q[0, 0], k, v)
    with refused(ValueError, "k must be (..., S, K); got shape ()"):
        attention_scores(q, 1.0)
    with refused(ValueError, "v must be (..., S, Dv); got shape (5,)"):
        attention(q, k, v[0, :, 0])
    with refused(
        ValueError,
        "q and k must have rows of one width, 1 or more; "
        "got q of shape (2, 3, 4) and k of shape (2, 5, 3)",
    ):
        attention(q, k[..., :3], v)
    with refused(
        ValueError,
        "q and k must have rows of one width, 1 or more; "
        "got q of shape (2, 3, 0) and k of shape (2, 5, 0)",
    ):
        attention_scores(q[..., :0], k[..., :0])
    with refused(
        ValueError,
        "v must have one row for each row of k; got q of shape (2, 3, 4) and "
        "k of shape (2, 5, 4) and v of shape (2, 4, 6)",
    ):
        attention(q, k, v[:, :4])
    with refused(
        ValueError,
        "the axes before the last two must broadcast together; "
        "got q of shape (2, 3, 4) and k of shape (3, 5, 4) and v of shape (3, 5, 2)",
    ):
        attention(q, np.zeros((3, 5, 4)), np.zeros((3, 5, 2)))


@both
def test_masks_of_the_wrong_shape(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 3, 4), (2, 5, 4), (2, 5, 6)))
    for shape in [(5, 3), (3, 1, 5), (2, 2, 3, 5), (4,)]:
        message = (
            f"must broadcast to (2, 3, 5), the shape (..., T, S) of the scores; got shape {shape}"
        )
        with refused(ValueError, f"mask {message}"):
            attention(q, k, v, mask=make(np.ones(shape, dtype=bool)))
        with refused(ValueError, f"attn_bias {message}"):
            attention(q, k, v, attn_bias=make(np.ones(shape)))


@both
def test_masks_of_the_wrong_kind(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (3, 4), (5, 4), (5, 6)))
    for mask in (make(np.zeros((3, 5))), make(np.ones((3, 5), dtype=np.int64))):
        kind = re.escape(str(mask.dtype))
        with pytest.raises(
            TypeError, match=f"^mask must be boolean, True where attention is allowed; got {kind}$"
        ):
            attention(q, k, v, mask=mask)
    with pytest.raises(TypeError, match=r"^attn_bias must be an array of numbers"):
        attention(q, k, v, attn_bias=make(np.ones((3, 5), dtype=bool)))


def test_kinds() -> None:
    x = np.ones((2, 2))
    with refused(
        TypeError,
        "q, k and v must be arrays of one library; got numpy.ndarray, torch.Tensor, numpy.ndarray",
    ):
        attention(x, torch.ones(2, 2), x)
    with refused(TypeError, "q and k must be real numbers; got float64, complex128"):
        attention_scores(x, 1j * x)
    with refused(TypeError, "v must be an array of numbers; got str"):
        attention(x, x, "values")
    with refused(TypeError, "scale must be a number; got str"):
        attention(x, x, x, scale="1/8")  # type: ignore[arg-type]
    with refused(ValueError, "scale must be finite; got inf"):
        attention(x, x, x, scale=INF)
    with refused(ValueError, "fully_masked must be 'error' or 'zero'; got None"):
        attention(x, x, x, fully_masked=None)  # type: ignore[arg-type]
