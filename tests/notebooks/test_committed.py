"""The committed notebooks: in step with the book, valid, readable, and without any solution."""

import ast
import inspect
import json
import re
from copy import deepcopy
from urllib.parse import unquote

import nbformat
import pytest
from tests.notebooks.committed import (
    FOLDER,
    NOTEBOOKS,
    ROOT,
    answer_shapes,
    answers,
    body_of,
    copied,
    leaks,
    myst_in,
    solution_texts,
)

from notebook_engine.files import out_of_step
from notebook_engine.index import Book

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_page_of_a_part_has_its_notebook():
    pages = [page.name for page in Book(ROOT).pages.values() if page.has_notebook]
    assert pages
    assert {f"{name}.ipynb" for name in pages} <= {
        path.relative_to(FOLDER).as_posix() for path in NOTEBOOKS
    }


def test_they_are_what_the_generator_makes():
    assert out_of_step(ROOT) == []


@each
def test_the_format_is_valid_and_nothing_has_run(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    for cell in notebook["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@each
def test_no_myst_is_left(path):
    for cell in read(path)["cells"]:
        if cell["cell_type"] == "markdown":
            assert myst_in("".join(cell["source"])) == []


@each
def test_pictures_have_alternative_text_and_come_along(path):
    for cell in read(path)["cells"]:
        for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", "".join(cell["source"])):
            if cell["cell_type"] == "markdown":
                assert alt.strip()
                attached = target.removeprefix("attachment:") in cell.get("attachments", {})
                assert attached or target.startswith("data:image/svg+xml;base64,")


@each
def test_links_lead_to_headings_and_siblings_that_exist(path):
    for cell in read(path)["cells"]:
        if cell["cell_type"] != "markdown":
            continue
        for target in re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)", "".join(cell["source"])):
            if re.match(r"^(https?|mailto):", target):
                continue
            file, _, anchor = target.partition("#")
            there = path.parent / file if file else path
            assert there.is_file(), target
            assert not anchor or unquote(anchor) in anchors(read(there)), target


def anchors(notebook):
    """The anchors that Jupyter gives to the headings of a notebook."""
    text = "\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    )
    titles = re.findall(r"^#{1,6} (.*)$", text, re.MULTILINE)
    return {re.sub(r"[`*]", "", title).replace(" ", "-") for title in titles}


@pytest.fixture(scope="module")
def secrets():
    found = answers() | solution_texts()
    assert any("reference" in name for name in found)
    assert any("alternate" in name for name in found)
    assert any(name.startswith("book/") for name in found)
    return found


@pytest.fixture(scope="module")
def shapes():
    found = answer_shapes()
    assert any("reference" in name for name in found.values())
    return found


@each
def test_no_solution_is_inside(path, secrets, shapes):
    assert leaks(read(path), secrets) == []
    assert copied(read(path), shapes) == []


@pytest.mark.parametrize("where", ["code", "markdown"])
def test_a_solution_in_other_words_is_caught(shapes, where):
    """Another name, other variables, a docstring, another layout."""
    from plainformer.exercises import exercise

    source = inspect.getsource(exercise("inputs.tokenization.2").reference)
    (function,) = ast.parse(source).body
    names = sorted({one.id for one in ast.walk(function) if isinstance(one, ast.Name)})
    words = {arg.arg: f"my_{arg.arg}" for arg in function.args.args} | {
        one.id: f"my_{one.id}"
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    assert words.keys() & set(names)
    text = ast.unparse(function).replace(f"def {function.name}", "def mine")
    for old, new in words.items():
        text = re.sub(rf"\b{old}\b", new, text)
    text = text if where == "code" else f"So:\n\n```python\n{text}\n```\n"
    cell = {"cell_type": "code" if where == "code" else "markdown", "source": [text]}
    assert leaks({"cells": [cell]}, answers()) == []  # to the letter it is not there
    assert copied({"cells": [cell]}, shapes) == ["inputs.tokenization.2 reference 1"]


@pytest.mark.parametrize("where", ["code", "markdown", "quote"])
def test_a_solution_that_leaks_is_caught(secrets, where):
    from plainformer.exercises import exercise

    leaky = deepcopy(read(FOLDER / "inputs" / "tokenization.ipynb"))
    body = body_of(exercise("inputs.tokenization.2").reference)
    text = {
        "code": f"def mine(symbols, pair):\n{body}",
        "markdown": f"```python\n{body}\n```",
        "quote": "\n".join(f">   {line.strip()}  " for line in body.split("\n")),
    }[where]
    kind = "code" if where == "code" else "markdown"
    leaky["cells"].append({"cell_type": kind, "source": text.splitlines(keepends=True)})
    assert leaks(leaky, secrets) == ["inputs.tokenization.2 reference 1"]


@pytest.mark.parametrize("line", [":::{note}", "see {ref}`x`", "```{math}", "> (label)=", "a[^1]"])
def test_myst_that_is_left_is_caught(line):
    assert myst_in(f"Fine.\n\n{line}\n")
    assert myst_in(f"```text\n{line}\n```\n") == []
