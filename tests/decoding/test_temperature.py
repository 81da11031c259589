"""Temperature: the peers' results, its laws, the ends of its range, refusals; and entropy."""

import math
from typing import Any

import array_api_compat
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from transformers import TemperatureLogitsWarper

from plainformer.attention import softmax
from plainformer.decoding import apply_temperature, entropy
from plainformer.decoding.example import COUNTS, LOGITS

INF = math.inf
temperatures = st.floats(0.05, 20)


def logits_of(least: int = 1, most: int = 3, impossible: bool = True, high: float = 30) -> Any:
    elements: Any = st.floats(-high, high)
    if impossible:
        elements = elements | st.just(-INF)
    shapes = array_shapes(min_dims=least, max_dims=most, min_side=1, max_side=6)
    drawn = arrays(np.float64, shapes, elements=elements)
    return drawn.filter(lambda z: np.isfinite(z).any(axis=-1).all())


# Checked against others


@given(logits_of(2, 2), temperatures)
def test_it_is_that_of_transformers(z, tau):
    theirs = TemperatureLogitsWarper(float(tau))(torch.zeros(1), torch.from_numpy(z))
    np.testing.assert_allclose(apply_temperature(z, tau), theirs.numpy(), rtol=1e-15)
    ours = apply_temperature(torch.from_numpy(z), tau)
    assert isinstance(ours, torch.Tensor)
    assert torch.equal(ours, theirs)


@given(logits_of(), temperatures)
def test_its_softmax_is_torchs(z, tau):
    theirs = torch.softmax(torch.from_numpy(z) / tau, dim=-1).numpy()
    np.testing.assert_allclose(softmax(apply_temperature(z, tau)), theirs, atol=1e-12)


@given(logits_of())
def test_entropy_is_torchs(z):
    p = softmax(z)
    theirs = torch.distributions.Categorical(logits=torch.from_numpy(z)).entropy().numpy()
    np.testing.assert_allclose(entropy(p), theirs, atol=1e-6)  # torch clamps probabilities
    np.testing.assert_allclose(entropy(torch.from_numpy(p)).numpy(), entropy(p), atol=1e-12)


# By hand


def test_the_example_at_one_half_is_the_squares():
    squares = np.array(COUNTS) ** 2
    assert squares.sum() == 2346
    np.testing.assert_allclose(softmax(apply_temperature(LOGITS, 0.5)), squares / 2346, rtol=1e-13)
    roots = np.sqrt(COUNTS)
    np.testing.assert_allclose(softmax(apply_temperature(LOGITS, 2)), roots / roots.sum())


def test_entropies_by_hand():
    assert float(entropy([1.0, 0.0, 0.0])) == 0
    assert math.copysign(1, float(entropy([1.0]))) == 1  # not -0.0
    np.testing.assert_allclose(entropy(np.full((2, 3, 8), 1 / 8)), math.log(8) * np.ones((2, 3)))
    np.testing.assert_allclose(entropy([0.5, 0.25, 0.25]), 1.5 * math.log(2))
    assert entropy([1, 0]).dtype == np.float64
    assert entropy(np.zeros((0, 3))).shape == (0,)


# Laws


@given(logits_of(), temperatures)
def test_the_order_stays(z, tau):
    """What was no larger is no larger; and at temperatures like these, what was larger is."""
    scaled = apply_temperature(z, tau)
    first, second = z[..., :, None], z[..., None, :]
    first_scaled, second_scaled = scaled[..., :, None], scaled[..., None, :]
    assert (first_scaled <= second_scaled)[first <= second].all()
    clearly = first < second - 1e-9
    assert (first_scaled < second_scaled)[clearly].all()
    np.testing.assert_array_equal(np.argmax(scaled, -1), np.argmax(z, -1))


@given(logits_of(), temperatures, temperatures)
def test_two_temperatures_are_their_product(z, one, other):
    twice = apply_temperature(apply_temperature(z, one), other)
    once = apply_temperature(z, one * other)
    np.testing.assert_allclose(
        twice, once, rtol=1e-13, atol=1e-307
    )  # below, floats have few digits


