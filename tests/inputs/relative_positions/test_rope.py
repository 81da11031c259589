"""`apply_rope`: the laws that rotations keep, how positions broadcast, and what is refused.

Tolerances are reasoned, not tried. An angle p · f is rounded once in float64, so it is off by at
most p · 2^-53 radians, and so is what it turns, per unit of length. `slack` says what that makes.
"""

import re
from typing import Any, get_args

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plainformer.inputs.relative_positions import apply_rope, half_layout_order, rope_angles
from plainformer.inputs.relative_positions.rope import Layout

LAYOUTS = get_args(Layout)

layouts = st.sampled_from(LAYOUTS)
widths = st.integers(1, 8).map(lambda half: 2 * half)
places = st.integers(-2000, 2000)
entries = st.floats(-10, 10).map(lambda x: round(x, 6))  # no square of one underflows
vectors = widths.flatmap(lambda width: hnp.arrays(np.float64, width, elements=entries))
pairs_of_vectors = widths.flatmap(
    lambda width: hnp.arrays(np.float64, (2, width), elements=entries)
)


def slack(farthest: float, *lengths: float) -> float:
    """How far float64 may be off: a few roundings, and those of the angles at this position."""
    return float((16 + 8 * abs(farthest)) * 2.0**-53 * np.prod(lengths))


def norm(x: Any) -> float:
    return float(np.linalg.norm(x))


def random(*shape: int) -> Any:
    return np.random.default_rng(0).uniform(-1, 1, shape)


# What it computes


def test_quarter_turns() -> None:
    at = np.pi / 2 * np.arange(4)
    right = np.broadcast_to([1.0, 0.0], (4, 2))
    expected = [[1, 0], [0, 1], [-1, 0], [0, -1]]  # right, up, left, down: by +angle
    for layout in LAYOUTS:
        np.testing.assert_allclose(apply_rope(right, at, layout=layout), expected, atol=1e-15)


