"""A student's file is read within limits; whatever is wrong with it is one sentence for them."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.classroom.notebook import NotebookError, answer_id, read_notebook, said_of_copies

ID = answer_id("a.b.1")


def code(source, id_=ID, **more):
    return {"cell_type": "code", "id": id_, "metadata": {}, "source": source, **more}


def write(folder, *cells, **body):
    path = folder / "work.ipynb"
    said = {"plainformer": {"assignment": "week 1"}}
    path.write_text(json.dumps({"cells": cells, "metadata": said, "nbformat": 4, **body}))
    return path


def test_answers_are_found_by_their_ids_wherever_an_editor_keeps_them(tmp_path):
    got = read_notebook(
        write(
            tmp_path,
            code("import numpy as np", "imports"),
            code(["def f():\n", "    return 1"]),
            code("def g(): ...", "x1", metadata={"id": answer_id("a.b.2")}),
            code("def h(): ...", "x2", metadata={"nbgrader": {"grade_id": answer_id("a.b.3")}}),
            code("f()", "other"),
            {"cell_type": "markdown", "id": "x3", "source": "Notes"},
        )
    )
    assert got.assignment == "week 1" and got.imports == "import numpy as np"
    assert got.answers == {
        ID: "def f():\n    return 1",
        answer_id("a.b.2"): "def g(): ...",
        answer_id("a.b.3"): "def h(): ...",
    }
    assert not got.problems


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([{**code("a"), "cell_type": "markdown"}], "Change its type"),
        ([code("x" * 300_000)], "more than 262144 characters"),
        ([code(None)], "no text"),
        ([code([1, 2])], "no text"),
    ],
)
def test_what_is_wrong_with_one_answer_is_a_problem_of_that_answer_alone(tmp_path, cells, said):
    got = read_notebook(write(tmp_path, *cells, code("def g(): ...", answer_id("a.b.2"))))
    assert said in got.problems[ID] and ID not in got.answers
    assert list(got.answers) == [answer_id("a.b.2")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "no whole notebook"),
        (b'{"cells": [', "in line 1"),
        (b"[" * 100_000, "no whole notebook"),
        (b"[]", "no notebook"),
        (b"{}", "no list of cells"),
        (b'{"cells": {}}', "no list of cells"),
        (b"%PDF-1.7 \xff\xfe", "UTF-8"),
        (b"\x00" * 100, "no whole notebook"),
        (b"x" * 2000, "at most 1,000"),
    ],
)
def test_a_file_that_is_no_notebook_gets_one_sentence(tmp_path, text, said):
    path = tmp_path / "work.ipynb"
    path.write_bytes(text)
    with pytest.raises(NotebookError, match=said):
        read_notebook(path, limit=1_000 if len(text) == 2000 else 1 << 20)


def test_links_folders_and_what_is_not_there_are_refused(tmp_path):
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name in ("link", "folder", "pipe", "nothing"):
        with pytest.raises(NotebookError):
            read_notebook(tmp_path / f"{name}.ipynb")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "id", "metadata", "source", "nbgrader", "plainformer"]),
            inside,
        )
    ),
    max_leaves=20,
)


@given(JSON, st.lists(JSON, max_size=3))
def test_any_json_is_a_notebook_or_an_error_with_a_sentence(tmp_path_factory, body, cells):
    path = tmp_path_factory.getbasetemp() / "any.ipynb"
    path.write_text(json.dumps(body if not isinstance(body, dict) else {**body, "cells": cells}))
    try:
        read_notebook(path)
    except NotebookError as error:
        assert str(error).endswith((".", "?"))


def copy_of(name, source):
    """A cell as JupyterLab leaves it that was copied: another id, and the same metadata."""
    return code(source, "x1", metadata={"nbgrader": {"grade_id": name}})


@pytest.mark.parametrize("name", [ID, "imports"])
def test_of_a_copied_cell_the_released_one_counts_or_else_the_first(tmp_path, name):
    for cells in (
        [copy_of(name, "b"), code("a", name), code("c", name)],
        [copy_of(name, "a"), copy_of(name, "b")],
    ):
        got = read_notebook(write(tmp_path, *cells, code("other", "other")))
        assert (got.imports if name == "imports" else got.answers[name]) == "a"
        assert not got.problems and got.copied[0] == name
        assert said_of_copies(got).startswith("The cell") and name in said_of_copies(got, name)
    assert said_of_copies(read_notebook(write(tmp_path, code("other", "other")))) == ""


def test_a_name_of_an_assignment_is_no_longer_than_one_can_be(tmp_path):
    said = {"plainformer": {"assignment": "x" * 10**6}}
    assert len(read_notebook(write(tmp_path, metadata=said)).assignment) == 100


def test_strange_characters_stay_where_they_are(tmp_path):
    got = read_notebook(write(tmp_path, code('x = "\x00\ud800"')))
    assert got.answers[ID] == 'x = "\x00\ud800"'
