"""The toys of the first page: their numbers are the package's, their sentences are true."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from book_engine import toys

FOLDER = Path(__file__).resolve().parents[2] / "book" / "map"
MADE = {make.__name__: make() for make in toys.TOYS}


def values(element: ET.Element, name: str) -> list[float]:
    """Return the numbers that one attribute of a moving element goes through."""
    rows = dict(part.split(":") for part in element.get("data-go", "").split(";"))
    return [float(number) for number in rows[name].split(",")]


def moving(toy: toys.Toy, kind: str) -> list[ET.Element]:
    """Return the elements of one kind in a toy's drawing."""
    return [each for each in toy.drawing.iter() if each.get("class") == kind]


@pytest.mark.parametrize("name", MADE)
def test_every_element_has_a_value_and_every_step_a_sentence(name: str) -> None:
    toy = MADE[name]
    steps = len(toy.lines)
    assert steps > 5 and 0 <= toy.start < steps
    for each in toy.drawing.iter():
        for part in filter(None, each.get("data-go", "").split(";")):
            attribute, row = part.split(":")
            numbers = row.split(",")
            assert len(numbers) == steps and all(map(math.isfinite, map(float, numbers)))
            assert each.get(attribute) == numbers[toy.start], "drawn as it begins"
        if each.get("data-say"):
            assert len(each.get("data-say", "").split("|")) == steps
    assert len(set(toy.lines)) == steps or name == "who_looks_at_whom", "two words are the same"


@pytest.mark.parametrize("name", MADE)
def test_what_plays_by_itself_ends_within_five_or_six_seconds(name: str) -> None:
    assert 3_000 < MADE[name].pace * (len(MADE[name].lines) - 1) < 6_000


def test_the_lines_of_attention_are_as_thick_as_the_weights() -> None:
    """Computed here from the tables alone, softmax spelled out."""
    from plainformer.attention.example import W_K, W_Q, X

    toy = MADE["who_looks_at_whom"]
    scores = (X @ W_Q) @ (X @ W_K).T / math.sqrt(W_Q.shape[1])
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    drawn = np.array([values(each, "stroke-width") for each in moving(toy, "look")]).T
    np.testing.assert_allclose((drawn - 0.4) / 9, weights, atol=2e-3)
    shown = [each.get("data-say", "").split("|") for each in moving(toy, "number")]
    assert [list(column) for column in zip(*shown, strict=True)] == [
        [f"{share:.0%}" for share in row] for row in weights
    ]
    assert toy.lines[1] == "“cat” looks most at “lovely”."
    assert toy.lines[2] == "“is” looks most at “cat” and “lovely”."


def test_every_clock_goes_round_at_its_own_pace() -> None:
    hands = moving(MADE["clocks"], "hand")
    for number, hand in enumerate(hands):
        x, y = float(hand.get("x1", "nan")), float(hand.get("y1", "nan"))
        for place, (right, down) in enumerate(
            zip(values(hand, "x2"), values(hand, "y2"), strict=True)
        ):
            angle = place * 10_000 ** (-number / len(hands))
            assert right - x == pytest.approx(17 * math.sin(angle), abs=0.06)
            assert y - down == pytest.approx(17 * math.cos(angle), abs=0.06)
    assert MADE["clocks"].lines[44] == "Word 44: the first clock has gone round 7.0 times."


def test_the_bars_are_the_words_probabilities_at_every_temperature() -> None:
    from plainformer.training.tasks import course_lm

    logits = course_lm().next_logits("your cat is a")
    best = np.argsort(-logits)[:7]
    toy = MADE["hot_and_cold"]
    drawn = np.array([values(each, "width") for each in moving(toy, "bar")]).T
    for line, row in zip(toy.lines, drawn, strict=True):
        tau = float(re.findall(r"temperature ([\d.]+),", line)[0])
        scaled = np.exp(logits / tau)
        shares = scaled[best] / scaled.sum()
        np.testing.assert_allclose((row - 1) / 110, [*shares, 1 - shares.sum()], atol=1e-3)
    assert toy.lines[toy.start].startswith("At temperature 1.00, ")


def test_a_toy_leads_to_its_chapter_and_its_words_are_escaped() -> None:
    drawing = toys.canvas("A <drawing>")
    toy = toys.Toy("book/a", "A & B", "Do <it>.", 'The "it"', drawing, ["<1>", "2"], 0, 9)
    html = toys.render(FOLDER, [toy], lambda page: f"{page}.html?a&b")
    part = html[html.index('<div class="pf-toys">') : html.index("<script>")]
    assert '<a href="book/a.html?a&amp;b">A &amp; B</a>' in part
    assert "<it>" not in part and "<1>" not in part and "<drawing>" not in part
    assert 'data-control="The &quot;it&quot;"' in part
