"""ScheduleLab in Chromium: its page shows Python's rates, and every control does its work."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, put, run, slider, table_follows, trait

from plainformer.widgets import ScheduleLab
from plainformer.widgets.schedule_lab.widget import KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

STEPS = [*range(60), 99, 100, 199, 200, 201, 1000, 1999, 2000, 5000]


@pytest.mark.parametrize("warmup", [0, 1, 50])
def test_the_formula_is_pythons(warmup: int, page: "Page") -> None:
    lab = ScheduleLab(peak=0.7, warmup=warmup, total=200, every=13, factor=0.9, floor=0.05)
    settings = {
        "peak": 0.7, "warmup": warmup, "total": 200, "every": 13, "factor": 0.9, "floor": 0.035
    }  # fmt: skip
    rate = "x[0].map((kind) => x[1].map((step) => m.rate(kind, step, x[2])))"
    found = run(page, "formulas/schedules", rate, [list(KINDS), STEPS, settings])
    want = [[each(step) for step in STEPS] for each in lab.schedules.values()]
    np.testing.assert_allclose(found, want, rtol=1e-12)


def check(page: "Page", live: "Locator", lab: ScheduleLab) -> None:
    """Give a lab what the page has now, as Jupyter would; hold the page's rates against it."""
    page.evaluate(FRAME)
    for name in ("total", *lab.state()):
        setattr(lab, name, trait(page, name))
    shown = live.locator("[data-rates]").evaluate("card => card.dataset.rates")
    right = [each(lab.step) for each in lab.schedules.values()]
    np.testing.assert_allclose([float(each) for each in shown.split()], right, rtol=1e-12)


def test_the_page_agrees_with_python(page: "Page", tmp_path: Path) -> None:
    lab = ScheduleLab()
    (live,) = open_page(page, tmp_path, lab)
    check(page, live, lab)
    for kind, name, value in (
        ("Cosine", "Look at step:", "1801"),
        ("Cosine", "Peak:", "3"),
        ("Cosine", "Warm-up:", "700"),
        ("Cosine", "Floor:", "35"),
        ("Step decay", "Factor:", "70"),
        ("Step decay", "Every:", "123"),
        ("Inverse square root", "Steps in all:", "1"),
        ("Constant", "Look at step:", "12"),
    ):
        live.get_by_role("radio", name=kind).check()
        slider(live, name).fill(value)
        check(page, live, lab)
    assert (lab.schedule, lab.peak, lab.total, lab.step) == ("constant", 0.00003, 200, 12)
    assert (lab.warmup, lab.every, lab.factor, lab.floor) == (199, 123, 0.7, 0.35)


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, ScheduleLab())
    status = live.get_by_role("status")
    status.get_by_text(
        "Cosine: up to 0.003 in 200 steps, then down to 10% of it at step 2,000. At step 1,000 the"
        " rate is 0.00188."
    ).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    status.get_by_text(
        "Step decay: up to 0.003 in 200 steps, then times 0.5 every 400 steps, until step 2,000."
    ).wait_for()
    assert slider(live, "Floor").count() == 0 and slider(live, "Factor").is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("At step 1,001 the rate is 0.00075.").wait_for()
    assert slider(live, "Look at").get_attribute("aria-valuetext") == "1,001 of 2,000"
    slider(live, "Warm-up").press("Home")
    status.get_by_text("Step decay: at 0.003 from the first step, then").wait_for()
    live.get_by_role("button", name="Show as table").press("Enter")
    rows = live.get_by_role("table").locator("tbody tr")
    marked = live.locator("tr[aria-current]").locator("td").all_text_contents()
    assert rows.count() == 12 and marked[:3] == ["1,001", "0.003", "0.00075"]
    with table_follows(live):
        slider(live, "Look at").press("End")
    marked = live.locator("tr[aria-current]").locator("td").all_text_contents()
    assert marked[0] == "2,000" and marked[3] == "0.0003"


def test_python_sets_what_no_slider_has(page: "Page", tmp_path: Path) -> None:
    lab = ScheduleLab("step", peak=0.00123, total=1234, warmup=0)
    (live,) = open_page(page, tmp_path, lab)
    assert slider(live, "Peak").get_attribute("aria-valuetext") == "0.00123"
    assert slider(live, "Steps in all").get_attribute("aria-valuetext") == "1,234 steps"
    put(page, peak=0.0321, total=777)
    assert slider(live, "Peak").get_attribute("aria-valuetext") == "0.0321"
    check(page, live, lab)
    slider(live, "Peak").press("ArrowLeft")
    page.evaluate(FRAME)
    assert trait(page, "peak") == 0.03


def test_the_chosen_curve_lies_over_the_others(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, ScheduleLab())
    for kind, name in KINDS.items():
        live.get_by_role("radio", name=name).check()
        page.evaluate(FRAME)
        last = live.locator(".sl-line").last
        assert f"sl-{kind}" in str(last.get_attribute("class"))
        assert live.locator(".sl-chosen").count() == 1