@given(x=vectors, p=st.floats(-1e6, 1e6), base=st.floats(2, 1e6))
def test_as_multiplication_by_a_complex_number(x: Any, p: float, base: float) -> None:
    frequency = base ** (-2 * np.arange(len(x) // 2) / len(x))
    turned = (x[0::2] + 1j * x[1::2]) * np.exp(1j * p * frequency)
    ours = apply_rope(x, p, rope_theta=base)
    # Here the frequencies are computed another way: 4 more roundings of each.
    np.testing.assert_allclose(ours[0::2], turned.real, rtol=0, atol=slack(p, norm(x)))
    np.testing.assert_allclose(ours[1::2], turned.imag, rtol=0, atol=slack(p, norm(x)))


def test_angles_are_position_times_frequency() -> None:
    theta = rope_angles(np.asarray([[0, 5], [-3, 10**6]]), 6, rope_theta=1000.0)
    assert theta.shape == (2, 2, 3) and theta.dtype == np.float64
    np.testing.assert_allclose(theta[1, 1], [1e6, 1e5, 1e4], rtol=1e-15)
    np.testing.assert_array_equal(rope_angles(3, 4)[:, 0], [0, 1, 2])


# Laws


@given(x=vectors, p=st.integers(-(10**6), 10**6), layout=layouts)
def test_norms_stay(x: Any, p: int, layout: Layout) -> None:
    """Of each pair, so of the whole, wherever it stands."""
    shape, axis = ((-1, 2), 1) if layout == "interleaved" else ((2, -1), 0)
    pairs = (y.reshape(shape) for y in (x, apply_rope(x, p, layout=layout)))
    before, after = (np.hypot(*np.moveaxis(pair, axis, 0)) for pair in pairs)
    np.testing.assert_allclose(after, before, rtol=1e-14, atol=0)


@given(qk=pairs_of_vectors, m=places, n=places, shift=st.integers(-(10**6), 10**6), layout=layouts)
def test_scores_depend_on_the_distance_only(
    qk: Any, m: int, n: int, shift: int, layout: Layout
) -> None:
    def score(m: int, n: int) -> float:
        q, k = (apply_rope(x, p, layout=layout) for x, p in zip(qk, (m, n), strict=True))
        return float(q @ k)

    farthest = abs(shift) + 2000
    allowed = slack(farthest, norm(qk[0]), norm(qk[1]))
    assert allowed < 1e-5  # the tolerance says something
    assert abs(score(m, n) - score(m + shift, n + shift)) <= allowed
    assert abs(score(m, n) - score(m - n, 0)) <= allowed


def test_scores_do_change_with_the_distance() -> None:
    q = k = np.asarray([1.0, 0.0])
    scores = [float(apply_rope(q, m) @ apply_rope(k, 3)) for m in range(3, 6)]
    np.testing.assert_allclose(scores, np.cos([0, 1, 2]), atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_float32_a_far_pair_is_scored_as_well_as_a_near_one(layout: Layout) -> None:
    """Angles taken in float32 would be off by up to 0.03 radians here."""
    qk = random(2, 64).astype(np.float32)
    near = apply_rope(qk[0], 7, layout=layout) @ apply_rope(qk[1], 0, layout=layout)
    far = apply_rope(qk[0], 10**6 + 7, layout=layout) @ apply_rope(qk[1], 10**6, layout=layout)
    assert abs(near - far) <= 8 * 2.0**-24 * norm(qk[0]) * norm(qk[1])


@given(x=vectors, p=places, q=places, layout=layouts)
def test_turning_twice_is_turning_by_the_sum(x: Any, p: int, q: int, layout: Layout) -> None:
    twice = apply_rope(apply_rope(x, p, layout=layout), q, layout=layout)
    once = apply_rope(x, p + q, layout=layout)
    np.testing.assert_allclose(twice, once, rtol=0, atol=slack(4000, norm(x)))


@given(qk=pairs_of_vectors, p=places, layout=layouts)
def test_a_rotation_is_linear(qk: Any, p: int, layout: Layout) -> None:
    turned = apply_rope(qk, p, layout=layout)
    total = apply_rope(qk[0] - 2 * qk[1], p, layout=layout)
    scale = norm(qk[0]) + 2 * norm(qk[1])
    np.testing.assert_allclose(turned[0] - 2 * turned[1], total, rtol=0, atol=slack(0, scale))


@given(x=vectors, p=places)
def test_the_layouts_differ_by_a_permutation_only(x: Any, p: int) -> None:
    order = half_layout_order(len(x))
    half = apply_rope(x[order], p, layout="half")
    np.testing.assert_allclose(half, apply_rope(x, p)[order], rtol=0, atol=slack(0, norm(x)))
    assert sorted(order.tolist()) == list(range(len(x)))
    # q · k does not care in which order the numbers stand.
    score = apply_rope(x, p) @ apply_rope(x, 0)
    same = half @ apply_rope(x[order], 0, layout="half")
    assert abs(score - same) <= slack(0, norm(x), norm(x))


def test_the_wrong_layout_is_another_score() -> None:
    q, k = random(2, 8)
    scores = [
        float(apply_rope(q, 5, layout=layout) @ apply_rope(k, 0, layout=layout))
        for layout in LAYOUTS
    ]
    assert abs(scores[0] - scores[1]) > 0.1


# Positions: offsets, broadcasting


@given(cached=st.integers(0, 9), layout=layouts, start=st.integers(0, 10**6))
def test_decoding_with_a_cache_is_a_slice_of_the_whole(
    cached: int, layout: Layout, start: int
) -> None:
    x = random(2, 3, 10, 8)
    whole = apply_rope(x, offset=start, layout=layout)
    rest = apply_rope(x[:, :, cached:], offset=start + cached, layout=layout)
    assert rest.shape == (2, 3, 10 - cached, 8)
    np.testing.assert_allclose(rest, whole[:, :, cached:], rtol=0, atol=slack(0, 2))


def test_positions_of_the_whole_or_of_each_sequence() -> None:
    """(T,) for all, (B, 1, T) for sequences that start at different places, as with padding."""
    x = random(2, 3, 4, 6)
    starts = np.asarray([0, 100])
    positions = starts[:, None, None] + np.arange(4)  # (B, 1, T)
    ours = apply_rope(x, positions)
    for sequence, start in enumerate(starts):
        alone = apply_rope(x[sequence], np.arange(4) + start)
        np.testing.assert_allclose(ours[sequence], alone, rtol=0, atol=slack(0, 2))
    everywhere = np.broadcast_to(positions, (2, 3, 4))
    np.testing.assert_array_equal(apply_rope(x, everywhere), ours)


def test_positions_may_be_lists_numbers_fractions_or_negative() -> None:
    x = random(3, 4)
    np.testing.assert_array_equal(apply_rope(x, [0, 1, 2]), apply_rope(x))
    for two in (2, 2.0, np.int64(2), np.float64(2), np.asarray(2)):
        np.testing.assert_array_equal(apply_rope(x, [2, 2, 2]), apply_rope(x, two))
    for three in (np.int64(3), np.arange(5)[3]):  # as many as x has rows, and yet no length
        np.testing.assert_array_equal(apply_rope(x, [3, 3, 3]), apply_rope(x, three))
    halfway = apply_rope(apply_rope(x, 0.5), 0.5)
    np.testing.assert_allclose(halfway, apply_rope(x, 1), rtol=0, atol=slack(1, 2))
    np.testing.assert_allclose(apply_rope(x, -1)[0, 1], (x[0, 1] * np.cos(1) - x[0, 0] * np.sin(1)))


def test_no_positions_no_vectors() -> None:
    assert apply_rope(np.zeros((2, 0, 4))).shape == (2, 0, 4)


def test_the_argument_stays_as_it_was() -> None:
    x = random(5, 6)
    before = x.copy()
    apply_rope(x)
    np.testing.assert_array_equal(x, before)


# Libraries, dtypes, gradients


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numpy_is_torch(layout: Layout, dtype: str) -> None:
    x = random(2, 3, 50, 16).astype(dtype)
    positions = np.arange(50) * 20_000
    ours = apply_rope(x, positions, layout=layout)
    theirs = apply_rope(torch.from_numpy(x), torch.from_numpy(positions), layout=layout)
    assert ours.dtype == dtype and theirs.dtype == getattr(torch, dtype)
    tolerance = 1e-6 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=tolerance)
    mixed = apply_rope(torch.from_numpy(x), positions, layout=layout)  # positions of NumPy
    assert torch.equal(mixed, theirs)
    np.testing.assert_array_equal(apply_rope(x, torch.from_numpy(positions), layout=layout), ours)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_the_dtype_stays(dtype: torch.dtype) -> None:
    """Cosine, sine, two products and their sum, each rounded to x's dtype."""
    x = torch.from_numpy(random(4, 8)).to(dtype)
    exact = apply_rope(x.double(), offset=1000)
    ours = apply_rope(x, offset=1000)
    assert ours.dtype == dtype
    assert (ours.double() - exact).abs().max() <= 4 * torch.finfo(dtype).eps + slack(1000, 2)


def test_whole_numbers_become_the_default_float() -> None:
    x = [[3, 4], [3, 4]]
    assert apply_rope(x).dtype == np.float64
    assert apply_rope(torch.asarray(x)).dtype == torch.float32
    np.testing.assert_array_equal(apply_rope(x), apply_rope(np.asarray(x, dtype=float)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_everything_happens_on_the_device_of_x(layout: Layout) -> None:
    """`meta` is a device without memory: whatever leaves it fails."""
    x = torch.empty(2, 3, 4, 6, device="meta")
    for ours in (apply_rope(x, layout=layout), apply_rope(x, [1, 2, 3, 4], layout=layout)):
        assert ours.device.type == "meta" and ours.shape == x.shape


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients(layout: Layout) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(2, 3, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    at = torch.rand(3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: apply_rope(x, offset=7, layout=layout), (x,))
    assert torch.autograd.gradcheck(lambda x, at: apply_rope(x, at, layout=layout), (x, at))


# What is refused


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def test_x_that_cannot_be_turned() -> None:
    uneven = "x must have an even number of entries along its last axis"
    for shape in [(2, 3), (4, 0)]:
        with refused(ValueError, f"{uneven}; got shape {shape}"):
            apply_rope(np.zeros(shape), 0)
    with refused(ValueError, "x must be (..., K); got shape ()"):
        apply_rope(np.zeros(()), 0)
    with refused(
        ValueError,
        "x must have an axis of positions before its last one, or positions must be given; "
        "got shape (4,)",
    ):
        apply_rope(np.zeros(4))


@pytest.mark.parametrize("shape", [(3,), (2, 4), (3, 1, 4), (1, 2, 5, 4)])
def test_positions_that_do_not_fit(shape: tuple[int, ...]) -> None:
    """(2, 4), one row for each sequence, too: with heads it must be (2, 1, 4)."""
    message = (
        "positions must broadcast to (2, 5, 4), the shape of x without its last axis; "
        f"got shape {shape}"
    )
    with refused(ValueError, message):
        apply_rope(np.zeros((2, 5, 4, 6)), np.zeros(shape, dtype=int))


def test_positions_that_are_none() -> None:
    x = np.zeros((2, 4))
    with refused(ValueError, "positions must be finite; got a NaN or an infinity"):
        apply_rope(x, [0.0, np.nan])


def test_offsets() -> None:
    x = np.zeros((2, 4))
    with refused(
        ValueError, "offset must be 0 when positions are given, because they include it; got 3"
    ):
        apply_rope(x, [0, 1], offset=3)


@pytest.mark.parametrize("call", [half_layout_order, lambda d_head: rope_angles(3, d_head)])
def test_widths(call: Any) -> None:
    with refused(ValueError, "d_head must be even, because numbers are rotated in pairs; got 5"):
        call(5)


def test_bases() -> None:
    with refused(ValueError, "rope_theta must be finite and above 1; got 1.0"):
        apply_rope(np.zeros((2, 4)), rope_theta=1.0)
