"""PositionalWaves in a static page opened as a file, in Chromium: by pointer, keyboard and touch.

Its numbers are in `test_positional_waves_numbers.py`; its looks, in
`test_positional_waves_looks.py`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.pages import FRAME, centre, open_page, open_still, put, trait, watched
from tests.widgets.waves import map_of, slider, unfold

from plainformer.widgets import PositionalWaves

PHONE: Any = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_the_word_is_dragged_along_the_sentence(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
    word = live.locator(".pw-words > b")
    assert word.text_content() == "your"

    def drag(start: float, line: str) -> None:
        box = live.locator(line).bounding_box()
        assert box is not None
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] * (start + 0.5) / 16, y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * (start + 5.5) / 16, y, steps=4)
        page.mouse.up()
        page.evaluate(FRAME)

    drag(0, ".pw-words")
    assert (trait(page, "position"), word.text_content()) == (5, "cat")
    drag(6, ".pw-plots")
    assert (trait(page, "position"), word.text_content()) == (11, "mat")
    thumb = live.locator(".pw-strip input")
    middle = "e => { const b = e.getBoundingClientRect(); return b.x + b.width / 2; }"
    share = thumb.evaluate(
        """e => { const b = e.getBoundingClientRect(), t = 1.6 * 16;
          return b.x + t / 2 + (b.width - t) * e.value / e.max; }"""
    )
    for each in (".pw-words > b", ".pw-cursor"):
        assert live.locator(each).evaluate(middle) == pytest.approx(share, abs=1.5)


def test_one_view_after_the_other_is_offered(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(position=5))
    views = live.locator(".pw-views label:visible")
    assert views.all_text_contents() == ["Clocks", "As numbers"]
    for count, name in ((3, "As numbers"), (4, "All positions"), (4, "Similarity"), (4, "Clocks")):
        live.get_by_text(name, exact=True).click()
        page.evaluate(FRAME)
        assert views.count() == count
    assert live.locator(".pw-numbers").all_text_contents()[0].startswith("−0.960.28")


def test_pointing_shows_and_pressing_keeps(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, position=1, view="matrix"))
    formula = live.locator(".pw-formula")
    page.mouse.move(*centre(map_of(live), 20, 9, 48, 32))
    formula.get_by_text("PE(20, 9)").wait_for()
    assert live.locator(".pw-position b").text_content() == "20"
    assert trait(page, "position") == 1
    page.mouse.move(5, 5)
    formula.get_by_text("PE(1, 0)").wait_for()
    page.mouse.click(*centre(map_of(live), 20, 9, 48, 32))
    page.mouse.move(5, 5)
    page.evaluate(FRAME)
    formula.get_by_text("PE(20, 9)").wait_for()
    assert (trait(page, "position"), trait(page, "dimension")) == (20, 9)


def test_a_drag_that_began_elsewhere_chooses_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, position=1, view="matrix"))
    inside = centre(map_of(live), 20, 9, 48, 32)
    page.mouse.move(3, inside[1])
    page.mouse.down()
    page.mouse.move(*inside, steps=4)
    page.mouse.up()
    page.mouse.move(*inside)
    page.mouse.down(button="right")
    page.mouse.move(inside[0] + 20, inside[1] + 20)
    page.mouse.up(button="right")
    assert (trait(page, "position"), trait(page, "dimension")) == (1, 0)
    page.mouse.move(*inside)
    page.mouse.down()
    page.mouse.move(*centre(map_of(live), 22, 11, 48, 32), steps=4)
    page.wait_for_function("plainformer.widgets[0].model.get('position') === 22")
    page.mouse.up()
    assert trait(page, "dimension") == 11


def test_keys_in_the_heat_map(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, position=1, view="matrix"))
    map_of(live).focus()
    for key, cell in [
        ("ArrowRight", (1, 1)), ("ArrowDown", (2, 1)), ("ArrowLeft", (2, 0)), ("ArrowLeft", (2, 0)),
        ("ArrowUp", (1, 0)), ("PageDown", (11, 0)), ("End", (11, 31)), ("PageUp", (1, 31)),
        ("PageUp", (0, 31)), ("Home", (0, 0)),
    ]:  # fmt: skip
        page.keyboard.press(key)
        page.evaluate(FRAME)
        assert (trait(page, "position"), trait(page, "dimension")) == cell, key
        said = map_of(live).get_attribute("aria-valuetext") or ""
        assert said.startswith(f"position {cell[0]}, dimension {cell[1]} (")
        assert map_of(live).get_attribute("aria-valuenow") == str(cell[0] * 32 + cell[1])
    map_of(live).evaluate(
        """map => { for (let i = 0; i < 3; i += 1)
            map.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" })); }"""
    )
    assert trait(page, "position") == 3  # no key is lost that comes before the next frame
    assert page.evaluate("scrollY") == 0  # no key scrolled the page


