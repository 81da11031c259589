"""The glossary: each term once, in one sentence, and a link to it from its first use on every page.

``book/appendix/glossary.yml`` holds the terms. ``{glossary-terms}`` lists them on a page, and on
every other page the first use of each becomes a link, which ``terms.js`` lets show its definition
where it stands. Without scripts the link leads to the list.

First use means: in Read, or in what Read folds if Read does not use the term. Left alone are
headings, links, code and formulas, and boxes in which a link would be in the way; and the pages or
parts in an entry's `not_on`, where its word has another sense.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from .boxes import box, box_title
from .views import fold

FILE = "book/appendix/glossary.yml"
PAGE = "book/appendix/glossary"
DATA = "glossary.js"
LEFT_ALONE = (
    nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
    nodes.raw, nodes.caption, nodes.rubric, nodes.term, nodes.citation, nodes.Invisible,
    addnodes.pending_xref, addnodes.download_reference, box_title,
)  # fmt: skip
BUSY = {"question", "answers", "next"}  # their text becomes buttons, or leads to one place alone
BEFORE, AFTER = r"(?<![^\s(\[“‘])", r"(?=$|\s|[.,;:!?)\]”…]|’(?!\w))"


class GlossaryError(ValueError):
    """A term that stands twice, or lacks what it needs."""


@dataclass(frozen=True)
class Term:
    """A term: the words that are linked to it, its one sentence, the chapter that teaches it."""

    name: str
    says: str
    page: str
    also: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()

    def is_meant_on(self, page: str) -> bool:
        """False where its word has another sense.

        >>> term = Term("gate", "…", "blocks/feed_forward", not_on=("inputs", "decoding/search"))
        >>> pages = "inputs/tokenization", "decoding/search", "decoding/sampling"
        >>> [term.is_meant_on(f"book/{page}") for page in pages]
        [False, False, True]
        """
        return not any(f"{page}/".startswith(f"book/{place}/") for place in self.not_on)

    @property
    def anchor(self) -> str:
        """The id of its entry.

        >>> Term("KV cache", "…", "attention/efficient").anchor
        'term-kv-cache'
        """
        return "term-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def forms(self) -> list[str]:
        """The words by which a text may name it: its name and the others, and their plurals."""
        return [form for name in (self.name, *self.also) for form in (name, plural(name))]


def plural(name: str) -> str:
    """Return the plural of a term.

    >>> [plural(name) for name in ("query", "batch", "KV cache", "key")]
    ['queries', 'batches', 'KV caches', 'keys']
    """
    if re.search(r"[^aeiou]y$", name):
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")


def load(source: Path) -> list[Term]:
    """Read the terms of the project at `source`, by the alphabet; none where it has no file.

    Raises `GlossaryError` where an entry lacks a field, says more or less than one sentence, or
    two terms share a word.
    """
    path = source / FILE
    if not path.is_file():
        return []
    terms, owners = [], dict[str, str]()
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        missing = {"term", "says", "page"} - entry.keys()
        if missing:
            raise GlossaryError(f"{path.name}: {entry} lacks {', '.join(sorted(missing))}")
        lists = {name: tuple(entry.get(name, ())) for name in ("also", "not_on")}
        term = Term(entry["term"], entry["says"], entry["page"], **lists)
        if not term.says.endswith(".") or re.search(r"\. (?=[A-Z])", term.says):
            raise GlossaryError(
                f"{path.name}: {term.name} is told in one sentence, with a full stop"
            )
        for form in {form.lower() for form in term.forms}:
            if form in owners:
                raise GlossaryError(f"{path.name}: {form!r} is {owners[form]!r} and {term.name!r}")
            owners[form] = term.name
        terms.append(term)
    return sorted(terms, key=lambda term: term.name.lower())


class Finder:
    """Finds the terms in a text, the longest first."""

    def __init__(self, terms: list[Term]) -> None:
        self.by_form = {form: term for term in terms for form in term.forms}
        longest_first = sorted(self.by_form, key=len, reverse=True)
        self.pattern = re.compile(
            BEFORE + "(" + "|".join(map(either_case, longest_first)) + ")" + AFTER
        )

    def find(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Yield where each use begins and ends, and the term.

        >>> [term.name for *_, term in Finder([Term("key", "…", "")]).find("Keys (a key), key's")]
        ['key', 'key']
        """
        for match in self.pattern.finditer(text):
            words = " ".join(match[0].split())
            term = self.by_form.get(words) or self.by_form[words[0].lower() + words[1:]]
            yield match.start(), match.end(), term


