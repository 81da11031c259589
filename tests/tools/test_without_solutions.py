"""The book without solutions: no page or file of it has any, but for the package itself."""

import ast
import inspect
import re
import shutil
import textwrap
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tests.tools.toy_book import ROOT, ToyBook

from plainformer.exercises import exercise, exercise_ids

BLOCK = re.compile(r"^(:{3,})\{(exercise|solution)\}.*?^\1$", re.MULTILINE | re.DOTALL)
ANSWERS = ROOT / "src/plainformer/exercises"
CHAPTERS = (
    "inputs/tokenization", "attention/masking", "attention/lookup", "blocks/residual_norm",
    "decoding/temperature", "training/classification",
)  # fmt: skip
SHORT = 16  # characters; a shorter line says nothing
pytestmark = pytest.mark.slow


def chapters() -> dict[str, str]:
    """Return the exercises and the solutions of some chapters, and no more of them."""
    found = {}
    for chapter in CHAPTERS:
        path = ROOT / "book" / f"{chapter}.md"
        blocks = [match[0] for match in BLOCK.finditer(path.read_text("utf-8"))]
        text = "\n\n".join(blocks)
        # What leads to other pages, which are not here.
        text = re.sub(r"\[([^]]*)\]\([^)\s]*\)", r"\1", text)
        text = re.sub(r"\{(ref|numref|cite:p|cite:t)\}`[^`]*`", "there", text)
        text = text.replace("/src/plainformer/exercises/", "/answers/")
        name = path.stem
        found[name] = f"# {name}\n\nThe exercises of a chapter, and no more.\n\n{text}\n"
    return found


def bare(text: str) -> str:
    return re.sub(r"[\s\"'`*“”‘’]+", "", text)


def solutions(pages: dict[str, str]) -> set[str]:
    """Return what solutions say, in words and in code, and exercises do not."""
    blocks = [match for text in pages.values() for match in BLOCK.finditer(text)]
    lines = [
        line
        for block in blocks
        if block[2] == "solution"
        for line in block[0].splitlines()[2:]
        if not line.startswith((":", "`"))
    ]
    for reference in (
        exercise(id_).reference for id_ in exercise_ids() if id_.split(".")[1] in pages
    ):
        source = textwrap.dedent(inspect.getsource(reference))
        first = ast.parse(source).body[0].body[1].lineno - 1  # behind the task
        lines += [line.partition("#")[0] for line in source.splitlines()[first:]]
    asked = bare("".join(block[0] for block in blocks if block[2] == "exercise"))
    return {line for line in map(bare, lines) if len(line) >= SHORT and line not in asked}


def site(folder: Path) -> str:
    """Return the text of every file of a built site, bare."""
    texts = []
    for path in folder.rglob("*"):
        if path.suffix == ".html":
            texts.append(BeautifulSoup(path.read_text("utf-8"), "lxml").get_text())
        elif path.is_file() and path.suffix in {".js", ".json", ".txt", ".md", ".ipynb", ".inv"}:
            texts.append(path.read_text("utf-8", "replace"))
    return bare("\n".join(texts))


def test_no_line_of_a_solution_is_in_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = chapters()
    book = ToyBook(tmp_path, {"index": "# Exercises\n\nOf some chapters, to be built.\n", **pages})
    shutil.copytree(ANSWERS, tmp_path / "answers")
    monkeypatch.setenv("PLAINFORMER_SOLUTIONS", "no")
    done = book.build()
    assert done.status == 0, done.said
    said = solutions(pages)
    without = site(book.html)
    assert [line for line in said if line in without] == []
    assert "ex-masking-2" in book.read("masking")
    monkeypatch.setenv("PLAINFORMER_SOLUTIONS", "yes")
    done = book.build()
    assert done.status == 0, done.said
    shown = site(book.html)
    found = sum(line in shown for line in said)
    assert len(said) > 100 and found > 0.9 * len(said), f"{found} of {len(said)}"