@given(logits_of(impossible=False), temperatures)
def test_the_ratio_of_two_tokens_is_boltzmanns(z, tau):
    energy = -z
    p = softmax(apply_temperature(z, tau))
    gaps = energy[..., :, None] - energy[..., None, :]
    logs = np.log(np.maximum(p, 1e-300))
    differences = logs[..., :, None] - logs[..., None, :]
    seen = (p > 1e-290)[..., :, None] & (p > 1e-290)[..., None, :]
    np.testing.assert_allclose(differences[seen], (-gaps / tau)[seen], rtol=1e-9, atol=1e-9)


@given(logits_of(), temperatures)
def test_it_is_the_probabilities_to_the_power_of_one_over_tau(z, tau):
    p = softmax(z)
    powers = np.exp(np.log(np.maximum(p, 1e-300)) / tau) * (p > 0)
    np.testing.assert_allclose(
        softmax(apply_temperature(z, tau)), powers / powers.sum(-1, keepdims=True), atol=1e-9
    )


@given(logits_of(), temperatures, st.floats(1, 10))
def test_entropy_grows_with_temperature(z, tau, factor):
    cold = entropy(softmax(apply_temperature(z, tau)))
    hot = entropy(softmax(apply_temperature(z, tau * factor)))
    assert (hot >= cold - 1e-12).all()


def test_entropy_grows_strictly_where_logits_differ():
    over = [float(entropy(softmax(apply_temperature(LOGITS, t)))) for t in (0.1, 0.5, 1, 2, 10)]
    assert (np.diff(over) > 0.05).all()
    slope = [entropy(softmax(apply_temperature(LOGITS, t))) for t in (1 - 1e-4, 1 + 1e-4)]
    p = np.array(COUNTS) / 100
    variance = p @ LOGITS**2 - (p @ LOGITS) ** 2
    np.testing.assert_allclose((slope[1] - slope[0]) / 2e-4, variance, rtol=1e-6)  # Var(z)/τ³


@given(logits_of())
def test_hot_is_uniform_over_what_is_possible(z):
    possible = np.isfinite(z)
    p = softmax(apply_temperature(z, 1e9))
    np.testing.assert_allclose(p, possible / possible.sum(-1, keepdims=True), atol=1e-6)
    assert (p[~possible] == 0).all()


@given(logits_of())
def test_cold_is_the_largest_and_ties_share(z):
    largest = z == z.max(-1, keepdims=True)
    near = ~largest & (z > z.max(-1, keepdims=True) - 1e-6)
    if near.any():
        return  # a gap too small even for this temperature
    p = softmax(apply_temperature(z, 1e-9))
    np.testing.assert_allclose(p, largest / largest.sum(-1, keepdims=True), atol=1e-12)


@given(logits_of())
def test_zero_is_greedy(z):
    expected = np.zeros(z.shape, dtype=bool)
    np.put_along_axis(expected, np.argmax(z, -1)[..., None], True, -1)
    for make in (np.asarray, torch.asarray):
        greedy = apply_temperature(make(z), 0)
        np.testing.assert_array_equal(np.asarray(greedy), np.where(expected, 0.0, -INF))
        np.testing.assert_array_equal(np.asarray(softmax(greedy)), expected)


def test_of_several_as_large_the_first():
    for make in (np.asarray, torch.asarray):
        ties = make([[1.0, 7.0, 7.0], [-INF, -2.0, -2.0], [3.0, 3.0, 3.0]])
        chosen = np.asarray(softmax(apply_temperature(ties, 0.0)))
        assert chosen.argmax(-1).tolist() == [1, 1, 0] and chosen.sum() == 3


# The ends of a float's range

DTYPES = [
    *[(np, name) for name in ("float16", "float32", "float64")],
    *[(torch, name) for name in ("float16", "bfloat16", "float32", "float64")],
]


