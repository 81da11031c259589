"""GlassModel in a real JupyterLab: the reader's own model runs in the page, traits go both ways."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell
from tests.widgets.glass import computed

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """import torch
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.inputs import BPETokenizer
from plainformer.widgets import GlassModel
words = "your cat is a lovely cat, and my cat is a good cat. " * 20
tokenizer = BPETokenizer.train(words, 280)
config = TransformerConfig(
    family="decoder", vocab_size=280, d_model=16, n_layers=3, n_heads=2, d_ff=32, max_length=24
)
mine = DecoderOnly(config, rng=torch.Generator().manual_seed(1))
glass = GlassModel(mine, tokenizer, prompt="your cat", other="my cat")
glass""",
    """glass.off = ["1.0"]; glass.temperature = 0.2; glass.prompt = "a lovely cat"
glass.selected = "layers.1"  # the last, so that whoever sees it drawn sees the others""",
    """shares = [share for _, share in glass.likeliest(2)]
print("read back:", glass.prompt, glass.off, glass.selected, len(glass.output), glass.patched,
      *shares)""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_the_reader_s_own_model_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    card = page.locator(".jp-OutputArea-output .pf-card")
    said = card.get_by_role("status").first
    inside = card.locator(".gm-crumbs [aria-current]", has_text="Layer 2")

    # From Python to the page: text, part and zoom.
    inside.wait_for()
    expect(card.get_by_role("textbox", name="Type any text")).to_have_value("a lovely cat")
    said.get_by_text("With head 1 of layer 2 off: after “␣cat” (3) at temperature 0.2").wait_for()

    # From the page to Python: out of the layer, a token more, a part of the second text.
    card.get_by_role("button", name="Model", exact=True).click()
    card.get_by_role("button", name="Write on", exact=True).click()
    card.get_by_text("The cache holds").wait_for()
    card.get_by_role("button", name="Compare two texts").click()
    computed(page.locator("body"))  # there is no stream to take in before
    card.get_by_role("button", name="Take the second’s stream in here").click()
    said.get_by_text("the second text’s stream taken in after layer 1").wait_for()
    computed(page.locator("body"))
    answer = read_back(page, READ, "a lovely cat ['1.0'] compare 1 [0, ")

    # Both have computed the same: the page by its engine, Python by torch.
    shown = card.locator(".gm-pair .gm-share").first.inner_text().split(" | ")[0]
    assert float(shown.strip("<>")) == float(answer.split()[-2])

    run_cell(page, WRITE)
    inside.wait_for()
