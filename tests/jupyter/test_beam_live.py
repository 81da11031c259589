"""The widget of beam search in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """import numpy as np
from plainformer.widgets import BeamTree

def coin(ids):  # any function from ids to logits will do
    return np.log([[0.6, 0.3, 0.1]] * len(ids))

beam = BeamTree.search(
    coin, [0], num_beams=2, max_new_tokens=4, eos_token_id=2, words=["head", "tail", "<end>"]
)
beam""",
    """beam.step = 3; beam.length_penalty = 0.5; beam.node = 1""",
    """print("read back:", beam.step, beam.length_penalty, beam.node, len(beam.ranking))""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    beam = page.locator(".jp-OutputArea-output .pf-card")
    step = beam.get_by_role("slider", name="Step")
    alpha = beam.get_by_role("slider", name="α, the power")

    # From Python to the page.
    expect(step).to_have_value("3")
    expect(alpha).to_have_value("0.5")

    # From the page to Python.
    read_back(page, READ, "3 0.5 1 0")
    beam.get_by_role("button", name="Next").click()
    alpha.press("ArrowRight")
    beam.get_by_role("treeitem").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    read_back(page, READ, "4 0.55 2 2")

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    expect(step).to_have_value("3")
    expect(alpha).to_have_value("0.5")
    chosen = beam.get_by_role("treeitem", selected=True)
    name = "head, 60%, log −0.51, sum −0.51, kept, greedy took it"
    expect(chosen).to_have_attribute("aria-label", name)
