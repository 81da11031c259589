"""LookupDial in Chromium: its page shows Python's numbers, and every control does its work."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, slider

from plainformer.widgets import LookupDial

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PLANE: dict[str, Any] = {
    "keys": [[2.0, 1.0], [-0.5, 0.1], [0.0, -3.0]],
    "values": [[1.0, -2.0], [0.25, 4.0], [-7.5, 0.0]],
    "labels": ["a", "b", "c"],
}


def follow(page: "Page", dial: LookupDial) -> None:
    """Give a dial what the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in ("angle", "sharpness", "hard"):
        setattr(dial, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


def check(page: "Page", live: "Locator", dial: LookupDial) -> None:
    """Hold the page's numbers against Python's."""
    follow(page, dial)
    shown: Any = live.evaluate(
        """live => {
            const of = (kind) => [...live.querySelectorAll(`span.dial-${kind}`)].map(
              ({ dataset }) => Number(dataset.value));
            const card = live.querySelector(".pf-card").dataset;
            return [of("score"), of("weight"), card.answer.split(" ").map(Number),
                    card.answers.split(" ").map(Number)];
        }"""
    )
    every = dial.answers([90 - (turn - 180) for turn in range(361)])
    expected = [dial.scores, dial.weights, dial.answer, every.ravel()]
    for found, right in zip(shown, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-6)


@pytest.mark.parametrize("options", [{}, PLANE, {"sharpness": 100, "angle": 271.5}])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    dial = LookupDial(**options)
    (live,) = open_page(page, tmp_path, dial)
    check(page, live, dial)
    for clockwise in (-180, -90, -22, 0, 35, 90, 179):
        slider(live, "Query points").fill(str(clockwise))
        check(page, live, dial)
        assert dial.angle == (90 - clockwise) % 360
    for place, sharpness in ((-21, 0), (-20, 0.1), (0, 1), (6, 2), (40, 100)):
        slider(live, "Sharpness").fill(str(place))
        check(page, live, dial)
        assert dial.sharpness == sharpness
    live.get_by_text("Hard: best only").click()
    for clockwise in (-120, 0, 120):
        slider(live, "Query points").fill(str(clockwise))
        check(page, live, dial)
    assert dial.hard


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    dial = LookupDial()
    (live,) = open_page(page, tmp_path, dial)
    status = live.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("At 111°, sharpness 8: “cold” counts").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    text = "all keys count alike, 0.20. The mean comes back: 14.00 °C."
    status.get_by_text(text).wait_for()
    assert slider(live, "Sharpness").get_attribute("aria-valuetext") == "0, all alike"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("5 keys fit alike, and the first of them, “icy”, takes all").wait_for()
    assert slider(live, "Sharpness").is_disabled()  # the best takes all, however sharp
    page.keyboard.press("ArrowLeft")
    page.evaluate(FRAME)
    assert slider(live, "Sharpness").is_enabled()
    live.get_by_role("button", name="Show as table").press("Enter")
    here, around = live.get_by_role("table").all()
    rows = here.locator("tbody tr")
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    follow(page, dial)
    shown = np.array([row[1:] for row in cells[:-1]])
    numbers = np.char.replace(shown, "−", "-").astype(float)
    right = np.column_stack([dial.vectors, dial.scores, dial.weights, dial.values])
    np.testing.assert_allclose(numbers, right, rtol=0, atol=1e-6)
    assert cells[-1] == ["comes back", "", "", "", "1", "14"]
    cells = [row.locator("td").all_text_contents() for row in around.locator("tbody tr").all()]
    assert [row[0] for row in cells] == [f"{angle}°" for angle in range(0, 360, 15)]
    numbers = np.char.replace(np.array(cells)[:, 1:], "−", "-").astype(float)
    right = dial.answers(range(0, 360, 15))
    np.testing.assert_allclose(numbers, right, rtol=0, atol=1e-6)


def test_the_parts_of_a_value_have_names(page: "Page", tmp_path: Path) -> None:
    rows = [[1.0, 0.0], [0.0, 1.0]]
    named = LookupDial(rows, rows, ["a", "b"], parts=["left", "<i>"], angle=0, hard=True)
    live, nameless, single = open_page(page, tmp_path, named, LookupDial(**PLANE), LookupDial())
    live.get_by_role("status").get_by_text("comes back: left 1.00, <i> 0.00.").wait_for()
    assert live.locator(".dial-legend span").all_text_contents() == ["left", "<i>"]
    assert nameless.locator(".dial-legend span").all_text_contents() == ["Value 0", "Value 1"]
    assert single.locator(".dial-legend span").count() == 0
    live.get_by_role("button", name="Show as table").click()
    heads = [table.locator("th").all_text_contents() for table in live.get_by_role("table").all()]
    assert [each[-2:] for each in heads] == [["left", "<i>"]] * 2


def test_the_sum_is_written_out(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, LookupDial([[1, 0], [0, 1]], [4, -2], sharpness=0))
    text = live.locator(".dial-sum").inner_text().replace("\u00a0", " ")
    assert text == "0.50 · 4 + 0.50 · (−2) = 1.00"


def middle(of: "Locator") -> tuple[float, float]:
    box = of.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_pointer_turns_the_query(page: "Page", tmp_path: Path) -> None:
    dial = LookupDial()
    (live,) = open_page(page, tmp_path, dial)
    x, y = middle(live.locator(".dial-hub"))
    page.mouse.move(*middle(live.locator(".dial-handle")))
    page.mouse.down()
    page.mouse.move(x + 40, y)
    check(page, live, dial)
    assert dial.angle == 0
    page.mouse.move(x, y + 40, steps=4)
    page.mouse.up()
    page.mouse.move(x - 60, y)  # the pointer is up: nothing follows it
    check(page, live, dial)
    assert dial.angle == 270
    page.mouse.click(x - 50, y - 50)  # anywhere on the face
    check(page, live, dial)
    assert dial.angle == 135


def test_a_finger_turns_the_query(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, LookupDial())
    assert (live.locator(".dial-handle").bounding_box() or {})["width"] >= 40  # for a thumb
    live.locator(".dial-hub").scroll_into_view_if_needed()
    x, y = middle(live.locator(".dial-hub"))
    page.touchscreen.tap(x + 60, y)
    page.wait_for_function("plainformer.widgets[0].model.get('angle') === 0")
    context.close()


def test_the_arrow_and_the_discs_say_what_the_numbers_say(page: "Page", tmp_path: Path) -> None:
    dial = LookupDial(angle=37.5)
    (live,) = open_page(page, tmp_path, dial)
    assert live.locator(".dial-query").get_attribute("transform") == "rotate(-37.5)"
    sizes = live.locator(".dial-disc").evaluate_all(
        "all => all.map(c => Number(c.getAttribute('r')))"
    )
    np.testing.assert_allclose(sizes, 20 * np.sqrt(dial.weights), rtol=0, atol=0.051)
    length = live.locator(".dial-query").evaluate("path => path.getBBox().width")
    slider(live, "Sharpness").press("End")
    page.evaluate(FRAME)
    assert live.locator(".dial-query").evaluate("path => path.getBBox().width") > length


def test_hard_is_stairs_and_soft_is_a_curve(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, LookupDial())

    def steepest() -> float:
        found: Any = live.locator(".pf-card").get_attribute("data-answers")
        return float(np.abs(np.diff(np.array(found.split(), dtype=float))).max())

    assert steepest() < 3  # degrees Celsius in a degree of turning
    live.get_by_text("Hard: best only").click()
    page.evaluate(FRAME)
    assert steepest() == 45  # from "icy" to "hot", straight down


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, LookupDial(**PLANE))
    dial = LookupDial(
        [[0, 1], [1, 1], [2, -3]], [[9, 8], [7, 6], [5, 4]], angle=300, sharpness=0.3, hard=True
    )
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        {name: value for name, value in dial.state().items() if name != "data"},
    )
    check(page, live, dial)
    assert live.get_by_role("radio", name="Hard").is_checked()
