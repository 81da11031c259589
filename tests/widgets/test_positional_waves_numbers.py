"""PositionalWaves on a page: every number, formula, pixel and curve is what Python says."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.pages import open_page, put

from plainformer.inputs.positions import sinusoidal
from plainformer.widgets import PositionalWaves
from plainformer.widgets.kit.front_end import source

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

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


@pytest.mark.parametrize(("length", "width", "base"), SIZES)
def test_every_number_is_pythons(length: int, width: int, base: float, page: "Page") -> None:
    module = json.dumps(source("formulas/sinusoidal.js"))
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
    (live,) = open_page(page, tmp_path, PositionalWaves())
    live.get_by_role("button", name="Show as table").click()
    shown = live.locator(".pw-formula strong")
    for length, width, base in SIZES:
        put(page, position=0, dimension=0, other=0, view="matrix")
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
        for view in ("matrix", "fingerprint"):
            put(page, view=view)
            value = float(shown.get_attribute("data-value") or "nan")
            assert value == pytest.approx(table[position, dimension], abs=1e-12)
        put(page, view="similarity", other=length // 2)
        similar = table @ table[position] / (width / 2)
        wait_for_rows(live, f"Similarity of position {position}", length)
        got = column(live, "Similarity of position", 3)
        np.testing.assert_allclose(got, similar, atol=1e-6)
        value = float(shown.get_attribute("data-value") or "nan")
        assert value == pytest.approx(similar[length // 2], abs=1e-12)


def test_the_formula_has_the_numbers_filled_in(page: "Page", tmp_path: Path) -> None:
    widget = PositionalWaves(d_model=32, position=3, dimension=4, view="fingerprint")
    (live,) = open_page(page, tmp_path, widget)
    formula = live.locator(".pw-formula")
    assert formula.text_content() == "PE(3, 4) = sin(3 / 10,000^(4/32)) = sin(0.9487) = 0.8126"
    put(page, dimension=5, position=2)
    assert formula.text_content() == "PE(2, 5) = cos(2 / 10,000^(4/32)) = cos(0.6325) = 0.8066"
    live.get_by_role("status").get_by_text("dimension 5 (cosine, wavelength 19.9)").wait_for()
    put(page, view="similarity", other=2)
    assert formula.text_content() == "PE(2) · PE(2) / (32 / 2) = 1.0000"
    put(page, view="waves")
    assert formula.text_content() == ""


def test_the_heat_map_has_one_pixel_a_cell_and_the_cells_colour(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(6, 5, view="matrix"))
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


def test_any_base_can_be_read(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(4, 32, 1.0000001, 3, 8, "matrix"))
    formula = live.locator(".pw-formula")
    assert "sin(3 / 1.0000001^(8/32))" in (formula.text_content() or "")
    put(page, base=1e300)
    assert "sin(3 / 1E300^(8/32))" in (formula.text_content() or "")


def test_the_curve_moves_with_the_position_and_stays_the_same(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves(32, view="similarity", position=8))
    curve = live.locator(".pw-chart .ax-box .cv-0")

    def heights() -> list[str]:
        return [each.split()[1] for each in (curve.get_attribute("d") or "")[1:].split("L")]

    before = heights()
    put(page, position=13)
    assert heights()[5:] == before[:-5] != before[5:]
    note = live.get_by_text("With an odd d_model")
    assert not note.is_visible()
    put(page, d_model=3)
    note.wait_for()


HANDS = """live => [...live.querySelectorAll(".pw-clock")]
  .filter((clock) => clock.checkVisibility())
  .map((clock) => clock.querySelector(".pw-hand"))
  .map((hand) => [hand.x2.baseVal.value / 8.5, -hand.y2.baseVal.value / 8.5])"""


@pytest.mark.parametrize(("length", "width", "base"), [(48, 32, 10000.0), *SIZES])
def test_the_tip_of_each_hand_is_a_pair_of_pythons_numbers(
    length: int, width: int, base: float, page: "Page", tmp_path: Path
) -> None:
    """As far to the right as its sine, as high as its cosine; a sine alone lies on its side."""
    (live,) = open_page(page, tmp_path, PositionalWaves(length, width, base))
    table = sinusoidal(length, width, base=base)
    pairs = (width + 1) // 2
    shown = np.arange(pairs) if pairs <= 6 else np.round(np.linspace(0, pairs - 1, 6) + 1e-9)
    for position in (0, 1, length - 1):
        put(page, position=position, view="waves")
        expected = np.append(table[position], [0.0] * (width % 2)).reshape(-1, 2)
        few = expected[shown.astype(int)]
        np.testing.assert_allclose(live.evaluate(HANDS), few, atol=1e-6)
        for view in ("fingerprint", "matrix"):
            put(page, view=view)
            np.testing.assert_allclose(live.evaluate(HANDS), expected, atol=1e-6)


def test_a_tip_draws_its_height_as_far_as_the_word_has_been(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
    waves = live.locator(".pw-wave")
    assert waves.count() == 6 and waves.filter(visible=True).count() == 4

    def drawn(wave: int, line: str) -> np.ndarray:
        d = waves.nth(wave).locator(f".cv-{line}").get_attribute("d") or ""
        return np.array([each.split() for each in d[1:].split("L") if each], dtype=float)

    assert len(drawn(0, "0")) == 0
    put(page, position=9)
    put(page, position=4)  # it may go back
    for wave, each in enumerate(sinusoidal(10, 8).T[1::2]):
        points = drawn(wave, "0")
        whole = points[:: (len(points) - 1) // 9]
        np.testing.assert_allclose(whole[:, 0], (np.arange(10) + 0.5) / 16 * 1000, atol=0.06)
        np.testing.assert_allclose((50 - whole[:, 1]) * 11 / 8.5 / 50, each, atol=2e-3)
        assert len(drawn(wave, "1")) == 0  # the sine comes with the numbers
    put(page, view="fingerprint")
    put(page, view="waves")
    assert len(drawn(0, "1")) == len(drawn(0, "0")) > 10


def test_it_says_how_often_the_hands_have_turned(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, PositionalWaves())
    status = live.get_by_role("status")
    status.get_by_text("Position 0, “your”: every hand points straight up.").wait_for()
    put(page, position=7)
    said = "Position 7, “it”: the hands have turned 1.1, 0.11, 0.011 and 0.0011 times."
    status.get_by_text(said).wait_for()
    put(page, view="fingerprint")
    live.locator(".pw-clock:visible").nth(2).click()
    live.get_by_text("PE(7, 4)").wait_for()
    live.get_by_role("button", name="Show as table").click()
    np.testing.assert_allclose(
        column(live, "The row of position 7", 5)[::2], [1.11, 0.111, 0.0111, 0.00111]
    )
