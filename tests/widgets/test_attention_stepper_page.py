"""AttentionStepper in Chromium: its page shows Python's numbers, and each number its sum."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, slider
from tests.widgets.steppers import CROSS, LARGE, SUMS, check, follow, grid, total

from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionStepper

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.parametrize("options", [{}, LARGE, CROSS, {"q": [[5]], "k": [[-3]], "v": [[0.5]]}])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper(**options)
    (live,) = open_page(page, tmp_path, stepper)
    check(page, live, stepper)
    live.get_by_label("Causal mask").check()
    check(page, live, stepper)
    assert stepper.causal


@pytest.mark.parametrize(("step", "text"), SUMS)
def test_each_cell_shows_its_sum(step: int, text: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=step))
    assert total(live) == text
    assert (grid(live).get_attribute("aria-valuetext") or "").replace("\u00a0", " ") == text


def test_the_sources_are_framed(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())

    def framed() -> list[str]:
        boxes = live.locator("input.as-source")
        return [str(name) for name in boxes.evaluate_all("all => all.map(b => b.ariaLabel)")]

    def strip() -> list[bool]:
        cells = live.locator(".as-strip .as-cell")
        return [bool(on) for on in cells.evaluate_all("a => a.map(c => c.matches('.as-source'))")]

    row = [f"q of “cat”, column {d}" for d in (0, 1)]
    assert framed() == [*row, *(f"k of “lovely”, column {d}" for d in (0, 1))]
    assert not live.locator(".as-strip").is_visible()
    slider(live, "Step").fill("1")
    page.evaluate(FRAME)
    assert strip() == [False] * 4 + [True, False]
    slider(live, "Step").fill("2")  # the weights: without a mask the third of four
    page.evaluate(FRAME)
    assert framed() == row
    assert strip() == [True] * 6
    slider(live, "Step").fill("3")
    page.evaluate(FRAME)
    assert framed() == [f"v of “{t}”, column 1" for t in TOKENS]
    assert strip() == [True] * 6


def test_a_causal_mask_forbids_what_comes_later(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=1))
    status = live.get_by_role("status")
    live.get_by_label("Causal mask").focus()
    page.keyboard.press("Space")
    on = "The causal mask is on: no query sees a later key, from the step “masked” on. Step 2 of 5"
    status.get_by_text(on).wait_for()
    slider(live, "Step").fill("2")
    status.get_by_text("Step 3 of 5, masked: −∞ where a key comes after the query.").wait_for()
    assert total(live) == "Masked score of “cat” (1) for “lovely”: 2.83 becomes −∞"
    assert grid(live).locator(".as-forbidden").count() == 15
    slider(live, "Step").fill("3")
    page.evaluate(FRAME)
    assert grid(live).locator(".as-forbidden").all_text_contents() == ["0"] * 15
    assert "exp(−∞) / (exp(0) + exp(0) + exp(−∞)" in total(live)
    slider(live, "Step").fill("2")
    page.evaluate(FRAME)
    page.evaluate("plainformer.widgets[0].model.set('causal', false)")
    status.get_by_text("The causal mask is off").wait_for()
    assert slider(live, "Step").get_attribute("aria-valuetext") == "step 2 of 4, scaled"
    assert not live.locator(".as-steps").get_by_text("masked").is_visible()


def test_more_queries_than_keys_have_no_causal_mask(page: "Page", tmp_path: Path) -> None:
    short = AttentionStepper(np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 2)))
    (live,) = open_page(page, tmp_path, short)
    assert live.get_by_label("Causal mask").is_disabled()


def test_large_scores_do_not_overflow(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper([[100.0]], [[100.0], [99.9]], [[1.0], [2.0]], step=3)
    (live,) = open_page(page, tmp_path, stepper)
    assert total(live).endswith(
        "less the largest, 10,000, everywhere: exp(0) / (exp(0) + exp(−10)) = 1 / 1.00005 = 0.99995"
    )
    check(page, live, stepper)


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (-8, "less the largest, −8, everywhere: exp(0) / (exp(0) + exp(0)) = 1 / 2 = 0.5"),
        (-2, "exp(−2) / (exp(−2) + exp(−2)) = 0.135 / 0.271 = 0.5"),
        (12, "exp(12) / (exp(12) + exp(12)) = 162,755 / 325,510 = 0.5"),
        (13, "less the largest, 13, everywhere: exp(0) / (exp(0) + exp(0)) = 1 / 2 = 0.5"),
    ],
)
def test_no_weight_is_nothing_over_nothing(
    score: int, said: str, page: "Page", tmp_path: Path
) -> None:
    stepper = AttentionStepper([[1]], [[score], [score]], [[1], [2]], step=3)
    (live,) = open_page(page, tmp_path, stepper)
    assert total(live) == f"Weight of “key 0” for “query 0”: {said}"


def test_no_key_and_no_digit_is_lost_within_a_frame(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    grid(live).evaluate(
        """grid => ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp"].forEach(key =>
            grid.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""
    )
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (0, 3)
    live.locator(".as-box-q").evaluate_all(
        """boxes => boxes.slice(0, 2).forEach((box, i) => {
            box.value = 7 + i;
            box.dispatchEvent(new Event("input", { bubbles: true }));
        })"""
    )
    follow(page, stepper)
    assert stepper.q[0] == [7.0, 8.0]
