"""``{misconceptions} attention``: what people get wrong about a part, collected from its chapters.

A chapter says it once, in a `misconception` box and the `truth` box after it. Here both are taken
over when the page is written, with a link to the place, where a cell refutes the claim. So a
chapter is changed, and this page follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import docname_join
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from .boxes import box, box_title
from .chapters import pages_in_order
from .search_sections import spoken

SEEN = "book_engine_collected"  # environment attribute: when each page was read, for the last build


class collected(nodes.General, nodes.Element):
    """The place of a part's misconceptions; filled when every chapter has been read."""


class Misconceptions(SphinxDirective):
    """The directive; its argument is the folder of a part."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the place."""
        return [collected(part=self.arguments[0])]


def find_pairs(document: nodes.document) -> list[tuple[box, box]]:
    """Return each misconception of a page with the truth that follows it.

    Raises `ValueError` where one has no truth, or a truth no misconception.
    """
    kinds = ("misconception", "truth")
    found = [each for each in document.findall(box) if each["kind"] in kinds]
    claims, truths = found[::2], found[1::2]
    if [each["kind"] for each in found] != [*kinds] * len(claims):
        raise ValueError("each misconception is followed by what is true, and nothing else is")
    return list(zip(claims, truths, strict=True))


def content_for(page: str, chapter: str, parts: list[nodes.Node]) -> list[nodes.Node]:
    """Return copies of what a chapter says, whose links are resolved as from `page`."""
    copies = [part.deepcopy() for part in parts]
    for copy in copies:
        for link in copy.findall(addnodes.pending_xref):
            link["refdoc"] = page  # where an address starts
            named = link.get("refdomain") == "doc"  # its target is the page's full name
            if link["reftype"] == "myst" and not named and "#" not in link["reftarget"]:
                link["reftarget"] = "/" + docname_join(chapter, link["reftarget"])
        for named in copy.findall(nodes.Element):
            named["ids"], named["names"] = [], []
    return copies


class Collect(SphinxPostTransform):
    """Fill the places, before links are resolved (at 9 and 10)."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Put a section for each chapter that has misconceptions in the place's stead."""
        for place in list(self.document.findall(collected)):
            folder = f"book/{place['part']}/"
            pages = pages_in_order(Path(self.env.srcdir, "_toc.yml"))
            chapters = [each for each in pages if each.startswith(folder)]
            sections = [self.section(each) for each in chapters]
            place.replace_self([each for each in sections if each is not None])

    def section(self, chapter: str) -> nodes.section | None:
        """Return what a chapter's readers get wrong; None where it says nothing of it."""
        try:
            pairs = find_pairs(self.env.get_doctree(chapter))
        except ValueError as problem:
            raise ValueError(f"{chapter}: {problem}") from problem
        if not pairs:
            return None
        page, title = self.env.docname, self.env.titles[chapter].astext()
        made = nodes.section("", nodes.title("", title), ids=[f"wrong-{chapter.rsplit('/')[-1]}"])
        listed = nodes.definition_list(classes=["pf-misconceptions"])
        for claim, truth in pairs:
            [claim_title] = list(claim.findall(box_title))[:1]
            [truth_title] = list(truth.findall(box_title))[:1]
            words = content_for(page, chapter, list(claim_title.children))
            said = [each for each in claim.children if each is not claim_title]
            told = [each for each in truth.children if each is not truth_title]
            text = content_for(page, chapter, [*said, *told])
            text.append(nodes.paragraph("", "", self.link(chapter, claim["title_id"], claim_title)))
            listed += nodes.definition_list_item(
                "", nodes.term("", "", *words), nodes.definition("", *text)
            )
        made += listed
        return made

    def link(self, chapter: str, anchor: str, claim: nodes.Element) -> nodes.reference:
        """Return the way to the box, named so that it is not like all the others when heard."""
        builder, page = self.app.builder, self.env.docname
        words = nodes.Text("Where it is refuted")
        link = make_refnode(builder, page, chapter, anchor, words)
        link += nodes.inline("", f": {spoken(claim.astext())}", classes=["pf-sr-only"])
        return link


def rewrite(app: Sphinx, env: Any) -> list[str]:
    """Return the pages that collect from others when any page was read anew."""
    now = dict(env.all_docs)
    changed = getattr(env, SEEN, None) != now
    setattr(env, SEEN, now)
    if not changed:
        return []
    folder = "book/appendix/"
    return [page for page in env.all_docs if page.startswith(folder)]


def setup(app: Sphinx) -> None:
    """Register the directive, what fills it, and when its page is written again."""
    app.add_node(collected)
    app.add_directive("misconceptions", Misconceptions)
    app.add_post_transform(Collect)
    app.connect("env-updated", rewrite)
