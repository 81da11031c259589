"""LookupDial in Python: its traits, its numbers, its mistakes and its picture."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import lookup
from plainformer.widgets import LookupDial
from plainformer.widgets.lookup_dial.widget import SHARPEST

NUMBERS = st.floats(-100, 100)
DIALS = st.integers(2, 8).flatmap(
    lambda rows: st.tuples(
        st.lists(st.tuples(NUMBERS, NUMBERS), min_size=rows, max_size=rows),
        st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=rows, max_size=rows),
    )
)


@given(DIALS, st.floats(-720, 720), st.floats(0, SHARPEST), st.booleans())
def test_the_answer_is_that_of_lookup(
    rows: tuple[list[Any], list[Any]], angle: float, sharpness: float, hard: bool
) -> None:
    keys, values = rows
    if not np.any(keys):
        return
    dial = LookupDial(keys, values, angle=angle, sharpness=sharpness, hard=hard)
    turn = np.radians(angle % 360)
    query = sharpness * np.array([np.cos(turn), np.sin(turn)])
    assert np.allclose(dial.query, query, rtol=0, atol=1e-9)
    assert np.array_equal(dial.answer, lookup(dial.query, keys, values, hard=hard))
    assert np.allclose(dial.answer, dial.weights @ np.asarray(values), rtol=0, atol=1e-9)
    assert abs(dial.weights.sum() - 1) < 1e-12
    assert np.allclose(dial.answers([dial.angle])[0], dial.answer, rtol=0, atol=1e-9)
    if hard:
        assert dial.weights.argmax() == dial.scores.argmax()


def test_the_default_is_a_thermometer() -> None:
    dial = LookupDial()
    assert (dial.labels, dial.unit) == (["icy", "cold", "mild", "warm", "hot"], "°C")
    for angle, degrees in ((160, -10), (125, 5), (90, 15), (55, 25), (20, 35)):
        dial.angle, dial.hard = angle, True
        assert dial.answer.tolist() == [degrees]
        dial.hard = False
        assert abs(dial.answer[0] - degrees) < 5  # its neighbours count, too


def test_sharpness_leads_from_the_mean_to_the_best() -> None:
    dial = LookupDial(angle=112, sharpness=0)
    assert dial.answer[0] == pytest.approx(14.0)
    shares = []
    for dial.sharpness in (0, 1, 8, 30, 100):
        shares.append(dial.weights.max())
    assert shares == sorted(shares)
    dial.sharpness = 100
    soft = dial.answer
    dial.hard = True
    assert dial.answer.tolist() == [5.0]
    assert abs(soft - dial.answer).max() < 0.5


def test_of_two_that_fit_alike_the_first_takes_all() -> None:
    dial = LookupDial(angle=270, hard=True)  # straight down: "icy" and "hot" are as far away
    assert dial.scores[0] == dial.scores[-1] == dial.scores.max()
    assert dial.answer.tolist() == [-10.0]


def test_the_picture_says_what_it_shows() -> None:
    dial = LookupDial(angle=125)
    html = dial.fallback()
    assert f"{dial.answer[0]:.2f} °C" in html
    assert "A query at 125° among 5 keys on a dial. Soft lookup, sharpness 8: cold" in html
    for label, weight in zip(dial.labels, dial.weights, strict=True):
        assert f"{label} {weight:.2f}" in dial.description()
    dial.hard = True
    assert "“cold” fits best, and its value returns, 5.00 °C" in dial.description()
    plane = LookupDial([[1, 0], [0, 1]], [[1, -2], [3, 4]], ["<b>", "&"], hard=True)
    assert "[1, −2]" in plane.fallback()
    assert "[3.00, 4.00]" in plane.fallback()  # what returns
    assert "&lt;b&gt;" in plane.picture()
    assert not re.search(r"\b(nan|inf)\b", plane.fallback())
    shares = LookupDial([[1, 0], [0, 1]], [[1, 0], [0, 1]], parts=["x", "y"], sharpness=0)
    assert "It returns x 0.50, y 0.50." in shares.description()
