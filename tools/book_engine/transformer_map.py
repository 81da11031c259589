"""The map of a transformer on the first page: a drawing whose parts lead to the chapters.

``:::{transformer-map}`` puts it on a page. Three hands meet here: `chapters` says which chapters
the course has, in order; ``book/map/wide.svg`` and ``tall.svg`` say where each stands in the
drawing (a ``<rect data-slug="…">``; all else in them is decoration); and the build says which of
them are written: those that are pages of the book. A written chapter becomes a link; one that is
not is dashed and says so, until its page exists.

Not handled: builders other than HTML, which get the list without the drawing.
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .chapters import Chapter, load_chapters, pages_in_order
from .route import UNWRITTEN, Route, load_route

SVG = "http://www.w3.org/2000/svg"
FILES = ("chapters.yml", "route.yml", "glyphs.svg", "wide.svg", "tall.svg", "map.css")
SUMMARY = (
    "A map of a transformer: text becomes tokens and vectors, passes an encoder and a decoder, "
    "and comes out as scores from which the next token is chosen. The list below says the same."
)


def tag(name: str) -> str:
    """Return an SVG element's name as ElementTree spells it."""
    return f"{{{SVG}}}{name}"


def add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Append an SVG element; a trailing underscore (``class_``) keeps Python's words free."""
    names = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    child = ET.SubElement(parent, tag(name), names)
    child.text = text or None
    return child


def draw_chapter(
    place: ET.Element,
    chapter: Chapter,
    href: str | None,
    glyph: ET.Element | None,
    route: Route,
) -> ET.Element:
    """Return the drawing of one chapter at its place: a link, or a dashed box where unwritten.

    place: the template's ``<rect data-slug>``; with ``data-label="plain"`` the title stands
    without its glyph, with ``"top"`` at the top of the box, above what the template draws there.
    href: where the chapter is, relative to the page; None where it is not written.
    route: the short route; a chapter on it carries its number at the corner.
    """
    x, y, width, height = (float(place.get(key, "0")) for key in ("x", "y", "width", "height"))
    if href is None:
        part = ET.Element(tag("g"), {"class": "chapter", "role": "link", "aria-disabled": "true"})
        part.set("aria-label", f"{chapter.title}, {UNWRITTEN}")
        add(part, "title", f"{chapter.title} ({UNWRITTEN}): {chapter.line}")
    else:
        part = ET.Element(tag("a"), {"class": "chapter", "href": href})
        part.set("aria-label", chapter.title)
        if stop := route.number(chapter.page):
            total = len(route.stops)
            part.set("aria-label", f"{chapter.title}, {stop} of {total} on the short route")
        add(part, "title", chapter.line)
    part.set("data-slug", chapter.slug)
    box = {key: place.get(key, "0") for key in ("x", "y", "width", "height")}
    add(part, "rect", class_="box", rx="9", **box)
    middle, label = y + height / 2, place.get("data-label")
    if label == "top":
        add(part, "text", chapter.title, x=f"{x + 12:g}", y=f"{y + 24:g}")
    elif label == "plain":
        add(part, "text", chapter.title, x=f"{x + 12:g}", y=f"{middle + 5:g}")
    else:
        if glyph is not None:
            drawn = copy.deepcopy(glyph)
            drawn.attrib = {"class": "glyph", "transform": f"translate({x + 7:g} {middle - 12:g})"}
            part.append(drawn)
        add(part, "text", chapter.title, x=f"{x + 37:g}", y=f"{middle + 5:g}")
    if href is not None:
        top = y + 19 if label == "top" else middle
        add(part, "path", class_="go", d=f"M{x + width - 17:g} {top - 5:g}l5 5-5 5")
        if stop := route.number(chapter.page):
            corner = {"cx": f"{x + width - 4:g}", "cy": f"{y + 4:g}"}
            add(part, "circle", class_="stop", r="10", **corner)
            number = {"x": corner["cx"], "y": f"{y + 8.5:g}", "text_anchor": "middle"}
            add(part, "text", str(stop), class_="stop", **number)
    return part


def draw(
    template: str,
    glyphs: str,
    chapters: Iterable[Chapter],
    href: Callable[[Chapter], str | None],
    route: Route,
    name: str,
) -> str:
    """Return a template's SVG with every chapter put in its place.

    href: a chapter's address relative to the page, or None where it is not written.
    Raises `ValueError` when the template's places and the chapters differ.
    """
    by_slug = {chapter.slug: chapter for chapter in chapters}
    pictures = {g.get("data-glyph"): g for g in ET.fromstring(glyphs).iter(tag("g"))}
    root = ET.fromstring(template)
    places = [
        (parent, child) for parent in root.iter() for child in parent if child.get("data-slug")
    ]
    found = [place.get("data-slug", "") for _, place in places]
    if sorted(found) != sorted(by_slug):
        odd = sorted(set(found) ^ set(by_slug)) or sorted({s for s in found if found.count(s) > 1})
        raise ValueError(f"the {name} map and chapters.yml differ: {', '.join(odd)}")
    for parent, place in places:
        chapter = by_slug[place.get("data-slug", "")]
        part = draw_chapter(place, chapter, href(chapter), pictures.get(chapter.slug), route)
        part.tail = place.tail
        parent[list(parent).index(place)] = part
    root.set("class", f"pf-map-{name}")
    root.set("role", "group")
    root.set("aria-label", SUMMARY)
    ET.register_namespace("", SVG)
    return ET.tostring(root, encoding="unicode")


def as_list(chapters: Iterable[Chapter], href: Callable[[Chapter], str | None]) -> str:
    """Return the map as nested lists, for those who prefer text."""
    parts: dict[str, list[str]] = {}
    for chapter in chapters:
        title, line, address = escape(chapter.title), escape(chapter.line), href(chapter)
        if address is None:
            item = f"{title} <em>({UNWRITTEN})</em>: {line}"
        else:
            item = f'<a href="{escape(address)}">{title}</a>: {line}'
        parts.setdefault(chapter.part_title, []).append(f"<li>{item}</li>")
    lists = (f"<li>{escape(part)}<ul>{''.join(items)}</ul></li>" for part, items in parts.items())
    return f"<ul>{''.join(lists)}</ul>"


def render(folder: Path, written: Sequence[str], uri: Callable[[str], str]) -> str:
    """Return the HTML of the whole map: two drawings (wide and tall), the key and the list.

    folder: where the files of the map are. written: the pages that exist, in order.
    uri: turns a page's name into its address relative to the page that holds the map.
    """
    files = {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
    chapters = load_chapters(folder / "chapters.yml", written)
    route = load_route(folder / "route.yml", chapters, written)

    def href(chapter: Chapter) -> str | None:
        return uri(chapter.page) if chapter.page in written else None

    drawings = [
        draw(files[f"{name}.svg"], files["glyphs.svg"], chapters, href, route, name)
        for name in ("wide", "tall")
    ]
    ready = sum(chapter.page in written for chapter in chapters)
    key = "Each box opens a chapter."
    if ready < len(chapters):
        key = (
            f"Solid boxes open a chapter, dashed ones are {UNWRITTEN}: "
            f"{ready} of {len(chapters)} {'is' if ready == 1 else 'are'} written."
        )
    if len(route.stops) > 1:
        key += f" The numbers 1 to {len(route.stops)} mark the short route."
    return (
        f'<style>{files["map.css"]}</style>\n<div class="pf-map">\n{"".join(drawings)}\n'
        f'<p class="pf-map-key">{key}</p>\n<details class="pf-map-list"><summary>The map as a list'
        f"</summary>{as_list(chapters, href)}</details>\n</div>\n"
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
