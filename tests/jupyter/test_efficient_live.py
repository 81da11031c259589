"""The widgets of efficient attention in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import BlockSweep, CacheGrowth
sweep = BlockSweep(X @ W_Q, X @ W_K, X @ W_V, tokens=TOKENS)
sweep""",
    """growth = CacheGrowth(TOKENS)
growth""",
    """sweep.query = 1; sweep.step = 2
growth.history = [1, 2, 3]""",
    """print("read back:", sweep.step, round(sweep.kept[1], 3), growth.length, growth.kept)""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    sweep, growth = page.locator(".jp-OutputArea-output .pf-card").all()
    query = sweep.get_by_role("slider", name="Query", exact=False)
    written = growth.get_by_role("slider", name="Tokens written", exact=False)

    # From Python to the page.
    expect(query).to_have_value("1")
    expect(written).to_have_value("3")

    # From the page to Python.
    read_back(page, READ, "2 4.0 3 384")
    sweep.get_by_role("button", name="Next").click()
    growth.get_by_role("button", name="Rewind one token").click()
    read_back(page, READ, "3 1.296 2 256")
    sweep.get_by_role("slider", name="Block size", exact=False).press("End")
    read_back(page, READ, "2 1.296 2 256")  # one block of 6, and the step that divides

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    expect(written).to_have_value("3")
