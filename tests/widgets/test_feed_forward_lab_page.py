"""FeedForwardLab in Chromium: its page shows Python's numbers, and every control does its work."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, slider

from plainformer.widgets import FeedForwardLab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WIDE: dict[str, Any] = {
    "w_up": [[1.5, -0.25, 0.0, 3.0], [-1.0, 0.5, 2.0, 4.0]],
    "b_up": [0.125, -1.0, 0.5, -30.0],
    "w_down": [[1.0, -2.0], [0.25, 4.0], [-7.5, 0.0], [0.1, 0.2]],
    "span": (-3, 3),
    "x": (0, 0),
    "points": {"cat": (2.3, 3.0), "<i>": (-1.5, 0.5)},
}


def follow(page: "Page", lab: FeedForwardLab) -> None:
    """Give a lab what the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in ("x", "activation"):
        setattr(lab, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


def check(page: "Page", live: "Locator", lab: FeedForwardLab) -> None:
    """Hold the page's numbers against Python's."""
    follow(page, lab)
    shown: Any = live.evaluate(
        """live => {
            const of = (kind) => [...live.querySelectorAll(`span.ff-${kind}[data-value]`)].map(
              ({ dataset }) => Number(dataset.value));
            const card = live.querySelector(".pf-card").dataset;
            return [of("wide"), of("hidden"), card.output.split(" ").map(Number)];
        }"""
    )
    for found, right in zip(shown, [lab.wide, lab.hidden, lab.output], strict=True):
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, WIDE])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab(**options)
    (live,) = open_page(page, tmp_path, lab)
    for name, activation in (
        ("GELU", "gelu"),
        ("SiLU", "silu"),
        ("No activation", "none"),
        ("ReLU", "relu"),
    ):
        live.get_by_text(name, exact=True).click()
        for feature, tenths in (("first", -10), ("second", 27), ("first", 30), ("second", 0)):
            slider(live, f"{feature}:").fill(str(tenths))
            check(page, live, lab)
            assert lab.activation == activation
            assert lab.x[["first", "second"].index(feature)] == tenths / 10


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab(points={"cat": (2.3, 3.0), "is": (1.7, 0.9)}, x=(0, 0))
    (live,) = open_page(page, tmp_path, lab)
    status = live.get_by_role("status")
    status.get_by_text(
        "At first 0, second 0, with ReLU, no unit is on. The layer gives (0.00, 0.00)."
    ).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    status.get_by_text(
        "At first 2.3, second 3, with ReLU, on: 1 of 3. The layer gives (2.30, 2.30)."
    ).wait_for()
    assert live.get_by_role("radio", name="cat").is_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    status.get_by_text("At first 2.2, second 3, with ReLU, on: 1").wait_for()
    assert slider(live, "first:").get_attribute("aria-valuetext") == "2.2"
    assert not live.get_by_role("radio", name="cat").is_checked()
    live.get_by_role("radio", name="No activation").press("Space")
    status.get_by_text("with no activation, every unit counts").wait_for()
    live.get_by_role("button", name="Show as table").press("Enter")
    rows = live.get_by_role("table").locator("tbody tr").all()
    cells = [row.locator("td").all_text_contents() for row in rows]
    follow(page, lab)
    numbers = np.char.replace(np.array([row[1:] for row in cells[:-1]]), "−", "-").astype(float)
    right = np.column_stack([lab.w_up.T, lab.b_up, lab.wide, lab.hidden, lab.w_down])
    np.testing.assert_allclose(numbers, right, rtol=0, atol=1e-6)
    last = np.char.replace(np.array(cells[-1][-2:]), "−", "-").astype(float)
    np.testing.assert_allclose(last, lab.output, rtol=0, atol=1e-6)


def middle(of: "Locator") -> tuple[float, float]:
    box = of.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_pointer_moves_the_vector(page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab()
    (live,) = open_page(page, tmp_path, lab)
    x, y = middle(live.locator(".ff-frame"))
    page.mouse.move(*middle(live.locator(".ff-handle")))
    page.mouse.down()
    page.mouse.move(x, y, steps=3)
    check(page, live, lab)
    assert lab.x == [1.5, 1.5]
    page.mouse.move(x + 2000, y - 2000)  # off the plane: as far as it goes
    page.mouse.up()
    page.mouse.move(x, y)  # the pointer is up: nothing follows it
    check(page, live, lab)
    assert lab.x == [4, 4]
    page.mouse.click(x, y)  # anywhere on the plane
    check(page, live, lab)
    assert lab.x == [1.5, 1.5]


def test_a_finger_moves_the_vector(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, FeedForwardLab())
    assert (live.locator(".ff-handle").bounding_box() or {})["width"] >= 40  # for a thumb
    live.locator(".ff-frame").scroll_into_view_if_needed()
    page.touchscreen.tap(*middle(live.locator(".ff-frame")))
    page.wait_for_function("String(plainformer.widgets[0].model.get('x')) === '1.5,1.5'")
    context.close()


def test_the_plane_shows_which_units_are_on(page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab(x=(2, 3))
    (live,) = open_page(page, tmp_path, lab)

    def on() -> list[bool]:
        page.evaluate(FRAME)
        found: Any = live.locator(".ff-side").evaluate_all(
            "all => all.map((each) => each.classList.contains('ff-on'))"
        )
        return list(found)

    assert on() == [True, False, False]
    slider(live, "first:").fill("0")
    slider(live, "second:").fill("40")
    assert on() == [True, False, True]
    live.get_by_text("No activation").click()
    assert on() == [True, True, True]
    dashes = live.locator(".ff-edge").evaluate_all(
        "all => all.map((each) => getComputedStyle(each).strokeDasharray)"
    )
    assert len(set(dashes)) == 3


def test_the_sum_is_written_out(page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [-1.0, 0.0]], x=(2, 1))
    (live,) = open_page(page, tmp_path, lab)
    text = live.locator(".ff-sum").inner_text().replace("\u00a0", " ")
    assert text == "2.00 · (1, 0.5) + 1.00 · (−1, 0) = (1.00, 1.00)"
    live.get_by_text("No activation").click()
    slider(live, "second:").fill("-5")
    page.evaluate(FRAME)
    text = live.locator(".ff-sum").inner_text().replace("\u00a0", " ")
    assert text == "2.00 · (1, 0.5) + (−0.50) · (−1, 0) = (2.50, 1.00)"


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    lab = FeedForwardLab(**WIDE)
    (live,) = open_page(page, tmp_path, lab)
    page.evaluate(
        """() => {
            const { model } = plainformer.widgets[0];
            model.set("x", [-1.5, 0.5]);
            model.set("activation", "gelu");
        }"""
    )
    check(page, live, lab)
    assert live.get_by_role("radio", name="GELU").is_checked()
    assert live.get_by_role("radio", name="<i>").is_checked()
