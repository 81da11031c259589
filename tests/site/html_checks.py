"""Checks that need only a page's HTML. Each returns a list of problems in words; [] is good.

Broken links, pictures without alternative text and what is loaded from another site are no part of
them: the build itself refuses these (`tools/book_engine/checks.py`).
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import Tag
from docutils import nodes
from tests.site.walk import has_content, parse


def addresses_in_css(text: str) -> list[str]:
    """Return the addresses that a style sheet loads, without those that name a place inside it."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)['\"]?\s*\)", text)
    found += re.findall(r"@import\s+['\"]([^'\"]+)", text)
    return [address for address in found if not address.startswith(("data:", "#"))]


def anchors(path: Path) -> frozenset[str]:
    """Return every name on the page at ``path`` that a fragment can point to."""
    return _anchors(path, path.stat().st_mtime_ns)


@cache
def _anchors(path: Path, changed: int) -> frozenset[str]:
    soup = parse(path)
    ids = {str(tag["id"]) for tag in soup.find_all(id=True)}
    return frozenset(ids | {str(tag["name"]) for tag in soup.find_all("a", attrs={"name": True})})


def linked_pages(folder: Path, page: str) -> list[str]:
    """Return the site's pages that ``page`` links to."""
    here, home = (folder / page).parent, folder.resolve()
    links = (urlsplit(str(tag["href"])) for tag in parse(folder / page).select("a[href]"))
    targets = {
        (here / unquote(link.path)).resolve()
        for link in links
        if link.path and not link.scheme and not link.netloc
    }
    return sorted(
        target.relative_to(home).as_posix()
        for target in targets
        if target.is_relative_to(home) and target.suffix == ".html" and target.is_file()
    )


def style_problems(folder: Path) -> list[str]:
    """Report addresses in style sheets that lead to files that are not there."""
    return [
        f"{sheet.relative_to(folder).as_posix()}: {address[:80]!r}: there is no such file"
        for sheet in sorted(folder.rglob("*.css"))
        for address in addresses_in_css(sheet.read_text(encoding="utf-8"))
        if not (sheet.parent / unquote(urlsplit(address).path)).is_file()
    ]


def head_problems(folder: Path, page: str) -> list[str]:
    """Report a missing title, description, language, viewport, character set or icon."""
    soup = parse(folder / page)
    problems = []
    title = soup.title.get_text(strip=True) if soup.title else ""
    if not title or title.startswith("<no title>"):
        problems.append(f"{page}: has no title")
    if not (soup.html and soup.html.get("lang")):
        problems.append(f"{page}: <html> has no lang")
    if not soup.find("meta", charset=True):
        problems.append(f"{page}: has no <meta charset>")
    if not soup.find("meta", attrs={"name": "viewport"}):
        problems.append(f"{page}: has no <meta name=viewport>")
    description = soup.find("meta", attrs={"name": "description"})
    length = len(str(description.get("content", "")).strip()) if description else 0
    if has_content(page) and not 30 <= length <= 320:
        problems.append(f"{page}: its description must have 30 to 320 characters; it has {length}")
    if not soup.select('link[rel~="icon"][href]'):
        problems.append(f"{page}: has no icon")
    return problems


def heading_problems(folder: Path, page: str) -> list[str]:
    """Report headings that skip a level on the way down, and pages without exactly one h1."""
    soup = parse(folder / page)
    main = soup.find("main") or soup
    levels = [
        (int(tag.name[1]), tag.get_text(" ", strip=True))
        for tag in main.find_all(re.compile("^h[1-6]$"))
        if not tag.find_parent("nav") and not hidden(tag)
    ]
    problems = []
    firsts = [text for level, text in levels if level == 1]
    if len(firsts) != 1:
        problems.append(f"{page}: must have one h1; it has {firsts}")
    for (above, _), (level, text) in pairwise(levels):
        if level > above + 1:
            problems.append(f"{page}: heading {text!r} is an h{level} after an h{above}")
    return problems


def hidden(tag: Tag) -> bool:
    """True if ``tag`` or something around it is taken out of the page by its markup."""
    around = [tag, *tag.parents]
    return any(
        isinstance(each, Tag)
        and (
            each.has_attr("hidden")
            or "visibility: hidden" in str(each.get("style", ""))
            or "onlyprint" in (each.get("class") or [])
            or each.get("id") == "jb-print-docs-body"
        )
        for each in around
    )


def repeated_ids(folder: Path, page: str) -> list[str]:
    """Report identifiers that stand more than once on the page: a link to one is a guess."""
    counts = Counter(str(tag["id"]) for tag in parse(folder / page).find_all(id=True))
    return [f"{page}: id {name!r} stands {n} times" for name, n in counts.items() if n > 1]


RAW_TEX = re.compile(r"\\[(\[]|\\begin\{|\$\$")
NOT_TEXT = ["annotation", "code", "pre", "script", "style", "textarea"]


def formula_problems(folder: Path, page: str) -> list[str]:
    """Report TeX that a reader would see, and formulas that are not MathML with their TeX in it."""
    soup = parse(folder / page)
    problems = [
        f"{page}: TeX in the text: {text.strip()[:80]!r}"
        for text in soup.find_all(string=RAW_TEX)
        if not text.find_parent(NOT_TEXT)
    ]
    problems += [f"{page}: not MathML: {each}"[:160] for each in soup.select("div.math, span.math")
                 if each.find("math") is None]  # fmt: skip
    problems += [f"{page}: not converted: {each}"[:160] for each in soup.find_all("merror")]
    for formula in soup.find_all("math"):
        if not formula.find("annotation", encoding="application/x-tex", string=True):
            problems.append(f"{page}: does not say its TeX: {formula}"[:160])
    return problems


def formulas_written(folder: Path, page: str) -> Counter[str]:
    """Return the TeX of every formula of a page, and how often it is there."""
    notes = parse(folder / page).select("math annotation")
    return Counter(" ".join(note.get_text().split()) for note in notes)


def formulas_read(doctrees: Path, page: str) -> Counter[str]:
    """Return the TeX of every formula that Sphinx read in a page's source."""
    stored = (doctrees / page).with_suffix(".doctree").read_bytes()
    tree: nodes.document = pickle.loads(stored)
    found = tree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block))
    return Counter(" ".join(node.astext().split()) for node in found)
