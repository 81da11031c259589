"""How long each chapter is in each view: words, pixels at 1280, A4 pages, and where its toy is.

    python benchmarks/reading.py [part/chapter ...]

`tests/site/reading.py` says what is counted, and the most that Read may hold. What is above it is
marked by a star, and the exit status is 1. This is no part of the test run.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from playwright.sync_api import sync_playwright  # noqa: E402
from tests.site import reading  # noqa: E402
from tests.site.walk import site_folder  # noqa: E402

from book_engine.chapters import written_chapters  # noqa: E402
from browsers import CHROMIUM, find_browser, launch  # noqa: E402


def main() -> int:
    """Print a line for each chapter; return 1 where one is too long in Read."""
    names = sys.argv[1:] or [name.removeprefix("book/") for name in written_chapters(ROOT)]
    chromium = find_browser(CHROMIUM)
    if chromium is None:
        print("There is no Chromium: run tools/browsers.py first.")
        return 2
    long = False
    print(f"{'':30}{'words':^24}{'pixels':^24}{'A4 pages':^15}{'toy':>6}{'claims':>8}")
    print(f"{'chapter':30}" + f"{'Read':>8}{'Code':>8}{'All':>8}" * 2 + f"{'R':>5}{'C':>5}{'A':>5}")
    with sync_playwright() as playwright:
        browser = launch(playwright, chromium)
        for name in names:
            page = browser.new_page(viewport={"width": 1280, "height": reading.SCREEN})
            page.goto((site_folder() / "book" / f"{name}.html").as_uri())
            found, printed = [], []
            for view in reading.VIEWS:
                reading.choose(page, view)
                found.append(reading.measure(page))
                printed.append(reading.sheets(page))
            first = found[0]
            limits = [
                (first.words, reading.WORDS),
                (first.pixels, reading.PIXELS),
                (printed[0], reading.SHEETS),
                (first.toy or 10**6, reading.FIRST_TOY),
            ]
            over = any(value > limit for value, limit in limits)
            long |= over
            print(
                f"{name + ' *' * over:30}"
                + "".join(f"{each.words:8,}" for each in found)
                + "".join(f"{each.pixels:8,}" for each in found)
                + "".join(f"{count:5}" for count in printed)
                + f"{first.toy or '-':>6}{first.claims:8}"
            )
            page.close()
        browser.close()
    return int(long)


if __name__ == "__main__":
    sys.exit(main())
