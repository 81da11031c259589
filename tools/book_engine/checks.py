"""The built pages are checked before the build calls itself good.

A picture without alternative text, a thing loaded from another site, a link to a page or an anchor
that is not there or that is no part of the site, or an icon that the icon sheet lacks fails the
build, with its page named. Cell outputs and raw HTML are seen too, because what is read is the page
itself.

Not checked: links to other sites (that would need the network), and what scripts do, except for an
address that ``import`` names in a script on a page itself.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import SphinxError

from room_engine.unfilled import unfilled

from . import icons
from .chapters import ChapterError, load_chapters, pages_in_order
from .route import load_route

LOADS = {  # tag -> attributes that name something to load
    "script": ("src",),
    "img": ("src", "srcset"),
    "input": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "link": ("href", "imagesrcset"),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
URL = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
IMPORT = re.compile(r"""\b(?:import|from)\s*\(?\s*['"`]([^'"`\s]+)""")


class BookBroken(SphinxError):
    """The pages were written, and something on them is wrong."""

    category = "The book has faults"


class PageReader(HTMLParser):
    """Collects from one page what the checks look at."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.unnamed: list[str] = []  # pictures without alternative text
        self.inside = ""  # "style" or "script" while their text is read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one tag's anchors, links, loads and alternative text."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if values.get("rel") not in ("canonical", "next", "prev", "search", "index", "author"):
            for name in LOADS.get(tag, ()):
                several = name.endswith("srcset")  # "a.png 1x, b.png 2x"
                for value in values.get(name, "").split(",") if several else [values.get(name, "")]:
                    self.loads += value.split()[:1] if several else [value.strip()]
        self.loads += addresses_in_style(values.get("style", ""))
        runs = values.get("type", "") in ("", "module", "text/javascript")
        self.inside = tag if tag == "style" or (tag == "script" and runs) else ""
        if not says_what_it_shows(tag, values):
            self.unnamed.append((self.get_starttag_text() or tag)[:120])

    def handle_endtag(self, tag: str) -> None:
        """Note that a style sheet or a script ends."""
        self.inside = ""

    def handle_data(self, data: str) -> None:
        """Note what a style sheet or a script that stands on the page loads."""
        if self.inside == "style":
            self.loads += addresses_in_style(data)
        elif self.inside == "script":
            self.loads += IMPORT.findall(data)


def addresses_in_style(text: str) -> list[str]:
    """Return what a style sheet loads.

    >>> addresses_in_style("/* url(no) */ @import 'a.css'; p { background: url(b.png) }")
    ['a.css', 'b.png']
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [a or b for a, b in URL.findall(text)]


def says_what_it_shows(tag: str, values: dict[str, str]) -> bool:
    """True unless the tag is a picture that has no text for those who do not see it.

    An empty ``alt`` marks a picture as decoration, and so does ``aria-hidden``.

    >>> says_what_it_shows("img", {"src": "a.png"})
    False
    >>> says_what_it_shows("svg", {"role": "img", "aria-label": "A rising line."})
    True
    """
    if values.get("aria-hidden") == "true" or values.get("role") in ("presentation", "none"):
        return True
    named = bool(values.get("aria-label") or values.get("aria-labelledby"))
    if tag == "img":
        return "alt" in values or named
    if tag == "svg":
        return named
    return True


def is_off_site(address: str) -> bool:
    """True for an address on another host.

    >>> is_off_site("https://cdn.example/a.js"), is_off_site("//cdn.example/a.js")
    (True, True)
    >>> is_off_site("../_static/a.js"), is_off_site("data:font/woff2;base64,AAAA")
    (False, False)
    """
    return bool(urlsplit(address).netloc)


def check_site(folder: Path) -> list[str]:
    """Return every fault of the pages and style sheets below `folder`, each in one line."""
    pages: dict[Path, PageReader] = {}
    faults: list[str] = []
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder)
        if name.parts[0].startswith("_"):
            continue
        text = path.read_text(encoding="utf-8")
        reader = pages[path.resolve()] = PageReader()
        reader.feed(text)
        faults += [f"{name}: no alternative text: {tag}" for tag in reader.unnamed]
        faults += off_site(name, reader.loads)
        faults += [f"{name}: unknown icon {icon}" for icon in sorted(icons.unknown_icons(text))]
    for path, reader in pages.items():
        name = path.relative_to(folder.resolve())
        for link in dict.fromkeys(reader.links):
            fault = link_fault(link, path, pages, folder.resolve())
            if fault:
                faults.append(f"{name}: link {link}: {fault}")
    for path in sorted(folder.rglob("*.css")):
        faults += off_site(
            path.relative_to(folder), addresses_in_style(path.read_text(encoding="utf-8"))
        )
    return faults


