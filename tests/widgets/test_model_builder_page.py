"""ModelBuilder in Chromium: its page counts as Python does, to the last unit."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.pages import FRAME, open_page, slider

from plainformer.widgets import ModelBuilder
from plainformer.widgets.model_builder.widget import LABELS

if TYPE_CHECKING:
    from playwright.sync_api import Page

TRAITS = ["preset", "d_model", "n_layers", "vocab_size", "length"]
# Once it is drawn: the traits that are asked for, and the numbers that stand on the card.
ASK = f"""(names) => ({FRAME})().then(() => {{
  const {{ model }} = plainformer.widgets[0];
  const {{ counts }} = document.querySelector(".pf-live .pf-card").dataset;
  return [Object.fromEntries(names.map((name) => [name, model.get(name)])), JSON.parse(counts)];
}})"""


def check(page: "Page") -> ModelBuilder:
    """Hold the page's whole numbers against Python's, and return what Python has."""
    state, shown = page.evaluate(ASK, TRAITS)
    builder = ModelBuilder(**state)
    assert shown["parameters"] == builder.parameters
    assert shown["operations"] == builder.operations
    assert shown["memory"] == builder.memory
    return builder


def test_every_preset_agrees_with_python(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, ModelBuilder())
    for name, label in LABELS.items():
        live.get_by_text(label, exact=True).click()
        builder = check(page)
        assert builder.preset == name
        assert builder.parameters == ModelBuilder(name).parameters


@pytest.mark.parametrize("name", sorted(LABELS))
def test_every_size_agrees_with_python(name: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, ModelBuilder(name, d_model=832, vocab_size=777))
    check(page)
    for label in ("Width D", "Layers", "Words V", "Tokens of the text T"):
        handle = slider(live, label)
        most = int(handle.get_attribute("max") or 0)
        for place in (0, most // 2, most):
            handle.fill(str(place))
            check(page)


def test_a_narrow_model_is_mostly_its_table(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, ModelBuilder())
    said = live.locator(".pf-sentence")
    assert "46%, sit in the feed-forward layers." in said.inner_text()
    slider(live, "Width D").fill("0")
    page.evaluate(FRAME)
    assert "sit in the table of words" in said.inner_text()
    assert live.locator(".mb-total").inner_text() == (
        f"{sum(ModelBuilder(d_model=64).parameters.values()):,} parameters"
    )
