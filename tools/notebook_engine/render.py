"""One page's MyST as Markdown that reads well where directives mean nothing.

`Renderer` holds what outlives a paragraph: the cell's pictures and footnotes, the works cited, the
level of the last heading. What each directive becomes stands in `directives`, what each role
becomes in `voice`.
"""

from __future__ import annotations

import base64
import mimetypes
import posixpath
import re
from pathlib import Path

from .blocks import Block, Code, PageError, Prose, parse
from .directives import HANDLERS
from .index import (
    ATTRIBUTES,
    DEFINITION,
    FOOTNOTE,
    HEADING,
    LABEL,
    Book,
    PageIndex,
    Target,
    heading_anchor,
)
from .inline import one_line_math, plain
from .voice import Voice, shown_as

AMSMATH = re.compile(r"^\\begin\{(?P<name>[a-z]+)\*?\}.*\\end\{(?P=name)\*?\}$", re.DOTALL)
UNDERSTOOD_AMSMATH = {"equation", "align", "gather"}
DEFINED = re.compile(r"^(?P<term>\S.*)\n\n?:[ \t]+(?P<meaning>.*(?:\n[ \t]+\S.*)*)$", re.M)
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Renderer:
    """Renders the pieces of one page, in their order."""

    def __init__(self, book: Book, page: PageIndex, *, sheet: bool = False) -> None:
        self.book = book
        self.page = page
        self.sheet = sheet  # whether the text goes to the exercise sheet
        self.level = 1  # of the last heading
        self.heading = ""  # the last heading, as written
        self.depth = 0  # of boxes around the text
        self.cited: set[str] = set()
        self.pictures: dict[str, Path] = {}  # of the current cell, by attachment name
        self.notes: list[str] = []  # footnotes of the current cell
        self.numbered: dict[str, str] = {}  # footnote name -> its mark

    def error(self, line: int, problem: str) -> PageError:
        """Return (to be raised) an error that names the page and the line."""
        return PageError(self.page.shown, line, problem)

    def markdown(self, text: str, line: int) -> str:
        """Return MyST `text`, which starts at `line` of the page, as plain Markdown."""
        return self.join(parse(text, self.page.shown, line))

    def join(self, blocks: list[Block]) -> str:
        """Return blocks as plain Markdown, a blank line between any two."""
        pieces = [self.block(block).strip("\n") for block in blocks]
        return "\n\n".join(piece for piece in pieces if piece.strip())

    def block(self, block: Block) -> str:
        """Return one block as plain Markdown, "" where it leaves nothing."""
        if isinstance(block, Code):
            return block.text
        if isinstance(block, Prose):
            return self.prose(block.text, block.line)
        handler = HANDLERS.get(block.name)
        if handler is None:
            raise self.error(block.line, f"unknown directive {{{block.name}}}")
        prefix = block.prefix
        lines = handler(self, block).split("\n")
        return "\n".join((prefix + line).rstrip() for line in lines) if any(lines) else ""

    def prose(self, text: str, line: int) -> str:
        """Return Markdown prose with all that is MyST's own turned into plain Markdown."""
        for rule in (FOOTNOTE, DEFINITION):
            text = rule.sub(lambda found: "\n" * found[0].count("\n"), text)
        lines = text.split("\n")
        for i, one in enumerate(lines):
            if one.startswith("%") or LABEL.match(one) or ATTRIBUTES.match(one):
                lines[i] = ""
            elif re.match(r"^\s*:{3,}", one):
                raise self.error(line + i, f"{one.strip()!r} closes no directive")
        paragraphs = []
        for found in re.finditer(r"(?:^.*\S.*(?:\n|\Z))+", "\n".join(lines), re.MULTILINE):
            start = line + found.string.count("\n", 0, found.start())
            paragraphs.append(self.paragraph(found[0].rstrip("\n"), start))
        whole = "\n\n".join(piece for piece in paragraphs if piece.strip())
        return DEFINED.sub(lambda found: f"- **{found['term']}**: {found['meaning']}", whole)

    def paragraph(self, text: str, line: int) -> str:
        """Return one paragraph (or list, or table) without a blank line in it."""
        amsmath = AMSMATH.match(text.strip())
        if amsmath:
            if amsmath["name"] not in UNDERSTOOD_AMSMATH:
                raise self.error(line, f"unknown environment {amsmath['name']!r}")
            return one_line_math(text.strip())
        for one in text.split("\n"):
            if heading := HEADING.match(one):
                self.level, self.heading = len(heading["marks"]), heading["title"]
        return self.inline(text, line) + self._definitions_used(text)

    def inline(self, text: str, line: int) -> str:
        """Return text with its roles, links, citations and footnotes made plain."""
        return plain(text, Voice(self, text, line))

    def _definitions_used(self, text: str) -> str:
        # [text][name]: cells do not share link definitions, so each cell brings its own
        names = re.findall(r"\[([^\]^]+)\](?![(\]:{])", text)
        used = sorted({name.casefold() for name in names} & set(self.page.definitions))
        return "".join(f"\n\n{self.page.definitions[name]}" for name in used)

    def reference(self, target: Target, text: str) -> str:
        """Return a link to a target in this notebook or a sibling, or plain text."""
        title = text or self.inline(shown_as(target), 0)
        if not title:
            title = "here" if target.page == self.page.name else self.book.pages[target.page].title
        anchor = f"#{heading_anchor(self.inline(target.heading, 0))}" if target.heading else ""
        if target.page == self.page.name and (not self.sheet or target.kind == "exercise"):
            return f"[{title}]({anchor})" if anchor else title
        if target.kind == "equation" and not text:
            title = f"equation {title} of {self.book.pages[target.page].title}"
        if not self.book.pages[target.page].has_notebook:
            return title
        folder = posixpath.dirname(self.page.name)
        return f"[{title}]({posixpath.relpath(target.page, folder)}.ipynb{anchor})"

    def notebook(self, name: str, text: str) -> str:
        """Return a link to a notebook of the book; plain text where it is this one itself."""
        if name == self.page.name + ("_exercises" if self.sheet else ""):
            return text or "this notebook"
        path = posixpath.relpath(f"{name}.ipynb", posixpath.dirname(self.page.name))
        return f"[{text or posixpath.basename(path)}]({path})"

    def image(self, alt: str, destination: str, line: int) -> str:
        """Return an image that comes along: an attachment of the cell, or SVG in the text."""
        if not alt.strip():
            raise self.error(line, f"the picture {destination!r} has no alternative text")
        if re.match(r"^\w+:", destination):
            raise self.error(line, f"the picture {destination!r} is not a file of the book")
        root = self.book.root
        folder = root if destination.startswith("/") else self.page.path.parent
        path = folder / destination.lstrip("/")
        if not path.is_file():
            raise self.error(line, f"there is no picture {destination!r}")
        alt = " ".join(alt.split()).replace("[", r"\[").replace("]", r"\]")
        if path.suffix == ".svg":  # JupyterLab shows no SVG attachment, but shows this
            return f"![{alt}](data:image/svg+xml;base64,{_base64(path)})"
        name = re.sub(r"[^\w.-]", "_", path.name)
        if self.pictures.setdefault(name, path) != path:
            name = re.sub(r"[^\w.-]", "_", path.relative_to(root).as_posix())
            self.pictures[name] = path
        return f"![{alt}](attachment:{name})"

    def footnote(self, name: str, line: int) -> str:
        """Return the mark of a footnote and keep its text for the end of the cell."""
        if name not in self.page.footnotes:
            raise self.error(line, f"there is no footnote {name!r}")
        if name not in self.numbered:
            mark = str(len(self.numbered) + 1).translate(SUPERSCRIPTS)
            self.numbered[name] = mark
            text = " ".join(self.page.footnotes[name].split())
            self.notes.append(f"{mark} {self.inline(text, line)}")
        return self.numbered[name]

    def take_notes(self) -> str:
        """Return the footnotes that the current cell must still show, and forget them."""
        notes, self.notes = self.notes, []
        return "\n\n".join(notes)

    def take_pictures(self) -> dict[str, dict[str, str]]:
        """Return the current cell's pictures as notebook attachments, and forget them."""
        pictures, self.pictures = self.pictures, {}
        return {
            name: {mimetypes.guess_type(path.name)[0] or "image/png": _base64(path)}
            for name, path in sorted(pictures.items())
        }


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")