def off_site(name: Path, addresses: list[str]) -> list[str]:
    """Return a line for each address that a file loads from another site."""
    return [f"{name}: loads {it} from another site" for it in addresses if is_off_site(it)]


def link_fault(link: str, page: Path, pages: dict[Path, PageReader], site: Path) -> str:
    """Return what is wrong with a link of `page`; empty for a good one and for other sites."""
    address, anchor = urldefrag(link)
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(site):
        return "it leaves the site"
    if not target.is_file():
        return "there is no such file"
    if anchor and target in pages and unquote(anchor) not in pages[target].anchors:
        return "there is no such anchor"
    return ""


def finish(app: Sphinx, error: Exception | None) -> None:
    """Check the site at the end of a good build.

    Raises `BookBroken` with all faults. After a build with warnings that count as errors, what
    Sphinx remembers is dropped, so that the next build warns again instead of calling itself good.
    """
    if error is not None or app.builder.format != "html":
        return
    faults = check_site(Path(app.outdir))
    if faults:
        raise BookBroken("\n".join(["", *faults]))
    if (app.warningiserror or app.keep_going) and app._warncount:
        Path(app.doctreedir, "environment.pickle").unlink(missing_ok=True)


def chapter_faults(root: Path) -> list[str]:
    """Return what is wrong with the lists of chapters, each with the file to edit.

    A project without ``book/map``, such as a book that only shows what the engine does, has none.
    """
    folder = root / "book" / "map"
    if not (folder / "chapters.yml").is_file():
        return []
    pages = pages_in_order(root / "_toc.yml")
    faults = [
        f"_toc.yml: {page}.md does not exist: write it, or remove its line"
        for page in pages
        if not (root / f"{page}.md").is_file()
    ]
    try:
        chapters = load_chapters(folder / "chapters.yml", pages)
        if (folder / "route.yml").is_file():
            load_route(folder / "route.yml", chapters, pages)
    except ChapterError as fault:
        return [*faults, f"book/map/{fault}"]
    for part in dict.fromkeys(chapter.part for chapter in chapters):
        there = sorted(f"book/{part}/{path.stem}" for path in (root / "book" / part).glob("*.md"))
        faults += [
            f"_toc.yml: add the line `- file: {page}` to its part, because {page}.md exists"
            for page in there
            if page not in pages
        ]
    for chapter in chapters:
        notebook = f"notebooks/{chapter.part}/{chapter.slug}.ipynb"
        if chapter.page in pages and not (root / notebook).is_file():
            faults.append(f"{notebook} does not exist: run `make notebooks`")
    return faults


def refuse_early(app: Sphinx, config: Config) -> None:
    """Stop before anything runs where a file is not filled in or the lists of chapters differ."""
    root = Path(app.srcdir)
    if faults := unfilled(root) or chapter_faults(root):
        raise BookBroken("\n".join(["", *faults]))


def setup(app: Sphinx) -> None:
    """Check last, when every other part has written its files; what is not filled in, first."""
    app.connect("config-inited", refuse_early, priority=100)
    app.connect("build-finished", finish, priority=900)
