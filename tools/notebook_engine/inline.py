"""What stands inside a paragraph: roles, links, citations, footnotes and mathematics.

One scanner walks the text from left to right, so that what stands in a code span or between
dollars is never mistaken for MyST. What a role or a link means is asked of a `Speaker`.
"""

from __future__ import annotations

import re
from typing import Protocol

TOKEN = re.compile(
    r"""
    (?P<escape>\\.)
  | \{(?P<role>[A-Za-z][\w:.+-]*)\}(?P<role_ticks>`+)
  | (?P<ticks>`+)
  | (?P<comment><!--.*?-->)
  | \$\$(?P<display>.+?)\$\$(?:[ \t]*\((?P<label>[\w:.-]+)\))?
  | (?P<math>\$(?![\s$])(?:\\.|[^\\$])+?(?<!\s)\$(?!\d))
  | \[\^(?P<footnote>[^\]\s]+)\]
  | (?P<bang>!?)\[(?P<text>(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]
    \(\s*(?:<(?P<angle>[^>]*)>|(?P<dest>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*))
    (?:\s+["'](?P<title>[^"']*)["'])?\s*\)
    (?P<attributes>\{[^}`\n]*\}(?!`))?
  | <(?P<project>(?:project|path):[^>\s]*)>
  | (?P<span>\[(?P<span_text>[^\[\]]*)\](?P<span_attributes>\{[^}`\n]*\}(?!`)))
    """,
    re.VERBOSE | re.DOTALL,
)


class Speaker(Protocol):
    """Knows what each inline thing becomes; the position is an offset into the scanned text."""

    def role(self, name: str, content: str, at: int) -> str:
        """Return plain Markdown for a role."""

    def link(self, text: str, destination: str, at: int) -> str:
        """Return plain Markdown for a link whose text is already plain (or empty)."""

    def image(self, alt: str, destination: str, at: int) -> str:
        """Return plain Markdown for an image."""

    def footnote(self, name: str, at: int) -> str:
        """Return the mark of a footnote."""

    def equation(self, tex: str, label: str, at: int) -> str:
        """Return a displayed equation."""


def plain(text: str, speaker: Speaker, at: int = 0) -> str:
    """Return `text` with everything inline that is MyST's own turned into plain Markdown."""
    out: list[str] = []
    position = 0
    while found := TOKEN.search(text, position):
        out.append(text[position : found.start()])
        piece, position = _one(text, found, speaker, at + found.start())
        out.append(piece)
    out.append(text[position:])
    return "".join(out)


def _one(text: str, found: re.Match[str], speaker: Speaker, at: int) -> tuple[str, int]:
    """Return what one match becomes and where the scan goes on."""
    if found["role"] is not None:
        end = _closing_ticks(text, found.end(), len(found["role_ticks"]))
        if end is None:
            return found[0], found.end()
        content = text[found.end() : end - len(found["role_ticks"])]
        return speaker.role(found["role"], " ".join(content.split()), at), end
    if found["ticks"] is not None:
        end = _closing_ticks(text, found.end(), len(found["ticks"])) or found.end()
        return text[found.start() : end], end
    if found["comment"] is not None:
        return "", found.end()
    if found["display"] is not None:
        return speaker.equation(found["display"], found["label"] or "", at), found.end()
    if found["footnote"] is not None:
        return speaker.footnote(found["footnote"], at), found.end()
    if found["project"] is not None:
        return speaker.link("", found["project"], at), found.end()
    if found["span"] is not None:
        return plain(found["span_text"], speaker, at + 1), found.end()
    if found["text"] is not None:
        destination = found["angle"] if found["angle"] is not None else found["dest"]
        if found["bang"]:
            return speaker.image(found["text"], destination, at), found.end()
        return speaker.link(plain(found["text"], speaker, at + 1), destination, at), found.end()
    return found[0], found.end()  # an escape, or mathematics between dollars


def _closing_ticks(text: str, start: int, length: int) -> int | None:
    for run in re.finditer(r"`+", text[start:]):
        if len(run[0]) == length:
            return start + run.end()
        if "\n\n" in text[start : start + run.start()]:
            return None
    return None


def one_line_math(tex: str, tag: str = "") -> str:
    r"""Return a displayed equation on one line, which survives a quote in every notebook.

    (Jupyter takes mathematics out before it reads Markdown, quote marks included.)

    >>> one_line_math("a &= b \\\\\n  &= c  % because", "2")
    '$$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} \\tag{2} $$'
    """
    tex = re.sub(r"(?<!\\)%.*", "", tex)
    tex = re.sub(r"\\label\{[^}]*\}", "", tex)
    tex = " ".join(tex.split())
    whole = re.fullmatch(r"\\begin\{(equation|align|gather)\*?\}(.*)\\end\{\1\*?\}", tex)
    if whole:
        inner = {"equation": "", "align": "aligned", "gather": "gathered"}[whole[1]]
        tex = whole[2].strip()
        if inner:
            tex = rf"\begin{{{inner}}} {tex} \end{{{inner}}}"
    elif re.search(r"(?<!\\)&|\\\\", re.sub(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", "", tex)):
        tex = rf"\begin{{aligned}} {tex} \end{{aligned}}"
    return f"$$ {tex} \\tag{{{tag}}} $$" if tag else f"$$ {tex} $$"


LEFTOVERS = (
    (re.compile(r":{3,}"), "a colon fence"),
    (re.compile(r"\{[A-Za-z][\w:.+-]*\}`"), "a role"),
    (re.compile(r"(?:`{3,}|~{3,})\s*\{"), "a directive"),
    (re.compile(r"^[ \t>]*\([\w:.-]+\)=[ \t]*$", re.MULTILINE), "a target"),
    (re.compile(r"\[\^[^\]\s]+\]"), "a footnote"),
    (re.compile(r"^[ \t>]*:[A-Za-z][\w-]*:(?:[ \t]|$)", re.MULTILINE), "an option or a field"),
    (re.compile(r"^[ \t>]*\{[.#][^}\n]*\}[ \t]*$", re.MULTILINE), "a block attribute"),
    (re.compile(r"^[ \t]*%[ \t]", re.MULTILINE), "a comment"),
    (re.compile(r"<(?:project|path|inv|doc):"), "a project link"),
)
FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,})(?!.*`)[^\n{]*\n.*?^[ \t>]*\1[`~]*[ \t]*$", re.M | re.S)
SPAN = re.compile(r"(\{[A-Za-z][\w:.+-]*\})?(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\2(?!`)", re.DOTALL)


def leftovers(markdown: str) -> list[tuple[str, str]]:
    """Return what MyST is left in plain Markdown, each with its text; code is not looked at.

    >>> leftovers("See {ref}`here` and `{ref}`.")
    [('a role', '{ref}`')]
    """
    text = SPAN.sub(lambda span: span[0] if span[1] else "", FENCED.sub("", markdown))
    return [(what, found[0].strip()) for rule, what in LEFTOVERS for found in rule.finditer(text)]
