"""MyST Markdown as a list of blocks: prose, code, and directives that may hold more of the same.

Only fences are parsed (backticks, tildes and colons, of any length, nested and indented); prose
stays the text that the author wrote, so that a portable notebook reads like the page.

Not handled, on purpose: indented code (four spaces), and a fence on the same line as a list mark.
What is missed shows up in `leftovers`, which fails the generator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

OPENING = re.compile(
    r"^(?P<prefix>(?:[ \t]*>[ ]?)*[ \t]*)(?P<fence>`{3,}|~{3,}|:{3,})(?P<info>.*)$"
)
DIRECTIVE = re.compile(r"^\{(?P<name>[^}\s]+)\}[ \t]*(?P<argument>.*)$")
OPTION = re.compile(r"^:(?P<key>[A-Za-z][\w-]*):[ \t]*(?P<value>.*)$")


class PageError(ValueError):
    """Something on a page that the generator cannot turn into plain Markdown."""

    def __init__(self, page: Path | str, line: int, problem: str) -> None:
        super().__init__(f"{page}:{line}: {problem}")


@dataclass(frozen=True)
class Prose:
    """Markdown outside every fence; `line` is where it starts on the page, from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class Code:
    """A fenced code block that is no directive, with its fences, exactly as written."""

    text: str
    line: int


@dataclass(frozen=True)
class Directive:
    """``:::{name} argument`` with its ``:key: value`` options and its body."""

    name: str
    argument: str
    options: dict[str, str]
    body: str
    line: int  # of the opening fence
    body_line: int  # of the first line of the body
    prefix: str = field(default="")  # indentation and quote marks before the fence


Block = Prose | Code | Directive


def parse(text: str, page: Path | str, line: int = 1) -> list[Block]:
    r"""Return the blocks of `text`, whose first line is line `line` of `page`.

    Raises `PageError` for a fence that is never closed and for a colon fence without a name.

    >>> parse("Hello.\n\n:::{note} Mind\nthe gap\n:::\n", "page.md")
    [Prose(text='Hello.\n', line=1), Directive(name='note', argument='Mind', options={}, body='the gap', line=3, body_line=4, prefix='')]
    """  # noqa: E501
    lines = text.split("\n")
    blocks: list[Block] = []
    prose_start = 0
    at = 0
    while at < len(lines):
        opening = OPENING.match(lines[at])
        if opening is None or not _opens(opening):
            at += 1
            continue
        if at > prose_start:
            blocks.append(Prose("\n".join(lines[prose_start:at]), line + prose_start))
        if opening["fence"][0] == ":" and not DIRECTIVE.match(opening["info"].strip()):
            problem = f"a colon fence needs a directive in braces; got {lines[at].strip()!r}"
            raise PageError(page, line + at, problem)
        end = _closing(lines, at, opening)
        if end is None:
            problem = f"the fence {lines[at].strip()!r} is never closed"
            raise PageError(page, line + at, problem)
        blocks.append(_fenced(lines, at, end, opening, page, line))
        at = prose_start = end + 1
    rest = "\n".join(lines[prose_start:])
    if rest.strip():
        blocks.append(Prose(rest, line + prose_start))
    return blocks


def _opens(opening: re.Match[str]) -> bool:
    # CommonMark: the info string of a backtick fence holds no backtick, so ```x``` is a code span.
    return not (opening["fence"][0] == "`" and "`" in opening["info"])


def _closing(lines: list[str], at: int, opening: re.Match[str]) -> int | None:
    mark, length = opening["fence"][0], len(opening["fence"])
    closing = re.compile(rf"^[ \t>]*{re.escape(mark)}{{{length},}}[ \t]*$")
    return next((i for i in range(at + 1, len(lines)) if closing.match(lines[i])), None)


def _fenced(
    lines: list[str], at: int, end: int, opening: re.Match[str], page: Path | str, line: int
) -> Block:
    prefix, info = opening["prefix"], opening["info"].strip()
    directive = DIRECTIVE.match(info)
    if directive is None:
        return Code("\n".join(lines[at : end + 1]), line + at)
    inner = [_without_prefix(one, prefix) for one in lines[at + 1 : end]]
    options, used = _options(inner, page, line + at + 1)
    body = inner[used:]
    while body and not body[0].strip():
        body, used = body[1:], used + 1
    return Directive(
        name=directive["name"],
        argument=directive["argument"].strip(),
        options=options,
        body="\n".join(body).rstrip(),
        line=line + at,
        body_line=line + at + 1 + used,
        prefix=prefix,
    )


def _without_prefix(line: str, prefix: str) -> str:
    if line.startswith(prefix):
        return line[len(prefix) :]
    return line.lstrip() if not line.strip(" \t>") or not prefix.strip() else line


def _options(inner: list[str], page: Path | str, line: int) -> tuple[dict[str, str], int]:
    """Return a directive's options and how many lines they took."""
    if inner and inner[0].strip() == "---":
        last = next((i for i in range(1, len(inner)) if inner[i].strip() == "---"), None)
        if last is None:
            raise PageError(page, line, "the options opened by --- are never closed")
        found = yaml.safe_load("\n".join(inner[1:last])) or {}
        return {str(key): str(value) for key, value in found.items()}, last + 1
    options: dict[str, str] = {}
    used = 0
    while used < len(inner) and (option := OPTION.match(inner[used])):
        options[option["key"]] = option["value"].strip()
        used += 1
    return options, used
