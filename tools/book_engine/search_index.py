"""Writes what the search page asks: which words stand in which section, and the sections' texts.

Scripts, not JSON, because a page opened from a disk may load no other kind of file. ``index.js``
comes with the search page; the texts, a file for each page, only when a hit on it is shown, for
the line under it. Words stand in the index as they were written: what makes two of them one
(stems, synonyms) is the reader's side, `search_words.js`, alone; the two share only `WORD`.

A word's places are numbers of sections, each as its distance from the one before, and a letter
for how often: a for once, d for four times or more. ``"3a1c"``: once in section 3, thrice in 4.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from .search_sections import Section, read_page

FOLDER = "_static/search"
WORD = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")  # also in search_words.js
NAME = re.compile(r"[A-Za-z]\w*_\w+|[A-Z]\w*[a-z]\w*[A-Z]\w*|(?<!\w)[a-z]\w+(?=\()")  # of code
# Pages that gather what the chapters say: a hit leads to the chapter, and to them by their titles.
GATHERED = re.compile(r"/(sheet_\w+|misconceptions)$")
SAID = 4  # how often a word counts in one section, at most


def words(text: str) -> list[str]:
    """Return the words of a text, small, and a joined one by its parts as well.

    >>> words("Self-attention's √d_k")
    ['selfattention', 'self', 'attention', 's', 'sqrt', 'dk', 'd', 'k']
    """
    plain = unicodedata.normalize("NFKC", text.replace("√", " sqrt ").replace("’", "'")).lower()
    found = []
    for word in WORD.findall(plain):
        parts = re.split("[-_]", word)
        found += ["".join(parts), *parts] if len(parts) > 1 else parts
    return found


def count_words(section: Section) -> Counter[str]:
    """Return how often each word stands in a section; a name in its code counts once."""
    counts = Counter(word for block in section.blocks for word in words(block))
    names = {word for code in section.code for name in NAME.findall(code) for word in words(name)}
    counts.update(names)
    counts.update({word: SAID for name in section.names for word in words(name)[:1]})
    return Counter({word: n for word, n in counts.items() if not word.isdecimal()})


def encode(places: list[tuple[int, int]]) -> str:
    """Return a word's sections and counts as the page reads them.

    >>> encode([(3, 1), (4, 3), (20, 9)])
    '3a1c16d'
    """
    told, before = [], 0
    for number, count in places:
        told.append(f"{number - before}{'abcd'[min(count, SAID) - 1]}")
        before = number
    return "".join(told)


def make_index(pages: list[tuple[str, list[Section]]]) -> dict[str, Any]:
    """Return the index of a site; ``pages`` are addresses with their sections, in order."""
    places: dict[str, list[tuple[int, int]]] = {}
    listed: list[list[Any]] = []
    sizes = []
    for number, (_, sections) in enumerate(pages):
        for section in sections:
            for word, count in sorted(count_words(section).items()):
                places.setdefault(word, []).append((len(listed), count))
            sizes.append(sum(len(block.split()) for block in section.blocks))
            listed.append([number, section.anchor, section.title, section.up])
    return {
        "pages": [[address, sections[0].title] for address, sections in pages],
        "sections": listed,
        "sizes": sizes,
        "words": " ".join(sorted(places)),
        "places": " ".join(encode(places[word]) for word in sorted(places)),
    }


def write(site: Path, pages: list[str]) -> int:
    """Write the index of the site's ``pages``; return how many sections it has."""
    read = []
    listed: set[str] = set()  # a listing may stand on two pages, and is found on the first
    for name in pages:
        found = read_page((site / f"{name}.html").read_text(encoding="utf-8"))
        told = [each for each in found if each.blocks or each.code]
        told = [each for each in told if not (each.listing and is_told(each, listed))]
        listed |= {each.title for each in told if each.listing}
        if GATHERED.search(name):
            told = told[:1]
        if told:
            read.append((f"{name}.html", told))
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    texts = [
        script(f"texts[{number}]", [" \n".join(each.blocks) for each in sections])
        for number, (_, sections) in enumerate(read)
    ]
    for number, text in enumerate(texts):
        (folder / f"{number}.js").write_text(text, encoding="utf-8")
    index = make_index(read)
    # The texts are asked for by this, so that no browser shows those of an older index.
    version = hashlib.sha256("".join(texts).encode()).hexdigest()[:8]
    text = script("index", {"version": version, **index})
    (folder / "index.js").write_text(text, encoding="utf-8")
    return len(index["sections"])


def is_told(listing: Section, listed: set[str]) -> bool:
    """True for a listing that stands elsewhere, or in the entry of the function that it shows."""
    return listing.title in listed or listing.title.split(" in ")[0] == listing.up


def script(name: str, value: Any) -> str:
    """Return a script that sets ``pfSearch.name``."""
    return f"pfSearch.{name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Index the site after a build that came to its end, in the order of the book."""
    if error is not None or app.builder.format != "html":
        return
    root = app.config.root_doc
    order = [root, *reading_order(app.env.toctree_includes, root)]
    write(Path(app.outdir), [name for name in order if name in app.env.all_docs])


def reading_order(includes: dict[str, list[str]], name: str) -> list[str]:
    """Return the pages below a page, each before those below itself."""
    below = []
    for child in includes.get(name, []):
        below += [child, *reading_order(includes, child)]
    return below


def leave_out_sphinx_s(app: Sphinx) -> None:
    """Let Sphinx make no index of its own, which nothing would ask, but still the search page."""
    if app.builder.format == "html":
        vars(app.builder)["search"] = False
        app.config.html_additional_pages["search"] = "search.html"


def setup(app: Sphinx) -> None:
    """Index what was written, once it is tidied up."""
    app.connect("builder-inited", leave_out_sphinx_s)
    app.connect("build-finished", write_index, priority=850)
