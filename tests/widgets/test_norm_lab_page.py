"""NormLab in Chromium: its page shows Python's numbers, and every control does its work."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, slider

from plainformer.widgets import NormLab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

NAMES = ["thing", "quality", "pointer", "link"]
OTHER: dict[str, Any] = {
    "x": [-4, 0.5, 4, 1, -0.1],
    "gamma": [2, -1, 0.5, 0, 1],
    "beta": [0, 1, -2, 0.1, 0],
    "eps": 0.25,
}


def check(page: "Page", live: "Locator", lab: NormLab) -> None:
    """Give a lab what the page has now, as Jupyter would; hold the page's numbers against it."""
    page.evaluate(FRAME)
    for name in ("x", "factor", "shift", "gamma", "beta"):
        setattr(lab, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))
    shown = live.locator(".nl-bar").evaluate_all("all => all.map((e) => Number(e.dataset.value))")
    right = np.concatenate([lab.token, lab.layer, lab.rms])
    np.testing.assert_allclose(shown, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, OTHER])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    lab = NormLab(**options)
    (live,) = open_page(page, tmp_path, lab)
    check(page, live, lab)
    live.locator("summary").click()
    for name, value in (
        ("All times:", "3"),
        ("Then plus:", "-25"),
        ("x2:", "-40"),
        ("γ, x1:", "-7"),
        ("β, x2:", "13"),
        ("All times:", "0"),
    ):
        slider(live.locator(".nl-features") if name == "x2:" else live, name).fill(value)
        check(page, live, lab)
    assert (lab.factor, lab.shift, lab.x[1]) == (0.25, -2.5, -4)
    assert (lab.gamma[0], lab.beta[1]) == (-0.7, 1.3)


def middle(of: "Locator") -> tuple[float, float]:
    box = of.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_pointer_moves_a_feature_and_no_other(page: "Page", tmp_path: Path) -> None:
    lab = NormLab([0, 0, 0], factor=2, shift=1)
    (live,) = open_page(page, tmp_path, lab)
    live.locator(".nl-drag").scroll_into_view_if_needed()
    x, y = middle(live.locator(".nl-drag"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 900, y - 900, steps=3)  # far off: as far as it goes
    check(page, live, lab)
    assert lab.x == [0, 4, 0]
    page.mouse.up()
    page.mouse.move(x, y)  # the pointer is up: nothing follows it
    check(page, live, lab)
    assert lab.x == [0, 4, 0]


def test_marks_stay_where_the_bars_were(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, NormLab(names=NAMES))
    where = "all => all.map((each) => each.getAttribute('y1'))"
    marks = live.locator(".nl-mark")
    before = marks.evaluate_all(where)
    slider(live, "All times:").fill("3")
    slider(live, "Then plus:").fill("20")
    page.evaluate(FRAME)
    assert marks.evaluate_all(where) == before
