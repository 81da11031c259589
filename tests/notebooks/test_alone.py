"""A notebook that was downloaded alone, in an environment that has a kernel but no plainformer.

What Colab does is done here with a real kernel and a real pip: only the file, and the site's wheel
at an address; then the same with what the zip of a site has in it, and with nothing in reach. Pip
is given no package index, because whatever the wheel asks for is in the environment already.
"""

import ast
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from tests.installed import Installed
from tests.notebooks.committed import FOLDER, NOTEBOOKS, ROOT
from tests.notebooks.test_execution import problems, run
from tests.site.server import SiteServer

import plainformer
from book_engine.downloads import make
from notebook_engine.setup_cell import setup_source
from public_address import DOWNLOADS, wheel_name

ADDRESS = "https://ada.github.io/course/"
WHEEL = wheel_name(plainformer.__version__)
READY = f"Ready: plainformer {plainformer.__version__}\n"
RELOAD = "If Python does not see what you change in a widget, reload the page and run it again.\n"
SHEET = "attention/self_attention_exercises.ipynb"
CHAPTER = "inputs/tokenization.ipynb"  # the one chapter that does without torch


@pytest.fixture
def stranger(without_package: Installed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, whose notebooks run in an environment without the package or an index."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "PYTHON"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("JUPYTER_PATH", without_package.jupyter_path)
    folder = tmp_path / "downloads of a person"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def site(installed: Installed, tmp_path: Path) -> Iterator[SiteServer]:
    """A web server with the one file of a site that a notebook asks for."""
    folder = tmp_path / "site"
    (folder / DOWNLOADS).mkdir(parents=True)
    (folder / DOWNLOADS / WHEEL).write_bytes(installed.wheel.read_bytes())
    with SiteServer(folder) as server:
        yield server


def downloaded(name: str, folder: Path, address: str = "") -> nbformat.NotebookNode:
    """Return a notebook as a site with this address offers it, once it is in an empty folder."""
    notebook = nbformat.read(FOLDER / name, as_version=4)
    if address:
        root = folder.parent / "published"
        (root / "src" / "plainformer").mkdir(parents=True)
        for path in ("requirements.txt", "src/plainformer/__init__.py"):
            (root / path).write_bytes((ROOT / path).read_bytes())
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        project = f'{project}\n[project.urls]\nHomepage = "{ADDRESS}"\n'
        (root / "pyproject.toml").write_text(project, encoding="utf-8")
        setup, *others = code_of(notebook)
        setup.source = setup_source(root, [cell.source for cell in others])
        assert f"{ADDRESS}{DOWNLOADS}/{WHEEL}" in setup.source
        setup.source = setup.source.replace(ADDRESS, address)
    nbformat.write(notebook, folder / Path(name).name)
    return notebook


def code_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


def test_only_the_file_and_the_site_at_its_address(stranger: Path, site: SiteServer) -> None:
    notebook = downloaded(CHAPTER, stranger, site.url)
    notebook.cells = notebook.cells[:40]
    run(notebook, stranger)
    setup, *_ = code = code_of(notebook)
    wheel = f"{site.url}{DOWNLOADS}/{WHEEL}"
    assert printed(setup) == f"Installing {wheel}: about a minute ...\n{READY}{RELOAD}"
    assert problems(code) == []
    again = downloaded(SHEET, stranger)  # another notebook finds it installed
    run(again, stranger)
    assert printed(code_of(again)[0]) == READY


def test_only_what_the_zip_has_in_it(stranger: Path, tmp_path: Path) -> None:
    made = make(ROOT)
    (name,) = [name for name in made if name.endswith(".zip")]
    (tmp_path / name).write_bytes(made[name])
    with zipfile.ZipFile(tmp_path / name) as opened:
        opened.extractall(stranger)
    (unpacked,) = stranger.iterdir()
    file = unpacked / SHEET
    notebook = nbformat.read(file, as_version=4)
    run(notebook, file.parent)
    setup, *_ = code = code_of(notebook)
    assert printed(setup) == f"Installing {WHEEL}: about a minute ...\n{READY}{RELOAD}"
    assert problems(code) == []


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9/"], ids=["no address", "no answer"])
def test_with_nothing_in_reach_the_first_cell_says_what_to_do_and_the_rest_waits(
    stranger: Path, address: str
) -> None:
    notebook = downloaded(CHAPTER, stranger, address)
    with pytest.raises(CellExecutionError, match="RuntimeError"):
        run(notebook, stranger)
    setup, *others = code_of(notebook)
    assert [cell for cell in others if cell.execution_count or cell.outputs] == []
    error = setup.outputs[-1]
    assert error.ename == "RuntimeError"
    said = error.evalue
    assert said.count(". ") == 0 and said.endswith(".") and "\n" not in said, "one sentence"
    assert said.startswith("This notebook needs the package plainformer")
    assert "choose Run at the top of any page of the course" in said
    assert (f"({address})" in said) == bool(address)
    assert (f"Installing {address}" in printed(setup)) == bool(address)


def imports_of(notebook: nbformat.NotebookNode) -> str:
    """Return every import of a notebook's cells after the first, a line each."""
    found = []
    for cell in code_of(notebook)[1:]:
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:  # a cell for Jupyter alone, or one that is meant to fail
            continue
        found += [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    return "\n".join(map(ast.unparse, found))


def test_a_notebook_that_asks_for_nothing_but_the_package_imports_nothing_else(
    bare: Installed,
) -> None:
    """In an environment that has what the wheel asks for, and no more: no torch."""
    alone = f'tested = {{"plainformer": "{plainformer.__version__}"}}\n'
    notebooks = [nbformat.read(path, as_version=4) for path in NOTEBOOKS]
    imports = [imports_of(it) for it in notebooks if alone in code_of(it)[0].source]
    assert len(imports) > 20
    done = bare.run("\n".join(f"exec({lines!r}, {{}})" for lines in imports))
    assert done.returncode == 0, done.stderr
