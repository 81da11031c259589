"""The widgets of efficient attention in a real JupyterLab, from Python to the page and back."""

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from tests.jupyter.lab import open_and_run, read_back, run_cell, running_lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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


def test_traits_are_live_in_jupyterlab(browser: "Browser", tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "widgets.ipynb")
    with running_lab(folder) as address:
        page = open_and_run(browser, f"{address}/lab/tree/widgets.ipynb", len(CELLS))
        sweep, growth = page.locator(".jp-OutputArea-output .pf-card").all()
        query = sweep.get_by_role("slider", name="Query", exact=False)
        written = growth.get_by_role("slider", name="Tokens written", exact=False)

        # From Python to the page.
        assert (query.input_value(), written.input_value()) == ("1", "3")

        # From the page to Python.
        read_back(page, READ, "2 4.0 3 384")
        sweep.get_by_role("button", name="Next").click()
        growth.get_by_role("button", name="Rewind one token").click()
        read_back(page, READ, "3 1.296 2 256")
        sweep.get_by_role("slider", name="Block size", exact=False).press("End")
        read_back(page, READ, "2 1.296 2 256")  # one block of 6, and the step that divides

        # And from Python once more, into the page as it is.
        run_cell(page, WRITE)
        page.wait_for_function("slider => slider.value === '3'", arg=written.element_handle())
        page.close()
