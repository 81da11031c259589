"""RotaryVectors in Python: its traits, its numbers, its mistakes and its picture."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.inputs.relative_positions import apply_rope
from plainformer.widgets import RotaryVectors
from plainformer.widgets.rotary_vectors.widget import LAST

NUMBERS = st.floats(-100, 100)
VECTORS = st.integers(1, 8).flatmap(
    lambda pairs: st.tuples(*[st.lists(NUMBERS, min_size=2 * pairs, max_size=2 * pairs)] * 2)
)
PLACES = st.integers(0, LAST)


@given(VECTORS, PLACES, PLACES, st.floats(1.5, 1e6))
def test_the_score_is_that_of_apply_rope(
    vectors: tuple[list[float], list[float]], m: int, n: int, base: float
) -> None:
    query, key = vectors
    widget = RotaryVectors(query, key, m=m, n=n, base=base)
    turned = (
        apply_rope(np.asarray(query), m, rope_theta=base),
        apply_rope(np.asarray(key), n, rope_theta=base),
    )
    size = 1 + np.abs(query) @ np.abs(key)
    assert abs(widget.score - turned[0] @ turned[1]) < 1e-12 * size
    assert abs(widget.contributions.sum() - widget.score) < 1e-12 * size
    assert abs(widget.contributions_at([m - n]).sum() - widget.score) < 1e-12 * size


@given(VECTORS, PLACES, PLACES, PLACES)
def test_shifting_both_changes_nothing(
    vectors: tuple[list[float], list[float]], m: int, n: int, to: int
) -> None:
    query, key = vectors
    widget = RotaryVectors(query, key, m=m, n=n)
    before, by = widget.contributions, min(to, LAST - max(m, n))
    widget.m, widget.n = m + by, n + by
    assert np.allclose(widget.contributions, before, rtol=0, atol=1e-9)


def test_the_traits_are_live() -> None:
    widget = RotaryVectors()
    assert (widget.m, widget.n, widget.pair, widget.width) == (5, 2, 0, 8)
    widget.query = np.arange(8)
    widget.pair = None
    assert widget.query == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    vectors = {"query": widget.query, "key": widget.key}
    assert widget.state() == vectors | {"m": 5, "n": 2, "base": 10000.0, "pair": None}


def test_the_defaults_of_one_widget_are_not_anothers() -> None:
    RotaryVectors().query[0] = 9.0
    assert RotaryVectors().query[0] != 9.0


@pytest.mark.parametrize("width", [2, 8, 16])
def test_the_picture_shows_every_pair(width: int) -> None:
    widget = RotaryVectors([1.0] * width, [0.5] * width, m=7, n=3)
    html = widget.fallback()
    for i, part in enumerate(widget.contributions):
        assert f"Pair {i}: {part:+.2f}".replace("-", "−") in html
    assert f"score {widget.score:.2f}".replace("-", "−") in html
    assert f"score {widget.score:.3f}" in widget.description()
    assert not re.search(r"\b(nan|inf)\b", html)


def test_vectors_of_zeros_have_a_picture() -> None:
    widget = RotaryVectors([0.0, 0.0], [0.0, 0.0])
    assert widget.score == 0
    assert not re.search(r"\b(nan|inf)\b", widget.fallback())
