"""GradientFlow in a static page, in Chromium: its numbers are Python's, and it answers to hands."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, put, run, slider, trait
from tests.widgets.test_gradient_flow import random_flow

from plainformer.attention import softmax, softmax_backward
from plainformer.attention.example import KINDS, TOKENS
from plainformer.widgets import GradientFlow
from plainformer.widgets.gradient_flow.flow import NAMES
from plainformer.widgets.gradient_flow.picture import name_of, number

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

VALUES = "cells => cells.map(cell => Number(cell.dataset.value))"


def shown(live: "Locator", name: str) -> list[float]:
    """The numbers of one matrix as the page has them, in the order of Python's."""
    found: list[float] = live.locator(f".gf-{name} .gf-cell").evaluate_all(VALUES)
    return found


def check(page: "Page", live: "Locator", widget: GradientFlow) -> None:
    """Compare all that the page shows with the widget in Python, which has the same traits."""
    for view in ("numbers", "forward", "backward"):
        put(page, view=view)
        expected = {
            "numbers": widget.nudged,
            "forward": widget.changes,
            "backward": widget.gradients,
        }[view]
        for name in NAMES:
            found = shown(live, name)
            np.testing.assert_allclose(found, expected[name].ravel(), rtol=0, atol=1e-6)


def test_the_pages_numbers_are_pythons(page: "Page", tmp_path: Path) -> None:
    widget = GradientFlow()
    (live,) = open_page(page, tmp_path, widget)
    for name in NAMES[:-1]:
        widget.matrix, widget.nudge = name, -0.25
        target = None if name < "q" else 1
        widget.target = target
        changed: dict[str, Any] = {
            each: getattr(widget, each) for each in ("matrix", "row", "column", "nudge", "target")
        }
        put(page, **changed)
        check(page, live, widget)


@pytest.mark.parametrize("seed", range(3))
def test_so_are_those_of_other_arrays(seed: int, page: "Page", tmp_path: Path) -> None:
    widget = random_flow(seed, matrix="x", row=1, column=seed, nudge=1, target=[None, 0, 1][seed])
    (live,) = open_page(page, tmp_path, widget)
    check(page, live, widget)


def test_softmax_backward_is_pythons(page: "Page") -> None:
    rng = np.random.default_rng(1)
    grad, weights = rng.normal(size=(3, 5)), softmax(rng.normal(size=(3, 5)) * 9)
    found = run(
        page,
        "formulas/attention_gradients",
        "m.softmaxBackward(...x)",
        [grad.tolist(), weights.tolist()],
    )
    np.testing.assert_allclose(found, softmax_backward(grad, weights), rtol=0, atol=1e-12)


def test_words_and_numbers_are_those_of_the_picture(page: "Page") -> None:
    sizes = [0, 1e-13, 3e-5, 0.0123, 0.456, 7.89, 12.34, 999.4, 1234.5, 5e7, 9.9e11, 2.0, 0.5]
    for signed in (False, True):
        given = [*sizes, *(-each for each in sizes)]
        found = run(
            page, "gradient_flow/words", "x[0].map((each) => m.number(each, x[1]))", [given, signed]
        )
        assert found == [number(each, signed=signed) for each in given]
    data = {"tokens": TOKENS, "features": KINDS, "query": 1}
    cells = [(name, 0, 1) for name in NAMES[:-1]] + [("loss", 0, 0), ("k", 5, 0), ("v", 2, 1)]
    script = "x[0].map(([matrix, row, column]) => m.nameOf({ matrix, row, column }, x[1]))"
    found = run(page, "gradient_flow/words", script, [cells, data])
    assert found == [name_of(name, (i, j), TOKENS, 1, KINDS) for name, i, j in cells]


def test_two_numbers_that_differ_differ_as_printed(page: "Page") -> None:
    pairs = [[0.56, 0.5599], [1, 1], [2.0000001, 2], [-0.5, 0.5], [0.1234, 0.1236]]
    found = run(page, "gradient_flow/words", "x.map((each) => m.pair(...each))", pairs)
    assert found == [
        ["0.5600", "0.5599"], ["1.000", "1.000"], ["2.0000001", "2.0000000"],
        ["−0.500", "0.500"], ["0.123", "0.124"],
    ]  # fmt: skip


def test_a_press_chooses_and_the_slider_nudges(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, GradientFlow())
    status = live.get_by_role("status")
    live.locator(".gf-weights .gf-cell").nth(2).click()
    slider(live, "Nudge").fill("10")
    status.get_by_text(
        "Nudge the weight of “is” by +0.10, from 0.046 to 0.15: 2 others move, and the loss falls "
        "from 0.560 to 0.551. (Moved alone, the weights no longer sum to 1.)"
    ).wait_for()
    live.locator(".gf-scores .gf-cell").nth(2).click()
    status.get_by_text("the loss rises from 0.560 to 0.574.").wait_for()
    assert [trait(page, each) for each in ("matrix", "row", "column")] == ["scores", 0, 2]
    slider(live, "Nudge").fill("0")
    status.get_by_text("The score of “is” stays as it is: move the slider").wait_for()


def test_backward_says_who_matters(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, GradientFlow())
    status = live.get_by_role("status")
    live.get_by_text("Backward: gradients").click()
    status.get_by_text(
        "A small nudge of W_q, row thing, column 1 moves the loss 2.44 times as far, the other way."
    ).wait_for()
    slider(live, "Nudge").fill("10")  # nearly 0.1 × −2.44
    status.get_by_text("The nudge by +0.10 moves it by −0.2").wait_for()
    live.locator(".gf-w_q .gf-cell").last.click()
    status.get_by_text("W_q, row link, column 1 has no say in the loss.").wait_for()
    live.get_by_text("output 0").click()
    status.get_by_text("Gradients of column 0 of the output").wait_for()
    assert trait(page, "target") == 0


def test_pointing_reads_and_leaves_no_trace(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, GradientFlow())
    reading = live.locator(".gf-reading")
    before = reading.inner_text()
    assert "predicts −1.22 for the loss, moved by −0.51" in before
    live.locator(".gf-scores .gf-cell").nth(4).hover()
    reading.get_by_text("2.83 → 4.24, moved by +1.41; gradient −0.86").wait_for()
    live.locator(".gf-loss .gf-cell").hover()
    reading.get_by_text("The loss").wait_for()
    page.mouse.move(1, 1)
    page.evaluate(FRAME)
    assert reading.inner_text() == before
    assert trait(page, "matrix") == "w_q"


def test_keys_move_through_a_matrix(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, GradientFlow(column=0))
    grid = live.get_by_role("slider", name="weight, 6 by 1")
    grid.focus()
    for key, column in [("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 0), ("End", 0)]:
        page.keyboard.press(key)
        page.evaluate(FRAME)
        assert [trait(page, each) for each in ("matrix", "column")] == ["weights", column], key
    said = grid.get_attribute("aria-valuetext") or ""
    assert said.startswith("The weight of “your”: 0.046 → 0.55, moved by +0.50; gradient +2.10")
    live.get_by_role("slider", name="x, 6 by 4").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert [trait(page, each) for each in ("matrix", "row", "column")] == ["x", 1, 1]
