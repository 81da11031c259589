"""What stands inside a paragraph, as plain Markdown: token by token; roles and links are spoken.

Emphasis, code and formulas come out as they were written. A role becomes what a notebook can show;
a link leads to a notebook, or where there is none becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from markdown_it.token import Token

from .index import Target

if TYPE_CHECKING:
    from .render import Renderer

TITLED = re.compile(r"^(?P<title>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)


def plain(renderer: Renderer, tokens: Sequence[Token], line: int) -> str:
    """Return the tokens of one stretch of text, which begins at `line`, as plain Markdown."""
    out: list[str] = []
    links: list[int] = []  # where in `out` the text of each open link begins
    for token in tokens:
        match token.type:
            case "text":
                out.append(token.content)
            case "text_special":  # an escape or an entity: as it was written
                out.append(token.markup)
            case "softbreak":
                line += 1
                out.append("\n")
            case "em_open" | "em_close" | "strong_open" | "strong_close":
                out.append(token.markup)
            case "code_inline":
                out.append(code_span(token.content))
            case "math_inline":
                out.append(f"${token.content}$")
            case "myst_role":
                out.append(role(renderer, token.meta["name"], token.content, line))
            case "link_open":
                links.append(len(out))
                out.append(str(token.attrs["href"]))
            case "link_close":
                begin = links.pop()
                destination, *text = out[begin:]
                out[begin:] = [link(renderer, "".join(text), destination, line)]
            case other:
                raise renderer.error(line, f"{other}, {token.content!r}, is new to notebooks")
    return "".join(out)


def code_span(text: str) -> str:
    """Return `text` as a code span, whatever backticks it holds.

    >>> code_span("a`b")
    '``a`b``'
    """
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def role(renderer: Renderer, name: str, content: str, line: int) -> str:
    """Return plain Markdown for a role; an unknown one is an error."""
    titled = TITLED.match(content)
    title, target = (titled["title"], titled["target"]) if titled else ("", content)
    if name in ("cite:p", "cite:t"):
        return _cite(renderer, name, content, line)
    if name == "ref":
        if target not in renderer.book.labels:
            raise renderer.error(line, f"nothing is labelled {target!r}")
        return renderer.reference(renderer.book.labels[target], title)
    if name == "doc":
        page = renderer.book.page_at(target, renderer.page.name)
        if page is None:
            raise renderer.error(line, f"there is no page {target!r}")
        return renderer.reference(Target(page.name, "page", page.title), title)
    if name == "toy":  # whose widget can be set by a link on the site, and by its arguments here
        page = renderer.book.page_at(f"/book/{target.partition(':')[0]}", renderer.page.name)
        if page is None or not title:
            raise renderer.error(line, f"a toy is written: words <page: traits>; got {content!r}")
        return renderer.reference(Target(page.name, "page", page.title), title)
    if name == "download":
        return link(renderer, title, target, line)
    raise renderer.error(line, f"unknown role {{{name}}}")


def link(renderer: Renderer, text: str, destination: str, line: int) -> str:
    """Return a link that works from a notebook, or else its text."""
    if re.match(r"^(https?:|mailto:)", destination):
        return f"[{text or destination}]({destination})"
    path, _, fragment = unquote(destination).partition("#")
    book, here = renderer.book, renderer.page
    page = book.page_at(path, here.name) if path else here
    if fragment and page is not None:
        if book.labels.get(fragment, Target("", "")).page != page.name:
            raise renderer.error(line, f"nothing on {page.name} is labelled {fragment!r}")
        return renderer.reference(book.labels[fragment], text)
    if page is not None:
        return renderer.reference(Target(page.name, "page", page.title), text)
    folder = book.root if path.startswith("/") else here.path.parent
    place = (folder / path.lstrip("/")).resolve()
    shown = posixpath.relpath(place.as_posix(), book.root.resolve().as_posix())
    notebook = shown.removeprefix("notebooks/").removesuffix(".ipynb")
    if shown == f"notebooks/{notebook}.ipynb" and notebook in book.notebooks:
        return renderer.notebook(notebook, text)  # which this very run may write
    if not place.exists():
        raise renderer.error(line, f"the link to {destination!r} leads nowhere")
    return f"{text} ({code_span(shown)})" if text else code_span(shown)


def _cite(renderer: Renderer, name: str, content: str, line: int) -> str:
    works = renderer.book.bibliography
    keys = [key.strip() for key in content.split(",")]
    for key in keys:
        if key not in works:
            raise renderer.error(line, f"references.bib has no entry {key!r}")
    renderer.cited.update(keys)
    return works.parenthetical(keys) if name == "cite:p" else works.textual(keys)
