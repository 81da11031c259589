"""``{needs-map}``: what each chapter needs, as a drawing and as a list.

The arrows come from the chapters themselves, from the links under *Know before*, and the names and
the order from ``book/map/chapters.yml`` and ``_toc.yml``. In the drawing an arc joins two chapters;
the list says the same in words, with all chapters that have to come before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import docname_join
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from .boxes import box
from .chapters import Chapter, ChapterError, load_chapters, pages_in_order

Needs = Mapping[str, Sequence[str]]
"""Pages by page: what each of them needs, the nearest first."""
ROW, ARCS, WIDE, DOT = 26, 130, 330, 4  # of the drawing, in pixels
NOTHING = "No other chapter."


def needs_of(document: nodes.document, page: str, pages: Sequence[str]) -> list[str]:
    """Return the pages that a chapter's line *Know before* links to, each once."""
    found: dict[str, None] = {}
    for glance in document.findall(box):
        if glance["kind"] != "glance":
            continue
        for item in glance.findall(nodes.definition_list_item):
            if item.children[0].astext() != "Know before":
                continue
            for link in item.findall(addnodes.pending_xref):
                target = docname_join(page, str(link["reftarget"]).partition("#")[0])
                if target in pages and target != page:
                    found[target] = None
    return list(found)


def all_before(needs: Needs, page: str) -> set[str]:
    """Return every page that has to come before a page.

    >>> sorted(all_before({"c": ["b"], "b": ["a"], "a": []}, "c"))
    ['a', 'b']
    """
    found: set[str] = set()
    ahead = list(needs[page])
    while ahead:
        each = ahead.pop()
        if each not in found:
            found.add(each)
            ahead += needs[each]
    return found


def nearest(needs: Needs, page: str) -> list[str]:
    """Return what a page needs that nothing else which it needs brings along.

    >>> nearest({"c": ["a", "b"], "b": ["a"], "a": []}, "c")
    ['b']
    """
    others = needs[page]
    return [each for each in others if not any(each in all_before(needs, one) for one in others)]


def check_order(needs: Needs, pages: Sequence[str]) -> None:
    """Raise `ChapterError` where a chapter needs one that the book has later."""
    for page, others in needs.items():
        for other in others:
            if pages.index(other) > pages.index(page):
                raise ChapterError(f"{page} names {other} under Know before, and it comes later")


def drawing(chapters: Sequence[Chapter], needs: Needs) -> str:
    """Return the arcs and the names as SVG. The list says the same, so nobody has to hear it."""
    row = {chapter.page: number for number, chapter in enumerate(chapters)}
    high = ROW * len(chapters)
    parts = [
        f'<div class="pf-needs"><svg viewBox="0 0 {WIDE} {high}" width="{WIDE}" height="{high}" '
        'aria-hidden="true">'
    ]
    for page in needs:
        for other in nearest(needs, page):
            top, bottom = (ROW * (row[each] + 0.5) for each in (other, page))
            far = ARCS - min(14 + 6 * abs(row[page] - row[other]), ARCS - 4) * 4 / 3
            line = f"M{ARCS} {top:g}C{far:g} {top:g} {far:g} {bottom:g} {ARCS} {bottom:g}"
            parts.append(f'<path d="{line}"/>')
    for chapter in chapters:
        y = ROW * (row[chapter.page] + 0.5)
        parts.append(f'<circle cx="{ARCS}" cy="{y:g}" r="{DOT}"/>')
        parts.append(f'<text x="{ARCS + 14}" y="{y + 5:g}">{escape(chapter.title)}</text>')
    return "".join([*parts, "</svg></div>"])


class needs_map(nodes.General, nodes.Element):
    """The map's place on a page; filled when every chapter has been read."""


class NeedsMap(SphinxDirective):
    """The directive."""

    def run(self) -> list[nodes.Node]:
        """Return the place."""
        for name in ("book/map/chapters.yml", "_toc.yml"):
            self.env.note_dependency(str(Path(self.env.srcdir, name)))
        return [needs_map()]


class Draw(SphinxPostTransform):
    """Fill the place, before links are resolved."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Put the drawing and a section for each part in the place's stead."""
        for place in list(self.document.findall(needs_map)):
            root = Path(self.env.srcdir)
            written = pages_in_order(root / "_toc.yml")
            chapters = [
                each
                for each in load_chapters(root / "book" / "map" / "chapters.yml", written)
                if each.page in written
            ]
            pages = [each.page for each in chapters]
            needs = {page: needs_of(self.env.get_doctree(page), page, pages) for page in pages}
            check_order(needs, pages)
            made: list[nodes.Node] = [nodes.raw("", drawing(chapters, needs), format="html")]
            for part, members in groupby(chapters, key=lambda each: each.part_title):
                name = part.partition(" ")[2]
                section = nodes.section("", nodes.title("", name), ids=[f"needs-{name.lower()}"])
                listed = nodes.definition_list(classes=["pf-needed"])
                for chapter in members:
                    listed += self.entry(chapter, pages, needs)
                section += listed
                made.append(section)
            place.replace_self(made)

    def entry(
        self, chapter: Chapter, pages: Sequence[str], needs: Needs
    ) -> nodes.definition_list_item:
        """Return what a chapter needs, and what needs it."""
        page = chapter.page
        before = [each for each in pages if each in all_before(needs, page)]
        direct = list(needs[page])
        rest = [each for each in before if each not in direct]
        after = [each for each in pages if page in needs[each]]
        told = nodes.definition()
        told += self.line("Needs", direct, NOTHING)
        if rest:
            told += self.line("These need, in turn,", rest)
        if after:
            told += self.line("Needed for", after)
        term = nodes.term("", "", self.link(page), nodes.Text(f": {chapter.line}"))
        return nodes.definition_list_item("", term, told)

    def line(self, words: str, pages: Sequence[str], otherwise: str = "") -> nodes.paragraph:
        """Return a sentence that names pages."""
        if not pages:
            return nodes.paragraph("", otherwise)
        made = nodes.paragraph("", f"{words} ")
        for number, page in enumerate(pages):
            last = number == len(pages) - 1
            made += [nodes.Text(" and " if last else ", ")] if number else []
            made += self.link(page)
        made += nodes.Text(".")
        return made

    def link(self, page: str) -> nodes.reference:
        """Return a link to a chapter, by its title."""
        title = nodes.Text(self.env.titles[page].astext())
        return make_refnode(self.app.builder, self.env.docname, page, "", title)


def setup(app: Sphinx) -> None:
    """Register the directive and what fills its place."""
    app.add_node(needs_map)
    app.add_directive("needs-map", NeedsMap)
    app.add_post_transform(Draw)
