"""A copy of a site whose pages write down what goes wrong on them, in any engine."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tests.site.walk import find_pages

SCRIPT = Path(__file__).with_name("watch.js").read_text(encoding="utf-8")
# A request that leaves the site is refused, and reported, before anything is sent.
POLICY = "default-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'"
FIRST = (  # the encoding again, for it must come within the first kilobyte
    f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    f"<script>{SCRIPT}</script>"
)
HEAD = re.compile(r"<head\b[^>]*>")


def watched(site: Path, folder: Path) -> Path:
    """Make ``folder`` a copy of ``site`` whose pages are watched, and return it.

    What is no page is the site's own file under a second name, where the disk can do that.
    """
    shutil.copytree(site, folder, copy_function=link)
    for name in find_pages(folder):
        page = folder / name
        text = page.read_text(encoding="utf-8")
        page.unlink()  # the name alone, not the site's own page
        page.write_text(HEAD.sub(lambda head: head[0] + FIRST, text, count=1), encoding="utf-8")
    return folder


def link(file: str, name: str) -> None:
    """Give a file a second name; copy it where that is impossible, as between two disks."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copyfile(file, name)
