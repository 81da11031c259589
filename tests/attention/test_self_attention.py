"""`attention`: torch's and transformers' numbers, laws, masks and NaN, gradients, refusals.

What a mask of one kind or another does to attention, and that the future and padding never matter,
is in `test_masking.py`.
"""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention as sdpa
from transformers.masking_utils import eager_mask
from transformers.models.gpt2 import modeling_gpt2 as gpt2

from plainformer.attention import attention, attention_scores, causal_mask
from plainformer.inputs import alibi_bias

INF, NAN = math.inf, math.nan
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
leads = st.lists(st.integers(1, 3), max_size=2).map(tuple)
both = pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])


def random(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def some_mask(seed: int, shape: tuple[int, ...]) -> Any:
    """Random, and each query may look at one key at least."""
    rng = np.random.default_rng(seed)
    mask = rng.random(shape) < 0.5
    mask[..., rng.integers(shape[-1])] = True
    return mask


def tensors(*arrays: Any) -> list[Any]:
    return [torch.from_numpy(array).requires_grad_() for array in arrays]


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# The numbers


def dot(a: Any, b: Any) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def by_hand(q: Any, k: Any, v: Any) -> list[list[float]]:
    """One query after the other, one key after the other, with nothing but Python's floats."""
    output = []
    for query in q:
        exps = [math.exp(dot(query, key) / math.sqrt(len(query))) for key in k]
        columns = zip(*v, strict=True)
        output.append([dot(exps, column) / sum(exps) for column in columns])
    return output


@given(T=sizes, S=sizes, K=sizes, Dv=sizes, seed=seeds)
def test_attention_word_by_word(T: int, S: int, K: int, Dv: int, seed: int) -> None:
    q, k, v = random(seed, (T, K), (S, K), (S, Dv))
    output, weights = attention(q, k, v)
    assert output.shape == (T, Dv) and weights.shape == (T, S)
    np.testing.assert_allclose(output, by_hand(q, k, v), rtol=0, atol=1e-13)


@given(lead=leads, T=sizes, S=sizes, K=sizes, Dv=sizes, seed=seeds, data=st.data())
def test_sdpa_with_every_kind_of_mask(
    lead: tuple[int, ...], T: int, S: int, K: int, Dv: int, seed: int, data: Any
) -> None:
    q, k, v = random(seed, (*lead, T, K), (*lead, S, K), (*lead, S, Dv))
    kind = data.draw(st.sampled_from(["none", "full", "rows", "keys", "bias"]))
    shapes = {"full": (*lead, T, S), "rows": (T, S), "keys": (1, S), "bias": (*lead, T, S)}
    mask = some_mask(seed, shapes[kind]) if kind in ("full", "rows", "keys") else None
    bias = random(seed + 1, shapes["bias"])[0] if kind == "bias" else None
    scale = data.draw(st.sampled_from([None, 1.0, 0.25, -2.0]))
    theirs = sdpa(
        *(torch.from_numpy(x) for x in (q, k, v)),
        attn_mask=None if kind == "none" else torch.from_numpy(bias if mask is None else mask),
        scale=scale,
    )
    for make in (np.asarray, torch.asarray):
        ours, _ = attention(make(q), make(k), make(v), mask=mask, bias=bias, scale=scale)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_sdpa_in_narrow_floats(dtype: torch.dtype) -> None:
    q, k, v = (torch.from_numpy(x).to(dtype) for x in random(0, *[(2, 3, 40, 16)] * 3))
    ours, weights = attention(q, k, v, mask=causal_mask(40))
    assert ours.dtype == weights.dtype == dtype
    exact = sdpa(q.double(), k.double(), v.double(), is_causal=True)
    off, theirs_off = (
        float((x.double() - exact).abs().max()) for x in (ours, sdpa(q, k, v, is_causal=True))
    )
    assert off <= 4 * max(theirs_off, torch.finfo(dtype).eps)  # no worse than torch's own


@given(seed=seeds, offset=st.integers(0, 3), padded=st.booleans())
def test_gpt2_of_transformers(seed: int, offset: int, padded: bool) -> None:
    """Its masks are added to the scores, so they are a bias here. Ours does as well."""
    B, H, T, K = 2, 3, 4, 5
    S = offset + T
    q, k, v = (torch.from_numpy(x) for x in random(seed, (B, H, T, K), *[(B, H, S, K)] * 2))
    real = torch.ones(B, S, dtype=torch.bool)
    real[1, S - 2 :] = not padded
    added = eager_mask(B, T, S, q_offset=offset, attention_mask=real, dtype=torch.float64)
    theirs = gpt2.eager_attention_forward(torch.nn.Module(), q, k, v, added)
    masks = {"bias": added}, {"mask": causal_mask(T, offset=offset) & real[:, None, None].numpy()}
    for masked in masks:
        output, weights = attention(q, k, v, **masked)
        torch.testing.assert_close(output.transpose(1, 2), theirs[0], rtol=0, atol=1e-12)
        torch.testing.assert_close(weights, theirs[1], rtol=0, atol=1e-12)


def test_an_empty_row_elsewhere() -> None:
    """Three answers to a question that has none: a mean of what is forbidden in transformers, zeros
    in torch's fused attention, an error here, or zeros if asked for.
    """
    q, k, v = (torch.from_numpy(x) for x in random(0, *[(1, 1, 2, 4)] * 3))
    allowed = torch.tensor([[[[False, False], [True, True]]]])
    lowest = torch.full((1, 1, 2, 2), torch.finfo(torch.float64).min, dtype=torch.float64)
    added = lowest.masked_fill(allowed, 0)
    theirs, _ = gpt2.eager_attention_forward(torch.nn.Module(), q, k, v, added)
    torch.testing.assert_close(theirs[0, 0, 0], v[0, 0].mean(dim=0))
    assert not sdpa(q, k, v, attn_mask=allowed)[0, 0, 0].any()
    with pytest.raises(ValueError, match="nothing for query 0"):
        attention(q, k, v, mask=allowed)
    torch.testing.assert_close(
        attention(q, k, v, mask=allowed, empty="zero")[0], sdpa(q, k, v, attn_mask=allowed)
    )


def test_the_running_sentence() -> None:
    """Twice "cat": equal rows ask alike, are weighted alike and come out alike."""
    your, cat, is_, a, lovely = np.eye(5)
    x = np.stack([your, cat, is_, a, lovely, cat])
    output, weights = attention(x, x, x, scale=math.log(3))
    np.testing.assert_allclose(weights[1] * 10, [1, 3, 1, 1, 1, 3], rtol=1e-14)
    np.testing.assert_array_equal(output[1], output[5])
    np.testing.assert_array_equal(weights[:, 1], weights[:, 5])


# Scores


@given(T=sizes, S=sizes, K=sizes, seed=seeds)
def test_scores(T: int, S: int, K: int, seed: int) -> None:
    q, k = random(seed, (2, T, K), (2, S, K))
    dots = np.einsum("btk,bsk->bts", q, k)
    np.testing.assert_allclose(attention_scores(q, k, scale=1), dots, rtol=0, atol=1e-13)
    np.testing.assert_allclose(attention_scores(q, k), dots / math.sqrt(K), rtol=0, atol=1e-13)


# Laws


@given(T=sizes, S=sizes, seed=seeds, masked=st.booleans())
def test_rows_sum_to_one(T: int, S: int, seed: int, masked: bool) -> None:
    q, k, v = random(seed, (2, T, 4), (2, S, 4), (2, S, 3))
    mask = some_mask(seed, (2, T, S)) if masked else None
    _, weights = attention(q, k, v, mask=mask)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=0, atol=1e-15 * (S + 8))
    assert weights.sum() == pytest.approx(2 * T)  # and not 1
    if masked:
        assert not weights[~mask].any() and np.all(weights >= 0)


