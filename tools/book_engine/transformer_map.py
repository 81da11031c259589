"""The map of the course on the first page: a card for every chapter, in a grid for every part.

``:::{transformer-map}`` puts it on a page. It is made from ``book/map/chapters.yml`` alone, and
`chapters` puts the chapters in the order of the pages. A chapter that is a page of the book becomes
a link, and the others are dashed and say that they are not written yet. ``glyphs.svg`` may have a
small picture of a chapter, and a card without one shows its text only.

Not handled: builders other than HTML, which leave the map out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .chapters import Chapter, load_chapters, pages_in_order
from .route import UNWRITTEN, Route, load_route

SVG = "http://www.w3.org/2000/svg"
FILES = ("chapters.yml", "route.yml", "glyphs.svg", "map.css")


def load_glyphs(path: Path) -> dict[str, str]:
    """Return the small pictures of the file at `path` as SVG, by the slug of their chapter."""
    ET.register_namespace("", SVG)
    return {
        group.get("data-glyph", ""): '<svg viewBox="0 0 24 24" aria-hidden="true">'
        f"{ET.tostring(group, encoding='unicode').strip()}</svg>"
        for group in ET.parse(path).iter(f"{{{SVG}}}g")
    }


def card(chapter: Chapter, href: str | None, glyph: str, route: Route) -> str:
    """Return the card of one chapter: a link, or a dashed box where `href` is None."""
    title, line = escape(chapter.title), escape(chapter.line)
    text = f'{glyph}<span class="title">{title}</span><span class="line">{line}</span>'
    slug = f'class="chapter" data-slug="{chapter.slug}"'
    if href is None:
        return f'<span {slug}>{text}<em class="line">{UNWRITTEN.capitalize()}.</em></span>'
    if stop := route.number(chapter.page):
        said = f"{stop} of {len(route.stops)} on the short route"
        text += f'<span class="stop" role="img" aria-label="{said}">{stop}</span>'
    return f'<a {slug} href="{escape(href)}">{text}</a>'


def render(folder: Path, written: Sequence[str], uri: Callable[[str], str]) -> str:
    """Return the HTML of the whole map, with a sentence that explains it.

    folder: where the files of the map are. written: the pages that exist, in order.
    uri: turns a page's name into its address relative to the page that holds the map.
    """
    chapters = load_chapters(folder / "chapters.yml", written)
    route = load_route(folder / "route.yml", chapters, written)
    glyphs = load_glyphs(folder / "glyphs.svg")
    parts = ""
    for part, members in groupby(chapters, key=lambda chapter: chapter.part_title):
        cards = ""
        for one in members:
            href = uri(one.page) if one.page in written else None
            cards += f"<li>{card(one, href, glyphs.get(one.slug, ''), route)}</li>\n"
        parts += f'<li><p class="part">{escape(part)}</p>\n<ul>\n{cards}</ul></li>\n'
    key = f"The numbers 1 to {len(route.stops)} mark the short route."
    ready = sum(chapter.page in written for chapter in chapters)
    if ready < len(chapters):
        key += f" {ready} of the {len(chapters)} chapters are written; the others are dashed."
    style = (folder / "map.css").read_text(encoding="utf-8")
    return (
        f'<style>{style}</style>\n<nav class="pf-map" aria-label="The chapters of the course">\n'
        f'<ol>\n{parts}</ol>\n<p class="pf-map-key">{key}</p>\n</nav>\n'
    )


class transformer_map(nodes.General, nodes.Element):
    """The map's place on a page; drawn when the page is written, when all pages are known."""


class TransformerMap(SphinxDirective):
    """``:::{transformer-map}``: the map, with the state of the chapters as the build finds it."""

    def run(self) -> list[nodes.Node]:
        """Return the map's place, and redraw it when a file of the map changes."""
        folder = Path(self.env.srcdir, "book", "map")
        for name in FILES:
            self.env.note_dependency(str(folder / name))
        toc = Path(self.env.srcdir, "_toc.yml")
        self.env.note_dependency(str(toc))
        self.env.metadata[self.env.docname]["pf_map"] = True
        return [transformer_map("", folder=str(folder), toc=str(toc))]


def visit_html(self: Any, node: transformer_map) -> None:
    """Draw the map with addresses relative to the page that is being written."""
    builder, page = self.builder, self.builder.current_docname
    pages = pages_in_order(Path(node["toc"]))
    html = render(
        Path(node["folder"]),
        [page for page in pages if page in builder.env.found_docs],
        lambda target: str(builder.get_relative_uri(page, target)),
    )
    self.body.append(html)
    raise nodes.SkipNode


def visit_other(self: Any, node: transformer_map) -> None:
    """Leave the map out where there is no HTML."""
    raise nodes.SkipNode


def redraw(
    app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages with a map when a chapter came or went since they were last read."""
    if not added and not removed:
        return []
    return [
        page for page, data in env.metadata.items() if data.get("pf_map") and page not in removed
    ]


def setup(app: Sphinx) -> None:
    """Register the directive, its drawing, and the rule when to redraw."""
    app.add_node(
        transformer_map,
        html=(visit_html, None),
        latex=(visit_other, None),
        text=(visit_other, None),
    )
    app.add_directive("transformer-map", TransformerMap)
    app.connect("env-get-outdated", redraw)
