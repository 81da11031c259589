"""TemperatureLab in Python: its traits, its numbers, its mistakes and its picture."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import CounterRNG
from plainformer.decoding.example import COUNTS, LOGITS, WORDS
from plainformer.widgets import TemperatureLab
from plainformer.widgets.kit.base import MAX_STATE_BYTES
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


@given(ROWS, st.sampled_from([0.0, math.inf]) | st.floats(COLDEST, HOTTEST))
def test_the_numbers_are_those_of_the_formula(row: list[float], tau: float) -> None:
    lab = TemperatureLab(row, temperature=tau)
    p = lab.probabilities()
    if tau == 0:
        expected = np.eye(len(row))[row.index(max(row))]
    elif tau == math.inf:
        expected = np.isfinite(row) / np.isfinite(row).sum()
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
    open_ = []
    for tau in (0, 0.5, 1, math.inf):
        lab.temperature = tau
        open_.append(lab.entropy())
    assert open_ == sorted(set(open_))
    assert open_[0] == 0
    assert open_[-1] == pytest.approx(math.log(8))


def test_at_zero_the_first_of_the_largest_takes_all() -> None:
    lab = TemperatureLab([1, 3, 3, 2], temperature=0)
    assert lab.probabilities().tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", [math.inf, np.float64("inf"), None])
def test_at_infinity_all_that_is_possible_is_alike(kind: float | None) -> None:
    lab = TemperatureLab([1, 3, -math.inf, 2, 9], temperature=kind, drawn=200)
    assert lab.temperature is None  # JSON has no ∞
    assert lab.probabilities().tolist() == [0.25, 0.25, 0, 0.25, 0.25]
    assert set(lab.draws()) == {0, 1, 3, 4}
    assert "at temperature ∞" in lab.description()


@given(st.integers(0, 999), st.sampled_from([0, 0.5, 1, 3, None]))
def test_the_draws_are_those_of_the_running_sums(seed: int, tau: float | None) -> None:
    lab = TemperatureLab(temperature=tau, drawn=50, seed=seed)
    sums = np.cumsum(lab.probabilities())
    wanted = [int((sums <= u * sums[-1]).sum()) for u in CounterRNG(seed).random(50)]
    assert lab.draws() == wanted
    if tau == 0:
        assert wanted == [0] * 50


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
    lab = TemperatureLab(temperature=0.5)
    for word, part in zip(WORDS, lab.probabilities(), strict=True):
        text = "&lt;0.01" if part < 0.005 else f"{part:.2f}"
        assert f"{word} {text}" in lab.fallback()
    assert "at temperature 0.5" in lab.description()
    assert "Entropy 1.05 of at most 2.08 nats." in lab.description()
    hard = TemperatureLab([1e4, -1e4, -math.inf], ["<b>", " a", "\n"], temperature=0.01)
    assert "&lt;b&gt;" in hard.picture()
    assert "␣a 0.00, ⏎ 0.00" in hard.description()
    assert not re.search(r"\b(nan|inf)\b", hard.fallback())


def test_the_model_that_writes_is_a_file_beside_the_page() -> None:
    lab = TemperatureLab(checkpoint="course-lm")
    state = lab.state()
    assert state["weights"]["file"].startswith("course-lm-")
    assert len(lab.weights["data"]) > 1_000_000  # Jupyter has no files to fetch
    story = state["data"]["story"]
    assert "".join(story["words"][i] for i in story["ids"][1:]).strip() == "your cat is a"
    assert story["ids"][0] == story["eos"]
    plain = TemperatureLab()
    assert plain.weights is plain.state()["weights"] is plain.data["story"] is None


def test_the_example_is_not_changed() -> None:
    lab = TemperatureLab()
    assert lab.logits == LOGITS.tolist()
    assert TemperatureLab(words=list("abcdefgh")).context == "your cat is a"
