"""One page's MyST as Markdown that reads well where directives mean nothing.

`Renderer` holds what outlives a paragraph: the works cited, the last heading and its level. What
each directive becomes stands in `directives`, what stands inside a paragraph in `inline`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from .blocks import PARSER, Block, PageError, Prose, as_directive, parse
from .directives import HANDLERS
from .index import Book, PageIndex, Target, exercise_title, heading_anchor
from .inline import plain

LAYOUT = {  # tokens that are only the frame around a text: what was written stays
    "paragraph", "heading", "bullet_list", "ordered_list", "list_item",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


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

    def error(self, line: int, problem: str) -> PageError:
        """Return (to be raised) an error that names the page and the line."""
        return PageError(self.page.shown, line, problem)

    def markdown(self, text: str, line: int) -> str:
        """Return MyST `text`, which starts at `line` of the page, as plain Markdown."""
        return self.join(parse(text, self.page.shown, line))

    def join(self, blocks: Sequence[Block]) -> str:
        """Return blocks as plain Markdown, a blank line between any two."""
        return "\n\n".join(filter(None, map(self.block, blocks)))

    def block(self, block: Block) -> str:
        """Return one block as plain Markdown, "" where it leaves nothing."""
        if isinstance(block, Prose):
            return self.prose(block)
        if block.name not in HANDLERS:
            raise self.error(block.line, f"unknown directive {{{block.name}}}")
        return HANDLERS[block.name](self, block)

    def prose(self, block: Prose) -> str:
        """Return what the author wrote, with all that is MyST's own turned into plain Markdown."""
        if block.kind in ("myst_target", "myst_line_comment"):  # the latter are marks for slides
            return ""
        if block.kind == "heading":
            self.level, self.heading = int(block.tokens[0].tag[1:]), block.tokens[1].content
        out: list[str] = []
        at = 0  # up to here the block's text is done
        for token in block.tokens:
            line = block.line + (token.map[0] - (block.tokens[0].map or [0])[0] if token.map else 0)
            if token.type == "inline":
                # A list indents the lines of its texts, which the parser takes away.
                lines = map(re.escape, token.content.split("\n"))
                found = re.compile(r"(\n[ \t]*)".join(lines)).search(block.text, at)
                if found is None:
                    raise self.error(line, f"notebooks cannot find {token.content!r} on the page")
                new = plain(self, token.children or [], line)
                if found.lastindex:
                    new = new.replace("\n", found[1])
            elif token.type == "math_block":
                found = re.compile(re.escape(f"$${token.content}$$")).search(block.text, at)
                assert found is not None, "the parser cut it out of this text"
                new = one_line_math(token.content)
            elif token.type == "fence" and as_directive(token, self.page.shown, line) is None:
                continue  # code stays as it is
            elif token.type.removesuffix("_open").removesuffix("_close") in LAYOUT:
                continue
            else:
                raise self.error(
                    line, f"{token.type} {token.info} is new to notebooks, or misplaced"
                )
            out += [block.text[at : found.start()], new]
            at = found.end()
        return "".join([*out, block.text[at:]])

    def text(self, text: str, line: int) -> str:
        """Return one line, such as a title, with its roles and links made plain."""
        (token,) = PARSER.parseInline(text)
        return plain(self, token.children or [], line)

    def reference(self, target: Target, text: str) -> str:
        """Return a link to a target in this notebook or a sibling, or plain text."""
        own = exercise_title(target) if target.kind == "exercise" else target.title
        title = text or self.text(own, 0)
        if not title:
            title = "here" if target.page == self.page.name else self.book.pages[target.page].title
        anchor = f"#{heading_anchor(self.text(target.heading, 0))}" if target.heading else ""
        if target.page == self.page.name and (not self.sheet or target.kind == "exercise"):
            return f"[{title}]({anchor})" if anchor else title
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


def one_line_math(tex: str) -> str:
    r"""Return a displayed equation on one line, which survives a quote in every notebook.

    (Jupyter takes mathematics out before it reads Markdown, quote marks included.)

    >>> one_line_math("a &= b \\\\\n  &= c  % because")
    '$$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} $$'
    """
    tex = " ".join(re.sub(r"(?<!\\)%.*", "", tex).split())
    outside = re.sub(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", "", tex)
    if re.search(r"(?<!\\)&|\\\\", outside):
        tex = rf"\begin{{aligned}} {tex} \end{{aligned}}"
    return f"$$ {tex} $$"
