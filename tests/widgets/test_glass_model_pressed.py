"""GlassModel in Chromium: what can be pressed in its river, and what it says of odd texts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.glass import computed, glass
from tests.widgets.pages import FRAME, open_page, put, trait

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "your cat is a lovely"

# A point of the first band that is drawn.
BAND = """() => {
  const band = document.querySelector(".gm-band");
  const point = band.getPointAtLength(band.getTotalLength() * 0.3);
  const { x, y } = point.matrixTransform(band.getScreenCTM());
  return [x, y];
}"""


def test_lines_and_bands_can_be_pressed(page: "Page", tmp_path: Path) -> None:
    widget = glass(prompt=TEXT)
    (live,) = open_page(page, tmp_path, widget)
    box = live.locator(".gm-river").bounding_box()
    assert box is not None
    for token in (2, 4):
        page.mouse.click(box["x"] + 2, box["y"] + box["height"] * (token + 0.5) / 6)
        page.evaluate(FRAME)
        assert trait(page, "place") == token
    put(page, place=None)
    page.evaluate(FRAME)
    page.mouse.click(*page.evaluate(BAND))
    page.evaluate(FRAME)
    weights = widget.steps["layers.0.attention.weights"][0, :, -1]
    token = int(weights.mean(0)[:-1].argmax())  # the widest band is drawn first
    assert trait(page, "selected") == f"layers.0.heads.{int(weights[:, token].argmax())}"
    computed(live)
    assert f"({token + 1}): weight" in live.locator(".gm-cell").inner_text()


@pytest.mark.parametrize(("prompt", "named"), [("I like 🙂", "🙂"), ("café", "é"), (TEXT, None)])
def test_characters_without_a_token_are_named(
    page: "Page", tmp_path: Path, prompt: str, named: str | None
) -> None:
    (live,) = open_page(page, tmp_path, glass(prompt=prompt))
    said = live.locator(".pf-sentence").inner_text()
    assert (f"no token for “{named}”" in said) == (named is not None)
    assert ("no token for" in said) == (named is not None)


def test_the_box_shows_the_end_of_what_is_written_and_a_new_start_draws_other_tokens(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT, chapters="."))
    put(page, output=glass(prompt=f"{TEXT} " * 12).ids[1:])
    computed(live)
    box = live.get_by_label("Type any text")
    top, high, seen = box.evaluate("e => [e.scrollTop, e.scrollHeight, e.clientHeight]")
    assert high > seen and top + seen >= high - 1
    live.get_by_role("button", name="Start over").click()
    page.evaluate(FRAME)
    assert (trait(page, "output"), trait(page, "seed")) == ([], 1)


def test_two_equal_texts_say_what_to_do(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT))
    live.get_by_role("button", name="Compare two texts").press("Enter")
    note: Any = live.get_by_text("Both texts are the same so far")
    note.wait_for()
    put(page, other="your dog is a lovely")
    computed(live)
    assert not note.is_visible()


def test_an_opened_head_fits_a_small_projector(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT))
    live.get_by_role("button", name="Full screen", exact=True).press("Enter")
    page.wait_for_function("() => document.fullscreenElement?.matches('.pf-card')")
    put(page, selected="layers.3.heads.2")
    page.evaluate(FRAME)
    computed(live)
    box = live.locator(".gm-field").bounding_box()
    assert box is not None and box["y"] + box["height"] <= 720