@given(T=sizes, seed=seeds)
def test_tokens_in_another_order_come_out_in_that_order(T: int, seed: int) -> None:
    """Equivariant, not invariant: only a mean over the tokens would not notice."""
    x, w_q, w_k, w_v = random(seed, (T, 4), *[(4, 4)] * 3)
    order = np.random.default_rng(seed).permutation(T)

    def self_attention(x: Any) -> Any:
        return attention(x @ w_q, x @ w_k, x @ w_v)[0]

    np.testing.assert_allclose(self_attention(x[order]), self_attention(x)[order], atol=1e-12)


@given(S=sizes, seed=seeds)
def test_keys_in_another_order_change_nothing(S: int, seed: int) -> None:
    q, k, v, bias = random(seed, (3, 4), (S, 4), (S, 2), (3, S))
    mask = some_mask(seed, (3, S))
    order = np.random.default_rng(seed).permutation(S)
    output, weights = attention(q, k, v, mask=mask, bias=bias)
    other, shuffled = attention(q, k[order], v[order], mask=mask[:, order], bias=bias[:, order])
    np.testing.assert_allclose(other, output, rtol=0, atol=1e-13)
    np.testing.assert_allclose(shuffled, weights[:, order], rtol=0, atol=1e-14)


@given(seed=seeds)
def test_one_vector_added_to_every_key_changes_nothing(seed: int) -> None:
    """Every score of a query moves by the same: softmax cannot tell. (A bias of keys is idle.)"""
    q, k, v, c = random(seed, (3, 4), (5, 4), (5, 2), (4,))
    np.testing.assert_allclose(attention(q, k + c, v)[0], attention(q, k, v)[0], atol=1e-13)


