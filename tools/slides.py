"""Print the decks of slides of the built book, one PDF for each, to hand out or to keep.

    python tools/slides.py pdf                         # all decks, into _build/slides
    python tools/slides.py pdf masking lookup --notes  # two, with the speaker's notes

A Chromium prints them as ``slides/CHAPTER.html?print-pdf`` in a browser would: each slide on a
page, tagged for screen readers, with all answers, and a picture in place of each widget.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from browsers import CHROMIUM, find_or_install, launch

ROOT = Path(__file__).resolve().parents[1]
SITE, TARGET = ROOT / "_build" / "html", ROOT / "_build" / "slides"


def find_decks(site: Path, names: Sequence[str]) -> list[Path]:
    """Return the decks with these names, or all decks.

    Raises FileNotFoundError where the book is not built, or has no deck of a name.
    """
    found = {path.stem: path for path in sorted((site / "slides").glob("*.html"))}
    if not found:
        raise FileNotFoundError(f"{site} has no slides: run make book first")
    if unknown := [name for name in names if name not in found]:
        raise FileNotFoundError(f"no deck is called {unknown[0]!r}; there are {', '.join(found)}")
    return [found[name] for name in names] or list(found.values())


def print_decks(decks: Sequence[Path], target: Path, *, notes: bool = False) -> list[Path]:
    """Print decks into the folder `target`, and return the PDFs.

    Raises FileNotFoundError where there is no Chromium.
    """
    from playwright.sync_api import sync_playwright  # takes a moment, so not before

    chromium = find_or_install(CHROMIUM)
    if chromium is None:
        raise FileNotFoundError(CHROMIUM.missing)
    target.mkdir(parents=True, exist_ok=True)
    made = []
    with sync_playwright() as playwright:
        browser = launch(playwright, chromium)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for deck in decks:
            page.goto(f"{deck.resolve().as_uri()}?print-pdf{'&notes' if notes else ''}")
            page.wait_for_function("window.pfPrinted")
            made.append(target / f"{deck.stem}.pdf")
            page.pdf(path=made[-1], prefer_css_page_size=True, print_background=True, tagged=True)
        browser.close()
    return made


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 where nothing can be printed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    printing = commands.add_parser("pdf", help="print decks")
    printing.add_argument("names", nargs="*", metavar="CHAPTER", help="all where none is named")
    printing.add_argument("--notes", action="store_true", help="put a page of notes behind each")
    printing.add_argument("--to", type=Path, default=TARGET, help="the folder of the PDFs")
    printing.add_argument("--site", type=Path, default=SITE, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    try:
        made = print_decks(find_decks(chosen.site, chosen.names), chosen.to, notes=chosen.notes)
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 1
    for path in made:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
