"""Boxes and folds: a quote with a bold title, or `<details>`, which every notebook shows."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt

from book_engine.boxes import KINDS

INLINE = MarkdownIt("commonmark")


@dataclass(frozen=True)
class Box:
    """How one kind of box looks in a notebook."""

    label: str
    folded: bool = False
    titled: bool = False  # its argument is the title itself, not a claim beside the label
    facts: tuple[tuple[str, str], ...] = ()  # option, its label


BOXES: dict[str, Box] = {
    kind.name: Box(kind.label, kind.folded, False, kind.options) for kind in KINDS
} | {
    "note": Box("Note"), "tip": Box("Tip"), "hint": Box("Hint"), "important": Box("Important"),
    "warning": Box("Warning"), "caution": Box("Caution"), "attention": Box("Attention"),
    "danger": Box("Danger"), "error": Box("Error"), "seealso": Box("See also"),
    "admonition": Box("Note", titled=True), "margin": Box("Aside", titled=True),
    "sidebar": Box("Aside", titled=True), "topic": Box("Aside", titled=True),
    "card": Box("", titled=True), "grid-item-card": Box("", titled=True),
    "dropdown": Box("More", folded=True, titled=True),
    "toggle": Box("More", folded=True, titled=True),
}  # fmt: skip
BARE = {"epigraph", "pull-quote", "highlights"}  # quotes that carry no title


def quote(markdown: str) -> str:
    r"""Return `markdown` as a quote.

    >>> quote("**Note**\n\nMind the gap.")
    '> **Note**\n>\n> Mind the gap.'
    """
    return "\n".join(f"> {line}" if line.strip() else ">" for line in markdown.split("\n"))


def fold(summary: str, markdown: str, *, open_: bool = False) -> str:
    r"""Return `markdown` folded away below `summary`, whose inline Markdown becomes HTML.

    >>> print(fold("Why `a`?", "Because."))
    <details>
    <summary><b>Why <code>a</code>?</b></summary>
    <BLANKLINE>
    Because.
    <BLANKLINE>
    </details>
    """
    opening = "<details open>" if open_ else "<details>"
    title = INLINE.renderInline(summary)
    return f"{opening}\n<summary><b>{title}</b></summary>\n\n{markdown}\n\n</details>"


def title_of(box: Box, argument: str) -> str:
    """Return the line that names a box.

    >>> title_of(Box("Q&A"), "Why bytes?"), title_of(Box("Note", titled=True), "Mind")
    ('Q&A: Why bytes?', 'Mind')
    """
    if not argument or box.titled:
        return argument or box.label
    return f"{box.label}: {argument}"
