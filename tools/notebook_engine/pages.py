"""From a chapter to its notebook and its exercise sheet.

`drafts` turns the page into cells in the page's order; `chapter_notebook` and `exercise_sheet` pick
from them, put a title and the set-up cell first, and give every cell an id that depends on nothing
but its text, so that the same page always makes the same file.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import nbformat
import yaml

from book_engine import claims
from book_engine.views import ESSENTIAL, STUB

from .blocks import Block, Directive, PageError
from .index import Book, PageIndex
from .render import Renderer
from .setup_cell import EXERCISE_IMPORTS, imports_for, setup_source

SETUP = "setup"  # the tag of the set-up cell; JupyterLab folds it to its first line
HIDES_SOURCE = {"hide-input", "remove-input", "hide-cell", "remove-cell", claims.TAG}
HIDES_OUTPUT = {"hide-output", "remove-output", "hide-cell", "remove-cell"}
BOOK_ONLY = (HIDES_SOURCE - {claims.TAG}) | HIDES_OUTPUT | {ESSENTIAL, "full-width", "margin"}

Notebook = dict[str, Any]
"""A notebook as its file holds it (nbformat 4.5)."""


@dataclass
class Draft:
    """A cell to be."""

    kind: str  # markdown or code
    source: str
    tags: list[str] = field(default_factory=list)
    exercise: int = 0  # the number of the exercise that the cell belongs to, 0 for none


def chapter_notebook(book: Book, page: PageIndex) -> Notebook:
    """Return the portable notebook of a page: everything but the solutions."""
    cells = drafts(book, page)
    title = cells.pop(0)
    slug = page.name.rpartition("/")[2]
    sheet = f" The exercises are also in [{slug}_exercises.ipynb]({slug}_exercises.ipynb)."
    title.source += (
        "\n\n*This notebook is a chapter of **Transformers, Plainly**. Run the cells from the top, "
        f"change them, break them.{sheet if any(cell.exercise for cell in cells) else ''}*"
    )
    code = [cell.source for cell in cells if cell.kind == "code"]
    first = next((place for place, cell in enumerate(cells) if cell.exercise), None)
    if first is not None:
        cells.insert(first, Draft("code", EXERCISE_IMPORTS))
    return _notebook(book, page, [title, _setup(book, page, code), *cells])


def exercise_sheet(book: Book, page: PageIndex) -> Notebook | None:
    """Return the exercises of a page alone: prompts, stubs and checks; None where it has none."""
    whole = drafts(book, page, sheet=True)
    cells = [cell for cell in whole if cell.exercise]
    if not cells:
        return None
    slug = page.name.rpartition("/")[2]
    count = len({cell.exercise for cell in cells})
    title = Draft(
        "markdown",
        f"# {_plain_title(book, page)}: exercises\n\n"
        f"{count} exercises for the chapter [{_plain_title(book, page)}]({slug}.ipynb) of "
        "**Transformers, Plainly**. Complete each stub and run its cell: the check at its end says "
        "what differs, if anything does. Run it as often as you like, and ask for a `hint` when "
        "you are stuck.",
    )
    stubs = [cell.source for cell in cells if cell.kind == "code"]
    code = [EXERCISE_IMPORTS, *(cell.source for cell in whole if cell.kind == "code")]
    imports = [EXERCISE_IMPORTS, *imports_for([EXERCISE_IMPORTS, *stubs], code)]
    start = Draft("code", "\n".join(imports))
    end = [Draft("markdown", "## Your points"), Draft("code", "points()")]
    setup = _setup(book, page, [*stubs, *imports])
    return _notebook(book, page, [title, setup, start, *cells, *end])


def drafts(book: Book, page: PageIndex, *, sheet: bool = False) -> list[Draft]:
    """Return a page's cells, its title first, without its solutions."""
    maker = _Maker(book, page, sheet)
    maker.read(page.blocks)
    if not maker.cells or not maker.cells[0].source.startswith("# "):
        raise PageError(page.shown, 1, "a page starts with its title, '# …'")
    return maker.cells


class _Maker:
    """Walks the blocks of a page: cells of code, and between them Markdown, cut at headings."""

    def __init__(self, book: Book, page: PageIndex, sheet: bool) -> None:
        self.renderer = Renderer(book, page, sheet=sheet)
        self.cells: list[Draft] = []
        self.pending: list[Block] = []  # Markdown that waits for the end of its cell
        self.exercise = 0  # that following cells belong to

    def read(self, blocks: list[Block]) -> None:
        for block in blocks:
            kind = block.name if isinstance(block, Directive) else block.kind
            # The title's cell holds the title and what follows it, but no box.
            boxed = isinstance(block, Directive) and not self.cells
            if boxed or kind in ("heading", "exercise", "solution", "code-cell"):
                self.flush()
            if kind in ("heading", "solution"):
                self.exercise = 0
            elif isinstance(block, Directive) and kind == "exercise":
                self.exercise = self.renderer.page.exercises[block.line].number
            if isinstance(block, Directive) and kind == "code-cell":
                self.code(block)
            elif kind != "front_matter":
                self.pending.append(block)
        self.flush()

    def code(self, cell: Directive) -> None:
        tags = [str(tag) for tag in yaml.safe_load(cell.options.get("tags", "[]"))]
        belongs = self.exercise
        if STUB in tags and not belongs:
            belongs = max((one.exercise for one in self.cells), default=0)
        self.cells.append(Draft("code", cell.body, tags, exercise=belongs))

    def flush(self) -> None:
        """Render what is pending into one cell."""
        source = self.renderer.join(self.pending)
        self.pending.clear()
        if source:
            self.cells.append(Draft("markdown", source, exercise=self.exercise))


def _plain_title(book: Book, page: PageIndex) -> str:
    return Renderer(book, page).text(page.title, 1)


def _setup(book: Book, page: PageIndex, code: list[str]) -> Draft:
    try:
        return Draft("code", setup_source(book.root, code), [SETUP])
    except ValueError as problem:
        raise PageError(page.shown, 1, str(problem)) from problem


def _notebook(book: Book, page: PageIndex, cells: list[Draft]) -> Notebook:
    seen: Counter[str] = Counter()
    notebook = {
        "cells": [_cell(draft, page, seen) for draft in cells],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "plainformer": {"made_from": page.shown},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    nbformat.validate(notebook)
    return notebook


def _cell(draft: Draft, page: PageIndex, seen: Counter[str]) -> dict[str, Any]:
    key = hashlib.sha256(f"{page.name}\n{draft.kind}\n{draft.source}".encode()).hexdigest()[:12]
    seen[key] += 1
    cell: dict[str, Any] = {
        "id": key if seen[key] == 1 else f"{key}-{seen[key]}",
        "cell_type": draft.kind,
        "metadata": _metadata(draft.tags),
        "source": draft.source.splitlines(keepends=True),
    }
    if draft.kind == "code":
        cell |= {"outputs": [], "execution_count": None}
    return cell


def _metadata(in_order: list[str]) -> dict[str, Any]:
    """Return what a code cell's tags mean outside the book: folded away, and tags that stay."""
    tags = set(in_order)
    metadata: dict[str, Any] = {}
    folded = {"source_hidden": True} if tags & (HIDES_SOURCE | {SETUP}) else {}
    folded |= {"outputs_hidden": True} if tags & HIDES_OUTPUT else {}
    if folded:
        metadata["jupyter"] = folded
    if tags & HIDES_SOURCE:
        metadata["cellView"] = "form"  # Colab's way to hide the source
    if kept := [tag for tag in in_order if tag not in BOOK_ONLY]:
        metadata["tags"] = kept
    return metadata