def either_case(form: str) -> str:
    """Return the pattern of some words, of which the first may begin a sentence."""
    first = form[0]
    begin = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
    return begin + r"\s+".join(map(re.escape, form[1:].split(" ")))


class Link(SphinxPostTransform):
    """Turn first uses into links, when all else on the page stands (`views` folds at 320)."""

    default_priority = 330
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the page's tree in place."""
        page = self.env.docname
        if page == PAGE or PAGE not in self.env.found_docs:
            return
        terms = load(Path(self.env.srcdir))
        finder = Finder([term for term in terms if term.is_meant_on(page)])
        address = self.app.builder.get_relative_uri(page, PAGE)
        linked = set[str]()
        texts = [text for text in self.document.findall(nodes.Text) if may_link(text)]
        for text in sorted(texts, key=is_folded):  # the others keep their order
            put_links(text, finder, linked, address)


def may_link(text: nodes.Text) -> bool:
    """True for text in which a link may stand."""
    parent = text.parent
    if parent is None:  # the code of a listing
        return False
    while parent is not None:
        if isinstance(parent, LEFT_ALONE) or "pf-claims" in parent.get("classes", ()):
            return False
        if isinstance(parent, box) and parent["kind"] in BUSY:
            return False
        parent = parent.parent
    return True


def is_folded(text: nodes.Text) -> bool:
    """True for text that Read does not show."""
    parent = text.parent
    while parent is not None:
        if isinstance(parent, fold) or (isinstance(parent, box) and parent["folded"]):
            return True
        parent = parent.parent
    return False


def put_links(text: nodes.Text, finder: Finder, linked: set[str], address: str) -> None:
    """Replace a text by itself with links in it to terms that are not `linked` yet."""
    plain, end = str(text), 0
    pieces: list[nodes.Node] = []
    for start, stop, term in finder.find(plain):
        if term.anchor in linked:
            continue
        linked.add(term.anchor)
        words = plain[start:stop]
        to = f"{address}#{term.anchor}"
        pieces += [nodes.Text(plain[end:start])] if start > end else []
        pieces.append(nodes.reference("", words, refuri=to, internal=True, classes=["pf-term"]))
        end = stop
    if pieces:
        pieces += [nodes.Text(plain[end:])] if plain[end:] else []
        siblings = text.parent.children
        place = next(at for at, each in enumerate(siblings) if each is text)  # others may be equal
        text.parent[place : place + 1] = pieces


class GlossaryTerms(SphinxDirective):
    """``{glossary-terms}``: all of them, each with a link to the chapter that teaches it."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        self.env.note_dependency(str(Path(self.env.srcdir, FILE)))
        listed = nodes.definition_list(classes=["pf-glossary"])
        for term in load(Path(self.env.srcdir)):
            name = nodes.term("", term.name, ids=[term.anchor])
            taught, messages = self.parse_inline(f"[](/book/{term.page})")
            says = nodes.paragraph("", f"{term.says} ", nodes.inline("", "→ "), *taught)
            listed += nodes.definition_list_item("", name, nodes.definition("", says, *messages))
        return [listed]


def write(source: Path, folder: Path) -> None:
    """Write into `folder` the script that hands the definitions to ``terms.js``."""
    terms = {term.anchor: [term.name, term.says] for term in load(source)}
    text = f"window.pfGlossary = {json.dumps(terms, ensure_ascii=False, separators=(',', ':'))};\n"
    file = folder / DATA
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the directive and what links to its list."""
    app.add_directive("glossary-terms", GlossaryTerms)
    app.add_post_transform(Link)
