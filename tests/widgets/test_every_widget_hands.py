"""What every widget owes the hand: keys, pointer and touch work, and no press leads out of a range.

The page of these tests lets time pass quickly: what a widget puts off, such as the sentence for
screen readers, comes after 4 ms at most.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.site import reactions, widget_checks
from tests.widgets.cases import Case, every
from tests.widgets.pages import open_page, watched

from plainformer.inputs import BPETokenizer
from plainformer.widgets.kit.base import Widget

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def hurried(browser: "Browser") -> "Iterator[Page]":
    """A page on which time passes quickly, and which fails on an error in its console."""
    with watched(browser) as (page, problems):
        page.add_init_script(reactions.HURRY)
        yield page
    assert problems == []


@every
def test_it_works_by_keyboard_and_pointer(
    case: Case, tokenizer: BPETokenizer, hurried: "Page", tmp_path: Path
) -> None:
    """Every control by both; what Enter presses, Space does too, which one button tells."""
    open_page(hurried, tmp_path, case.usual(tokenizer))
    widget = widget_checks.widget_at(hurried, 0)
    problems = widget_checks.drawing_problems(widget)
    problems += widget_checks.tab_through(hurried, widget)
    problems += widget_checks.slider_keys(hurried, widget)
    problems += widget_checks.buttons(hurried, widget, "Enter")
    problems += widget_checks.buttons(hurried, widget, "Space", most=1)
    problems += widget_checks.choices(hurried, widget)
    problems += widget_checks.table_problems(hurried, widget)
    hurried.reload()  # what keys have pressed may have nothing left to do
    widget.and_(hurried.locator("[data-pf-ready]")).wait_for()
    problems += widget_checks.slider_drag(hurried, widget)
    assert problems + widget_checks.buttons(hurried, widget, "click") == []


@every
def test_it_works_by_touch(
    case: Case, tokenizer: BPETokenizer, browser: "Browser", tmp_path: Path
) -> None:
    phone: Any = {
        "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True
    }  # fmt: skip
    with watched(browser, **phone) as (page, problems):
        page.add_init_script(reactions.HURRY)
        open_page(page, tmp_path, case.usual(tokenizer))
        problems += widget_checks.touch(page, widget_checks.widget_at(page, 0))
    assert problems == []


# Bursts of presses, each within one frame, and after each burst the state and what is drawn of it.
# Sliders stand in the middle, and are drawn so; then a button is pressed through every range that
# there is. At last, everything in any order.
HAMMER = r"""async (names) => {
  const live = document.querySelector(".pf-live");
  const { model } = plainformer.widgets[0];
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n; // Lehmer: the same every time
  const find = (selector) => [...live.querySelectorAll(selector)].filter((each) => !each.disabled);
  const controls = () => find("button, summary, [type=checkbox], [type=radio]");
  const quick = () => controls().filter((each) => !each.hasAttribute("aria-controls")); // no table
  const sliders = () => find("input[type=range]");
  const surfaces = () => find("[role=slider][tabindex], [role=treeitem]").slice(0, 4);
  const one = (all) => all[random(all.length)];
  function push(slider, share) {
    slider.value = Number(slider.min) + share * (Number(slider.max) - Number(slider.min));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const key = (at, name) =>
    at.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

  const states = new Set();
  const wrong = new Set();
  const frame = () => pfFrame().then(() => new Promise((go) => setTimeout(go)));
  const state = () => JSON.stringify(names.map((name) => [name, model.get(name)]));
  const seen = () => states.add(state());
  async function settle() {
    seen();
    await frame();
    seen();
    // What a reader would read as a mistake; what is quoted may be any token.
    const texts = [live.querySelector(".pf-sentence"), ...live.querySelectorAll("label")].map(
      (each) => each.textContent);
    for (const each of live.querySelectorAll("[aria-valuetext], [aria-label]")) {
      texts.push(`${each.ariaValueText ?? ""} ${each.ariaLabel ?? ""}`);
    }
    for (const text of texts) {
      if (/NaN|undefined|null|\[object/.test(text.replace(/“[^”]*”/g, ""))) wrong.add(text);
    }
    for (const at of live.querySelectorAll("[aria-valuenow]")) {
      const [now, most] = [Number(at.ariaValueNow), Number(at.ariaValueMax)];
      if (!(now >= 0 && now <= most)) wrong.add(`${at.ariaLabel}: ${now} of ${most}`);
    }
  }

  async function halfway() {
    sliders().forEach((slider) => push(slider, 0.5));
    await frame();
  }
  for (let i = 0; i < quick().length; i += 1) {
    await halfway();
    const been = new Set();  // where it has been, it would only go round again
    for (let press = 0; press < 250 && (press < 12 || !been.has(state())); press += 1) {
      been.add(state());
      quick()[i]?.click();
    }
    await settle();
  }
  for (const name of ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Enter", "End"]) {
    await halfway();
    surfaces().forEach((at) => { for (let i = 0; i < 70; i += 1) key(at, name); });
    await settle();
  }
  for (let burst = 0; burst < 10; burst += 1) {
    for (let i = 0; i < 100; i += 1) {
      const kind = random(3);
      if (kind === 0 && sliders().length) push(one(sliders()), random(101) / 100);
      else if (kind === 1 && surfaces().length) key(one(surfaces()), one(["ArrowLeft", "Home"]));
      else one(i ? quick() : controls()).click();
    }
    await settle();
  }
  return [[...states], [...wrong]];
}"""


# Move every slider to its beginning or end: which of them are drawn only after the next frame, and
# how many elements were made for all of them.
NEXT = """async () => {
  const live = document.querySelector(".pf-live");
  const late = [];
  let made = 0;
  const observer = new MutationObserver((all) => {
    for (const { addedNodes } of all) {
      made += [...addedNodes].filter((node) => node.nodeType === 1).length;
    }
  });
  observer.observe(live, { childList: true, subtree: true });
  const name = (slider) => slider.labels[0].textContent;
  for (const slider of live.querySelectorAll("input[type=range]")) {
    if (!slider.checkVisibility() || slider.disabled || slider.min === slider.max) continue;
    const [before, value] = [name(slider) + slider.ariaValueText, slider.value];
    slider.value = slider.min;
    if (slider.value === value) slider.value = slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await pfFrame();  // it was asked for after the drawing
    if (name(slider) + slider.ariaValueText === before) late.push(before);
  }
  await pfFrame();
  observer.disconnect();
  return [late, made];
}"""


def refused(widget: Widget, state: dict[str, Any]) -> dict[str, str]:
    """What Python says of the traits that a page has, for those that it does not accept."""
    found: dict[str, str] = {}
    for _ in range(2):  # one trait may be in its range only once another is set
        found = {}
        for name, value in state.items():
            try:
                setattr(widget, name, value)
            except (TypeError, ValueError) as error:
                found[name] = str(error)
    return found


@pytest.mark.parametrize("kind", ["usual", "hard"])
@every
def test_presses_faster_than_a_frame_stay_in_range(
    case: Case, kind: str, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    """Every state that a reader can reach, however fast, is one that Python accepts.

    And however long a frame takes, no change waits for a second one, or makes the whole anew.
    """
    widget = getattr(case, kind)(tokenizer)
    open_page(page, tmp_path, widget)
    late, made = page.evaluate(NEXT)
    assert late == []
    assert made < 1500
    names = [name for name in widget.state() if name != "data"]
    states, wrong = page.evaluate(HAMMER, names)
    assert wrong == []
    assert len(states) > 5, "pressing its controls hardly changed its traits: check their listeners"
    assert [found for each in states if (found := refused(widget, dict(json.loads(each))))] == []
