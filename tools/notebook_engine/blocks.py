"""A page as blocks: directives, and everything else with the tokens of the book's own parser.

The parser is MyST's, with the extensions that `_config.yml` asks for; so what is a directive here
is one on the page. A directive's body is text, which is parsed in its turn. All other blocks keep
the text that the author wrote, so that a portable notebook reads like the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

CONFIG = Path(__file__).resolve().parents[2] / "_config.yml"
EXTENSIONS = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["parse"]["myst_enable_extensions"]
# Typographic quotes are the book's; a notebook keeps the author's.
PARSER = create_md_parser(
    MdParserConfig(enable_extensions=set(EXTENSIONS) - {"smartquotes"}), RendererHTML
).disable("text_join")  # which would drop the backslash of an escape

DIRECTIVE = re.compile(r"\{(?P<name>[^}\s]+)\}[ \t]*(?P<argument>.*)")
OPTION = re.compile(r":(?P<key>[A-Za-z][\w-]*):[ \t]*(?P<value>.*)")


class PageError(ValueError):
    """Something on a page that the generator cannot turn into plain Markdown."""

    def __init__(self, page: Path | str, line: int, problem: str) -> None:
        super().__init__(f"{page}:{line}: {problem}")


@dataclass(frozen=True)
class Prose:
    """A paragraph, a list, a code block …: its kind (as the parser calls it), text and tokens."""

    kind: str
    text: str
    line: int  # of its first line on the page, from 1
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Directive:
    """``:::{name} argument`` with its ``:key: value`` options and its body."""

    name: str
    argument: str
    options: dict[str, str]
    body: str
    line: int  # of the opening fence
    body_line: int  # of the first line of the body


Block = Prose | Directive


def parse(text: str, page: Path | str, line: int = 1) -> list[Block]:
    r"""Return the blocks of `text`, whose first line is line `line` of `page`.

    Raises `PageError` for a fence that is never closed.

    >>> parse(":::{note} Mind\n:class: dropdown\nthe gap\n:::\n", "page.md")
    [Directive(name='note', argument='Mind', options={'class': 'dropdown'}, body='the gap', line=1, body_line=3)]
    >>> [(block.kind, block.line) for block in parse("# Title\n\nA line.\n", "page.md")]
    [('heading', 1), ('paragraph', 3)]
    """  # noqa: E501
    lines = text.split("\n")
    blocks: list[Block] = []
    group: list[Token] = []
    for token in PARSER.parse(text):
        group.append(token)
        if token.level or token.nesting == 1:
            continue  # the block goes on until its outermost token closes
        first, start = group[0], 0
        if first.map is not None:
            start, end = first.map
            if first.type in ("fence", "colon_fence") and not _closed(first, lines[start:end]):
                problem = f"the fence {lines[start].strip()!r} is never closed"
                raise PageError(page, line + start, problem)
            found = as_directive(first, page, line + start)
            written = "\n".join(lines[start:end]).rstrip()
            kind = first.type.removesuffix("_open")
            blocks.append(found or Prose(kind, written, line + start, tuple(group)))
        group = []
    return blocks


def as_directive(token: Token, page: Path | str, line: int) -> Directive | None:
    """Return the directive that a fence is; None for any other token, and for a fence of code."""
    found = DIRECTIVE.fullmatch(token.info.strip())
    if token.type not in ("fence", "colon_fence") or found is None:
        if token.type == "colon_fence":
            raise PageError(page, line, f"a colon fence needs a name in braces; got {token.info!r}")
        return None
    body, options, used = token.content.split("\n"), {}, 0
    while used < len(body) and (option := OPTION.fullmatch(body[used])):
        options[option["key"]] = option["value"].strip()
        used += 1
    while used < len(body) and not body[used].strip():
        used += 1
    if body[used:] and body[used].strip() == "---":
        raise PageError(page, line, "options stand one a line, as :key: value, not between ---")
    rest = "\n".join(body[used:]).rstrip()
    return Directive(found["name"], found["argument"].strip(), options, rest, line, line + 1 + used)


def _closed(fence: Token, lines: list[str]) -> bool:
    # CommonMark closes an open fence where the text ends, and so would hide a slip.
    last = lines[-1].strip()
    return len(lines) > 1 and last.startswith(fence.markup) and not last.strip(fence.markup[0])
