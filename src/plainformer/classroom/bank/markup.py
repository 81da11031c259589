"""Text as elements that QTI and HTML have in common: p, pre, code, em and br."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

from plainformer.classroom.bank.questions import Block, Option

__all__ = ["add_blocks", "add_option", "add_rich", "legal"]

RICH = re.compile(r"(`[^`]+`|(?<![\w*])\*[^*\s][^*]*\*(?![\w*]))")
ILLEGAL = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    r"""Text with every character that XML does not allow replaced by U+FFFD.

    >>> legal("a\x00b\r\nc") == "a\ufffdb\nc"
    True
    """
    return ILLEGAL.sub("\ufffd", text.replace("\r\n", "\n"))


def add_rich(parent: Element, text: str) -> None:
    """Add a paragraph's text to an element, with its `code`, its *emphasis* and its line breaks.

    >>> from xml.etree.ElementTree import tostring
    >>> parent = Element("p")
    >>> add_rich(parent, "Is `a < b`, *always*?")
    >>> tostring(parent, "unicode")
    '<p>Is <code>a &lt; b</code>, <em>always</em>?</p>'
    """
    for i, part in enumerate(RICH.split(legal(text))):
        if i % 2:
            SubElement(parent, "code" if part[0] == "`" else "em").text = part[1:-1]
            continue
        first, *others = part.split("\n")
        _append(parent, first)
        for line in others:
            SubElement(parent, "br").tail = line


def add_blocks(parent: Element, blocks: Iterable[Block]) -> None:
    """Add paragraphs and code to an element."""
    for block in blocks:
        if block.code:
            SubElement(parent, "pre").text = legal(block.text)
        else:
            add_rich(SubElement(parent, "p"), block.text)


def add_option(parent: Element, option: Option) -> None:
    """Add the code of an option, and before it what says which line it is."""
    if option.label:
        _append(parent, f"{option.label}: ")
    kind = "pre" if "\n" in option.code else "code"
    SubElement(parent, kind).text = legal(option.code)


def _append(parent: Element, text: str) -> None:
    """Add text after what an element already holds."""
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
