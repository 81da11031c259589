"""BeamTree in Chromium: by keyboard, pointer and touch, played, and how it looks."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.beam_trees import real, said
from tests.widgets.pages import FRAME, open_page, put, trait
from tests.widgets.test_beam_tree import model

from plainformer.widgets import BeamTree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_a_node_that_is_pressed_is_chosen(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    live.get_by_role("treeitem", name="cat, after “a”").click()
    page.evaluate(FRAME)
    assert trait(page, "node") == 6
    assert live.get_by_role("treeitem", selected=True).count() == 1
    assert live.locator(".bt-way.bt-node .bt-word").all_inner_texts() == ["a", "cat"]


@pytest.mark.parametrize("width", [320, 360, 900])
def test_no_node_is_cut(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    for live in open_page(page, tmp_path, BeamTree(step=3), real(1, step=5)):
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        assert live.locator("[role=treeitem]:visible").evaluate_all(cut) == []


def test_a_node_that_is_tapped_is_chosen(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 640}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    live.get_by_role("treeitem", name="your, after “a”").tap()
    live.locator(".pf-sentence", has_text="probability 12.5%").wait_for()
    assert said(live).endswith("probability 12.5%. Died: others were better.")
    context.close()


def test_the_step_that_is_grown_is_in_sight(page: "Page", tmp_path: Path) -> None:
    """A long search scrolls sideways within its card, and the newest step stays in sight."""
    page.set_viewport_size({"width": 800, "height": 700})
    widget = BeamTree.search(model(1), [3, 4], num_beams=2, max_new_tokens=12)
    (live,) = open_page(page, tmp_path, widget)
    box = live.locator(".bt-stage").bounding_box()
    assert box is not None
    for step in (12, 6, 1):
        put(page, step=step)
        column = live.locator(".bt-current").bounding_box()
        assert column is not None
        assert box["x"] <= column["x"]
        assert column["x"] + column["width"] <= box["x"] + box["width"] + 1
