"""TemperatureLab in Python: its traits, its numbers, its mistakes and its picture."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding.example import COUNTS, LOGITS, WORDS
from plainformer.widgets import TemperatureLab
from plainformer.widgets.kit.base import MAX_STATE_BYTES
from plainformer.widgets.kit.front_end import source
from plainformer.widgets.kit.token_bars import (
    COLDEST,
    HOTTEST,
    MOST_SHOWN,
    MOST_TOKENS,
    leading,
    rows_of,
)

LOGIT = st.floats(-50, 50) | st.just(-math.inf)
ROWS = st.lists(LOGIT, min_size=1, max_size=12).filter(lambda row: max(row) > -math.inf)


@given(ROWS, st.just(0.0) | st.floats(COLDEST, HOTTEST))
def test_the_numbers_are_those_of_the_formula(row: list[float], tau: float) -> None:
    lab = TemperatureLab(row, temperature=tau)
    p = lab.probabilities()
    if tau == 0:
        expected = np.eye(len(row))[row.index(max(row))]
    else:
        grown = np.array([math.exp((z - max(row)) / tau) for z in row])
        expected = grown / grown.sum()
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)
    open_ = -sum(float(each) * math.log(each) for each in expected if each > 0)
    assert lab.entropy() == pytest.approx(open_, abs=1e-9)
    possible = sum(z > -math.inf for z in row)
    assert lab.most_entropy() == pytest.approx(math.log(possible))
    assert lab.entropy() <= lab.most_entropy() + 1e-9


def test_the_default_is_the_example_of_the_part() -> None:
    lab = TemperatureLab()
    assert (lab.words, lab.context) == (list(WORDS), "your cat is a")
    np.testing.assert_allclose(100 * lab.probabilities(), COUNTS, rtol=0, atol=1e-9)
    lab.temperature = 0.5
    squares = np.array(COUNTS) ** 2
    np.testing.assert_allclose(lab.probabilities(), squares / squares.sum(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(100 * lab.probabilities(1), COUNTS, rtol=0, atol=1e-9)
    assert lab.entropy(1) > lab.entropy() > lab.entropy(0) == 0


def test_at_zero_the_first_of_the_largest_takes_all() -> None:
    lab = TemperatureLab([1, 3, 3, 2], temperature=0)
    assert lab.probabilities().tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor, torch.nn.Parameter, list, tuple])
def test_arrays_of_other_kinds(kind: Any) -> None:
    row = [0.5, -math.inf, 2.0]
    lab = TemperatureLab(kind(torch.tensor(row)) if kind is torch.nn.Parameter else kind(row))
    assert lab.logits == [0.5, None, 2.0]
    assert lab.words == ["token 0", "token 1", "token 2"]
    assert "Infinity" not in json.dumps(lab.state())
    lab.logits = [None, 1, -math.inf]  # as the page would write it, or as a person would
    assert lab.probabilities().tolist() == [0, 1, 0]


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"logits": [[1.0, 2.0]]}, ValueError, r"logits must have shape \(V,\), V from 1 to 3000; got"),
    ({"logits": []}, ValueError, r"logits must have shape \(V,\), V from 1 to 3000; got \(0,\)"),
    ({"logits": np.zeros(MOST_TOKENS + 1)}, ValueError, r"V from 1 to 3000; got \(3001,\)"),
    ({"logits": "cat"}, TypeError, "logits must be an array of numbers; got str"),
    ({"logits": [1, math.nan]}, ValueError, r"logits\[1\] must be finite or -inf; got nan"),
    ({"logits": [-math.inf] * 2}, ValueError, "must leave at least one token possible"),
    ({"logits": [1, 2e4]}, ValueError, "logits must be -inf or from -10,000 to 10,000; got 20000"),
    ({"words": "ab"}, TypeError, "words must be a list of strings; got 'ab'"),
    ({"words": ["a"]}, ValueError, "words must have 2 entries, one for each token; got 1"),
    ({"temperature": "hot"}, TypeError, "temperature must be a number"),
    ({"temperature": -1}, ValueError, "temperature must be 0, or from 0.01 to 100; got -1"),
    ({"temperature": 0.001}, ValueError, "temperature must be 0, or from 0.01 to 100; got 0.001"),
    ({"temperature": math.inf}, ValueError, "temperature must be finite; got inf"),
    ({"compare": 101}, ValueError, "compare must be 0, or from 0.01 to 100; got 101"),
    ({"compare": True}, TypeError, "compare must be a number"),
    ({"context": 5}, TypeError, "context must be a string; got 5"),
    ({"context": "\ud83d"}, ValueError, "context must be whole characters; got half of one"),
    ({"shown": 0}, ValueError, "shown must be from 1 to 40; got 0"),
    ({"shown": 1.5}, TypeError, "shown must be a whole number; got 1.5"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        TemperatureLab(**{"logits": [1, 2], "words": ["a", "b"], **options})


def test_a_mistake_changes_nothing() -> None:
    lab = TemperatureLab(compare=2)
    before = lab.state()
    bad = {"logits": [1, 2], "temperature": -1, "compare": "x"}
    for name, value in bad.items():
        with pytest.raises((TypeError, ValueError), match=f"^{name} must "):
            setattr(lab, name, value)
    assert lab.state() == before


def test_the_others_are_summed_up() -> None:
    z = np.random.default_rng(3).normal(size=200)
    lab = TemperatureLab(z, shown=5)
    order = leading(z, 5)
    assert order == sorted(range(200), key=lambda i: -z[i])[:5]
    rows = rows_of(lab.probabilities(), lab.words, order)
    assert [name for name, _ in rows] == [*(f"token {i}" for i in order), "195 others"]
    assert sum(part for _, part in rows) == pytest.approx(1)
    assert "195 others" in lab.fallback()
    assert "1 other<" in TemperatureLab([1, 2, 3], shown=2).picture()


def test_a_large_vocabulary_fits_a_page(recwarn: pytest.WarningsRecorder) -> None:
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, size=(MOST_TOKENS, 5), dtype=np.uint8)
    words = [row.tobytes().decode() for row in letters]
    lab = TemperatureLab(rng.normal(size=MOST_TOKENS), words, shown=MOST_SHOWN)
    assert "data-pf-widget" in lab.html()
    assert not [each for each in recwarn if str(MAX_STATE_BYTES) in str(each.message)]


def test_the_picture_says_what_it_shows() -> None:
    lab = TemperatureLab(temperature=0.5, compare=1)
    for word, part in zip(WORDS, lab.probabilities(), strict=True):
        text = "&lt;0.01" if part < 0.005 else f"{part:.2f}"
        assert f"{word} {text}" in lab.fallback()
    assert "at temperature 0.5" in lab.description()
    assert "Entropy 1.05 of at most 2.08 nats. At temperature 1, lovely has 0.40" in (
        lab.description()
    )
    hard = TemperatureLab([1e4, -1e4, -math.inf], ["<b>", " a", "\n"], temperature=0.01)
    assert "&lt;b&gt;" in hard.picture()
    assert "␣a 0.00, ⏎ 0.00" in hard.description()
    assert not re.search(r"\b(nan|inf)\b", hard.fallback())


def test_the_front_end_draws_as_high_as_its_style_says() -> None:
    height = re.search(r"const HEIGHT = (\d+);", source("temperature_lab/levels.js"))
    assert height and f"height: {height[1]}px;" in source("temperature_lab/view.css")


def test_the_example_is_not_changed() -> None:
    lab = TemperatureLab()
    assert lab.logits == LOGITS.tolist()
    assert TemperatureLab(words=list("abcdefgh")).context == "your cat is a"
