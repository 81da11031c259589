"""A widget without `host.js` round it, as in Jupyter: it must look as it does on the page."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.pages import write_page

from plainformer.inputs import BPETokenizer
from plainformer.widgets import BPEMerges, EmbeddingLookup, PositionalWaves, RotaryVectors
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Render the bundle into a bare element below; then the width of every element, there and here.
WIDTHS = """async ([code, state]) => {
  const el = document.createElement("div");
  document.querySelector(".pf-widget").after(el);
  document.querySelector(".pf-tools > :last-child").remove(); // "Copy link", which a host adds
  const values = { ...state };
  const model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    on() {},
    off() {},
    save_changes() {},
  };
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  (await import(url)).default.render({ model, el });
  await pfFrame().then(() => new Promise((go) => setTimeout(go)));
  const widths = (root) => [...root.querySelectorAll(".pf-card, .pf-card *")].map(
    (each) => [each.getAttribute("class"), Math.round(each.getBoundingClientRect().width)]);
  const kind = getComputedStyle(el.querySelector(".pf-card")).containerType;
  return [kind, widths(document.querySelector(".pf-live")), widths(el)];
}"""


def make(name: str, tokenizer: BPETokenizer) -> Any:
    """A widget by its class's name, as a page would make it."""
    if name == "BPEMerges":
        return BPEMerges(tokenizer)
    if name == "EmbeddingLookup":
        return EmbeddingLookup(["a", "cat"], [[0.5, -1.0, 2.0], [0.0, 0.25, 1.0]])
    return {"PositionalWaves": PositionalWaves, "RotaryVectors": RotaryVectors}[name]()


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize(
    "name", ["BPEMerges", "EmbeddingLookup", "PositionalWaves", "RotaryVectors"]
)
def test_a_widget_needs_no_host_to_fit_its_place(
    name: str, width: int, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = make(name, tokenizer)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(write_page(tmp_path, widget))
    page.locator(".pf-widget[data-pf-ready]").wait_for()
    kind, hosted, bare = page.evaluate(WIDTHS, [bundle(f"{widget.front_end}/view"), widget.state()])
    assert kind == "inline-size"  # what @container asks is the card, which is there in both
    assert len(hosted) > 20
    assert bare == hosted