@given(seed=seeds)
def test_linear_in_the_values(seed: int) -> None:
    q, k, v, w = random(seed, (3, 4), (5, 4), (5, 2), (5, 2))
    expected = 2 * attention(q, k, v)[0] - attention(q, k, w)[0]
    np.testing.assert_allclose(attention(q, k, 2 * v - w)[0], expected, rtol=0, atol=1e-13)


@given(seed=seeds)
def test_an_output_lies_among_the_values(seed: int) -> None:
    q, k, v = random(seed, (3, 4), (5, 4), (5, 2))
    output, _ = attention(3 * q, k, v)
    assert np.all(output >= v.min(axis=0) - 1e-14) and np.all(output <= v.max(axis=0) + 1e-14)


@given(seed=seeds)
def test_scale_0_is_the_mean_of_what_is_allowed(seed: int) -> None:
    q, k, v = random(seed, (6, 4), (6, 4), (6, 2))
    output, _ = attention(q, k, v, mask=causal_mask(6), scale=0)
    means = np.cumsum(v, axis=0) / np.arange(1, 7)[:, None]
    np.testing.assert_allclose(output, means, rtol=0, atol=1e-14)


@given(seed=seeds)
def test_sequences_and_heads_do_not_know_of_each_other(seed: int) -> None:
    q, k, v = random(seed, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2))
    mask = some_mask(seed, (2, 3, 4, 6))
    output, weights = attention(q, k, v, mask=mask)
    for place in np.ndindex(2, 3):
        alone = attention(q[place], k[place], v[place], mask=mask[place])
        np.testing.assert_allclose(output[place], alone[0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(weights[place], alone[1], rtol=0, atol=1e-14)
    q[1, 2], k[1, 2], v[1, 2] = NAN, NAN, NAN  # one head is spoilt, the others are what they were
    spoilt, _ = attention(q, k, v, mask=mask)
    assert np.isnan(spoilt[1, 2]).all()
    spoilt[1, 2] = output[1, 2]
    np.testing.assert_array_equal(spoilt, output)


@both
def test_leading_axes_broadcast(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 3, 4, 5), (3, 6, 5), (6, 2)))
    output, weights = attention(q, k, v, mask=make(some_mask(0, (2, 1, 1, 6))))
    assert tuple(output.shape) == (2, 3, 4, 2) and tuple(weights.shape) == (2, 3, 4, 6)
    one, _ = attention(q[1, 2], k[2], v, mask=make(some_mask(0, (2, 1, 1, 6)))[1, 0])
    np.testing.assert_allclose(output[1, 2], one, rtol=0, atol=1e-14)


