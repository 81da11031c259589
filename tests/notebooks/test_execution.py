"""Every notebook runs from a clean kernel, on the installed wheel, far from the checkout.

A chapter's notebook has the cells of its page, and the build has just run those. Where it can be
shown that they would do the same here, only what the notebook has of its own runs again: its set-up
cell and the exercises' imports; of notebooks in which these are alike, in one of them. They would
where nothing was used but files of the package, which the wheel has byte for byte
(`tests/wheel/test_build_wheel.py` holds that). With EVERY_CELL=1 everything runs, whatever the
build did, and the workflow does this on every other Python that the course supports.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
import pytest
from filelock import FileLock
from nbclient import NotebookClient
from tests.installed import Installed, shared_folder
from tests.notebooks.committed import FOLDER, NOTEBOOKS, ROOT

from book_engine import records
from notebook_engine.setup_cell import EXERCISE_IMPORTS
from warm_kernels import warm_kernels

SECONDS = 1200  # for one cell; a page's own limit is checked where the book is built
BUILD = ROOT / "_build"


def run(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run a notebook in a folder; raises where a cell does.

    Its kernel is killed afterwards: to end by itself takes one with torch a second and a half.
    """
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        shutdown_kernel="immediate",
    )
    client.execute(env={**os.environ})


def run_once(notebook: nbformat.NotebookNode, folder: Path, kept: Path) -> nbformat.NotebookNode:
    """Run a notebook; or return what came of one with the same cells, in whichever worker.

    What fails is not kept: it fails for each.
    """
    cells = "\0".join(f"{tags(cell)} {cell.source}" for cell in notebook.cells)
    place = kept / f"{hashlib.sha256(cells.encode()).hexdigest()}.ipynb"
    with FileLock(f"{place}.lock"):
        if place.exists():
            return nbformat.read(place, as_version=4)
        run(notebook, folder)
        nbformat.write(notebook, place)
    return notebook


def tags(cell: nbformat.NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def problems(cells: Sequence[nbformat.NotebookNode]) -> list[str]:
    """Return what cells printed that they should not: errors, and warnings."""
    return [
        str(output)
        for cell in cells
        for output in cell.get("outputs", [])
        if (output.output_type == "error" and "raises-exception" not in tags(cell))
        or output.get("name") == "stderr"
    ]


def cells_of_build(page: str, build: Path, root: Path) -> list[nbformat.NotebookNode] | None:
    """Return a page's code cells with their outputs, if they would be the same in any folder.

    None where the build has not run them, where anything that they used has changed since, or
    where they read or listed something that is not in the package.
    """
    record = records.Records(records.folder(build)).read(page)
    executed = sorted(records.outputs_folder(build, page).glob("executed/*/base.ipynb"))
    surroundings = records.surroundings_digest(root / "requirements.txt")
    if record is None or len(executed) != 1 or record.reason(record.cells, surroundings, root):
        return None
    # The wheel has the package and nothing else of the checkout. What was looked for in vain (an
    # empty digest) is not here either.
    if any(used and not name.startswith("src/plainformer/") for name, used in record.files.items()):
        return None
    cells = nbformat.read(executed[0], as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all workers of this run keep the notebooks that they ran."""
    folder = shared_folder(tmp_path_factory) / "notebooks"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def kernels(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What offers kernels of the environment with the wheel, which share their libraries' import.

    A kernel with torch, transformers and Matplotlib begins in a tenth of a second then, and not in
    five. What it imports of the course, it imports for itself.
    """
    around = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with warm_kernels(tmp_path_factory.mktemp("kernels"), installed.python, around) as folder:
        yield folder


@pytest.fixture(autouse=True)
def no_help_from_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_anywhere(
    path: Path,
    tmp_path: Path,
    installed: Installed,
    kernels: Path,
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(kernels))
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    setup, *others = code
    assert "setup" in tags(setup)
    page = "book/" + path.relative_to(FOLDER).with_suffix("").as_posix()
    built = None if os.environ.get("EVERY_CELL") else cells_of_build(page, BUILD, ROOT)
    own = [cell for cell in others if cell.source == EXERCISE_IMPORTS]
    shared = [cell for cell in others if cell.source != EXERCISE_IMPORTS]
    if built is not None and [cell.source for cell in built] != [cell.source for cell in shared]:
        built = None
    whose = nbformat.v4.new_code_cell("import plainformer; print(plainformer.__file__)")
    if built is None:
        notebook.cells.append(whose)
        run(notebook, tmp_path)
    else:
        notebook.cells = [setup, *own, whose]
        setup, *_, whose = code = run_once(notebook, tmp_path, kept).cells
    assert Path(whose.outputs[0].text.strip()).is_relative_to(installed.packages)
    printed = "".join(output.get("text", "") for output in setup.outputs)
    assert printed.startswith("Ready: plainformer")
    assert problems([*code, *(built or [])]) == []


# The reuse, checked


def test_the_same_cells_run_once_and_what_fails_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stand_in(notebook: nbformat.NotebookNode, folder: Path) -> None:
        ran.append(notebook.cells[0].source)
        assert ran[-1] != "1 / 0"
        notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="done")]

    def notebook_of(source: str) -> nbformat.NotebookNode:
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])

    ran: list[str] = []
    monkeypatch.setitem(globals(), "run", stand_in)
    for source in ("1", "2", "1", "2"):
        done = run_once(notebook_of(source), tmp_path, tmp_path)
        assert (done.cells[0].source, done.cells[0].outputs[0].text) == (source, "done")
    for _ in range(2):
        with pytest.raises(AssertionError):
            run_once(notebook_of("1 / 0"), tmp_path, tmp_path)
    assert ran == ["1", "2", "1 / 0", "1 / 0"]


