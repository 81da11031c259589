"""What every widget owes the eye and the thumb: contrast, room, targets, a picture for print.

A widget's page is opened once, with an ordinary, a hard and other widgets, and all that unfolds
unfolded; the tests change the window and the medium, not the widgets. Of the rows of a table that
are made alike, two are kept, because layout and axe-core ask the same of each, and tables are half
of all elements.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site import widget_checks
from tests.site.axe import axe_problems
from tests.widgets.cases import CASES, Case
from tests.widgets.grounds import lost_in_forced_colours
from tests.widgets.pages import FRAME, open_page, small_targets, watched

from plainformer.inputs import BPETokenizer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TARGETS = "button, input[type=range], label:has(input)"

# Take out the rows of each table that have the elements, classes, styles and roles of two that are
# kept; the one with the longest text always stays.
THIN_OUT_TABLES = """() => {
  const makeOf = (each) => [each.localName, ...[...each.attributes].map(({ name, value }) =>
    /^(class|style|scope|role)$/.test(name) ? `${name}=${value}` : name)].join();
  for (const table of document.querySelectorAll(".pf-live table")) {
    const kept = new Map();
    const length = (row) => row.textContent.length;
    const longest = [...table.rows].reduce((a, b) => (length(a) < length(b) ? b : a));
    for (const row of [...table.rows]) {
      const make = [row, ...row.querySelectorAll("*")].map(makeOf).join(" ");
      const before = kept.get(make) ?? 0;
      if (before >= 2 && row !== longest) row.remove();
      kept.set(make, before + 1);
    }
  }
}"""


@pytest.fixture(scope="module", params=CASES.values(), ids=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("looks")


@pytest.fixture(scope="module")
def opened(
    case: Case, browser: "Browser", tokenizer: BPETokenizer, folder: Path
) -> "Iterator[tuple[Page, list[str]]]":
    """The page of a case's widgets, unfolded, and what its console complains of."""
    with watched(browser) as (page, problems):
        widgets = [case.usual(tokenizer), case.hard(tokenizer), *case.more(tokenizer)]
        for live in open_page(page, folder, *widgets):
            case.open_up(live)
            live.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
            live.get_by_role("button", name="Show as table").click()
        page.evaluate(FRAME)
        page.evaluate(THIN_OUT_TABLES)
        yield page, problems


@pytest.fixture
def shown(opened: "tuple[Page, list[str]]") -> "Iterator[Page]":
    """The page as it was opened; the test fails when the console reports an error meanwhile."""
    page, problems = opened
    resize(page, 900)
    yield page
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.emulate_media(
        media="screen", reduced_motion="no-preference", forced_colors="none", color_scheme="light"
    )
    assert problems == []


def resize(page: "Page", width: int) -> None:
    """Give the window a width, and what observes its size two frames to follow."""
    if page.viewport_size != {"width": width, "height": 740}:
        page.set_viewport_size({"width": width, "height": 740})
        wait_for_frames(page)


def wait_for_frames(page: "Page") -> None:
    """Wait until what observes its size has followed."""
    page.evaluate(FRAME)
    page.evaluate(FRAME)


BROKEN_WORDS = r"""() => {
  const broken = [];
  const live = document.querySelector(".pf-live");
  const walker = document.createTreeWalker(live, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("table, .ff-wide")) continue;
    for (const word of node.data.matchAll(/[\p{L}\p{N}.]{2,10}(?![\p{L}\p{N}.])/gu)) {
      const range = new Range();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""


# Numbers that could be probabilities, in letters as wide as some browsers have; not the sums of a
# FeedForwardLab, which may be long, and break where they are.
CUT_IN_TWO = r"""() => {
  document.body.style.fontFamily = "monospace";
  const numbers = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!/^[<>]?[01]\.\d\d$/.test(node.data)) continue;
    if (node.parentElement.closest("table, .ff-wide")) continue;
    numbers.push([node, node.data]);
  }
  // All are written before the first is measured, so that the page is laid out once.
  for (const [node] of numbers) node.data = "<0.01";
  const range = new Range();
  const cut = numbers.filter(([node]) => {
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
  });
  for (const [node, before] of numbers) node.data = before;
  document.body.style.fontFamily = "";
  return cut.map(([{ parentElement }]) => parentElement.outerHTML.slice(0, 80));
}"""
LIKE_THE_BOOK = """(on) => {
  document.documentElement.style.fontSize = on ? "17px" : "";
  document.body.style.margin = on ? "0 17px" : "";
}"""
CUT = "all => all.filter(c => c.scrollWidth > c.clientWidth).map(c => `cut off: ${c.ariaLabel}`)"


def test_it_has_room_and_a_thumb_finds_every_target(case: Case, shown: "Page") -> None:
    """Nothing overflows, in print neither, where the picture stands in for the widget.

    On a phone the letters and the margins are those of the book, where a card is narrowest, and no
    short word is broken: long tokens may break anywhere, but names of heads and numbers of a map
    may not.
    """
    targets = ", ".join(filter(None, [TARGETS, case.targets]))
    problems = []
    for width in (320, 360, 900):
        shown.evaluate(LIKE_THE_BOOK, width < 900)
        resize(shown, width)
        found = overflow(shown, width) + shown.locator(".pf-live .pf-card").evaluate_all(CUT)
        reached = shown.locator(".pf-live").locator(targets).filter(visible=True)
        found += [f"small: {each}" for each in small_targets(reached, case.narrow)]
        found += [f"cut in two: {each}" for each in shown.evaluate(CUT_IN_TWO)]
        if width < 900:
            found += [f"broken: {each}" for each in shown.evaluate(BROKEN_WORDS)]
        shown.emulate_media(media="print")
        wait_for_frames(shown)
        found += [f"in print, {each}" for each in overflow(shown, width) + without_picture(shown)]
        shown.emulate_media(media="screen")
        problems += [f"in a window of {width} px: {each}" for each in found]
    assert problems == []


def overflow(page: "Page", width: int) -> list[str]:
    """Report a page that is wider than its window."""
    found = page.evaluate("document.documentElement.scrollWidth")
    return [] if found == width else [f"the page is {found} px wide"]


def without_picture(page: "Page") -> list[str]:
    """Report the widgets of a page whose picture does not stand in for them."""
    widgets = [widget_checks.widget_at(page, n) for n in range(page.locator(".pf-widget").count())]
    return [problem for each in widgets for problem in widget_checks.stand_in_problems(each)]


def test_axe_finds_nothing(case: Case, shown: "Page") -> None:
    """In both themes; what is not a matter of colour is the same in dark as in light."""
    shown.emulate_media(reduced_motion="reduce")
    for width in case.axe_widths:
        resize(shown, width)
        for theme, rules in (("light", "all"), ("dark", "contrast")):
            shown.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            assert axe_problems(shown, rules=rules) == []


def test_what_says_something_by_its_ground_says_it_in_forced_colours(shown: "Page") -> None:
    assert lost_in_forced_colours(shown, shown.locator(".pf-live").first) == []


def test_without_scripts_the_picture_stands(shown: "Page", browser: "Browser") -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(shown.url)
    assert without_picture(plain) == []
    context.close()