@given(seed=seeds)
def test_huge_scores(seed: int) -> None:
    """±10⁴ and more: no overflow, and the largest score takes all."""
    q, k, v = random(seed, (3, 4), (5, 4), (5, 2))
    output, weights = attention(1e3 * q, 1e3 * k, v)
    assert np.isfinite(output).all()
    np.testing.assert_array_equal(weights.argmax(-1), (q @ k.T).argmax(-1))


def test_alibis_bias_from_numpy_in_torch() -> None:
    q, k, v = (torch.rand(2, 4, 6, 8) for _ in range(3))
    output, _ = attention(q, k, v, bias=alibi_bias(4, 6), mask=causal_mask(6))
    assert output.dtype == torch.float32
    bias = torch.where(torch.ones(6, 6).tril().bool(), alibi_bias(4, 6, like=q), -INF)
    torch.testing.assert_close(output, sdpa(q, k, v, attn_mask=bias), rtol=0, atol=1e-6)


def test_a_bias_may_forbid_too() -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    mask = some_mask(0, (3, 5))
    by_bias = attention(q, k, v, bias=np.where(mask, 0, -INF))
    for x, y in zip(by_bias, attention(q, k, v, mask=mask), strict=True):
        np.testing.assert_array_equal(x, y)


def test_kinds_of_numbers() -> None:
    output, weights = attention([[1, 0]], [[1, 0], [1, 0]], [[2], [4]], mask=[[True, True]])
    assert output.tolist() == [[3.0]] and weights.tolist() == [[0.5, 0.5]]
    single, double = np.ones((2, 2), dtype=np.float32), np.ones((2, 2))
    assert attention(single, single, single, bias=double)[0].dtype == np.float32
    assert attention(single, double, single)[0].dtype == np.float64
    one, two = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
    assert attention(one, two, one)[0].dtype == torch.float64
    assert attention(one, one, torch.asarray([[1, 0], [0, 1]]))[0].dtype == torch.float32


@both
def test_nothing_to_do(make: Callable[..., Any]) -> None:
    q, k, v = make(np.ones((0, 4))), make(np.ones((3, 4))), make(np.ones((3, 2)))
    output, weights = attention(q, k, v)
    assert tuple(output.shape) == (0, 2) and tuple(weights.shape) == (0, 3)
    q, none = make(np.ones((2, 4))), make(np.ones((0, 4)))
    output, weights = attention(q, none, none[:, :3], empty="zero")
    assert output.tolist() == [[0.0] * 3] * 2 and tuple(weights.shape) == (2, 0)
    with pytest.raises(ValueError, match="query 0 has none"):
        attention(q, none, none)


def test_the_arguments_stay_as_they_were() -> None:
    arrays = [*random(0, (3, 4), (5, 4), (5, 2), (3, 5)), some_mask(0, (3, 5))]
    before = [array.copy() for array in arrays]
    q, k, v, bias, mask = arrays
    attention(q, k, v, bias=bias, mask=mask)
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)


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


ADVICE = '; empty="zero" gives such queries weights and an output of 0'


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
            attention(q, k, v, mask=mask, bias=make(bias))


@given(seed=seeds)
def test_empty_rows_of_zeros(seed: int) -> None:
    q, k, v = random(seed, (2, 4, 5), (2, 6, 5), (2, 6, 2))
    mask = np.random.default_rng(seed).random((2, 4, 6)) < 0.3
    lost = ~mask.any(axis=-1)
    output, weights = attention(q, k, v, mask=mask, empty="zero")
    assert not output[lost].any() and not weights[lost].any()
    np.testing.assert_allclose(weights[~lost].sum(-1), 1, rtol=0, atol=1e-14)
    whole, _ = attention(q, k, v, mask=mask | lost[..., None])
    np.testing.assert_array_equal(output[~lost], whole[~lost])


