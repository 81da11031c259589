"""SamplerLab in Python: its traits, its numbers, its mistakes and its picture."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import CounterRNG, LogitsPipeline, TokenCounts
from plainformer.decoding.example import COUNTS, WORDS
from plainformer.widgets import SamplerLab
from plainformer.widgets.kit.base import MAX_STATE_BYTES
from plainformer.widgets.kit.token_bars import MOST_SHOWN, MOST_TOKENS
from plainformer.widgets.sampler_lab.widget import MOST_DRAWN, PRESETS, STAGES
from plainformer.widgets.sampler_lab.widget import SETTINGS as NEUTRAL

LOGIT = st.integers(-8, 8).map(float) | st.floats(-8, 8) | st.just(-math.inf)
ROWS = st.lists(LOGIT, min_size=1, max_size=9).filter(lambda row: max(row) > -math.inf)
SETTINGS = st.fixed_dictionaries(
    {
        "frequency_penalty": st.sampled_from([0, -1, 0.5, 2]),
        "presence_penalty": st.sampled_from([0, -1, 0.5, 2]),
        "repetition_penalty": st.sampled_from([1, 0.5, 1.3]),
        "temperature": st.sampled_from([0, 0.3, 1, 4]),
        "top_k": st.sampled_from([None, 1, 3, 50]),
        "top_p": st.sampled_from([None, 0.35, 0.8, 1]),
        "min_p": st.sampled_from([None, 0.05, 0.45, 1]),
        "order": st.permutations(STAGES),
    }
)


def reference(row: list[float], counts: list[int], s: dict[str, Any]) -> list[float]:
    """Probabilities, one token and one stage at a time, by the definitions."""
    z = list(row)

    def probabilities() -> list[float]:
        grown = [math.exp(each - max(z)) for each in z]
        return [each / math.fsum(grown) for each in grown]

    for stage in s["order"]:
        best_first = sorted(range(len(z)), key=lambda i: (-z[i], i))
        if stage == "penalties":
            for i, n in enumerate(counts):
                z[i] -= s["frequency_penalty"] * n + s["presence_penalty"] * (n > 0)
                if n:
                    factor = s["repetition_penalty"]
                    z[i] = z[i] / factor if z[i] > 0 else z[i] * factor
        elif stage == "temperature":
            greedy = [0.0 if i == best_first[0] else -math.inf for i in range(len(z))]
            z = [each / s[stage] for each in z] if s[stage] else greedy
        elif s[stage] is None:
            continue
        elif stage == "top_k":
            least = sorted(z, reverse=True)[: s[stage]][-1]
            z = [each if each >= least else -math.inf for each in z]
        elif stage == "top_p":
            p, kept, total = probabilities(), [], 0.0
            for i in best_first:
                if total < s[stage] - 1e-6:
                    kept.append(i)
                total += p[i]
            if s[stage] < 1:
                z = [each if i in kept else -math.inf for i, each in enumerate(z)]
        else:
            p = probabilities()
            bar = s[stage] * max(p) * (1 - 1e-6)
            z = [each if p[i] >= bar else -math.inf for i, each in enumerate(z)]
    return probabilities()


@given(ROWS, SETTINGS, st.data())
def test_the_stages_do_what_their_definitions_say(
    row: list[float], settings: dict[str, Any], data: st.DataObject
) -> None:
    some = st.lists(st.integers(0, 3), min_size=len(row), max_size=len(row))
    counts = data.draw(some)
    lab = SamplerLab(row, counts=counts, **settings)
    expected = reference(row, counts, settings)
    np.testing.assert_allclose(lab.probabilities(), expected, rtol=0, atol=1e-9)
    assert [name for name, _ in lab.stages()] == list(settings["order"])


def test_in_the_common_order_it_is_the_standard_pipeline() -> None:
    z = np.random.default_rng(2).normal(size=30) * 3
    counts = np.arange(30) % 3
    settings: dict[str, Any] = {
        "frequency_penalty": 0.3, "presence_penalty": -0.2, "repetition_penalty": 1.2,
        "temperature": 0.8, "top_k": 20, "top_p": 0.9, "min_p": 0.01,
    }  # fmt: skip
    lab = SamplerLab(z, counts=counts, **settings)
    # The standard pipeline counts the prompt for the third penalty alone.
    history = TokenCounts(prompt_counts=0 * counts, output_counts=counts)
    expected = LogitsPipeline.standard(**settings)(z, history)
    np.testing.assert_allclose(lab.stages()[-1][1], expected, rtol=0, atol=1e-12)


def test_the_example_counts_the_words_of_its_context() -> None:
    lab = SamplerLab(preset="off")
    assert dict(zip(lab.words, lab.counts, strict=True)) == dict.fromkeys(WORDS, 0) | {
        "your": 1, "cat": 1, "is": 1,
    }  # fmt: skip
    np.testing.assert_allclose(100 * lab.probabilities(), COUNTS, rtol=0, atol=1e-9)
    assert SamplerLab([1.0, 2.0]).counts == [0, 0]


def test_the_order_matters() -> None:
    hot = SamplerLab(temperature=3, top_p=0.7)
    turned = SamplerLab(
        temperature=3, top_p=0.7, order=["penalties", "top_p", "temperature", "top_k", "min_p"]
    )
    left = [int((lab.probabilities() > 0).sum()) for lab in (hot, turned)]
    assert left == [5, 3]  # a hot distribution needs more tokens to reach 0.7


@given(st.integers(0, 2**53 - 1), st.integers(0, 50))
def test_the_draws_are_those_of_the_counting_generator(seed: int, n: int) -> None:
    lab = SamplerLab(seed=seed, drawn=n)
    ends = np.cumsum(lab.probabilities())
    expected = [int(np.argmax(ends > u * ends[-1])) for u in CounterRNG(seed).random(n)]
    assert lab.draws() == expected
    assert lab.tally().tolist() == [expected.count(i) for i in range(8)]


def test_the_draws_come_close_to_the_bars() -> None:
    lab = SamplerLab(seed=4, drawn=MOST_DRAWN, top_p=0.9)
    gap = np.abs(lab.tally() / MOST_DRAWN - lab.probabilities()).max()
    assert gap < 0.02  # four standard deviations
    assert lab.tally()[lab.probabilities() == 0].sum() == 0


def test_a_large_vocabulary_fits_a_page(recwarn: pytest.WarningsRecorder) -> None:
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, size=(MOST_TOKENS, 5), dtype=np.uint8)
    words = [row.tobytes().decode() for row in letters]
    counts = rng.poisson(1.0, size=MOST_TOKENS)
    lab = SamplerLab(rng.normal(size=MOST_TOKENS), words, counts=counts, shown=MOST_SHOWN)
    assert "data-pf-widget" in lab.html()
    assert not [each for each in recwarn if f"{MAX_STATE_BYTES:,}" in str(each.message)]


def test_the_picture_says_what_it_shows() -> None:
    lab = SamplerLab(temperature=0.5, top_k=3, drawn=50, seed=9)
    text = lab.description()
    assert "A sampler of 8 tokens: temperature 0.5 → top-k 3. 3 tokens can be drawn: lovely" in text
    gap = np.abs(lab.tally() / 50 - lab.probabilities())
    assert f"Of 50 draws with seed 9, the largest gap to these is {gap.max():.2f}, at " in text
    assert "every stage is off" in SamplerLab(preset="off").description()
    lab = SamplerLab(frequency_penalty=0.5, repetition_penalty=1.3, min_p=0.1)
    assert "frequency 0.5 → repetition 1.3 → min-p 0.1." in lab.fallback()
    hard = SamplerLab([1e4, -1e4, -math.inf], ["<b>", " a", "\n"], temperature=0)
    assert "&lt;b&gt;" in hard.picture()
    assert "1 token can be drawn: <b> 1.00, ␣a 0.00, ⏎ 0.00." in hard.description()
    assert not re.search(r"\b(nan|inf)\b", hard.fallback())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_what_it_says_and_nothing_else(name: str) -> None:
    lab = SamplerLab(preset=name)
    found = {setting: getattr(lab, setting) for setting in NEUTRAL}
    assert found == {**NEUTRAL, **PRESETS[name]}
    assert SamplerLab(preset=name, top_k=5).state() == SamplerLab(top_k=5).state()  # one is given


def test_it_opens_with_a_preset_on() -> None:
    assert SamplerLab().state() == SamplerLab(preset="focused").state()
    assert "temperature 0.7 → top-p 0.9" in SamplerLab().description()


@pytest.mark.parametrize(
    ("preset", "error"), [("wild", ValueError), (3, TypeError), (None, TypeError)]
)
def test_another_preset_is_an_error(preset: Any, error: type[Exception]) -> None:
    known = "preset must be one of off, greedy, focused, nucleus, creative, no repeats; got"
    with pytest.raises(error, match=known):
        SamplerLab(preset=preset)
