"""Every notebook runs from a clean kernel, in a folder that holds nothing else."""

import os

import nbformat
import pytest
from nbclient import NotebookClient
from tests.notebooks.committed import NOTEBOOKS

SECONDS = 120  # for one cell; a page's own limit is checked where the book is built


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_anywhere(path, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    notebook = nbformat.read(copy, as_version=4)
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )  # fmt: skip
    client.execute(env={**os.environ})
    setup = next(cell for cell in notebook.cells if "setup" in cell.metadata.get("tags", []))
    printed = "".join(output.get("text", "") for output in setup.outputs)
    assert printed.startswith("Ready: plainformer")
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            meant = "raises-exception" in cell.metadata.get("tags", [])
            assert meant or output.output_type != "error"
            assert output.get("name") != "stderr", output.get("text")
