"""One JupyterLab for all tests of this folder, and for each a notebook and a kernel of its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from tests.installed import Installed
from tests.jupyter.lab import end_kernels, notebook_of, open_and_run, running_lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: where it answers, and the folder that it shows."""

    address: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, installed: Installed) -> Iterator[Lab]:
    """JupyterLab, started once; its kernels have the installed wheel."""
    folder = tmp_path_factory.mktemp("jupyter") / "work"
    folder.mkdir()
    with running_lab(folder, installed.jupyter_path) as address:
        yield Lab(address, folder)


@pytest.fixture
def run_in_lab(
    request: pytest.FixtureRequest, browser: "Browser", lab: Lab
) -> "Iterator[Callable[..., Page]]":
    """Run a notebook in JupyterLab and return its page: ``run_in_lab(cells or notebook)``."""
    page = browser.new_page(viewport={"width": 1300, "height": 1000})

    def run(notebook: list[str] | nbformat.NotebookNode) -> "Page":
        if isinstance(notebook, list):
            notebook = notebook_of(notebook)
        nbformat.write(notebook, lab.folder / f"{name}.ipynb")
        # A workspace of its own: no tab of another test is opened again.
        address = f"{lab.address}/lab/workspaces/{name}/tree/{name}.ipynb"
        open_and_run(page, address, len(notebook.cells))
        return page

    name = request.node.path.stem
    yield run
    page.close()
    end_kernels(lab.address)