def test_sliders_say_what_changed(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, base=500, view="matrix"))
    status = live.get_by_role("status")
    unfold(live)
    slider(live, "d_model").fill("31")
    status.get_by_text("31 dimensions: the wavelengths go from 6.28").wait_for()
    slider(live, "Length").fill("100")
    status.get_by_text("100 positions, from 0 to 99.").wait_for()
    base = slider(live, "Base")
    assert base.get_attribute("aria-valuetext") == "500"  # Python's own base is among the stops
    base.press("End")
    status.get_by_text("Base 100,000: the wavelengths").wait_for()
    slider(live, "Position").fill("99")
    status.get_by_text("Position 99, dimension 0 (sine, wavelength 6.28): −0.999.").wait_for()
    slider(live, "Length").fill("8")
    page.evaluate(FRAME)
    assert trait(page, "position") == 7


def test_what_python_shortens_step_by_step_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(
        page, tmp_path, PositionalWaves(48, 32, position=40, dimension=30, view="matrix")
    )
    put(page, length=4)  # before it says where the position went
    put(page, d_model=5)
    live.locator(".pw-formula").get_by_text("PE(3, 4)").wait_for()


def test_the_walk_goes_to_the_end_and_starts_again(page: "Page", tmp_path: Path) -> None:
    (live,) = open_still(page, tmp_path, PositionalWaves(5, 4, position=0))
    live.get_by_role("button", name="Walk").click()
    live.get_by_role("button", name="Pause").click()
    page.clock.run_for(2000)
    assert trait(page, "position") == 0
    live.get_by_role("button", name="Walk").click()
    page.clock.run_for(2000)
    assert trait(page, "position") == 4
    live.get_by_role("button", name="Walk").click()
    page.clock.run_for(100)
    assert trait(page, "position") == 1
    slider(live, "Position").fill("2")  # a hand on a control ends the walk
    live.get_by_role("button", name="Walk").wait_for()
    page.clock.run_for(2000)
    assert trait(page, "position") == 2


def test_reset_brings_the_start_back(page: "Page", tmp_path: Path) -> None:
    widget = PositionalWaves(20, 9, 50.0, 3, 4, "similarity", other=5)
    (live,) = open_page(page, tmp_path, widget)
    unfold(live)
    for name in ("d_model", "Length", "Base", "Position", "Compared with position"):
        slider(live, name).press("Home")
    live.get_by_role("button", name="Reset").click()
    page.evaluate(FRAME)
    expected = widget.state()
    assert {name: trait(page, name) for name in expected} == expected


def test_a_tap_chooses(browser: "Browser", tmp_path: Path) -> None:
    with watched(browser, **PHONE) as (page, problems):
        (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, position=1, view="matrix"))
        page.touchscreen.tap(*centre(map_of(live), 30, 4, 48, 32))
        page.wait_for_function("plainformer.widgets[0].model.get('position') === 30")
    assert problems == []


def test_a_finger_chooses_sideways_and_scrolls_upwards(browser: "Browser", tmp_path: Path) -> None:
    context = browser.new_context(**PHONE)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, PositionalWaves(48, 32, position=1, view="matrix"))
    x, y = centre(map_of(live), 30, 4, 48, 32)
    session = context.new_cdp_session(page)

    def drag(to_x: float, to_y: float) -> None:
        def touch(kind: str, *points: dict[str, float]) -> None:
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        touch("touchStart", {"x": x, "y": y})
        for step in range(1, 11):
            share = step / 10
            touch("touchMove", {"x": x + share * (to_x - x), "y": y + share * (to_y - y)})
            page.evaluate(FRAME)
        touch("touchEnd")

    before = page.evaluate("scrollY")
    drag(*centre(map_of(live), 30, 24, 48, 32))
    page.wait_for_function("plainformer.widgets[0].model.get('dimension') === 24")
    assert page.evaluate("scrollY") == before
    drag(x, y - 150)
    page.wait_for_function("(before) => scrollY > before + 50", arg=before)
    assert trait(page, "dimension") == 24
    context.close()
