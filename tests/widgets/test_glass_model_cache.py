"""GlassModel writes on with its cache: a token is computed once, and what is drawn is the same."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.glass import computed, glass
from tests.widgets.pages import open_page, put

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TEXT = "your cat is a lovely"
ASKED = """
  window.asked = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const { method, given } = message;
    if (method === "run") asked.push([method, given[0].length]);
    if (method === "next") asked.push([method, 1]);
    return post.call(this, message, ...rest);
  };
"""


def write_on(page: "Page", live: "Locator", count: int) -> None:
    live.get_by_role("button", name="Write on").click()
    page.wait_for_function(
        "n => plainformer.widgets[0].model.get('output').length === n", arg=count
    )
    computed(live)


def rows(live: "Locator", caption: str) -> list[list[str]]:
    table = live.locator("table", has=live.page.locator("caption", has_text=caption))
    found: list[list[str]] = table.locator("tbody tr").evaluate_all(
        "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return found


def test_one_token_more_costs_one_token(page: "Page", tmp_path: Path) -> None:
    page.add_init_script(ASKED)
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT))
    for count in (1, 2, 3):
        write_on(page, live, count)
    assert page.evaluate("asked") == [["run", 6], *[["next", 1]] * 3]
    written = page.evaluate("plainformer.widgets[0].model.get('output')")
    box = live.get_by_label("Type any text")
    assert box.input_value() == TEXT + glass().tokenizer.decode(written)
    held = live.locator(".gm-held").inner_text()
    assert held.startswith(
        "The cache holds 9 tokens: 4 layers × 2 (keys, values) × 9 tokens × 128 = 9,216 numbers. "
        "Only “"
    )

    # What is drawn of tokens that were read one by one is what torch makes of all at once.
    widget = glass(prompt=TEXT, output=page.evaluate("plainformer.widgets[0].model.get('output')"))
    live.get_by_role("button", name="Show as table").click()
    weights = rows(live, "looks in each head")
    for label, *shares in weights:
        layer, head = (int(each) - 1 for each in label.split(", "))  # a reader counts from 1
        wanted = widget.steps[f"layers.{layer}.attention.weights"][0, head, -1].tolist()
        assert [float(each) for each in shares] == pytest.approx(wanted, abs=6e-4)
    assert len(weights) == 16
    for layer, _, share in rows(live, "if it stopped after a layer"):
        stream = widget.steps[f"layers.{int(layer) - 1}.residual_2"][0, -1]
        logits = widget.model.head(widget.model.norm(stream)).detach()
        assert float(share) == pytest.approx(logits.softmax(-1).max().item(), abs=1e-4)
    assert rows(live, "What the cache holds")[7][1:4] == ["values", "9", "128"]

    # Asked for every number, it reads the whole text.
    put(page, selected="layers.1")
    computed(live)
    assert page.evaluate("asked.at(-1)") == ["run", 9]


def test_a_text_that_moves_on_is_computed_anew(page: "Page", tmp_path: Path) -> None:
    page.add_init_script(ASKED)
    (live,) = open_page(page, tmp_path, glass(prompt="the value of " * 60))
    computed(live)
    write_on(page, live, 1)
    assert page.evaluate("asked.at(-1)") == ["run", 128]
    assert "each token moved to another place" in live.locator(".gm-held").inner_text()
