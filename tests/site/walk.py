"""What the built site holds: its folder, its pages, the widgets on them.

Pages are found by walking the folder, so a new chapter is tested without a new test.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "404.html"
DECKS = "slides"  # the folder of the decks of slides
WITHOUT_CONTENT = {"search.html", "genindex.html", "py-modindex.html"}


def site_folder() -> Path:
    """Return where the built site lies: ``PLAINFORMER_SITE``, or ``_build/html``."""
    return Path(os.environ.get("PLAINFORMER_SITE") or ROOT / "_build" / "html").resolve()


def find_pages(folder: Path) -> list[str]:
    """Return every page under ``folder``, in order; folders that start with _ hold none.

    Nor are the page for wrong addresses (see tests/tools/test_public_book.py) and the decks of
    slides (test_slides.py) among them.
    """
    relative = (path.relative_to(folder) for path in folder.rglob("*.html"))
    pages = (path for path in relative if not any(part.startswith("_") for part in path.parts))
    pages = (path for path in pages if path.parts[0] != DECKS)
    return sorted(path.as_posix() for path in pages if path.name != NOWHERE)


def find_decks(folder: Path) -> list[str]:
    """Return the decks of slides under ``folder``, in order."""
    return sorted(f"{DECKS}/{path.name}" for path in (folder / DECKS).glob("*.html"))


def is_chapter(page: str) -> bool:
    """True for a page in the folder of a part; the appendix is none."""
    return page.count("/") == 2 and not page.startswith("book/appendix/")


def find_chapters(folder: Path) -> list[str]:
    """Return the pages of chapters."""
    return [page for page in find_pages(folder) if is_chapter(page)]


def has_content(page: str) -> bool:
    """True for a page that somebody wrote, False for one that Sphinx makes (search, index)."""
    return page not in WITHOUT_CONTENT


@dataclass(frozen=True)
class WidgetPlace:
    """One widget: the page it is on, and its number among that page's widgets."""

    page: str
    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.page}:{self.number}:{self.name}"


# A tag with a widget's name. Tests are made from these before any runs, three times over (each
# worker, and who deals them out), and to parse every page would take half a minute.
WIDGET = re.compile(r"""<[a-z]+\s[^<>]*?data-pf-widget="([^"]+)\"""")


def find_widgets(folder: Path) -> list[WidgetPlace]:
    """Return every widget on every page of the site, in reading order."""
    return [
        WidgetPlace(page, number, name)
        for page in find_pages(folder)
        for number, name in enumerate(WIDGET.findall((folder / page).read_text(encoding="utf-8")))
    ]


def find_toy_pages(folder: Path) -> list[str]:
    """Return the pages that have a widget."""
    return list(dict.fromkeys(place.page for place in find_widgets(folder)))


def parse(path: Path) -> BeautifulSoup:
    """Return the parsed page at ``path``, read anew only if it changed."""
    return _parse(path, path.stat().st_mtime_ns)


@cache
def _parse(path: Path, changed: int) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
