"""What can be referred to: every label, heading and exercise of the book.

The whole book is read once, before any notebook is written, so that a reference to another page
finds its title and its notebook. Exercises are numbered in the order of the page, from 1 on each.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from book_engine.chapters import pages_in_order, written_chapters

from .blocks import Block, Directive, parse
from .citations import Bibliography

# Directives whose body is no Markdown.
LITERAL = {"code-cell", "listing", "question"}
APPENDIX = "book/appendix/"
HIDDEN = {"solution"}  # directives that no notebook shows, with everything in them


@dataclass(frozen=True)
class Target:
    """Something that a page can refer to."""

    page: str
    kind: str  # page, section, exercise or text
    title: str = ""
    number: int = 0

    @property
    def heading(self) -> str:
        """The heading that stands over this target in its notebook, "" where there is none."""
        if self.kind == "exercise":
            return exercise_title(self)
        return self.title if self.kind == "section" else ""


def exercise_title(target: Target) -> str:
    """Return "Exercise 2 · Count the pairs"."""
    name = f"Exercise {target.number}"
    return f"{name} · {target.title}" if target.title else name


def heading_anchor(title: str) -> str:
    """Return Jupyter's anchor of a heading: its plain text with hyphens for spaces.

    >>> heading_anchor("What `encode` *does*")
    'What-encode-does'
    """
    return re.sub(r"\s+", "-", re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)|`", "", title))


@dataclass
class PageIndex:
    """What one page defines; `name` is its path below book/ without the suffix."""

    name: str
    path: Path
    shown: str  # the path that messages show, from the root of the project
    has_notebook: bool  # whether it is a chapter
    blocks: list[Block] = field(default_factory=list)
    title: str = ""
    labels: dict[str, Target] = field(default_factory=dict)
    exercises: dict[int, Target] = field(default_factory=dict)  # by the line of the directive

    @property
    def has_sheet(self) -> bool:
        """Whether the page has exercises, and so a sheet of them beside its notebook."""
        return self.has_notebook and bool(self.exercises)


class Book:
    """Every page below book/, what can be referred to, and the bibliography."""

    def __init__(self, root: Path) -> None:
        self.root = root
        chapters = set(written_chapters(root)) | set(lessons(root))
        pages = [read_index(path, root, chapters) for path in sorted((root / "book").rglob("*.md"))]
        self.pages = {page.name: page for page in pages}
        self.bibliography = Bibliography(root / "references.bib")
        self.labels = {label: target for page in pages for label, target in page.labels.items()}

    @property
    def notebooks(self) -> set[str]:
        """Every notebook that the book makes: its path below notebooks/ without the suffix."""
        chapters = {name for name, page in self.pages.items() if page.has_notebook}
        return chapters | {f"{name}_exercises" for name in chapters if self.pages[name].has_sheet}

    def page_at(self, path: str, beside: str) -> PageIndex | None:
        """Return the page that a relative path names, seen from the page `beside`."""
        path = path.removesuffix(".md")
        if path.startswith("/"):
            name = path.removeprefix("/book/").lstrip("/")
        else:
            name = posixpath.normpath(posixpath.join(posixpath.dirname(beside), path))
        return self.pages.get(name)


def lessons(root: Path) -> list[str]:
    """Return the pages of the appendix that have cells to run."""
    pages = [page for page in pages_in_order(root / "_toc.yml") if page.startswith(APPENDIX)]
    return [
        page for page in pages if "{code-cell}" in (root / f"{page}.md").read_text(encoding="utf-8")
    ]


def read_index(path: Path, root: Path, chapters: set[str]) -> PageIndex:
    """Read one page of the book at `root` and note what it defines."""
    shown = path.relative_to(root)
    name = path.relative_to(root / "book").with_suffix("").as_posix()
    has_notebook = shown.with_suffix("").as_posix() in chapters
    page = PageIndex(name, path, shown.as_posix(), has_notebook)
    page.blocks = parse(path.read_text(encoding="utf-8"), page.shown)
    _note(page, page.blocks, [])
    page.title = page.title or name
    return page


def _note(page: PageIndex, blocks: Sequence[Block], pending: list[str]) -> None:
    """Note what the blocks define, nested ones too; `pending` labels wait for what they label."""
    for block in blocks:
        target = Target(page.name, "text")
        inside: Sequence[Block] = []
        if isinstance(block, Directive):
            if block.name in HIDDEN:
                continue
            if block.name == "exercise":
                number = len(page.exercises) + 1
                target = Target(page.name, "exercise", block.argument, number)
                page.exercises[block.line] = target
            pending += [block.options["label"]] if "label" in block.options else []
            if block.name not in LITERAL:
                inside = parse(block.body, page.shown, block.body_line)
        elif block.kind == "myst_target":
            pending.append(block.tokens[0].content)
            continue
        elif block.kind == "heading":
            title = block.tokens[1].content
            is_title = block.tokens[0].tag == "h1" and not page.title
            page.title = title if is_title else page.title
            target = Target(page.name, "page" if is_title else "section", title)
        page.labels.update(dict.fromkeys(pending, target))
        pending.clear()
        _note(page, inside, pending)
