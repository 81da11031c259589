"""RotaryVectors in Chromium: its page shows Python's numbers, and every control does its work."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, open_page, open_still, slider
from tests.widgets.rotary import check

from plainformer.widgets import RotaryVectors

if TYPE_CHECKING:
    from playwright.sync_api import Page


CASES: list[dict[str, Any]] = [
    {},
    {"query": [1.0, 0.0], "key": [0.0, -1.0], "m": 64, "n": 0},
    {"query": list(range(16)), "key": [100.0, -100.0] * 8, "m": 0, "n": 64, "base": 500000.0},
    {"query": [0.1] * 6, "key": [-0.3, 2.0] * 3, "m": 33, "n": 33, "base": 1.5, "pair": None},
    {"query": [0.0] * 4, "key": [0.0] * 4, "pair": 1},
]


@pytest.mark.parametrize("options", CASES)
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(**options)
    (live,) = open_page(page, tmp_path, widget)
    check(live, widget)
    for widget.m, widget.n in itertools.product([0, 7, 64], [0, 31, 64]):
        slider(live, "Query at").fill(str(widget.m))
        slider(live, "Key at").fill(str(widget.n))
        check(live, widget)


def test_by_keyboard_and_by_shift_too(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors()
    (live,) = open_page(page, tmp_path, widget)
    slider(live, "Query at").focus()
    for key, m in [("ArrowRight", 6), ("End", 64), ("ArrowLeft", 63), ("Home", 0), ("PageUp", 6)]:
        page.keyboard.press(key)
        widget.m = m
        check(live, widget)
    slider(live, "Key at").focus()
    page.keyboard.press("ArrowRight")
    widget.n = 3
    score = check(live, widget)
    shift = slider(live, "Shift both")
    shift.focus()
    assert (shift.get_attribute("max"), shift.input_value()) == ("61", "3")
    for key, n in [("ArrowRight", 4), ("End", 61), ("Home", 0), ("PageUp", 6)]:
        page.keyboard.press(key)
        widget.m, widget.n = n + 3, n
        assert abs(check(live, widget) - score) < 1e-9
        assert shift.get_attribute("aria-valuetext") == f"m = {n + 3}, n = {n}"
    live.get_by_role("status").get_by_text("Distance still 3, score still").wait_for()


def test_a_key_behind_its_query_can_be_shifted_too(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(m=2, n=50)
    (live,) = open_page(page, tmp_path, widget)
    score = check(live, widget)
    slider(live, "Shift both").focus()
    page.keyboard.press("End")
    widget.m, widget.n = 16, 64
    assert abs(check(live, widget) - score) < 1e-9
    page.keyboard.press("Home")
    widget.m, widget.n = 0, 48
    assert abs(check(live, widget) - score) < 1e-9
    slider(live, "Key at").press("End")
    page.evaluate(FRAME)
    assert slider(live, "Shift both").is_disabled()  # 64 apart: there is no room
    assert live.get_by_role("button", name="Play").get_attribute("aria-disabled") == "true"


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    widget = RotaryVectors(
        [2.0, 1.0, 0.5, -1.0], [1.0, 1.0, 1.0, 1.0], m=9, n=4, base=100.0, pair=1
    )
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        widget.state(),
    )
    check(live, widget)
    assert live.get_by_role("radio").count() == 3
    assert live.get_by_role("radio", name="Pair 1").is_checked()


def test_the_switch_of_pairs(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    status = live.get_by_role("status")
    live.get_by_role("radio", name="Pair 0").focus()
    for name in ("Pair 1", "Pair 2", "Pair 3"):
        page.keyboard.press("ArrowRight")
        status.get_by_text(f"{name}: q turned by").wait_for()
        assert live.locator(".rv-picture .rv-dial").count() == 1
        assert live.locator(".rv-chosen").count() == 1
    page.keyboard.press("ArrowRight")
    status.get_by_text("All 4 pairs").wait_for()
    assert live.locator(".rv-picture .rv-dial").count() == 4
    assert page.evaluate("plainformer.widgets[0].model.get('pair')") is None


def test_play_shifts_both_to_the_end(page: "Page", tmp_path: Path) -> None:
    (live,) = open_still(page, tmp_path, RotaryVectors(m=63, n=60))
    live.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)
    live.get_by_role("status").get_by_text("m = 64, n = 61: both turned").wait_for()
    play = live.get_by_role("button", name="Play")
    play.wait_for()
    play.press("Enter")  # from the start again
    page.clock.run_for(450)  # by half a second more it is a step further
    live.get_by_role("status").get_by_text("m = 4, n = 1: both turned").wait_for()
    live.get_by_role("button", name="Pause").press("Space")
    play.wait_for()


def test_the_table_has_what_the_picture_has(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(m=12, n=40)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()

    def cells(name: str) -> list[list[str]]:
        rows = live.get_by_role("table", name=name).locator("tbody tr").all()
        return [
            [cell.replace("−", "-") for cell in r.locator("td").all_text_contents()] for r in rows
        ]

    *pairs, total = cells("Each pair at m = 12, n = 40")
    shown = np.array(pairs, dtype=float)
    expected = np.stack([*widget.angles, widget.contributions], axis=1)
    assert np.abs(shown[:, 3:] - expected).max() < 1e-6
    assert abs(float(total[-1]) - widget.score) < 1e-6
    found = live.get_by_role("table", name="The score at every distance").evaluate(
        "table => [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    )
    curve = np.array([[cell.replace("−", "-") for cell in row] for row in found], dtype=float)
    scores = widget.contributions_at(curve[:, 0])
    assert np.abs(curve[:, 1] - scores.sum(0)).max() < 1e-6
    assert np.abs(curve[:, 2:].T - scores).max() < 1e-6
    live.get_by_role("button", name="Hide table").click()
    assert live.get_by_role("table").count() == 0


def test_it_draws_when_it_is_shown(page: "Page", tmp_path: Path) -> None:
    folded = f"<details><summary>More</summary>{RotaryVectors().html()}</details>"
    tab = f'<div id="tab" hidden>{RotaryVectors().html()}</div>'
    open_page(page, tmp_path, folded, tab)
    expect(page.locator("[data-pf-ready]")).to_have_count(0)
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    page.evaluate("document.getElementById('tab').hidden = false")
    page.locator("#tab [data-pf-ready]").wait_for()