# Gradients


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_by_differences(masked: bool) -> None:
    q, k, v, bias = tensors(*random(0, (2, 3, 4), (2, 5, 4), (2, 5, 2), (3, 5)))
    mask = some_mask(0, (2, 3, 5)) if masked else None

    def both_results(*arrays: Any) -> Any:
        return attention(*arrays[:3], bias=arrays[3], mask=mask)

    assert torch.autograd.gradcheck(both_results, (q, k, v, bias))


@given(seed=seeds, masked=st.booleans())
def test_gradients_are_those_of_sdpa(seed: int, masked: bool) -> None:
    arrays = tensors(*random(seed, (2, 3, 4), (2, 5, 4), (2, 5, 2)))
    (upstream,) = random(seed + 1, (2, 3, 2))
    mask = some_mask(seed, (2, 3, 5)) if masked else None
    theirs = sdpa(*arrays, attn_mask=None if mask is None else torch.from_numpy(mask))
    ours, _ = attention(*arrays, mask=mask)
    gradients = (
        torch.autograd.grad(output, arrays, torch.from_numpy(upstream)) for output in (ours, theirs)
    )
    for x, y in zip(*gradients, strict=True):
        torch.testing.assert_close(x, y, rtol=0, atol=1e-12)


def test_what_nobody_may_look_at_has_no_gradient() -> None:
    q, k, v = tensors(*random(0, (3, 4), (5, 4), (5, 2)))
    mask = np.array([True, True, False, True, False])
    output, _ = attention(q, k, v, mask=mask)
    output.sum().backward()
    assert not k.grad[~mask].any() and not v.grad[~mask].any()
    assert k.grad[mask].any() and v.grad[mask].all()


@given(seed=seeds)
def test_no_gradient_and_no_nan_from_empty_rows(seed: int) -> None:
    """The gradients are those of the other queries alone."""
    arrays = random(seed, (4, 5), (6, 5), (6, 2), (4, 6))
    mask = np.random.default_rng(seed).random((4, 6)) < 0.4
    mask[1], mask[2, 0] = False, True
    q, k, v, bias = tensors(*arrays)
    upstream_output, upstream_weights = (
        torch.from_numpy(x) for x in random(seed + 1, (4, 2), (4, 6))
    )
    lost = ~mask.any(axis=-1)

    def gradients(rows: Any) -> Any:
        output, weights = attention(q[rows], k, v, mask=mask[rows], bias=bias[rows], empty="zero")
        loss = (output * upstream_output[rows]).sum() + (weights * upstream_weights[rows]).sum()
        return torch.autograd.grad(loss, (q, k, v, bias))

    for ours, expected in zip(gradients(slice(None)), gradients(~lost), strict=True):
        assert torch.isfinite(ours).all()
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-13)
    ours = gradients(slice(None))
    assert not ours[0][lost].any() and not ours[3][~mask].any()


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
        "got q of shape (2, 3, 4) and k of shape (3, 5, 4)",
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
        with refused(ValueError, f"bias {message}"):
            attention(q, k, v, bias=make(np.ones(shape)))


@both
def test_masks_of_the_wrong_kind(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (3, 4), (5, 4), (5, 6)))
    for mask in (make(np.zeros((3, 5))), make(np.ones((3, 5), dtype=np.int64))):
        kind = re.escape(str(mask.dtype))
        with pytest.raises(
            TypeError, match=f"^mask must be boolean, True where attention is allowed; got {kind}$"
        ):
            attention(q, k, v, mask=mask)
    with pytest.raises(TypeError, match=r"^bias must be an array of numbers; got (torch\.)?bool$"):
        attention(q, k, v, bias=make(np.ones((3, 5), dtype=bool)))


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
    with refused(ValueError, "empty must be 'error' or 'zero'; got None"):
        attention(x, x, x, empty=None)  # type: ignore[arg-type]
