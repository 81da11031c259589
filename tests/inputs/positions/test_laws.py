"""What holds for every position and every width: circles, turns, and distances.

And the reason for it all: without positions, attention cannot see the order of its tokens.
"""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import attention, causal_mask
from plainformer.inputs import shift_matrix, sinusoidal

positions = st.floats(-1000, 1000).map(lambda p: round(p, 3))
steps = st.one_of(st.integers(-1000, 1000), positions)
widths = st.integers(1, 32).map(lambda half: 2 * half)
bases = st.floats(2, 1e5)


def row(position: float, d_model: int, base: float = 10000.0) -> Any:
    return sinusoidal([position], d_model, base=base)[0]


@given(positions, widths, bases)
def test_pairs_lie_on_the_unit_circle(p: float, d_model: int, base: float) -> None:
    pairs = row(p, d_model, base).reshape(-1, 2)
    assert np.allclose((pairs**2).sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.isclose(np.linalg.norm(pairs), np.sqrt(d_model / 2), rtol=1e-12)


@given(positions, steps, widths, bases)
def test_a_step_is_a_rotation(p: float, k: float, d_model: int, base: float) -> None:
    turned = shift_matrix(k, d_model, base) @ row(p, d_model, base)
    assert np.allclose(turned, row(p + k, d_model, base), rtol=0, atol=1e-11)


@given(steps, steps, widths, bases)
def test_steps_add_up(a: float, b: float, d_model: int, base: float) -> None:
    R_a, R_b = (shift_matrix(k, d_model, base) for k in (a, b))
    both = shift_matrix(a + b, d_model, base)
    assert np.allclose(R_a @ R_b, both, rtol=0, atol=1e-11)
    assert np.allclose(R_b @ R_a, both, rtol=0, atol=1e-11)


@given(steps, widths)
def test_a_step_back_is_the_transpose(k: float, d_model: int) -> None:
    R = shift_matrix(k, d_model)
    assert np.array_equal(shift_matrix(-k, d_model), R.T)
    assert np.allclose(R @ R.T, np.eye(d_model), rtol=0, atol=1e-12)
    assert np.isclose(np.linalg.det(R), 1, rtol=1e-12)  # a turn, no mirror


@given(positions, positions, positions, widths)
def test_dot_products_depend_on_the_distance_only(p: float, q: float, k: float, d: int) -> None:
    here, there = row(p, d) @ row(q, d), row(p + k, d) @ row(q + k, d)
    assert np.isclose(here, there, rtol=0, atol=1e-9)
    assert np.isclose(here, row(q, d) @ row(p, d), rtol=0, atol=1e-12)  # to either side alike
    assert here <= d / 2 + 1e-9  # nothing is closer than the position itself


def attend(x: Any, weights: Any, mask: Any = None) -> Any:
    """Self-attention with one head: what each row of x gathers from the others."""
    q, k, v = (x @ w for w in weights)
    return attention(q, k, v, mask=mask)[0]


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.data())
def test_attention_without_positions_sees_no_order(seed: int, T: int, data: Any) -> None:
    rng = np.random.default_rng(seed)
    x, weights = rng.normal(size=(T, 8)), rng.normal(size=(3, 8, 8))
    order = np.array(data.draw(st.permutations(range(T))))
    assert np.allclose(attend(x[order], weights), attend(x, weights)[order], rtol=0, atol=1e-9)


def test_a_causal_mask_alone_shows_some_order() -> None:
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(6, 8)), rng.normal(size=(3, 8, 8)) / np.sqrt(8)
    order = np.array([0, 2, 1, 3, 4, 5])
    mask = causal_mask(6)
    difference = np.abs(attend(x[order], weights, mask) - attend(x, weights, mask)[order])
    seen = difference.max(axis=1)
    assert seen[1:3].min() > 1e-3  # who comes first sees less ...
    assert np.delete(seen, [1, 2]).max() <= 1e-12  # ... but whoever sees both, sees no order


def test_attention_with_positions_sees_it() -> None:
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(6, 8)), rng.normal(size=(3, 8, 8)) / np.sqrt(8)
    order, where = np.array([0, 2, 1, 3, 4, 5]), sinusoidal(6, 8)
    difference = attend(x[order] + where, weights) - attend(x + where, weights)[order]
    assert np.abs(difference).max(axis=1).min() > 1e-3  # every output changes