def build_of(tmp_path: Path, files: dict[str, str]) -> tuple[Path, Path]:
    """Write what a build leaves of the page book/a, whose one cell used these files."""
    root, build = tmp_path / "root", tmp_path / "root" / "_build"
    cell = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("stream", text="1")])
    executed = records.outputs_folder(build, "book/a") / "executed" / "x" / "base.ipynb"
    executed.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), executed)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    used = {name: records.file_digest(root / name) for name in files}
    around = records.surroundings_digest(root / "requirements.txt")
    records.Records(records.folder(build)).write("book/a", records.Record("c", around, used))
    return root, build


def test_what_the_build_ran_is_used_while_it_is_true(tmp_path: Path) -> None:
    root, build = build_of(tmp_path, {"src/plainformer/a.py": "1"})
    (cell,) = cells_of_build("book/a", build, root)
    assert cell.outputs[0].text == "1"
    assert cells_of_build("book/b", build, root) is None
    (root / "requirements.txt").write_text("new==1")
    assert cells_of_build("book/a", build, root) is None
    (root / "requirements.txt").unlink()
    (root / "src/plainformer/a.py").write_text("2")
    assert cells_of_build("book/a", build, root) is None


@pytest.mark.parametrize("name", ["book/words.txt", "src/words.txt", "tools/a.py"])
def test_cells_that_used_what_is_not_in_the_package_run_again(tmp_path: Path, name: str) -> None:
    root, build = build_of(tmp_path, {"src/plainformer/a.py": "1", name: "one two"})
    assert cells_of_build("book/a", build, root) is None


@pytest.mark.parametrize(
    ("output", "tagged", "bad"),
    [
        ({"output_type": "error", "ename": "E", "evalue": "", "traceback": []}, [], True),
        (
            {"output_type": "error", "ename": "E", "evalue": "", "traceback": []},
            ["raises-exception"],
            False,
        ),
        ({"output_type": "stream", "name": "stderr", "text": "a warning"}, [], True),
        ({"output_type": "stream", "name": "stdout", "text": "a line"}, [], False),
    ],
)
def test_an_error_or_a_warning_is_a_problem(output: dict, tagged: list[str], bad: bool) -> None:
    cell = nbformat.v4.new_code_cell("1", metadata={"tags": tagged})
    cell.outputs = [nbformat.from_dict(output)]
    assert bool(problems([cell])) is bad
