"""The way through the book: what each chapter's Next box leads to, and the short route.

The `next` box of a chapter gets a link to the page that the button below it leads to, from the
same source: the order of the pages. A line below the box says where the short route goes on, from
``book/map/route.yml``, the one list of its chapters. ``:::{short-route}`` puts that list on a page.

Not handled: builders other than HTML get the links and the line, but no list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import slides
from .boxes import box, box_title
from .chapters import Chapter, ChapterError, load_chapters, pages_in_order

FILE = "route.yml"
WAYS = "book_engine_ways"  # environment attribute: what the last build's pages were told
UNWRITTEN = "not written yet"


@dataclass(frozen=True)
class Route:
    """The short route: its evenings, with the chapters of each, and which of them are written."""

    evenings: tuple[tuple[str, tuple[Chapter, ...]], ...]
    order: tuple[str, ...]  # every written page of the book, from the first to the last

    @property
    def stops(self) -> list[str]:
        """The pages of the route that are written, in the order in which it takes them."""
        pages = [chapter.page for _, chapters in self.evenings for chapter in chapters]
        return [page for page in pages if page in self.order]

    def number(self, page: str) -> int | None:
        """Return which stop of the route a page is, from 1 on; None for a page beside it."""
        return self.stops.index(page) + 1 if page in self.stops else None

    def after(self, page: str) -> str | None:
        """Return where the route goes on after a page; None where it has come to its end.

        A page beside the route belongs to the stop that it follows in the book; one before the
        first stop leads to that.
        """
        before = [one for one in self.order[: self.order.index(page) + 1] if one in self.stops]
        if not before:
            return self.stops[0] if self.stops else None
        left = self.stops[self.stops.index(before[-1]) + 1 :]
        return left[0] if left else None


def load_route(path: Path, chapters: Sequence[Chapter], written: Sequence[str]) -> Route:
    """Read the route of the file at `path`; `written` are the pages of the book, in order.

    Raises `ChapterError` where it names a chapter that the course does not have, or one twice.
    """
    known = {chapter.slug: chapter for chapter in chapters}
    evenings = yaml.safe_load(path.read_text(encoding="utf-8"))
    slugs = [slug for evening in evenings for slug in evening["chapters"]]
    for slug in slugs:
        if slug not in known:
            raise ChapterError(f"{path.name}: {slug} is no chapter of the course")
        if slugs.count(slug) > 1:
            raise ChapterError(f"{path.name}: {slug} is on the route {slugs.count(slug)} times")
    return Route(
        tuple(
            (each["evening"], tuple(known[slug] for slug in each["chapters"])) for each in evenings
        ),
        tuple(page for page in written if page in {chapter.page for chapter in chapters}),
    )


def route_of(source: Path, found: Sequence[str] | set[str]) -> Route | None:
    """Return the route of the project at `source`, whose pages are `found`; None without one."""
    folder = source / "book" / "map"
    if not (folder / FILE).is_file():
        return None
    pages = [page for page in pages_in_order(source / "_toc.yml") if page in found]
    return load_route(folder / FILE, load_chapters(folder / "chapters.yml", pages), pages)


def way_on(route: Route, page: str, link: Callable[[str], nodes.Node]) -> nodes.paragraph | None:
    """Return the line that says where the short route goes on; None for a page that is no chapter.

    link: turns a page's name into a link to it.
    """
    if page not in route.order or not route.stops:
        return None
    line = nodes.paragraph(classes=["pf-way"])
    number, following = route.number(page), route.after(page)
    if number and following:
        line += [nodes.Text(f"On the short route ({number} of {len(route.stops)}): next is ")]
    elif number:
        line += nodes.Text(f"On the short route, this was the last of {len(route.stops)} chapters.")
    else:
        last = "goes on with" if following else "ended with"
        line += nodes.Text(f"Deeper: this chapter is beside the short route, which {last} ")
    goal = following or (None if number else route.stops[-1])
    if goal:
        line += [link(goal), nodes.Text(".")]
    return line


def relations(app: Sphinx) -> dict[str, list[str | None]]:
    """Return for each page its parent, the page before it and the page after it."""
    kept: dict[str, list[str | None]] = app.env.collect_relations()
    return kept


def lead_on(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the link into the page's Next box, and the route's line below it."""
    ends = [each for each in doctree.findall(box) if each["kind"] == "next"]
    if not ends:
        return

    def link(target: str) -> nodes.reference:
        address = app.builder.get_relative_uri(page, target)
        title = app.env.titles[target].astext()
        return nodes.reference("", title, refuri=address, internal=True)

    route = route_of(Path(app.srcdir), app.env.found_docs)
    following = relations(app)[page][2]
    for end in ends:
        [title] = end.findall(box_title)
        if following and not title.children:
            title += link(following)
        line = way_on(route, page, link) if route else None
        if line is not None:
            end.parent.insert(end.parent.index(end) + 1, line)
            if slides.has_deck(app.env, page):
                link_to_deck = slides.link_to(page, page, "slides")
                words = [nodes.Text("To teach this chapter, there are "), link_to_deck]
                offer = nodes.paragraph("", "", *words, nodes.Text("."), classes=["pf-way"])
                end.parent.insert(end.parent.index(line) + 1, offer)


