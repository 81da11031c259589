"""`TrainingLab` in the browser: it trains in a worker, stops, goes on, and compares two runs."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.widgets.pages import open_page, slider, trait

from plainformer.widgets import TrainingLab
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

STEPS = re.compile(r"After ([\d,]+) steps? the loss is ([\d.]+)")


def steps(live: "Locator") -> int:
    """How many steps the sentence tells of."""
    found = STEPS.match(live.locator(".pf-sentence").inner_text())
    assert found
    return int(found[1].replace(",", ""))


def press(live: "Locator", name: str) -> None:
    live.get_by_role("button", name=name, exact=True).click()


def wait_for(live: "Locator", words: str | re.Pattern[str]) -> None:
    expect(live.locator(".pf-sentence")).to_contain_text(words)


@pytest.fixture
def lab(page: "Page", tmp_path: Path) -> "Locator":
    """A lab on a page that was opened from a disk."""
    return open_page(page, tmp_path, TrainingLab())[0]


def test_nothing_trains_before_it_is_asked(lab: "Locator") -> None:
    wait_for(lab, "Nothing is trained yet")
    expect(lab.locator(".tm-map")).to_be_hidden()
    expect(lab.get_by_role("button", name="New run")).to_be_hidden()


def test_it_trains_stops_and_goes_on(lab: "Locator", page: "Page") -> None:
    press(lab, "Start")
    wait_for(lab, " a second")
    expect(lab.locator(".tl-sample")).not_to_be_empty()
    expect(lab.locator(".tm-map")).to_be_visible()
    press(lab, "Pause")
    wait_for(lab, "It can go on")
    first = steps(lab)
    slider(lab, "Learning rate").fill("9")
    assert trait(page, "rate") == 0.01
    press(lab, "Go on")
    expect(lab.locator(".pf-sentence")).not_to_contain_text(f"After {first} steps")
    press(lab, "Pause")
    wait_for(lab, "It can go on")
    assert steps(lab) > first
    expect(lab.locator(".tl-keys li").first).to_have_text("rate 0.01")


def test_two_runs_are_compared(lab: "Locator") -> None:
    """The same weights and batches to begin with: what differs is what was broken."""
    press(lab, "Start")
    wait_for(lab, " a second")
    press(lab, "Pause")  # what is broken while a run goes on is broken in this run
    wait_for(lab, "It can go on")
    lab.get_by_text("Residuals").click()
    press(lab, "New run")
    press(lab, "Start")
    wait_for(lab, "where the run before had")
    press(lab, "Pause")
    wait_for(lab, "It can go on")
    keys = lab.locator(".tl-keys li")
    expect(keys.nth(0)).to_have_text("rate 0.005, without residuals")
    expect(keys.nth(1)).to_have_text("rate 0.005")
    lab.get_by_role("button", name="Show as table").click()
    expect(lab.locator(".pf-table").nth(1)).to_contain_text("Before")
    assert lab.locator(".tl-before").first.get_attribute("d")


def test_the_reader_s_own_text(lab: "Locator", page: "Page") -> None:
    """It is never HTML; and a text that is too short does not start."""
    lab.get_by_text("Your own").click()
    box = lab.get_by_label("Your text")
    box.fill("<b>cat</b>")
    wait_for(lab, "Type or paste 100 characters or more: here there are 10.")
    expect(lab.get_by_role("button", name="Start")).to_have_attribute("aria-disabled", "true")
    box.fill("<img src=x onerror=alert(1)> " * 8)
    press(lab, "Start")
    wait_for(lab, " a second")
    press(lab, "Pause")
    assert lab.locator("img").count() == 0
    assert set(lab.locator(".tl-sample").inner_text()) <= set("<img src=x onerror=alert(1)> ")


def test_the_page_answers_while_it_trains(lab: "Locator", page: "Page") -> None:
    """Frames come, and another text takes the place of the first at once."""
    press(lab, "Start")
    wait_for(lab, " a second")
    assert page.evaluate("new Promise((go) => requestAnimationFrame(() => go(true)))")
    lab.get_by_text("Recipes").click()
    assert trait(page, "text") == "recipes"
    press(lab, "Pause")
    wait_for(lab, re.compile("It can go on|Next: recipes"))


def test_a_widget_that_is_removed_ends_its_worker(page: "Page") -> None:
    """As Jupyter does when a cell is run again; there the code comes in the widget's trait."""
    lab = TrainingLab()
    state = {
        name: getattr(lab, name)
        for name in ("engine", "glass", "texts", "text", "rate", "broken", "own")
    }
    page.evaluate(
        """async ([code, state]) => {
          const blob = new Blob([code], { type: "text/javascript" });
          const { default: widget } = await import(URL.createObjectURL(blob));
          const model = { get: (name) => state[name], on() {}, off() {}, save_changes() {} };
          window.stopLab = widget.render({ model, el: document.body });
        }""",
        [bundle("training_lab/view"), state],
    )
    live = page.locator("body")
    press(live, "Start")
    wait_for(live, " a second")
    assert len(page.workers) == 1
    with page.workers[0].expect_event("close"):
        page.evaluate("stopLab()")
    assert page.workers == []
