"""PositionalWaves in a static page opened as a file, in Chromium: its numbers, hands and looks."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, axe_problems, open_page, put, trait

from plainformer.inputs.positions import sinusoidal
from plainformer.widgets import PositionalWaves
from plainformer.widgets.base import source

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SIZES = [(2, 2, 10.0), (3, 4, 10000.0), (48, 7, 100.0), (20, 33, 500.5), (128, 64, 100000.0)]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def column(live: "Locator", caption: str, place: int) -> list[float]:
    """The numbers of one column of a table."""
    table = live.locator("table", has=live.page.locator("caption", has_text=caption))
    cells = table.locator(f"tbody td:nth-child({place})").all_text_contents()
    return [number(text) for text in cells]


def wait_for_rows(live: "Locator", caption: str, count: int) -> None:
    """Wait until a table, which follows a little after the picture, has so many rows."""
    table = live.locator("table", has=live.page.locator("caption", has_text=caption))
    table.locator(f"tbody tr:nth-child({count}):last-child").wait_for(state="attached")


def map_of(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Heat map")


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=f"{name}:").and_(live.locator("input")).first


def centre(live: "Locator", row: int, col: int, rows: int, cols: int) -> tuple[float, float]:
    """The middle of a cell of the heat map, in the window."""
    map_of(live).scroll_into_view_if_needed()
    box = map_of(live).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * (col + 0.5) / cols
    return x, box["y"] + box["height"] * (row + 0.5) / rows


@pytest.mark.parametrize(("length", "width", "base"), SIZES)
def test_every_number_is_pythons(length: int, width: int, base: float, page: "Page") -> None:
    module = json.dumps(source("sinusoids.js"))
    ours, similar = page.evaluate(
        f"""async ([T, D, base]) => {{
          const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
          const {{ table, similarities }} = await import(url);
          const values = table(T, D, base);
          return [[...values], [...similarities(values, T, D)]];
        }}""",
        [length, width, base],
    )
    widget = PositionalWaves(length, width, base)
    expected = sinusoidal(length, width, base=base)
    np.testing.assert_allclose(np.reshape(ours, (length, width)), expected, atol=1e-12)
    got = np.reshape(similar, (length, length))
    np.testing.assert_allclose(got, widget.similarities, atol=1e-12)


def test_the_page_shows_pythons_numbers(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(pinned=[1]))
    live.get_by_role("button", name="Show as table").click()
    for length, width, base in SIZES:
        put(page, position=0, dimension=0, other=0, view="waves")
        position, dimension = length - 1, width // 2
        put(page, length=length, d_model=width, base=base, position=position, dimension=dimension)
        table = sinusoidal(length, width, base=base)
        live.get_by_text(f"The row of position {position}").wait_for()
        live.get_by_text(f"The column of dimension {dimension}").wait_for()
        wait_for_rows(live, "The row of", width)
        wait_for_rows(live, "The column of", length)
        row = column(live, "The row of", 4)
        np.testing.assert_allclose(row, table[position], atol=1e-6)
        np.testing.assert_allclose(column(live, "The column of", 2), table[:, dimension], atol=1e-6)
        value = live.locator(".pw-formula strong").get_attribute("data-value")
        assert float(value or "nan") == pytest.approx(table[position, dimension], abs=1e-12)
        put(page, view="similarity", other=length // 2)
        similar = table @ table[position] / (width / 2)
        wait_for_rows(live, f"Similarity of position {position}", length)
        got = column(live, "Similarity of position", 3)
        np.testing.assert_allclose(got, similar, atol=1e-6)
        value = live.locator(".pw-formula strong").get_attribute("data-value")
        assert float(value or "nan") == pytest.approx(similar[length // 2], abs=1e-12)


def test_the_formula_has_the_numbers_filled_in(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(position=3, dimension=4))
    formula = live.locator(".pw-formula")
    assert formula.text_content() == "PE(3, 4) = sin(3 / 10,000^(4/32)) = sin(0.9487) = 0.8126"
    put(page, dimension=5, position=2)
    assert formula.text_content() == "PE(2, 5) = cos(2 / 10,000^(4/32)) = cos(0.6325) = 0.8066"
    live.get_by_role("status").get_by_text("dimension 5 (cosine, wavelength 19.9)").wait_for()
    put(page, view="similarity", other=2)
    assert formula.text_content() == "PE(2) · PE(2) / (32 / 2) = 1.0000"


def test_the_heat_map_has_one_pixel_a_cell_and_the_cells_colour(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(6, 5))
    pixels = live.locator("canvas").evaluate(
        """canvas => [canvas.height, canvas.width, ...canvas.getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height).data]"""
    )
    assert pixels[:2] == [6, 5]
    red, blue = np.reshape(pixels[2:], (6, 5, 4))[..., [0, 2]].transpose(2, 0, 1)
    table = sinusoidal(6, 5)
    assert (red > blue)[table > 0.1].all()  # orange above zero, purple below
    assert (red < blue)[table < -0.1].all()
    texts = live.locator(".hm-numbers span").all_text_contents()  # few cells: numbers on them
    np.testing.assert_allclose([number(text) for text in texts], table.ravel(), atol=0.0051)


def test_pointing_shows_and_pressing_keeps(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
    formula = live.locator(".pw-formula")
    page.mouse.move(*centre(live, 20, 9, 48, 32))
    formula.get_by_text("PE(20, 9)").wait_for()
    live.get_by_text("the fingerprint of position 20").wait_for()
    live.get_by_text("Column: dimension 9 as a wave").wait_for()
    assert trait(page, "position") == 1
    page.mouse.move(5, 5)
    formula.get_by_text("PE(1, 0)").wait_for()
    page.mouse.click(*centre(live, 20, 9, 48, 32))
    page.mouse.move(5, 5)
    page.evaluate(FRAME)
    formula.get_by_text("PE(20, 9)").wait_for()
    assert (trait(page, "position"), trait(page, "dimension")) == (20, 9)


def test_a_drag_that_began_elsewhere_chooses_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
    inside = centre(live, 20, 9, 48, 32)
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
    page.mouse.move(*centre(live, 22, 11, 48, 32), steps=4)
    page.wait_for_function("plainformer.widgets[0].model.get('position') === 22")
    page.mouse.up()
    assert trait(page, "dimension") == 11


def test_any_base_can_be_read(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(position=3, dimension=8, base=1.0000001))
    formula = live.locator(".pw-formula")
    assert "sin(3 / 1.0000001^(8/32))" in (formula.text_content() or "")
    put(page, base=1e300)
    assert "sin(3 / 1E300^(8/32))" in (formula.text_content() or "")


def test_keys_in_the_heat_map(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
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
    page.keyboard.press("Enter")
    assert trait(page, "pinned")[-1] == 0
    page.keyboard.press("Space")
    assert 0 not in trait(page, "pinned")
    assert page.evaluate("scrollY") == 0  # no key scrolled the page


def test_sliders_say_what_changed(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(base=500))
    status = live.get_by_role("status")
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
    (live,) = open_page(page, tmp_path, PositionalWaves(position=40, dimension=30))
    put(page, length=4)  # before it says where the position went
    put(page, d_model=5)
    live.locator(".pw-formula").get_by_text("PE(3, 4)").wait_for()


def test_the_walk_goes_to_the_end_and_starts_again(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(5, 4, position=0))
    live.get_by_role("button", name="Walk").click()
    live.get_by_role("button", name="Pause").click()
    live.get_by_role("button", name="Walk").click()
    page.wait_for_function("plainformer.widgets[0].model.get('position') === 4")
    live.get_by_role("button", name="Walk").click()
    page.wait_for_function("plainformer.widgets[0].model.get('position') === 1")
    slider(live, "Position").fill("2")  # a hand on a control ends the walk
    live.get_by_role("button", name="Walk").wait_for()
    assert trait(page, "position") == 2


def test_pins_are_three_at_most_and_can_be_taken_out(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(pinned=[2, 4, 6], dimension=8))
    live.get_by_role("button", name="Pin", exact=True).click()
    assert trait(page, "pinned") == [4, 6, 8]  # the oldest has gone
    said = "Pinned: dimensions 4, 6, 8. Dimension 2 made room."
    live.get_by_role("status").get_by_text(said).wait_for()
    live.get_by_role("button", name="Unpin", exact=True).wait_for()
    slider(live, "d_model").fill("7")
    live.get_by_role("button", name="Unpin dimension 8, beyond d_model 7").wait_for()
    for left in ([4, 8], [4], []):
        live.locator(".pw-chip:visible").nth(min(1, len(left))).press("Enter")
        page.evaluate(FRAME)
        assert trait(page, "pinned") == left
        assert page.evaluate("document.activeElement.closest('.pf-button') !== null")


def test_reset_brings_the_start_back(page: "Page", tmp_path: Path) -> None:
    widget = PositionalWaves(20, 9, 50.0, 3, 4, other=5, pinned=[2])
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_text("Similarity", exact=True).click()
    for name in ("d_model", "Length", "Base", "Position", "Compared with position"):
        slider(live, name).press("Home")
    live.get_by_role("button", name="Reset").click()
    page.evaluate(FRAME)
    expected = widget.state() | {"view": "similarity"}
    assert {name: trait(page, name) for name in expected} == expected


def test_the_curve_of_position_0_moved_lies_on_every_other(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(view="similarity", position=20))
    paths = [live.locator(f".pw-chart .ax-box .cv-{i}").get_attribute("d") for i in (0, 4)]
    assert paths[0] == paths[1] != ""
    put(page, d_model=3)
    paths = [live.locator(f".pw-chart .ax-box .cv-{i}").get_attribute("d") for i in (0, 4)]
    assert paths[0] != paths[1]
    live.get_by_text("With an odd d_model").wait_for()


def test_touch_chooses_and_still_scrolls(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 640}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, PositionalWaves())
    x, y = centre(live, 30, 4, 48, 32)
    page.touchscreen.tap(x, y)
    page.wait_for_function("plainformer.widgets[0].model.get('position') === 30")
    page.wait_for_timeout(500)  # or tap and drag would be the gesture that zooms
    session = context.new_cdp_session(page)

    def drag(to_x: float, to_y: float) -> None:
        def touch(kind: str, *points: dict[str, float]) -> None:
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        touch("touchStart", {"x": x, "y": y})
        for step in range(1, 11):
            share = step / 10
            touch("touchMove", {"x": x + share * (to_x - x), "y": y + share * (to_y - y)})
            page.wait_for_timeout(16)
        touch("touchEnd")
        page.wait_for_timeout(300)

    before = page.evaluate("scrollY")
    drag(*centre(live, 30, 24, 48, 32))
    assert trait(page, "dimension") == 24
    assert page.evaluate("scrollY") == before
    drag(x, y - 150)
    assert page.evaluate("scrollY") > before + 50
    assert trait(page, "dimension") == 24
    context.close()


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    first, second = open_page(page, tmp_path, PositionalWaves(), PositionalWaves(view="similarity"))
    slider(first, "d_model").fill("8")
    page.evaluate(FRAME)
    assert (trait(page, "d_model"), trait(page, "d_model", 1)) == (8, 32)
    assert second.get_by_text("How similar any two positions are").is_visible()
    repeated = page.evaluate(
        "[...document.querySelectorAll('[id]')].map(e => e.id)"
        ".filter((id, i, all) => all.indexOf(id) !== i)"
    )
    assert repeated == []


def test_a_closed_fold_draws_when_it_opens(page: "Page", tmp_path: Path) -> None:
    open_page(
        page,
        tmp_path,
        f"<details><summary>More</summary>{PositionalWaves().html()}</details>",
    )
    page.wait_for_timeout(100)
    assert page.locator("[data-pf-ready]").count() == 0
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    box = page.locator(".hm-map").bounding_box()
    assert box is not None and box["width"] > 200 and box["height"] > 200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    widgets = [PositionalWaves(), PositionalWaves(3, 4, view="similarity"), PositionalWaves(3, 4)]
    lives = open_page(page, tmp_path, *widgets)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    slider(lives[0], "d_model").fill("4")  # a pin beyond it
    page.evaluate(FRAME)
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_every_target_fits_a_thumb(
    width: int, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    large = PositionalWaves(128, 64, 100000.0, 127, 63, pinned=[61, 62, 60])
    lives = open_page(page, tmp_path, large, PositionalWaves(view="similarity"))
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for target in page.locator(".pf-live").locator("button:visible, input:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 44, target.evaluate("t => t.outerHTML.slice(0, 90)")
    page.evaluate(
        "document.querySelectorAll('.pf-widget').forEach(w => w.removeAttribute('data-pf-ready'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_walk_takes_its_time_where_motion_is_unwelcome(page: "Page", tmp_path: Path) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script(
        "window.waits = []; const set = setTimeout;"
        "window.setTimeout = (f, ms, ...rest) => (window.waits.push(ms), set(f, ms, ...rest));"
    )
    (live,) = open_page(page, tmp_path, PositionalWaves())
    live.get_by_role("button", name="Walk").click()
    page.wait_for_function("window.waits.includes(900)")
    live.get_by_role("button", name="Pause").click()
