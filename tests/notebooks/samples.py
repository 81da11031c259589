"""A book of one or a few pages in a temporary folder, for tests of the generator."""

from __future__ import annotations

from pathlib import Path

import yaml

from notebook_engine.index import Book
from notebook_engine.pages import chapter_notebook, exercise_sheet
from notebook_engine.render import Renderer

BIBLIOGRAPHY = """
@article{gage1994, author = {Gage, Philip}, title = {A New Algorithm}, journal = {Users}, year = {1994}}
@misc{rust2021, author = {Rust, Phillip and Vuli{\\'c}, Ivan}, title = {How Good?}, year = {2021},
  doi = {10.1/x}}
@misc{sennrich2016, author = {Sennrich, Rico and Haddow, Barry and Birch, Alexandra},
  title = {Rare Words}, year = {2016}, eprint = {1508.07909}, archiveprefix = {arXiv}}
"""  # noqa: E501
SOURCE = """\
import functools

LIMIT = 3


@functools.cache
def twice(n: int) -> int:
    # why not
    return 2 * n


class Box:
    def open(self) -> str:
        return "open"
"""
PARTS = """
- {part: inputs, title: Inputs, chapters: [{slug: page, title: Page, line: A page.},
  {slug: other, title: Other, line: Another page.}]}
- {part: blocks, title: Blocks, chapters: [{slug: far, title: Far, line: One far away.}]}
"""


def make_book(root: Path, pages: dict[str, str]) -> Book:
    """Write pages (name below book/ without the suffix -> text) and return the book."""
    for name, text in pages.items():
        path = root / "book" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "book" / "map").mkdir(parents=True, exist_ok=True)
    (root / "book" / "map" / "chapters.yml").write_text(PARTS, encoding="utf-8")
    chapters = [{"file": f"book/{name}"} for name in pages if name.startswith(("inputs", "blocks"))]
    contents = {"root": "book/index", "parts": [{"caption": "All", "chapters": chapters}]}
    (root / "_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    (root / "requirements.txt").write_text("tokenizers==0.23.3\n", encoding="utf-8")
    (root / "references.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (root / "src" / "thing").mkdir(parents=True, exist_ok=True)
    (root / "src" / "thing" / "box.py").write_text(SOURCE, encoding="utf-8")
    return Book(root)


def rendered(root: Path, myst: str, **others: str) -> str:
    """Return what `myst` becomes on the page book/inputs/page.md."""
    pages = {"inputs/page": myst} | {name.replace("__", "/"): text for name, text in others.items()}
    book = make_book(root, pages)
    renderer = Renderer(book, book.pages["inputs/page"])
    return renderer.markdown(myst, 1)


def notebooks(root: Path, myst: str) -> tuple[dict, dict | None]:  # type: ignore[type-arg]
    """Return the notebook and the exercise sheet of the page book/inputs/page.md."""
    book = make_book(root, {"inputs/page": myst})
    page = book.pages["inputs/page"]
    return chapter_notebook(book, page), exercise_sheet(book, page)


def sources(notebook: dict, kind: str) -> list[str]:  # type: ignore[type-arg]
    """Return the text of each cell of one kind."""
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]
