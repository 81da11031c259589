"""AttentionStepper in Chromium: by keyboard and pointer, edited, played, and set from Python."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, open_page, slider
from tests.widgets.steppers import DRAW, SUMS, check, follow, grid, matrix, total

from plainformer.widgets import AttentionStepper

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    status = live.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("Step 2 of 4, scaled: a key has K = 2 numbers").wait_for()
    grid(live).focus()
    page.keyboard.press("ArrowUp")
    status.get_by_text("“your” and “lovely”: 0 becomes 0").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    status.get_by_text("“your” and “cat” (1): 4 becomes 2.83").wait_for()
    page.keyboard.press("End")
    status.get_by_text("“your” and “cat” (5): 4 becomes 2.83").wait_for()
    page.keyboard.press("ArrowRight")  # at the edge: it stays
    page.keyboard.press("ArrowUp")
    follow(page, stepper)
    assert (stepper.query, stepper.key, stepper.column) == (0, 5, 1)
    slider(live, "Step").press("End")
    page.evaluate(FRAME)
    grid(live).press("ArrowLeft")
    follow(page, stepper)
    assert (stepper.query, stepper.key, stepper.column) == (0, 5, 0)  # a column of its own
    live.get_by_role("button", name="Show as table").press("Enter")
    table = live.get_by_role("table", name="Step 4: output, 6 by 2")
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    shown = np.char.replace(np.array([row[1:] for row in rows]), "−", "-").astype(float)
    np.testing.assert_allclose(shown, stepper.output, rtol=0, atol=1e-6)


def test_a_pointer_shows_a_cell_and_a_click_keeps_it(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    cells = grid(live).locator(".as-cell")
    cells.nth(1).hover()
    page.evaluate(FRAME)
    assert total(live) == "Score of “your” for “cat” (1): 2 · 2 + 0 · 0 = 4"
    live.locator(".as-sum").hover()
    page.evaluate(FRAME)
    assert total(live) == SUMS[0][1]  # as before
    cells.nth(1).click()
    live.locator(".as-sum").hover()
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (0, 1)
    assert total(live).startswith("Score of “your” for “cat” (1)")
    cells.nth(8).hover()  # keys go on from what is shown, and win over a mouse that rests
    page.evaluate(FRAME)
    grid(live).press("ArrowDown")
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (2, 2)
    assert total(live).startswith("Score of “is” for “is”")


def test_numbers_can_be_edited(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    first = [stepper.q, stepper.k, stepper.v]
    reset = live.get_by_role("button", name="Back to the first numbers")
    assert not reset.is_visible()
    box = live.get_by_label("k of “lovely”, column 1")
    box.fill("-1,5")
    live.get_by_role("status").get_by_text(
        "k of “lovely”, column 1 is now −1.5. Step 1 of 4, scores"
    ).wait_for()
    follow(page, stepper)
    assert stepper.k[4] == [0.0, -1.5]
    assert total(live).endswith("0 · 0 + 2 · (−1.5) = −3")
    live.get_by_label("q of “your”, column 0").fill("0.123456789")
    live.get_by_label("v of “is”, column 1").fill("1e1")
    check(page, live, stepper)
    assert (stepper.q[0][0], stepper.v[2][1]) == (0.123456789, 10.0)
    seen = live.get_by_label("q of “your”, column 0")
    assert seen.input_value() == "0.12"
    seen.focus()
    assert seen.input_value() == "0.123456789"  # nothing of it is lost
    reset.press("Enter")
    follow(page, stepper)
    assert [stepper.q, stepper.k, stepper.v] == first
    assert box.input_value() == "2"
    assert reset.get_attribute("aria-disabled") == "true"
    assert reset.evaluate("button => button === document.activeElement")


BAD = [
    ("2 zoo", "“2 zoo” is no number: k of “lovely”, column 1 stays 2."),
    ("", "The box is empty: k of “lovely”, column 1 stays 2."),
    ("101", "Numbers from −100 to 100 fit here: k of “lovely”, column 1 stays 2."),
    ("Infinity", "“Infinity” is no number"),
    ("0x10", "“0x10” is no number"),
    ("<b>", "“<b>” is no number"),
    ("1,000", "“1,000” may mean 1000 or 1.000, so write it without the comma: k of “lovely”"),
    ("−12,500", "“−12,500” may mean −12500 or −12.500, so write it without the comma"),
    ("1,000,000", "“1,000,000” is no number"),
]
CLEAR = [("0,125", 0.125), ("1,5", 1.5), ("−2,25", -2.25), ("1,0001", 1.0001), (",5", 0.5)]


def test_a_comma_is_a_decimal_point_where_it_is_clear(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    for text, number in CLEAR:
        live.get_by_label("k of “lovely”, column 1").fill(text)
        page.evaluate(FRAME)
        follow(page, stepper)
        assert stepper.k[4][1] == number, text


def test_a_box_takes_no_more_than_the_longest_number(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    box = live.get_by_label("k of “lovely”, column 1")
    box.focus()
    page.keyboard.insert_text("9" * 100_000)  # as a paste does
    assert len(box.input_value()) == 24 == len(repr(-1.2345678901234567e-100))
    put_in = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }"
    box.evaluate(put_in, "9x" * 50_000)  # as a script can
    page.evaluate(FRAME)
    assert live.locator(".as-why").inner_text().startswith(f"“{'9x' * 12}…” is no number: k of")
    assert (live.locator(".as-why").bounding_box() or {})["height"] < 200


def test_what_is_no_number_is_kept_and_does_not_count(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    box = live.get_by_label("k of “lovely”, column 1")
    for step, (text, message) in enumerate(BAD, start=1):
        box.fill(text)
        live.get_by_role("status").get_by_text(message).wait_for()
        assert box.get_attribute("aria-invalid") == "true"
        slider(live, "Step").fill(str(step % 4))  # it waits for its reader
        follow(page, stepper)
        assert (box.input_value(), stepper.k[4][1]) == (text, 2.0)
        expect(box).to_have_accessible_description(re.compile(re.escape(message)))
        assert live.locator(".as-why").is_visible()
        box.press("Escape")
        assert box.input_value() == "2"
        assert box.get_attribute("aria-invalid") is None
        assert live.locator(".as-why").count() == 0
        expect(box).to_have_accessible_description("")


def test_a_complaint_ends_when_it_is_settled(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    status, box = live.get_by_role("status"), live.get_by_label("k of “lovely”, column 1")
    live.get_by_label("q of “your”, column 0").fill("3")
    for mend in ("Escape", "2", "reset"):
        box.fill("zoo")
        status.get_by_text("is no number").wait_for()
        if mend == "Escape":
            box.press("Escape")
        elif mend == "2":
            box.fill("2")  # the number that it had
        else:
            live.get_by_role("button", name="Back to the first numbers").click()
        status.get_by_text("Step 1 of 4, scores").wait_for()
        assert "zoo" not in live.inner_text()
        assert box.input_value() == "2"


def test_arrow_keys_move_between_boxes(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    here = "document.activeElement.ariaLabel"
    live.get_by_label("q of “your”, column 0").focus()
    for key, name in [
        ("ArrowDown", "q of “cat”, column 0"),
        ("ArrowRight", "q of “cat”, column 1"),
        ("ArrowRight", "q of “cat”, column 1"),  # the last column
        ("Enter", "q of “is”, column 1"),
        ("ArrowLeft", "q of “is”, column 0"),
        ("Tab", "k of “your”, column 0"),
        ("Tab", "v of “your”, column 0"),
        ("Shift+Tab", "k of “your”, column 0"),
        ("Shift+Tab", "q of “is”, column 0"),  # where the reader was
    ]:
        page.keyboard.press(key)
        assert page.evaluate(here) == name
    live.get_by_label("q of “is”, column 0").fill("12")
    page.keyboard.press("ArrowLeft")  # inside the text
    assert page.evaluate(here) == "q of “is”, column 0"


def test_back_next_and_play(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=3, causal=True))
    at = live.locator(".pf-card")
    back, forth = live.get_by_role("button", name="Back"), live.get_by_role("button", name="Next")
    forth.click()
    expect(at).to_have_attribute("data-step", "4")
    assert forth.get_attribute("aria-disabled") == "true"
    for _ in range(4):
        back.click()
    expect(at).to_have_attribute("data-step", "0")
    assert back.get_attribute("aria-disabled") == "true"
    live.get_by_text("masked", exact=True).click()
    expect(at).to_have_attribute("data-step", "2")
    live.get_by_label("Causal mask").uncheck()
    expect(at).to_have_attribute("data-step", "1")
    forth.click()
    expect(at).to_have_attribute("data-step", "3")  # there is nothing to mask
    back.click()
    expect(at).to_have_attribute("data-step", "1")


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    other = AttentionStepper(*(DRAW(size=(6, 2)) for _ in "qkv"), causal=True, step=3, query=5)
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        {name: value for name, value in other.state().items() if name != "data"},
    )
    page.evaluate(FRAME)
    assert live.get_by_label("Causal mask").is_checked()
    np.testing.assert_allclose(matrix(live), other.weights.ravel(), rtol=0, atol=1e-6)
    check(page, live, other)
