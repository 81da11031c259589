"""BeamTree in Chromium: its numbers are Python's, and it tells the search in words."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.beam_trees import ranked, real, said
from tests.widgets.pages import FRAME, open_page, put, trait
from tests.widgets.test_beam_tree import model

from plainformer.widgets import BeamTree

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.parametrize("options", [{}, {"length_penalty": 0.7, "length_norm": "gnmt"}])
def test_the_pages_numbers_are_pythons(
    options: dict[str, Any], page: "Page", tmp_path: Path
) -> None:
    for seed in (0, 4):
        widget = real(seed, **options)
        (live,) = open_page(page, tmp_path, widget)
        read = """all => all.map(e => [e.dataset.logProb, e.dataset.score].map(Number))"""
        drawn = live.locator("[data-log-prob]").evaluate_all(read)
        expected = [node[4:6] for node in widget.data["nodes"][1:]]
        np.testing.assert_allclose(drawn, expected, rtol=0, atol=1e-6)
        for step in range(widget.last_step + 1):
            for alpha in (0.0, 0.35, 1.0, 2.0):
                widget.step, widget.length_penalty = step, alpha
                put(page, step=step, length_penalty=alpha)
                shown = ranked(live)
                assert [text for text, _ in shown] == [each.text for each in widget.ranking]
                values = [each.normalised for each in widget.ranking]
                np.testing.assert_allclose([x for _, x in shown], values, rtol=0, atol=1e-6)
        assert len(widget.ranking) >= 3


def test_the_search_is_told_step_by_step(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=0))
    assert said(live) == "Only the prompt, “your cat is”. Each step keeps 2 beams that may go on."
    following = live.get_by_role("button", name="Next")
    told = []
    for key in ("Enter", "Space", "Enter", "Enter"):
        following.press(key)
        page.evaluate(FRAME)
        told.append(said(live))
    assert told == [
        "Step 1 of 4: 3 candidates. Kept: “a” (−0.69) and “lovely” (−0.92). 1 died.",
        "Step 2 of 4: 4 candidates. Finished: “lovely” (−1.02). Kept: “a lovely” (−1.61) and "
        "“a cat” (−1.74). 1 died. Best so far: “lovely”.",
        "Step 3 of 4: 4 candidates. Finished: “a cat” (−1.97). Kept: “a lovely cat” (−1.71) and "
        "“a cat is” (−3.35). 1 died. Best so far: “lovely”.",
        "Step 4 of 4: 4 candidates. Finished: “a lovely cat” (−1.82). Kept, but the search stops "
        "here: “a lovely cat is” (−4.02) and “a cat is a” (−4.05). 1 died. Best in the end: "
        "“lovely”.",
    ]
    live.get_by_role("status").get_by_text(told[-1]).wait_for()
    following.press("Enter")  # there is nothing after it, and the focus stays
    assert (trait(page, "step"), following.evaluate("b => b === document.activeElement")) == (
        4,
        True,
    )
    live.get_by_role("button", name="Back").click()
    page.evaluate(FRAME)
    assert said(live) == told[2]


def test_another_alpha_turns_the_ranking_over(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    slider = live.get_by_role("slider", name="α, the power of the length")
    news = live.locator(".bt-news")
    assert [text for text, _ in ranked(live)] == ["lovely", "a lovely cat", "a cat"]
    best = live.locator(".bt-state", has_text="★ best")
    assert best.count() == 1 and not news.is_visible()
    assert live.locator(".bt-trail.bt-node .bt-word").all_inner_texts() == ["lovely", "<end>"]
    for _ in range(16):  # 0.8: not yet
        slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert said(live) == (
        "α = 0.8: “lovely” is best, −1.02 / 2^0.8 = −0.59. "
        "So it is at α = 0, with which the tree was grown."
    )
    slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert said(live) == (
        "α = 0.85: “a lovely cat” is best, −1.82 / 4^0.85 = −0.56. The winner has changed: at "
        "α = 0, with which the tree was grown, it was “lovely”."
    )
    assert ranked(live)[0][0] == "a lovely cat"
    assert news.inner_text() == (
        "Another winner: at α = 0, with which the tree was grown, “lovely” was first."
    )
    words = live.locator(".bt-trail.bt-node .bt-word").all_inner_texts()
    assert words == ["a", "lovely", "cat", "<end>"]
    assert "stays as it is: the slider ranks anew what this search finished" in (
        live.locator(".pf-besides").text_content() or ""
    )
    put(page, step=1)
    assert live.locator(".bt-head").inner_text() == "No text is finished yet."
    slider.press("Home")
    page.evaluate(FRAME)
    assert said(live) == "α = 0: after step 1 no text is finished, so none is ranked."


def test_the_focus_tells_the_path_and_its_sum(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    root = live.get_by_role("treeitem", name="the prompt, “your cat is”")
    root.focus()
    page.evaluate(FRAME)
    assert said(live) == "“your cat is” is the root: given, not chosen. Its sum is 0."
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        page.evaluate(FRAME)
        told.append((trait(page, "node"), said(live)))
    assert told[:4] == [
        (1, "“your cat is” → “a”: log 0.5 = −0.69, probability 50%. Kept: it is continued."),
        (
            5,
            "“your cat is” → “a” → “lovely”: log 0.5 + log 0.4 = −0.69 − 0.92 = −1.61, "
            "probability 20%. Kept: it is continued.",
        ),
        (
            6,
            "“your cat is” → “a” → “cat”: log 0.5 + log 0.35 = −0.69 − 1.05 = −1.74, "
            "probability 17.5%. Kept: it is continued.",
        ),
        (
            7,
            "“your cat is” → “a” → “your”: log 0.5 + log 0.25 = −0.69 − 1.39 = −2.08, "
            "probability 12.5%. Died: others were better.",
        ),
    ]
    assert [node for node, _ in told[4:]] == [1, 15, 0]
    assert live.locator("[role=treeitem][tabindex='0']").count() == 1
    put(page, step=0)  # what was chosen is no longer there: Tab still finds the tree
    put(page, node=7)
    assert live.locator("[role=treeitem][tabindex='0']").get_attribute("data-place") == "0"


def test_states_are_told_by_words_and_lines(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=3, length_penalty=1))
    states = live.locator(".bt-level:not(.bt-later) .bt-state").all_inner_texts()
    first = ["kept", "kept", "died", "kept", "kept", "died", "★ best"]
    assert states == [*first, "kept", "died", "■ end", "kept"]
    styles = "all => all.map(e => getComputedStyle(e).borderTopStyle)"
    for status, style in (("kept", "solid"), ("pruned", "dashed"), ("finished", "double")):
        assert set(live.locator(f".bt-node.bt-{status}").evaluate_all(styles)) == {style}
    struck = "all => all.map(e => getComputedStyle(e).textDecorationLine)"
    found = live.locator(".bt-pruned .bt-word").evaluate_all(struck)
    assert set(found) == {"line-through"}
    assert live.get_by_text("greedy", exact=True).count() == 4
    greedy = live.locator(".bt-greedy").inner_text()
    assert greedy == (
        "Greedy search, which keeps 1 beam, took “a lovely cat”: −1.82 / 4^1 = −0.46."
    )
    name = live.get_by_role("treeitem").nth(6).get_attribute("aria-label")
    assert name == "your, after “a”, 25%, log −1.39, sum −2.08, died"


def test_lines_lead_from_parents_to_children(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    ends = """live => {
      const svg = live.querySelector(".bt-lines").getBoundingClientRect();
      const boxes = [...live.querySelectorAll("[data-place]")]
        .sort((a, b) => a.dataset.place - b.dataset.place).map(e => e.getBoundingClientRect());
      return [...live.querySelectorAll(".bt-link")].map((path, i) => {
        const [a, b] = [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())];
        const to = boxes[i + 1];
        return [a.x + svg.x, b.x + svg.x - to.left, b.y + svg.y - (to.top + to.bottom) / 2,
          boxes.map((box) => box.right), getComputedStyle(path).visibility];
      });
    }"""
    found = live.evaluate(ends)
    parents = [node[1] for node in BeamTree().data["nodes"][1:]]
    for (start, x, y, rights, _), parent in zip(found, parents, strict=True):
        assert abs(start - rights[parent]) <= 1 and abs(x) <= 1 and abs(y) <= 1
    assert [visible for *_, visible in found] == ["visible"] * 7 + ["hidden"] * 8


def test_the_tables_have_the_numbers(page: "Page", tmp_path: Path) -> None:
    widget = BeamTree(step=4, length_penalty=1)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").press("Enter")
    finished = live.get_by_role("table", name="Finished texts, ranked with α = 1")
    rows = [row.locator("td").all_inner_texts() for row in finished.locator("tbody tr").all()]
    assert [row[1] for row in rows] == ["a lovely cat", "lovely", "a cat"]
    values = [float(row[4].replace("−", "-")) for row in rows]
    np.testing.assert_allclose(
        values, [each.normalised for each in widget.ranking], rtol=0, atol=1e-8
    )
    weighed = live.get_by_role("table", name="What was weighed up to step 4").locator("tbody tr")
    assert weighed.count() == 16
    cells = weighed.nth(4).locator("td").all_inner_texts()
    assert cells[:4] == ["2", "a", "lovely", "0.4"]
    assert float(cells[4].replace("−", "-")) == pytest.approx(math.log(0.4), abs=1e-8)
    assert cells[6:] == ["kept", "took it"]


def test_what_is_not_shown_is_counted(page: "Page", tmp_path: Path) -> None:
    widget = BeamTree.search(
        model(2, size=40), [3, 4], num_beams=2, max_new_tokens=4, n_candidates=30
    )
    (live,) = open_page(page, tmp_path, widget)
    put(page, step=2)
    assert live.locator(".bt-current .bt-node").count() == 12
    assert live.locator(".bt-current .bt-more:visible").inner_text() == "and 18 more died"
    assert "Step 2 of 4: 30 candidates" in said(live) and "28 died" in said(live)
    page.set_viewport_size({"width": 360, "height": 700})
    page.evaluate(FRAME)
    assert live.locator(".bt-past .bt-more:visible").inner_text() == "28 died"
    assert live.locator(".bt-past .bt-node:visible").count() == 2


def test_what_greedy_did_beyond_the_tree(page: "Page", tmp_path: Path) -> None:
    for seed in range(12):
        widget = real(seed)
        greedy = widget.data["greedy"]
        if len(greedy["path"]) - 1 < greedy["length"]:
            break
    (live,) = open_page(page, tmp_path, widget)
    put(page, length_penalty=1)
    value = f"{greedy['score'] / greedy['length']:.2f}".replace("-", "−")
    assert live.locator(".bt-greedy").inner_text() == (
        f"Greedy search, which keeps 1 beam, took “{greedy['text']}”: "
        f"{greedy['score']:.2f} / {greedy['length']}^1 = {value}.".replace("-", "−")
    )
    assert live.locator(".bt-tag").count() == len(greedy["path"]) - 1


def test_an_alpha_beyond_the_slider(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    slider = live.get_by_role("slider", name="α")
    for alpha, sum_ in ((7, "−1.82 / 4^7 = −0.00011"), (-2.5, "−1.022 / 2^−2.5 = −5.78")):
        page.evaluate(f"plainformer.widgets[0].model.set('length_penalty', {alpha})")
        page.evaluate(FRAME)
        assert live.locator(".bt-sum").first.inner_text() == sum_
        assert float(slider.input_value()) == alpha
    slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert page.evaluate("plainformer.widgets[0].model.get('length_penalty')") == -2.45


def test_the_ranking_says_what_counts_as_length(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, real(0, step=4, length_penalty=0.6, length_norm="gnmt"))
    head = live.locator(".bt-head").inner_text()
    assert head == "Finished texts, ranked by sum / ((5 + length) / 6)^α, α = 0.6:"
    note = "The tree was grown with 3 beams and α = 0.6, and stays as it is"
    assert note in (live.locator(".pf-besides").text_content() or "")
    assert live.get_by_role("slider", name="α, the power of the length: 0.6").count() == 1
