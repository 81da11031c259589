"""The generated notebook in a real JupyterLab: what a reader does reaches Python, and back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.jupyter.lab import running_lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "inputs" / "tokenization.ipynb"
READ = 'print("read back:", ascii(widget.text), widget.step, "of", widget.last_step, widget.ids)'
WRITE = 'widget.step = None; widget.text = "Python says thé cat"; widget.step = 3'


def copy_with_named_widget(folder: Path) -> tuple[int, str]:
    """Copy the notebook, give its first BPEMerges a name, and add two cells at the end.

    Returns how many cells there are, and the copy's file name.
    """
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    for cell in cells:
        lines = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "code" and lines and lines[-1].startswith("BPEMerges("):
            cell["source"] = "\n".join([*lines[:-1], f"widget = {lines[-1]}", "widget"])
            break
    else:
        raise AssertionError(f"{NOTEBOOK.name} has no cell that ends in a BPEMerges")
    for source in (WRITE, READ):
        extra = {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
        cells.append(extra | {"execution_count": None, "id": f"extra-{len(cells)}"})
    (folder / NOTEBOOK.name).write_text(json.dumps(notebook), encoding="utf-8")
    return len(cells), NOTEBOOK.name


def run_cell(page: "Page", number: int) -> "Locator":
    """Run one cell; return it once it is no longer busy."""
    cell = page.locator(f'.jp-Notebook > * .jp-Cell[data-windowed-list-index="{number}"]')
    count = cell.locator(".jp-InputArea-prompt")
    before = count.text_content()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "([prompt, before]) => prompt.textContent !== before && /\\d/.test(prompt.textContent)",
        arg=[count.element_handle(), before],
    )
    return cell


def read_back(page: "Page", number: int, expected: str) -> str:
    """What Python says the widget's traits are, once it says what is expected.

    Jupyter sends a widget's changes one at a time, so the last of several may come after a cell.
    """
    answer = ""
    for _ in range(20):
        output = run_cell(page, number).locator(".jp-OutputArea-output")
        output.get_by_text("read back:").wait_for()
        answer = output.inner_text().strip().removeprefix("read back: ")
        if answer.startswith(expected):
            return answer
    raise AssertionError(f"expected {expected!r} ...; Python says {answer!r}")


def test_text_and_step_are_live_in_jupyterlab(browser: "Browser", tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    cells, name = copy_with_named_widget(folder)
    with running_lab(folder) as address:
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.set_default_timeout(120_000)
        page.goto(f"{address}/lab/tree/{name}")
        page.locator(".jp-Notebook .jp-Cell").nth(cells - 1).wait_for(state="attached")
        page.get_by_text("| Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.locator(".jp-OutputArea-output", has_text="read back:").wait_for()
        errors = page.locator('[data-mime-type="application/vnd.jupyter.error"]')
        assert errors.all_inner_texts() == []

        # From Python to the page: the last cells but one have set both traits.
        widget = page.locator(".jp-OutputArea-output .pf-card").first
        box, slider = widget.get_by_label("Type any text"), widget.get_by_role("slider")
        assert box.input_value() == "Python says thé cat"
        assert slider.input_value() == "3"

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
        page.wait_for_function(
            "box => box.value === 'Python says thé cat'", arg=box.element_handle()
        )
        page.wait_for_function("slider => slider.value === '3'", arg=slider.element_handle())

        # The colours follow JupyterLab's mode.
        light = widget.evaluate("card => getComputedStyle(card).backgroundColor")
        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        assert widget.evaluate("card => getComputedStyle(card).backgroundColor") != light
        page.close()
