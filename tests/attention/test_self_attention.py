"""`attention`: the numbers and gradients of torch and transformers, and of a program by hand.

Its laws are in `test_self_attention_laws.py`; infinite scores, empty rows and what is refused, in
`test_self_attention_refusals.py`. What a mask of one kind or another does to attention, and that
the future and padding never matter, is in `test_masking.py`.
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.attention.arrays import leads, random, seeds, sizes, some_mask, tensors
from torch.nn.functional import scaled_dot_product_attention as sdpa
from transformers.masking_utils import eager_mask
from transformers.models.gpt2 import modeling_gpt2 as gpt2

from plainformer.attention import attention, attention_scores, causal_mask

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
        ours, _ = attention(make(q), make(k), make(v), mask=mask, attn_bias=bias, scale=scale)
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
    masks = (
        {"attn_bias": added},
        {"mask": causal_mask(T, offset=offset) & real[:, None, None].numpy()},
    )
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
    with pytest.raises(ValueError, match="none for query 0"):
        attention(q, k, v, mask=allowed)
    torch.testing.assert_close(
        attention(q, k, v, mask=allowed, fully_masked="zero")[0], sdpa(q, k, v, attn_mask=allowed)
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


# Gradients


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_by_differences(masked: bool) -> None:
    q, k, v, bias = tensors(*random(0, (2, 3, 4), (2, 5, 4), (2, 5, 2), (3, 5)))
    mask = some_mask(0, (2, 3, 5)) if masked else None

    def both_results(*arrays: Any) -> Any:
        return attention(*arrays[:3], attn_bias=arrays[3], mask=mask)

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
        output, weights = attention(
            q[rows], k, v, mask=mask[rows], attn_bias=bias[rows], fully_masked="zero"
        )
        loss = (output * upstream_output[rows]).sum() + (weights * upstream_weights[rows]).sum()
        return torch.autograd.grad(loss, (q, k, v, bias))

    for ours, expected in zip(gradients(slice(None)), gradients(~lost), strict=True):
        assert torch.isfinite(ours).all()
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-13)
    ours = gradients(slice(None))
    assert not ours[0][lost].any() and not ours[3][~mask].any()
