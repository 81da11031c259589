"""What a page tells other sites about itself, and what the site tells them: where it is public.

With an address (`public_address`): canonical links, cards, a sitemap, ``robots.txt``, and a page
for addresses that lead nowhere. Without one all of that is absent, and the rest is the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from docutils import nodes
from jinja2 import Environment, FileSystemLoader
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from public_address import AddressError, PublicAddress, read_address

from . import assets, cards
from .chapters import Chapter, load_chapters, pages_in_order

MADE = ("sitemap.xml", "robots.txt", "404.html")


def look_up(app: Sphinx, config: Config) -> None:
    """Read the public address before anything is built.

    Raises ConfigError with a sentence where it cannot be right.
    """
    try:
        found = read_address(Path(app.srcdir))
    except AddressError as problem:
        raise ConfigError(str(problem)) from problem
    config.book_engine_address = [found.pages, found.repository]


def address_of(app: Sphinx) -> PublicAddress:
    """Return the public address that this build knows."""
    return PublicAddress(*app.config.book_engine_address)


def chapters_of(root: Path) -> dict[str, Chapter]:
    """Return what is said of each chapter, by its page; nothing where the book has no map."""
    path = root / "book" / "map" / "chapters.yml"
    if not path.is_file():
        return {}
    return {each.page: each for each in load_chapters(path, pages_in_order(root / "_toc.yml"))}


def card_of(app: Sphinx, page: str, chapters: dict[str, Chapter]) -> tuple[str, cards.Card]:
    """Return whose card a page shows, and the card: a chapter's own, or the course's."""
    found = chapters.get(page)
    if found:
        part = f"Part {found.part_title}"
        return page, cards.Card(app.env.titles[page].astext(), part, found.line)
    root = app.config.root_doc
    about = re.split(r"[.:] ", assets.describe(app.env.get_doctree(root)))[0]  # a clause is enough
    return root, cards.Card(app.env.titles[root].astext(), "", f"{about.rstrip('.')}.")


def describe_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the page's template its public address, its card and where to report a mistake."""
    if doctree is None:
        return
    address = address_of(app)
    context["pf_mistake"] = address.mistake(page)
    if not address.pages:
        return
    context["pageurl"] = address.page(page)
    owner, card = card_of(app, page, chapters_of(Path(app.srcdir)))
    context["pf_card"] = {
        "kind": "article" if owner == page != app.config.root_doc else "website",
        "title": app.env.titles[page].astext(),
        "image": f"{address.pages}{cards.KEPT.as_posix()}/{cards.card_name(owner)}",
        "alt": card.alt,
        "width": cards.SIZE[0],
        "height": cards.SIZE[1],
    }


def sitemap(address: PublicAddress, pages: list[str]) -> str:
    """Return a sitemap of some pages.

    >>> print(sitemap(PublicAddress("https://ada.github.io/"), ["index"]))
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://ada.github.io/</loc></url>
    </urlset>
    <BLANKLINE>
    """
    lines = [f"<url><loc>{escape(address.page(page))}</loc></url>" for page in pages]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    space = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return "\n".join([head, space, *lines, "</urlset>", ""])


def robots(address: PublicAddress) -> str:
    """Return ``robots.txt``, which says where the sitemap is.

    Crawlers look for it at the root of a host alone; below a path it does nothing, and no harm.
    """
    return f"User-agent: *\nAllow: /\nSitemap: {address.pages}sitemap.xml\n"


def nowhere_page(app: Sphinx, address: PublicAddress, chapters: dict[str, Chapter]) -> str:
    """Return the page for addresses that lead nowhere.

    A host shows it at whatever address was asked for. So its links are whole, it loads nothing,
    and its style stands in it.
    """
    files = FileSystemLoader(assets.TEMPLATES / "site")
    template = Environment(loader=files, autoescape=True).get_template("404.html")
    firsts: dict[str, tuple[str, str]] = {}
    for page, each in chapters.items():
        if page in app.env.all_docs:
            firsts.setdefault(each.part_title, (address.page(page), app.env.titles[page].astext()))
    return template.render(
        title=app.config.html_title,
        home=address.pages,
        search=f"{address.pages}search.html",
        parts=firsts,
        mistake=address.mistake("404"),
    )


def write(app: Sphinx, error: Exception | None) -> None:
    """Write what belongs to the site as a whole, or take away what an older build left."""
    if error is not None or app.builder.format != "html":
        return
    site, address = Path(app.outdir), address_of(app)
    if not address.pages:
        for name in MADE:
            (site / name).unlink(missing_ok=True)
        cards.put({}, site, site.parent / ".cards")
        (site / cards.KEPT).rmdir()
        return
    chapters = chapters_of(Path(app.srcdir))
    pages = sorted(app.env.all_docs)
    cards.put(dict(card_of(app, page, chapters) for page in pages), site, site.parent / ".cards")
    texts = (sitemap(address, pages), robots(address), nowhere_page(app, address, chapters))
    for name, text in zip(MADE, texts, strict=True):
        (site / name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Look the address up first; write the site's own files after it has been tidied."""
    app.add_config_value("book_engine_address", ["", ""], "html", list)
    app.connect("config-inited", look_up, priority=-1)  # before a build takes its turn
    app.connect("html-page-context", describe_page)
    app.connect("build-finished", write, priority=850)
