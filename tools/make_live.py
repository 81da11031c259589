"""Build the site with *Edit and run* into ``_build/live``; called by ``make live``.

    python tools/make_live.py

The built book is copied, and its copy gains Python: every code cell that can run in a browser gets
a button. Nothing is loaded before a reader presses it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from live_engine.packages import fetch
from live_engine.site import make_site

ROOT = Path(__file__).resolve().parents[1]
BOOK, SITE = ROOT / "_build" / "html", ROOT / "_build" / "live"
KEPT = ROOT / "_build" / "live_packages"


def main() -> int:
    """Build the site; return 1 where something that it needs is missing."""
    try:
        packages = fetch(KEPT, ROOT / "requirements.txt")
        counts = make_site(BOOK, SITE, packages)
    except (FileNotFoundError, RuntimeError) as problem:
        print(problem, file=sys.stderr)
        return 1
    for name in packages.missing:
        print(f"{name} could not be fetched: cells that need it have no button")
    print(
        f"{sum(counts.values())} cells run in the browser, "
        f"on {sum(map(bool, counts.values()))} pages"
    )
    print(
        f"Pages:  {SITE}\nServe them: python tools/serve_book.py --folder {SITE.relative_to(ROOT)}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
