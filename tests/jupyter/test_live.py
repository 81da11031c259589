"""The generated notebook in a real JupyterLab: what a reader does reaches Python, and back."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from playwright.sync_api import expect
from tests.installed import Installed
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.jupyter.conftest import Lab

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "inputs" / "tokenization.ipynb"
READ = 'print("read back:", ascii(widget.text), widget.step, "of", widget.last_step, widget.ids)'
WRITE = 'widget.step = None; widget.text = "Python says thé cat"; widget.step = 3'


def with_named_widget() -> nbformat.NotebookNode:
    """Return the notebook with a name for its first BPEMerges, and two cells at the end."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        lines = cell.source.splitlines()
        if cell.cell_type == "code" and lines and lines[-1].startswith("BPEMerges("):
            cell.source = "\n".join([*lines[:-1], f"widget = {lines[-1]}", "widget"])
            break
    else:
        raise AssertionError(f"{NOTEBOOK.name} has no cell that ends in a BPEMerges")
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in (WRITE, READ)]
    return notebook


def test_jupyterlab_starts_its_kernels_with_the_installed_wheel(
    lab: "Lab", installed: Installed
) -> None:
    with urllib.request.urlopen(f"{lab.address}/api/kernelspecs") as answer:
        kernels = json.load(answer)["kernelspecs"]
    assert kernels["python3"]["spec"]["argv"][0] == str(installed.python)


def test_text_and_step_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    notebook = with_named_widget()
    cells = len(notebook.cells)
    page = run_in_lab(notebook)

    # From Python to the page: the last cells but one have set both traits.
    widget = page.locator(".jp-OutputArea-output .pf-card").first
    box, slider = widget.get_by_label("Type any text"), widget.get_by_role("slider")
    expect(box).to_have_value("Python says thé cat")
    expect(slider).to_have_value("3")

    # From the page to Python: type, then move the slider.
    box.fill("a lovely widget")
    read_back(page, cells - 1, "'a lovely widget' 3 of ")
    slider.press("Home")
    slider.press("ArrowRight")
    answer = read_back(page, cells - 1, "'a lovely widget' 1 of ")
    drawn = widget.locator(".bpe-token").evaluate_all("c => c.map(e => Number(e.dataset.id))")
    assert answer.endswith(str(drawn))
    slider.press("End")
    read_back(page, cells - 1, "'a lovely widget' None of ")

    # And from Python once more, into the page as it is.
    run_cell(page, cells - 2)
    expect(box).to_have_value("Python says thé cat")
    expect(slider).to_have_value("3")

    # The colours follow JupyterLab's mode.
    light = widget.evaluate("card => getComputedStyle(card).backgroundColor")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert widget.evaluate("card => getComputedStyle(card).backgroundColor") != light
