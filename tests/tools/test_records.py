"""What a page was made from: when it is outdated, and when it is not."""

import math
import os
from pathlib import Path

import nbformat
import pytest

from book_engine.records import (
    CHANGED_MEANWHILE,
    Record,
    Records,
    cells_digest,
    note_files,
    surroundings_digest,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with two files that a page used."""
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (1000, 1000))
    return tmp_path


def record(project: Path) -> Record:
    """The record of a page that used a.py alone."""
    used = note_files([str(project / "a.py")], project, started=math.inf)
    return Record("cells", "around", used)


def test_a_page_runs_again_when_something_it_used_changed(project: Path) -> None:
    before = record(project)
    assert before.reason("cells", "around", project) == ""
    (project / "b.py").write_text("other")
    assert before.reason("cells", "around", project) == ""
    (project / "a.py").write_text("other")
    assert before.reason("cells", "around", project) == "a.py changed"
    (project / "a.py").unlink()
    assert before.reason("cells", "around", project) == "a.py changed"


def test_a_file_that_is_touched_but_the_same_runs_nothing(project: Path) -> None:
    before = record(project)
    (project / "a.py").write_text("a.py")
    assert before.reason("cells", "around", project) == ""


def test_a_page_runs_again_when_its_cells_or_surroundings_changed(project: Path) -> None:
    before = record(project)
    assert "cells" in before.reason("other", "around", project)
    assert "requirements" in before.reason("cells", "other", project)


def test_a_file_written_while_the_page_ran_is_not_trusted(project: Path) -> None:
    noted = note_files([str(project / "a.py")], project, started=500)
    assert noted == {"a.py": CHANGED_MEANWHILE}
    assert Record("c", "s", noted).reason("c", "s", project) == "a.py changed"


def test_a_file_moved_there_while_the_page_ran_is_not_trusted(project: Path) -> None:
    """It keeps the time at which it was written, so that alone says nothing."""
    started = 2000  # after the files were written, in 1970, and before one is moved, today
    (project / "b.py").replace(project / "a.py")
    assert (project / "a.py").stat().st_mtime < started
    noted = note_files([str(project / "a.py")], project, started)
    assert noted == {"a.py": CHANGED_MEANWHILE}


def test_a_file_that_was_looked_for_counts_when_it_comes(project: Path) -> None:
    noted = note_files([str(project / "settings.txt")], project, started=math.inf)
    before = Record("c", "s", noted)
    assert before.reason("c", "s", project) == ""
    (project / "settings.txt").write_text("new")
    assert before.reason("c", "s", project) == "settings.txt changed"


def test_a_folder_that_was_listed_counts_by_its_names(project: Path) -> None:
    listings = {str(project): ["a.py", "b.py"], str(project / "later"): None}
    before = Record("c", "s", note_files([], project, math.inf, listings))
    (project / "a.py").write_text("other")
    (project / "__pycache__").mkdir()
    (project / ".a.py.swp").touch()
    assert before.reason("c", "s", project) == ""
    (project / "later").mkdir()
    assert before.reason("c", "s", project) == "./ changed"
    (project / "later").rmdir()
    (project / "b.py").unlink()
    assert before.reason("c", "s", project) == "./ changed"


def test_a_new_public_name_runs_no_page_that_has_no_use_for_it(project: Path) -> None:
    """A page reads the list of a part's names, of which the lines of other modules do not count."""
    stub = project / "__init__.pyi"
    stub.write_text("from .a import f as f\n")
    files = [str(stub), str(project / "a.py")]
    before = Record("c", "s", note_files(files, project, math.inf))
    stub.write_text("from .a import f as f\nfrom .b import g as g\n")
    assert before.reason("c", "s", project) == ""
    stub.write_text("from .b import f as f\n")
    assert before.reason("c", "s", project) == "__init__.pyi changed"
    stub.unlink()
    assert before.reason("c", "s", project) == "__init__.pyi changed"


def test_all_records_are_asked_at_once(project: Path) -> None:
    records = Records(project / "pages")
    assert records.changed_file(project) == ""
    records.write("book/a", record(project))
    assert records.changed_file(project) == ""
    (project / "a.py").write_text("other")
    assert records.changed_file(project) == "a.py"
    records.path("book/a").write_text("{half a rec")
    assert records.changed_file(project) == "book=2Fa.json"


def test_no_two_pages_share_a_record() -> None:
    names = ["book/a", "book~a", "book%2Fa", "book=2Fa", "book_a"]
    assert len({Records(Path("pages")).path(name) for name in names}) == len(names)


def test_prose_and_outputs_are_not_what_a_kernel_is_given() -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell("old"), nbformat.v4.new_code_cell("1 + 1")]
    before = cells_digest(notebook)
    notebook.cells[0].source = "new"
    notebook.cells[1].execution_count = 7
    assert cells_digest(notebook) == before
    notebook.cells[1].metadata["tags"] = ["raises-exception"]
    tagged = cells_digest(notebook)
    assert tagged != before
    notebook.cells[1].source = "1 + 2"
    assert cells_digest(notebook) not in (before, tagged)


def test_requirements_belong_to_the_surroundings(project: Path) -> None:
    before = surroundings_digest(project / "a.py", [])
    (project / "a.py").write_text("torch==3")
    assert surroundings_digest(project / "a.py", []) != before


def test_records_are_kept_and_a_broken_one_counts_as_none(tmp_path: Path) -> None:
    records = Records(tmp_path / "pages")
    assert records.read("book/a") is None
    records.write("book/a", Record("c", "s", {"x": "y"}, 1.5, "o"))
    assert records.read("book/a") == Record("c", "s", {"x": "y"}, 1.5, "o")
    records.path("book/a").write_text("{half a rec")
    assert records.read("book/a") is None
    records.forget("book/a")
    assert not records.path("book/a").exists()
