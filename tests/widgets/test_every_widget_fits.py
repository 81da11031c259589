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
    from playwright.sync_api import Browser, Locator, Page

HEIGHT = 640
PHONE = {"width": 390, "height": 844}
HEADER = 60  # pixels that the book keeps at the top of a phone
COLUMN = "html { font-size: 17px } body { margin: 0 } main { width: 735px; margin: auto }"
NAMES = sorted(CASES)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_to_do_and_fits_a_phone_and_a_projector(
    name: str, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    """Its page is opened once, and the window is changed."""
    case: Case = CASES[name]
    (live,) = open_page(page, tmp_path, case.usual(tokenizer))
    problems = prompt_problems(live)
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate(FRAME)
    tools = live.locator(".pf-tools button:visible")
    tops = tools.evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
    if len(tops) != 3 or len(set(tops)) != 1:
        problems.append(f"three tools must be in one row on a phone; they are at {tops}")
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    setter = f"(value) => plainformer.widgets[0].model.set('{case.trait}', value)"
    before = page.evaluate(f"plainformer.widgets[0].model.get('{case.trait}')")
    for where, style in (("in the book", COLUMN), ("alone", "html { font-size: 16px }")):
        sheet = page.add_style_tag(content=style)
        for value in (before, case.value):
            page.evaluate(setter, value)
            for _ in range(2):  # what observes its size follows
                page.evaluate(FRAME)
            height = live.evaluate("e => e.getBoundingClientRect().height")
            if height > HEIGHT:
                problems.append(f"{where} it is {height} px high, and a projector shows {HEIGHT}")
        sheet.evaluate("each => each.remove()")
    assert problems == []


def prompt_problems(live: "Locator") -> list[str]:
    """Report a widget without one line that says what to do and then what to notice."""
    line = live.locator(".pf-card > .pf-prompt, .pf-card > div > .pf-prompt")
    if line.count() != 1:
        return [f"put one kit/prompt.js line into the card; it has {line.count()}"]
    act = line.locator("b").inner_text()
    notice = line.inner_text().removeprefix(act).strip()
    problems = [
        f"the prompt in view.js must consist of two sentences; got {each!r}"
        for each in (act, notice)
        if not (each[0].isupper() and each.endswith("."))
    ]
    if len(act) + len(notice) > 100:  # one line of the book's column, or little more
        problems.append(f"the line has {len(act) + len(notice)} characters; at most 100 fit")
    return problems


SPAN = """(live, selectors) => {
  const boxes = selectors.flatMap((each) => [...live.querySelectorAll(each)])
    .map((each) => each.getBoundingClientRect()).filter((box) => box.height);
  return Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
}"""


@pytest.mark.parametrize(
    ("name", "together"),
    [
        ("AttentionStepper", [".as-controls", ".pf-sentence", ".as-grid", ".as-sum"]),
        ("AttentionMap", [".am-words", ".pf-sentence", ".am-heads", ".am-switches"]),
        ("PositionalWaves", [".pw-strip", ".pw-waves", ".pf-sentence", ".pw-views"]),
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
