"""Slides: a deck for every chapter that marks some of its blocks, made from the finished page.

A comment above a block puts it on a slide, so that what a slide says is written once::

    % slide: What attention replaced | Worse, what the first token
    Worse, what the first token said can reach the last one only through 999 updates, each …

    % also
    ```{code-cell} ipython3
    …

``slide`` begins a slide, ``also`` adds a block to it. The title may be left out: then it is that of
the box, or of the section. After each bar come the first words of a sentence, or of an item of a
list, that is shown; the others are left to the speaker. Without bars, all is shown. What a block
becomes depends on its kind (`slide_reader`): a widget stays alive; a question, a guess and a
misconception keep their answer back until a key is pressed. The speaker's notes come from the page,
too: the whole paragraph, what is said to each wrong answer, what may be noticed in a widget, and
what the lesson plans ask about it.

The first slide has the chapter's title and its lead, the last one what it has at a glance. Decks
are written into ``slides/`` at the end of the build. They run on reveal.js, whose two files come
from the package sphinx-revealjs, of which nothing else is used.
"""

from __future__ import annotations

import importlib.util
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from docutils import nodes
from lxml import html
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError, SphinxError
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from plainformer.widgets.kit import site

from .assets import made_folder, write_if_new
from .chapters import pages_in_order
from .slide_reader import Mark, Reader, every, whole

LOGGER = logging.getLogger(__name__)
MARK = re.compile(r"(?P<kind>slide|also)\b:?(?P<title>[^|]*)(?P<picks>(?:\|[^|]+)*)")
LINKED = re.compile(r'("chapters": ?")([^"]*)')  # a widget's trait: where the chapters are
MARKS = "pf_slides"  # a page's metadata: its marks
FOLDER = "slides"
REVEAL = ("reveal.js", "reveal.css")
LESSONS = "book/appendix/lessons.html"
TEMPLATE = Path(__file__).with_name("templates") / "slides.html"


class SlidesBroken(SphinxError):
    """A mark asks for something that its block does not have."""

    category = "A deck of slides cannot be made"


class Marks(SphinxTransform):
    """Take the marks out of a page, before targets look for what they name (at 260)."""

    default_priority = 100

    def apply(self, **kwargs: Any) -> None:
        """Give each marked block the number of its mark as a class."""
        marks: list[Mark] = []
        for comment in list(self.document.findall(nodes.comment)):
            found = MARK.fullmatch(" ".join(comment.astext().split()))
            if found is None:
                continue
            block = comment.next_node(descend=False, siblings=True)
            while isinstance(block, nodes.target | nodes.comment):
                block = block.next_node(descend=False, siblings=True)
            first = found["kind"] == "also" and not marks
            if first or not isinstance(block, nodes.Element) or isinstance(block, nodes.section):
                LOGGER.warning("nothing follows the mark %r", comment.astext(), location=comment)
                continue
            block["classes"].append(f"pf-slide-{len(marks)}")
            picks = [each.strip() for each in found["picks"].split("|")[1:]]
            marks.append((found["kind"], found["title"].strip(), picks))
            comment.parent.remove(comment)
        if marks:
            self.env.metadata[self.env.docname][MARKS] = marks


def deck_of(page: str) -> str:
    """Return where the deck of a page is, from the top of the site.

    >>> deck_of("book/attention/self_attention")
    'slides/self_attention.html'
    """
    return f"{FOLDER}/{posixpath.basename(page)}.html"


def has_deck(env: Any, page: str) -> bool:
    """True for a page that marks what goes on slides."""
    return bool(env.metadata.get(page, {}).get(MARKS))


def projected(folder: Path) -> Mapping[str, list[str]]:
    """Return what the lesson plans ask about the widgets of each page, as HTML."""
    found: dict[str, list[str]] = {}
    if not (folder / LESSONS).is_file():
        return found
    for box in every(html.fromstring((folder / LESSONS).read_text("utf-8")), "pf-project"):
        [link] = box.xpath("./p//a")[:1]
        page = posixpath.normpath(posixpath.join(posixpath.dirname(LESSONS), link.get("href")))
        told = [whole(each) for each in box[1:]]
        found.setdefault(page.partition(".html")[0], []).extend(told)
    return found


