"""A link to a widget: what it carries comes back, and nothing else that it may bring is shown."""

import json
from collections.abc import Callable, Iterator
from functools import partial
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
    from playwright.sync_api import Browser, Page, Route

CATCH = """window.copied = [];
navigator.clipboard.writeText = async (text) => { window.copied.push(text); };"""

# All that a reader can change, as a reader would: every other choice, every box to tick or to type
# in, every slider a third of its way, the cells and nodes by keys, and the buttons that set.
STIR = """async (number) => {
  const live = document.querySelectorAll(".pf-live")[number];
  const frame = () => pfFrame().then(() => new Promise((go) => setTimeout(go)));
  const find = (selector) =>
    [...live.querySelectorAll(selector)].filter((each) => each.checkVisibility() && !each.disabled);
  const key = (at, name) =>
    at.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const type = (at, text) => {
    at.value = text;
    at.dispatchEvent(new Event("input", { bubbles: true }));
  };
  live.querySelectorAll("details").forEach((fold) => (fold.open = true));
  for (const each of find("[type=radio]:not(:checked), [type=checkbox]")) {
    each.click();
    await frame();
  }
  for (const each of find("input[type=text]")) type(each, Number(each.value) + 0.125);
  for (const each of find("textarea")) type(each, `${each.value} A <b>cat</b>`);
  await frame();
  for (const slider of find("input[type=range]")) {
    type(slider, Number(slider.min) + 0.3 * (slider.max - slider.min));
  }
  await frame();
  for (const surface of find("[role=slider][tabindex]")) {
    surface.focus();
    for (const each of ["ArrowDown", "ArrowRight", "Enter"]) key(surface, each), await frame();
  }
  find("[role=treeitem]").at(-1)?.focus();
  for (const button of find(".pf-button")) {
    const name = button.ariaLabel ?? button.textContent;
    if (/^(Draw|Move .* down|Next seed|Keep|One token|Pin)/.test(name)) button.click();
  }
  await frame();
}"""
SET = """(traits) => Object.entries(traits).forEach(([name, value]) =>
  plainformer.widgets[1].model.set(name, value))"""
STATES = """(names) => plainformer.widgets.map(({ model }) =>
  Object.fromEntries(names.map((name) => [name, model.get(name)])))"""


SITE = "https://widgets.test/"


def serve(page: "Page", folder: Path) -> None:
    """Answer for a site with a folder's files: a page from the disk may not change its address."""

    def answer(route: "Route") -> None:
        name = urlsplit(route.request.url).path.strip("/")
        route.fulfill(path=folder / (name or "index.html"))

    page.route(f"{SITE}**", answer)


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
def test_all_that_a_reader_can_change_comes_back_by_link(
    case: Case, tokenizer: BPETokenizer, sharing: "Page", tmp_path: Path
) -> None:
    widget = case.usual(tokenizer)
    names = [name for name in widget.state() if name not in ("data", *case.given)]
    wait(sharing, write_page(tmp_path, widget, widget))
    untouched = sharing.evaluate(STATES, names)[0]
    sharing.evaluate(STIR, 1)
    sharing.evaluate(SET, case.far)
    first, stirred = sharing.evaluate(STATES, names)
    assert first == untouched
    kept = [name for name in names if stirred[name] == untouched[name]]
    assert kept == [], (
        "no slider, choice or key of the widget changes these traits: add a control for them, or "
        "name them in its case, under `given` (Python alone sets it) or `far` (several steps away)"
    )
    wait(sharing, copied(sharing, 1))
    assert sharing.evaluate(STATES, names) == [untouched, stirred]  # the link is to the second


HOSTILE = [
    None, True, -1, 1.5, 1e308, 99999, "", "<img src=x onerror=alert(1)>", "NaN", [], [[1]],
    [None], {"length": 3}, "[1,2", "[" * 450 + "]" * 450, "y" * 5000, "y" * 100_000, False,
]  # fmt: skip


def swapped(value: Any, leaf: Any) -> Any:
    """A value of the same shape, in which the last number or name is another one."""
    if not isinstance(value, list) or not value:
        return leaf
    return [*value[:-1], swapped(value[-1], leaf)]


# What is almost right: of the same shape, but one too long, one too short, with one wrong part.
NEAR: list[Callable[[Any], Any]] = [
    lambda value: [*value, value[-1]] if isinstance(value, list) and value else [0] * 3000,
    lambda value: value[1:] if isinstance(value, list) else str(value),
    lambda value: [",".join(map(str, value))] * len(value) if isinstance(value, list) else [value],
    *(partial(swapped, leaf=leaf) for leaf in (1e9, -1e-9, "5", None, [1], "__proto__")),
]


# What the host does when a page is opened, for one address after the other: a widget as the page
# has it, drawn with what the address says. To open a page for each takes six times as long.
OPEN_ALL = """async ([markup, addresses, names]) => {
  const found = [];
  for (const address of addresses) {
    history.replaceState(null, "", address);
    plainformer.widgets.length = 0;
    document.querySelector(".pf-widget").outerHTML = markup;
    plainformer.scan();
    const { dataset } = document.querySelector(".pf-widget");
    do await pfFrame(); while (dataset.pfReady === undefined && dataset.pfError === undefined);
    const [{ model }] = plainformer.widgets;
    const state = Object.fromEntries(names.map((name) => [name, model.get(name)]));
    found.push([state, document.querySelectorAll(".pf-live img").length]);
  }
  return found;
}"""


@every
def test_what_a_stranger_links_is_shown_only_if_python_would_take_it(
    case: Case, tokenizer: BPETokenizer, sharing: "Page", tmp_path: Path
) -> None:
    widget = case.usual(tokenizer)
    serve(sharing, tmp_path)
    write_page(tmp_path, widget)
    kind = widget.front_end
    names = [name for name in widget.state() if name != "data"]
    links = [dict.fromkeys([*names, "data", "x"], value) for value in HOSTILE]
    links += [{name: change(widget.state()[name]) for name in names} for change in NEAR]
    queries = []
    for link in links:
        wanted = {
            f"toy.{name}": value if isinstance(value, str) else json.dumps(value)
            for name, value in link.items()
        }
        queries.append(f"?{urlencode({'toy': kind, **wanted})}")
    wait(sharing, SITE)
    sharing.evaluate(STIR, 0)
    good, (stirred,) = copied(sharing), sharing.evaluate(STATES, names)
    *drawn, last = sharing.evaluate(OPEN_ALL, [widget.html(), [*queries, good], names])
    assert [pictures for _, pictures in drawn] == [0] * len(links)
    # most links change nothing: each state that any of them led to is held against Python once
    led = {json.dumps(state): link for link, (state, _) in zip(links, drawn, strict=True)}
    for told, link in led.items():
        assert refused(case.usual(tokenizer), json.loads(told)) == {}, link
    assert last == [stirred, 0]  # and a good link is good after all of them


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
