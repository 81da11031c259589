"""Reads a finished page as a searcher sees it: its sections, and boxes that answer by themselves.

A *section* here is whatever a hit may lead to: a section of the page, an exercise, a question with
its answer, a listing, an entry of a list of definitions. Each holds the text that stands in it and
in no smaller one. It is read from the page as it was written: so what is found is what stands
there, whichever extension wrote it. Left out: drawings, outputs of cells, references, and whatever
would give an answer away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import lxml.html

# What is read over, with all that it holds.
MUTE_TAGS = {"script", "style", "svg", "button", "nav", "noscript"}
MUTE = {
    "headerlink", "cell_output", "pf-widget", "pf-solution", "pf-answers", "pf-checks", "pf-facts",
    "pf-box-label", "citation-list", "linenos", "pf-checked", "pf-for-class", "pf-ask",
    "pf-mistakes",
}  # fmt: skip
TITLED = {"pf-qa", "pf-listing"}  # boxes that are a hit by themselves; their title has the id
HEADINGS = {"h1", "h2", "h3", "h4", "h5"}
FOLDED = {"Code", "Answer", "Deeper"}  # what a fold says while it is shut
LINES = {"p", "li", "dt", "dd", "tr", "div", "summary", "figcaption", "section", "details"}

DEFINED = re.compile(r"^\s*(?:def|class) (\w+)", re.MULTILINE)
# A formula as a line of text: what each piece of TeX becomes, in this order.
SPOKEN = [
    (re.compile(pattern), plain)
    for pattern, plain in [
        (r"\\sqrt\{?([^{}]*)\}?", r"√\1"),
        (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2"),
        (r"\\(?:text|math[a-z]+|operatorname|hat|bar|tilde|left|right|[bB]igg?|q?quad)\b", ""),
        (r"\\top\b", "T"),
        (r"\\infty\b", "∞"),
        (r"\\(?:cdot|times)\b", "·"),
        (r"\\leq?\b", "≤"),
        (r"\\geq?\b", "≥"),
        (r"\\(?:begin|end|tag|label)\{[^{}]*\}", ""),
        (r"\\([A-Za-z]+)", r"\1"),
        (r"\\[,;:!()\[\]\\ ]|[{}&\\]", ""),
    ]
]


@dataclass
class Section:
    """Something that a hit may lead to: where it is, what it is called, what it says.

    ``blocks`` are the paragraphs and lines of its text, ``code`` its code, ``names`` what its
    listings define. ``up`` is the title of the section around it, where there is one on the page.
    """

    anchor: str
    title: str
    up: str = ""
    listing: bool = False
    names: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)


def read_page(html: str) -> list[Section]:
    """Return the sections of a page, those with a title and a name to lead to, in reading order.

    >>> page = '<article><section id="a"><h1>A</h1><p>One <b>two</b>.</p><p>Three</p></section>'
    >>> read_page(page)  # doctest: +ELLIPSIS
    [Section(anchor='a', title='A', up='', listing=False, ...blocks=['One two.', 'Three'])]
    """
    found: list[Section] = []
    tree = lxml.html.fromstring(html)
    for formula in list(tree.iter("math")):
        _say(formula)
    for article in tree.xpath("descendant-or-self::article"):
        outside = Section("", "")
        _read(article, outside, found)
    return [each for each in found if each.anchor and each.title]


def _say(formula: Any) -> None:
    """Put a line of text in a formula's place; its TeX is the annotation in it."""
    [tex] = formula.xpath(".//annotation") or [formula]
    words, after = spoken(tex.text_content()), formula.tail
    formula.clear()
    formula.text, formula.tail = words, after


def _read(element: Any, within: Section, found: list[Section]) -> None:
    """Read what an element holds into the section it belongs to, or into one of its own."""
    line: list[str] = []
    _walk(element, within, found, line)
    _end(line, within)


def _walk(element: Any, within: Section, found: list[Section], line: list[str]) -> None:
    """Read on, the words of the unfinished line in ``line``."""
    if element.text:
        line.append(element.text)
    inside = within  # the entry of a list of definitions goes on behind its term
    for child in element:
        if isinstance(child.tag, str):
            inside = _child(child, within, inside, found, line)
        if child.tail:
            line.append(child.tail)


def _child(
    child: Any, within: Section, inside: Section, found: list[Section], line: list[str]
) -> Section:
    """Read one element; return the section that what follows it belongs to."""
    classes = set(child.get("class", "").split())
    if child.tag in MUTE_TAGS or classes & MUTE:
        return inside
    if child.tag == "pre":
        _end(line, inside)
        _keep_code(child.text_content(), inside)
    elif (made := _begin(child, classes, within)) is not None:
        _end(line, within)
        found.append(made)
        if child.tag == "dt":
            return made
        _read(child, made, found)
    elif child.tag in HEADINGS or (child.tag == "summary" and _title(child) == within.title):
        pass  # a title is no line of the text
    elif child.tag in LINES:
        _end(line, inside)
        _read(child, inside, found)
    else:
        _walk(child, inside, found, line)
    return inside


def _begin(element: Any, classes: set[str], within: Section) -> Section | None:
    """Return the section that an element begins, if it does."""
    up, name = within.title, element.get("id", "")
    if element.tag == "section" and name:
        heading = next(iter(element.xpath("./h1|./h2|./h3|./h4|./details/summary/*[1]")), None)
        return Section(name, "" if heading is None else _title(heading), up)
    if element.tag == "dt" and name:
        return Section(name, _title(element), up)
    if "pf-exercise" in classes and name:
        return Section(name, _title(element[0]), up)
    if classes & TITLED and len(element):
        made = Section(element[0].get("id", ""), _title(element[0]), up)
        if "pf-listing" in classes:
            made.listing = True
            made.names = DEFINED.findall(element.text_content())
        return made
    return None


def _title(element: Any) -> str:
    """Return a heading's words, without the marks that are drawn beside it."""
    muted = element.xpath(".//*[contains(@class, 'headerlink') or contains(@class, 'box-label')]")
    text = element.text_content()
    for each in muted:
        text = text.replace(each.text_content(), "", 1)
    return " ".join(text.split())


def _keep_code(code: str, within: Section) -> None:
    """Keep the code of a section; the code of an exercise names what it asks for."""
    within.code.append(code)
    if within.title.startswith("Exercise "):
        within.names += DEFINED.findall(code)


def _end(line: list[str], within: Section) -> None:
    """End a line of text."""
    text = " ".join("".join(line).split())
    line.clear()
    if text and text not in FOLDED:
        within.blocks.append(text)


def spoken(formula: str) -> str:
    r"""Return TeX as a line of text; other text stays as it is.

    >>> spoken("\\(\\frac{QK^\\top}{\\sqrt{d_k}}\\)")
    'QK^T/√d_k'
    """
    for pattern, plain in SPOKEN:
        formula = pattern.sub(plain, formula)
    return formula