def make_deck(page: str, text: str, marks: Sequence[Mark], asked: Sequence[str]) -> str:
    """Return the deck of a page; `text` is the page's HTML, `asked` what lesson plans ask.

    Raises `SlidesBroken` where a mark asks for what its block does not have.
    """
    try:
        slides = list(Reader(text, asked).slides(marks))
    except ValueError as problem:
        raise SlidesBroken(f"{page}.md: {problem}") from problem
    shown = "".join(each.as_html() for each in slides)
    shown = LINKED.sub(lambda found: found[1] + from_deck(page, found[2]), shown)
    files = site.assets_for(shown)
    sheets = [f"pf/{name}" for name in files if name.endswith(".css")] or [f"pf/{site.SHEET}"]
    scripts = [f"pf/{name}" for name in files if name.endswith(".js")]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=slides[0].title,
        page=f"../{page}.html",
        sheets="".join(f'<link rel="stylesheet" href="../_static/{each}" />\n' for each in sheets),
        scripts="".join(f'<script src="../_static/{each}"></script>\n' for each in scripts),
        slides=shown,
    )


def from_deck(page: str, address: str) -> str:
    """Return an address as a deck writes it that is relative to a page.

    >>> from_deck("book/blocks/transformer", "..")
    '../book'
    """
    return posixpath.normpath(posixpath.join("..", posixpath.dirname(page), address))


def write_decks(app: Sphinx, error: Exception | None) -> None:
    """Write a deck for each page with marks, once all pages are there."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    asked = projected(folder)
    for page in sorted(each for each in app.env.found_docs if has_deck(app.env, each)):
        text = (folder / f"{page}.html").read_text(encoding="utf-8")
        deck = make_deck(page, text, app.env.metadata[page][MARKS], asked.get(page, []))
        (folder / FOLDER).mkdir(exist_ok=True)
        (folder / deck_of(page)).write_text(deck, encoding="utf-8")


def bring_reveal(app: Sphinx, config: Config) -> None:
    """Put the two files of reveal.js where `assets` finds them; before it looks (at 500)."""
    package = importlib.util.find_spec("sphinx_revealjs")
    if package is None or package.origin is None:
        raise ConfigError("sphinx-revealjs is missing, which has reveal.js: run make setup")
    source = Path(package.origin).parent / "_static" / "revealjs" / "dist"
    for name in REVEAL:
        target = made_folder(app) / FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_new(target, (source / name).read_text(encoding="utf-8"))


class decks(nodes.General, nodes.Element):
    """The place of a list of decks; made when the page is written."""


class Decks(SphinxDirective):
    """Links to decks, in the order of the book.

    ``:::{decks}`` is a list of all of them, ``:::{decks} inputs/tokenization inputs/embedding`` a
    line with those of some chapters.
    """

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the place of the links."""
        chapters = " ".join(self.arguments).split()
        place = decks(chapters=[f"book/{each}" for each in chapters])
        self.set_source_info(place)
        return [place]


def list_decks(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Fill the places of the links."""
    pages = pages_in_order(Path(app.srcdir, "_toc.yml"))
    order = [each for each in pages if has_deck(app.env, each)]
    for place in list(doctree.findall(decks)):
        wanted = place["chapters"]
        for each in sorted(set(wanted) - set(order)):
            LOGGER.warning("%s has no deck of slides", each, location=place)
        links = {
            each: link_to(page, each, app.env.titles[each].astext())
            for each in order
            if each in wanted or not wanted
        }
        place.replace_self(a_line(links.values()) if wanted else a_list(links.values()))


def a_list(links: Iterable[nodes.Node]) -> nodes.Node:
    """Return links as a list."""
    listed = nodes.bullet_list(classes=["pf-decks"])
    for link in links:
        listed += nodes.list_item("", nodes.paragraph("", "", link))
    return listed


def a_line(links: Iterable[nodes.Node]) -> nodes.Node:
    """Return links as a paragraph: Slides, and the titles of their chapters.

    >>> a_line([nodes.Text("Cats"), nodes.Text("Dogs")]).astext()
    'Slides: Cats, Dogs'
    """
    line = nodes.paragraph("", "", nodes.strong("", "Slides:"), nodes.Text(" "))
    for number, link in enumerate(links):
        line += [nodes.Text(", "), link] if number else [link]
    return line


def link_to(page: str, chapter: str, words: str) -> nodes.reference:
    """Return a link from a page to the deck of a chapter."""
    address = posixpath.relpath(deck_of(chapter), posixpath.dirname(page))
    return nodes.reference("", words, refuri=address, internal=True)


def setup(app: Sphinx) -> None:
    """Register the marks, the links, and what writes the decks: after old pages went (at 800)."""
    app.add_node(decks)
    app.add_transform(Marks)
    app.add_directive("decks", Decks)
    app.connect("config-inited", bring_reveal, priority=400)
    app.connect("doctree-resolved", list_decks)
    app.connect("build-finished", write_decks, priority=850)