def rewrite_ends(app: Sphinx, env: Any) -> list[str]:
    """Return all pages when the order or the route changed: their ends lead elsewhere now."""
    route = route_of(Path(app.srcdir), env.found_docs)
    now = (relations(app), route and route.stops)
    changed = getattr(env, WAYS, None) != now
    setattr(env, WAYS, now)
    return sorted(env.all_docs) if changed else []


def as_list(route: Route, uri: Callable[[str], str]) -> str:
    """Return the HTML of the route: for each evening a numbered list of its chapters.

    What each chapter is about is left to the map, which says it for all of them.

    uri: turns a page's name into its address relative to the page that holds the list.
    """
    evenings = []
    for evening, chapters in route.evenings:
        items = []
        for chapter in chapters:
            title, number = escape(chapter.title), route.number(chapter.page)
            if number:
                name = f'<a href="{escape(uri(chapter.page))}">{title}</a>'
                items.append(f'<li value="{number}">{name}</li>')
            else:
                items.append(f'<li class="pf-later">{title} <em>({UNWRITTEN})</em></li>')
        evenings.append(
            f'<div class="pf-evening"><p>{escape(evening)}</p><ol>{"".join(items)}</ol></div>'
        )
    return f'<div class="pf-route">{"".join(evenings)}</div>\n'


class short_route(nodes.General, nodes.Element):
    """The list's place on a page; made when the page is written, when all pages are known."""


class ShortRoute(SphinxDirective):
    """``:::{short-route}``: the chapters of the short route, evening by evening."""

    def run(self) -> list[nodes.Node]:
        """Return the list's place; a change of the files that it is made from writes it again."""
        for name in (f"book/map/{FILE}", "book/map/chapters.yml", "_toc.yml"):
            self.env.note_dependency(str(Path(self.env.srcdir, name)))
        return [short_route()]


def visit_html(self: Any, node: short_route) -> None:
    """Write the list with addresses relative to the page that is being written."""
    builder, page = self.builder, self.builder.current_docname
    route = route_of(Path(builder.env.srcdir), builder.env.found_docs)
    if route:
        self.body.append(as_list(route, lambda to: str(builder.get_relative_uri(page, to))))
    raise nodes.SkipNode


def visit_other(self: Any, node: short_route) -> None:
    """Leave the list out where there is no HTML."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive, the ends of the chapters, and the rule when to write them again."""
    other = (visit_other, None)
    app.add_node(short_route, html=(visit_html, None), latex=other, text=other)
    app.add_directive("short-route", ShortRoute)
    app.connect("doctree-resolved", lead_on)
    app.connect("env-updated", rewrite_ends)
