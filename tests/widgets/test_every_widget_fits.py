"""What every widget owes a screen: it fits one, says what to do, and opens with something to see.

A projector shows 1280 × 640 pixels; the book's column is 735 wide there, its letters 17 high.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.cases import CASES, Case
from tests.widgets.pages import FRAME, open_page, watched

from plainformer.inputs import BPETokenizer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HEIGHT = 640
PHONE = {"width": 390, "height": 844}
HEADER = 60  # pixels that the book keeps at the top of a phone
COLUMN = "html { font-size: 17px } body { margin: 0 } main { width: 735px; margin: auto }"
NAMES = sorted(CASES)


@pytest.mark.parametrize(
    "style", [COLUMN, "html { font-size: 16px }"], ids=["in the book", "alone"]
)
@pytest.mark.parametrize("name", NAMES)
def test_it_fits_a_projector(
    name: str, style: str, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    case: Case = CASES[name]
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    (live,) = open_page(page, tmp_path, case.usual(tokenizer))
    page.add_style_tag(content=style)
    for _ in range(2):  # what observes its size follows
        page.evaluate(FRAME)
    heights = [live.evaluate("e => e.getBoundingClientRect().height")]
    page.evaluate(f"(value) => plainformer.widgets[0].model.set('{case.trait}', value)", case.value)
    page.evaluate(FRAME)
    heights.append(live.evaluate("e => e.getBoundingClientRect().height"))
    assert max(heights) <= HEIGHT, heights


@pytest.mark.parametrize("name", NAMES)
def test_a_line_says_what_to_do_and_what_to_notice(
    name: str, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, CASES[name].usual(tokenizer))
    line = live.locator(".pf-card > .pf-prompt, .pf-card > div > .pf-prompt")
    assert line.count() == 1
    act = line.locator("b").inner_text()
    notice = line.inner_text().removeprefix(act).strip()
    for sentence in (act, notice):
        assert sentence[0].isupper() and sentence.endswith(".")
    assert len(act) + len(notice) <= 100  # one line of the book's column, or little more


@pytest.mark.parametrize("name", NAMES)
def test_the_tools_of_a_card_stay_together_on_a_phone(
    name: str, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    (live,) = open_page(page, tmp_path, CASES[name].usual(tokenizer))
    tools = live.locator(".pf-tools button:visible")
    tops = tools.evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
    assert len(tops) == 3 and len(set(tops)) == 1, tops


SPAN = """(live, selectors) => {
  const boxes = selectors.flatMap((each) => [...live.querySelectorAll(each)])
    .map((each) => each.getBoundingClientRect()).filter((box) => box.height);
  return Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
}"""


@pytest.mark.parametrize(
    ("name", "together"),
    [
        ("AttentionStepper", [".as-controls", ".pf-sentence", ".as-grid", ".as-sum"]),
        ("AttentionMap", [".am-picks", ".pf-sentence", ".am-grid"]),
        ("AttentionMap", [".pf-sentence", ".am-grid", ".am-places", ".am-ticks"]),
        ("AttentionMap", [".am-places", ".am-ticks", ".am-flow"]),
    ],
)
def test_on_a_phone_a_control_and_what_it_changes_are_on_one_screen(
    name: str,
    together: list[str],
    tokenizer: BPETokenizer,
    browser: "Browser",
    tmp_path: Path,
) -> None:
    with watched(browser, viewport=PHONE, has_touch=True, is_mobile=True) as (page, problems):
        (live,) = open_page(page, tmp_path, CASES[name].usual(tokenizer))
        page.add_style_tag(content="html { font-size: 17px } body { margin: 0 17px }")
        for _ in range(2):
            page.evaluate(FRAME)
        assert live.evaluate(SPAN, together) <= PHONE["height"] - HEADER
        assert problems == []