@pytest.mark.parametrize(("library", "name"), DTYPES)
def test_no_temperature_makes_nan_or_infinity(library, name, recwarn):
    dtype = getattr(library, name)
    limits = library.finfo(dtype)
    top = float(limits.max)
    rows = [[1.0, 0.5, -INF], [top, top, -top], [-top, -top, -INF], [0.0, -top, 1e-3], [0, 0, 0]]
    z = library.asarray(rows, dtype=dtype)
    xp = array_api_compat.array_namespace(z)
    for tau in (1e-320, 1e-9, float(limits.smallest_normal), 1e-3, 0.3, 1.0, 40.0, top):
        scaled = apply_temperature(z, tau)
        assert scaled.dtype == z.dtype
        assert not bool(xp.any(xp.isnan(scaled) | (scaled == INF)))
        assert bool(xp.all(xp.isfinite(xp.max(scaled, axis=-1))))
        assert not bool(xp.any(xp.isfinite(scaled[z == -INF])))
        with np.errstate(over="ignore"):
            plain = np.asarray(xp.astype(z, xp.float64)) / tau
        fits = (np.abs(plain) < 0.9 * top).all(axis=-1)  # nothing was out of range: z/τ itself
        ours = np.asarray(xp.astype(scaled, xp.float64))
        eps = float(limits.eps)
        np.testing.assert_allclose(
            ours[fits], plain[fits], rtol=2 * eps, atol=float(limits.smallest_normal)
        )
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]


def test_only_the_row_that_needs_it_is_moved():
    z = np.array([[1e300, 1e300 - 1e285, 0.0], [3.0, 2.0, 1.0]])
    scaled = apply_temperature(z, 1e-10)
    np.testing.assert_allclose(scaled[1], [3e10, 2e10, 1e10])
    assert scaled[0, 0] == 0 and scaled[0, 2] == -INF
    np.testing.assert_array_equal(softmax(scaled)[0], [1, 0, 0])


def test_float16_moves_what_float64_need_not():
    z = np.array([900.0, 899.0])
    assert apply_temperature(z, 0.01).tolist() == [90_000.0, 89_900.0]
    assert apply_temperature(z.astype(np.float16), 0.01).round().tolist() == [0.0, -100.0]


# Gradients


@pytest.mark.parametrize("z", [[1.0, -2.0, 0.5], [1.0, -INF, 0.5], [1e300, 1e299, 1e300]])
def test_gradients_flow(z):
    """That of log softmax at τ is (onehot - p)/τ."""
    tau = 1e-9 if z[0] > 1e9 else 0.7
    logits = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    p = softmax(apply_temperature(logits, tau))
    torch.log_softmax(apply_temperature(logits, tau), -1)[0].backward()
    expected = (torch.tensor([1.0, 0.0, 0.0]) - p.detach()) / tau
    torch.testing.assert_close(logits.grad, expected)


def test_no_gradient_passes_at_zero():
    logits = torch.tensor([1.0, 2.0], requires_grad=True)
    assert not apply_temperature(logits, 0).requires_grad


def test_the_gradient_of_entropy():
    p = torch.tensor([0.5, 0.3, 0.2, 0.0], dtype=torch.float64, requires_grad=True)
    entropy(p).backward()
    expected = [-math.log(0.5) - 1, -math.log(0.3) - 1, -math.log(0.2) - 1]
    np.testing.assert_allclose(p.grad[:3], expected)
    assert math.isfinite(float(p.grad[3]))


# What is refused


def test_a_temperature_below_0():
    with pytest.raises(ValueError, match=r"^temperature must be at least 0; got -0\.5$"):
        apply_temperature(LOGITS, -0.5)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([[1.0, 0.0], [0.2, 0.2]], r"must add up to 1 in every row; one row adds up to 0\.4$"),
        ([1.5, -0.5], r"must be from 0 to 1; got 1\.5$"),
        ([math.nan, 1.0], r"must be from 0 to 1; got nan$"),
    ],
)
def test_probabilities(probabilities, message):
    with pytest.raises(ValueError, match=message):
        entropy(probabilities)
