"""A link to a widget: what it carries comes back, and nothing else that it may bring is shown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from tests.widgets.cases import CASES, Case, every
from tests.widgets.pages import FRAME, trait, watched, write_page
from tests.widgets.test_every_widget_hands import refused

from plainformer.inputs import BPETokenizer
from plainformer.widgets import GradientFlow, PositionalWaves

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CATCH = """window.copied = [];
navigator.clipboard.writeText = async (text) => { window.copied.push(text); };"""

# Every slider a third of its way, every draw, every other choice, every box, as a reader would.
STIR = """(number) => {
  const live = document.querySelectorAll(".pf-live")[number];
  for (const slider of live.querySelectorAll("input[type=range]")) {
    slider.value = Number(slider.min) + 0.3 * (slider.max - slider.min);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (const button of live.querySelectorAll(".pf-button")) {
    if (button.textContent.startsWith("Draw")) button.click();
  }
  live.querySelectorAll("[type=radio]:not(:checked), [type=checkbox]").forEach((c) => c.click());
}"""
STATES = """(names) => plainformer.widgets.map(({ model }) =>
  Object.fromEntries(names.map((name) => [name, model.get(name)])))"""


@pytest.fixture
def sharing(browser: "Browser") -> "Iterator[Page]":
    """A page whose clipboard can be read; the test fails on an error in its console."""
    with watched(browser) as (page, problems):
        page.add_init_script(CATCH)
        yield page
    assert problems == []


def wait(page: "Page", address: str) -> None:
    """Open a page, and wait until its widgets are drawn."""
    page.goto(address)
    for widget in page.locator(".pf-widget").all():
        widget.and_(page.locator("[data-pf-ready]")).wait_for()
    page.evaluate(FRAME)


def copied(page: "Page", number: int = 0) -> str:
    """What "Copy link" of a widget copies."""
    page.evaluate("document.activeElement.blur()")  # it says "Link copied" until it is left
    live = page.locator(".pf-live").nth(number)
    live.get_by_role("button", name="Copy link").press("Enter")
    live.get_by_role("button", name="Link copied").wait_for()
    return str(page.evaluate("copied.at(-1)"))


@every
def test_what_a_link_carries_comes_back(
    case: Case, tokenizer: BPETokenizer, sharing: "Page", tmp_path: Path
) -> None:
    widget = case.usual(tokenizer)
    address = write_page(tmp_path, widget, widget)
    names = [name for name in widget.state() if name != "data"]
    wait(sharing, address)
    untouched = sharing.evaluate(STATES, names)[0]
    sharing.evaluate(STIR, 1)
    sharing.evaluate(FRAME)
    stirred = sharing.evaluate(STATES, names)[1]
    link = copied(sharing, 1)
    query = parse_qs(urlsplit(link).query)
    carried = {name for name in names if f"toy.{name}" in query}
    assert carried, "the link carries nothing"
    wait(sharing, link)
    first, second = sharing.evaluate(STATES, names)
    assert first == untouched  # the link is to the second
    expected = {name: (stirred if name in carried else untouched)[name] for name in names}
    assert {name: second[name] for name in carried} == {name: expected[name] for name in carried}


HOSTILE = [
    None, True, -1, 0, 2, 1.5, 1e308, 99999, "", "<img src=x onerror=alert(1)>", "NaN", [], [[1]],
    [None], {"length": 3}, "[1,2", "y" * 5000,
]  # fmt: skip


@every
def test_what_a_stranger_links_is_shown_only_if_python_would_take_it(
    case: Case, tokenizer: BPETokenizer, sharing: "Page", tmp_path: Path
) -> None:
    widget = case.usual(tokenizer)
    address = write_page(tmp_path, widget)
    kind = widget.front_end
    names = [name for name in widget.state() if name != "data"]
    for value in HOSTILE:
        text = value if isinstance(value, str) else json.dumps(value)
        query = urlencode({"toy": kind, **{f"toy.{name}": text for name in [*names, "data", "x"]}})
        wait(sharing, f"{address}?{query}")
        (state,) = sharing.evaluate(STATES, names)
        assert refused(case.usual(tokenizer), state) == {}, value
        assert sharing.locator(".pf-live img").count() == 0


@pytest.mark.parametrize("kind", ["gradient_flow.1", "nothing", "", "positional_waves", "[id]"])
def test_a_link_to_another_widget_changes_nothing(
    kind: str, sharing: "Page", tmp_path: Path
) -> None:
    address = write_page(tmp_path, GradientFlow())
    wait(sharing, f"{address}?{urlencode({'toy': kind, 'toy.nudge': '0.25', 'view': 'code'})}")
    assert trait(sharing, "nudge") == 0.5


def test_a_link_keeps_the_rest_of_the_address(sharing: "Page", tmp_path: Path) -> None:
    address = write_page(tmp_path, PositionalWaves())
    wait(sharing, f"{address}?view=code&toy=positional_waves&toy.position=9&toy.base=7#there")
    assert (trait(sharing, "position"), trait(sharing, "base")) == (9, 10000)
    sharing.evaluate("plainformer.widgets[0].model.set('dimension', 3)")
    query = parse_qs(urlsplit(copied(sharing)).query)
    expected: dict[str, Any] = {
        "view": ["code"], "toy": ["positional_waves"], "toy.position": ["9"], "toy.dimension": ["3"]
    }  # fmt: skip
    assert query == expected
    assert "#" not in copied(sharing)


def test_a_long_text_stays_behind(tokenizer: BPETokenizer, sharing: "Page", tmp_path: Path) -> None:
    wait(sharing, write_page(tmp_path, CASES["BPEMerges"].usual(tokenizer)))
    box = sharing.locator(".pf-live textarea")
    box.fill("A cat & a <b>hat</b>: ½ of 🐱.")
    link = copied(sharing)
    box.fill("word " * 300)
    sharing.get_by_role("button", name="Copy link").click()
    sharing.get_by_role("button", name="Link copied, without text").wait_for()
    assert len(sharing.evaluate("copied.at(-1)")) < len(link)
    wait(sharing, link)
    assert trait(sharing, "text") == "A cat & a <b>hat</b>: ½ of 🐱."
    assert sharing.locator(".pf-live b").filter(has_text="hat").count() == 0


def test_a_link_opens_what_its_widget_is_folded_into(sharing: "Page", tmp_path: Path) -> None:
    fold = f"<details><summary>More</summary>{GradientFlow().html()}</details>"
    address = write_page(tmp_path, f"<div style='height: 3000px'></div>{fold}{fold}")
    sharing.goto(f"{address}?toy=gradient_flow.1&toy.view=backward")
    sharing.locator("[data-pf-ready]").wait_for()
    assert sharing.locator("details[open]").count() == 1
    assert trait(sharing, "view") == "backward"
    sharing.wait_for_function("scrollY > 2000")


def test_where_the_clipboard_is_refused_the_link_is_shown(sharing: "Page", tmp_path: Path) -> None:
    shown: list[str] = []
    sharing.on("dialog", lambda each: (shown.append(each.default_value), each.dismiss()))
    wait(sharing, write_page(tmp_path, GradientFlow()))
    sharing.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject('no'); }")
    sharing.evaluate("plainformer.widgets[0].model.set('nudge', 0.75)")
    sharing.get_by_role("button", name="Copy link").click()
    sharing.get_by_role("button", name="Link copied").wait_for()
    assert [parse_qs(urlsplit(each).query)["toy.nudge"] for each in shown] == [["0.75"]]
