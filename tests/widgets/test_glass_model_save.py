"""What a reader saves of GlassModel, from a page that was opened from a disk."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.image import imread
from tests.widgets.glass import computed, glass
from tests.widgets.pages import open_page, run

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PLACES = ["", "compare", "layers.1", "layers.1.heads.1", "layers.1.attention.weights[1, 7, 5]"]


def saved(page: "Page", live: "Locator", button: str) -> tuple[str, bytes]:
    if not live.get_by_role("button", name=button).is_visible():
        live.locator("summary", has_text="Save").click()
    with page.expect_download() as found:
        live.get_by_role("button", name=button).click()
    path = Path(str(found.value.path()))
    return found.value.suggested_filename, path.read_bytes()


def grey(png: bytes) -> np.ndarray:
    """How light each pixel is, from 0 to 255: (height, width)."""
    pixels: np.ndarray = imread(io.BytesIO(png), format="png")
    lightness: np.ndarray = 255 * pixels[..., :3].mean(axis=-1)
    return lightness


def blocks(pixels: np.ndarray, size: int) -> np.ndarray:
    """The mean of each square of so many pixels."""
    high, wide = (each // size for each in pixels.shape)
    cut = pixels[: high * size, : wide * size].reshape(high, size, wide, size)
    mean: np.ndarray = cut.mean(axis=(1, 3))
    return mean


@pytest.mark.parametrize("selected", PLACES)
def test_a_panel_is_saved_as_picture_and_table(page: "Page", tmp_path: Path, selected: str) -> None:
    widget = glass(prompt='for x in ["=1+1", -range(10', other="for", selected=selected)
    (live,) = open_page(page, tmp_path, widget)
    computed(live)
    name, data = saved(page, live, "Picture")
    assert name.endswith(".png") and selected.split("[")[0] in name
    picture = grey(data)
    # It is what is on the screen, seen from afar: letters are set a little otherwise.
    shown = grey(live.locator(".gm-stage").screenshot())
    crumbs = live.locator(".gm-crumbs").bounding_box()
    top = 2 * (8 + (round(crumbs["height"]) + 8 if selected and crumbs else 0))
    inside = picture[top : top + 2 * shown.shape[0], 32 : 32 + 2 * shown.shape[1]]
    ours, seen = blocks(inside, 16), blocks(shown, 8)
    assert ours.std() > 3
    assert np.corrcoef(ours.ravel(), seen.ravel())[0, 1] > 0.95

    name, data = saved(page, live, "Table as CSV")
    assert name.endswith(".csv")
    lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    live.get_by_role("button", name="Show as table").click()
    for table in live.locator("table").all():
        caption = table.locator("caption").inner_text()
        start = next(i for i, line in enumerate(lines) if line[:1] == [caption]) + 1
        body = table.locator("tr").evaluate_all(
            "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
        for line, row in zip(lines[start : start + len(body)], body, strict=True):
            plain = [each.lstrip("'") for each in line]
            assert plain == [text.replace("−", "-") if i else text for i, text in enumerate(row)]


def test_a_cell_is_never_a_formula(page: "Page") -> None:
    """A spreadsheet runs what begins with =, +, - or @; a number may have its sign."""
    table = {
        "caption": "=1", "columns": ["@a", "#b"],
        "rows": [["+x", "−1,204.5"], ["-1", "0"], ['"q", r\n', ""]],
    }  # fmt: skip
    found = run(page, "glass_model/save", "m.csv([x])", table)
    assert list(csv.reader(io.StringIO(found.removeprefix("\ufeff")))) == [
        ["'=1"], ["'@a", "b"], ["'+x", "-1204.5"], ["'-1", "0"], ['"q", r\n', ""],
    ]  # fmt: skip
