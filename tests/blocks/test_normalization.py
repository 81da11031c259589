"""LayerNorm and RMSNorm: torch's numbers, their laws, and their gradients."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch.nn import functional as F

from plainformer.blocks import (
    LayerNorm,
    RMSNorm,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)

D = 6
ROWS = arrays(np.float64, (3, D), elements=st.floats(-100, 100))


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=rng, dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.5])
def test_torch_gives_the_same(eps: float) -> None:
    x, gamma, beta = draw(2, 5, D), draw(D, seed=1), draw(D, seed=2)
    wanted = F.layer_norm(x, (D,), gamma, beta, eps)
    torch.testing.assert_close(layer_norm(x, gamma, beta, eps=eps), wanted)
    wanted = F.rms_norm(x, (D,), gamma, eps)
    torch.testing.assert_close(rms_norm(x, gamma, eps=eps), wanted)
    assert layer_norm(x.numpy(), eps=eps) == pytest.approx(F.layer_norm(x, (D,), eps=eps).numpy())


def test_the_formulas_keep_to_the_array_standard() -> None:
    arrays = [draw(*shape, seed=i).numpy() for i, shape in enumerate([(2, 3, D), (2, 3, D), (D,)])]
    strict = [array_api_strict.asarray(each) for each in arrays]
    for function, start in [
        (layer_norm, 1), (rms_norm, 1), (layer_norm_backward, 0), (rms_norm_backward, 0),
    ]:  # fmt: skip
        wanted, got = function(*arrays[start:]), function(*strict[start:])
        pairs = zip(wanted, got, strict=True) if start == 0 else [(wanted, got)]
        for want, found in pairs:
            np.testing.assert_allclose(np.asarray(found), want, rtol=1e-12, atol=1e-14)


@given(ROWS, st.floats(0.1, 10), st.floats(-50, 50))
def test_scale_and_shift_do_not_matter(x: Any, scale: float, shift: float) -> None:
    spread = x + np.arange(D)  # no row of equal numbers
    if np.ptp(spread, axis=-1).min() < 1e-3:
        return
    assert layer_norm(scale * spread + shift, eps=0.0) == pytest.approx(
        layer_norm(spread, eps=0.0), abs=1e-6
    )
    assert rms_norm(scale * spread, eps=0.0) == pytest.approx(rms_norm(spread, eps=0.0), abs=1e-9)


@given(ROWS)
def test_the_result_has_mean_0_and_variance_1_but_for_eps(x: Any) -> None:
    y, variance = layer_norm(x, eps=1e-5), x.var(axis=-1)
    assert y.mean(axis=-1) == pytest.approx(0, abs=1e-6)
    assert y.var(axis=-1) == pytest.approx(variance / (variance + 1e-5), abs=1e-6)


def test_a_row_of_equal_numbers_becomes_zeros_and_neither_tokens_nor_texts_mix() -> None:
    assert layer_norm([[7.0] * D, list(range(D))])[0].tolist() == [0.0] * D
    x = draw(2, 3, D)
    moved = x.clone()
    moved[0, 1] += draw(D, seed=5)
    same = torch.ones(2, 3, dtype=torch.bool)
    same[0, 1] = False
    for norm in (layer_norm, rms_norm):
        assert torch.equal(norm(moved)[same], norm(x)[same])
        assert not torch.allclose(norm(moved)[0, 1], norm(x)[0, 1])


@pytest.mark.parametrize("with_gamma", [True, False])
def test_the_gradients_are_autograds(with_gamma: bool) -> None:
    x, grad = draw(2, 3, D).requires_grad_(), draw(2, 3, D, seed=1)
    gamma = draw(D, seed=2).requires_grad_() if with_gamma else None
    beta = torch.zeros(D, dtype=torch.float64, requires_grad=True)
    wanted = [each for each in (x, gamma, beta) if each is not None]
    y = F.layer_norm(x, (D,), gamma, beta, 1e-5)
    ours = layer_norm_backward(grad, x.detach(), None if gamma is None else gamma.detach())
    picked = ours if with_gamma else (ours[0], ours[2])
    for got, want in zip(picked, torch.autograd.grad(y, wanted, grad), strict=True):
        torch.testing.assert_close(got, want)
    y = F.rms_norm(x, (D,), gamma, 1e-6)
    ours = rms_norm_backward(grad, x.detach(), None if gamma is None else gamma.detach())
    theirs = torch.autograd.grad(y, wanted[:-1], grad)
    for got, want in zip(ours, theirs, strict=False):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("kind", [LayerNorm, RMSNorm])
def test_the_fused_path_is_the_formula_in_every_precision(kind: Any, dtype: torch.dtype) -> None:
    """In half precision, too, a row of a thousand large numbers is summed without a loss."""
    x = draw(4, 1000, dtype=dtype) + 200
    slow, fast = kind(1000).to(dtype), kind(1000, fused=True).to(dtype)
    close = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 1e-4}[dtype]
    torch.testing.assert_close(slow(x), fast(x), atol=close, rtol=close)
    assert slow(x).dtype == dtype


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([1.0, 2.0], [1.0]), "gamma"),
        (([1.0, 2.0], None, [1.0, 2.0, 3.0]), "beta"),
        ((5.0,), "x"),
    ],
)
def test_what_does_not_fit_is_named(arguments: Any, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says} must be"):
        layer_norm(*arguments)
