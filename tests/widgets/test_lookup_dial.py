"""LookupDial in Python: its traits, its numbers, its mistakes and its picture."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import lookup
from plainformer.widgets import LookupDial
from plainformer.widgets.kit.front_end import source
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


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor, torch.nn.Parameter, list])
def test_arrays_of_other_kinds(kind: Any) -> None:
    rows = [[1.0, 0.0], [0.0, 1.0]]
    given_rows = kind(torch.tensor(rows)) if kind is torch.nn.Parameter else kind(rows)
    dial = LookupDial(given_rows, [1, 2])
    assert (dial.vectors, dial.values) == (rows, [[1.0], [2.0]])
    assert dial.labels == ["key 0", "key 1"]


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"keys": [[1, 0, 0], [0, 1, 0]]}, ValueError, r"keys must have shape \(2 to 8, 2\); got"),
    ({"keys": [[1, 0]]}, ValueError, r"keys must have shape \(2 to 8, 2\); got \(1, 2\)"),
    ({"keys": [[0, 0], [0, 0]]}, ValueError, "keys must not all be zero"),
    ({"keys": "cat"}, TypeError, "keys must be an array of numbers; got str"),
    ({"values": [1, 2, 3]}, ValueError, r"values must have shape \(2, 1 to 4\); got \(3, 1\)"),
    ({"values": None}, TypeError, "values must be given with keys"),
    ({"values": [1, np.nan]}, ValueError, "values must hold numbers from -10,000 to 10,000; got n"),
    ({"labels": "ab"}, TypeError, "labels must be a list of strings; got 'ab'"),
    ({"labels": ["a", 1]}, TypeError, "labels must be a list of strings"),
    ({"labels": ["a"]}, ValueError, "labels must have 2 entries, one for each key; got 1"),
    ({"parts": "a"}, TypeError, "parts must be a list of strings; got 'a'"),
    ({"parts": ["a", "b"]}, ValueError, "parts must have 1 entry, one for each number of a value"),
    ({"unit": "\ud83d"}, ValueError, "unit must be whole characters; got half of one"),
    ({"angle": np.inf}, ValueError, "angle must be finite"),
    ({"unit": 5}, TypeError, "unit must be a string; got 5"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        LookupDial(**{"keys": [[1, 0], [0, 1]], "values": [1, 2], **options})


def test_a_mistake_changes_nothing() -> None:
    dial = LookupDial()
    before = dial.state()
    bad = {"vectors": [[1, 0]], "values": [[1, 2]] * 5, "angle": None, "sharpness": -1, "hard": 0}
    for name, value in bad.items():
        with pytest.raises((TypeError, ValueError), match=r"keys|values|angle|sharpness|hard"):
            setattr(dial, name, value)
    assert dial.state() == before


def test_the_front_end_has_the_same_limit() -> None:
    text = source("lookup_dial/view.js")
    assert f"const SHARPEST = {SHARPEST:.0f};" in text


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
