"""A docstring as nodes: its text, what goes in and comes out, its errors, its source, an example.

The package's docstrings name these ``Args:``, ``Returns:``, ``Raises:``, ``Source:`` and so on, and
end with an example that the tests run. Code stands in backticks; nothing else is markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from docutils import nodes

HEADS = ("Args", "Attributes", "Returns", "Yields", "Raises", "Source", "Cost", "Memory", "But")
HEAD = re.compile(rf"({'|'.join(HEADS)}):(.*)")
ITEM = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.+)")
ITEMS = {"Args", "Attributes", "Raises"}


@dataclass(frozen=True)
class Block:
    """A piece of a docstring: `head` is one of `HEADS`, "example", or "" for plain text."""

    head: str
    lines: list[str]


def read(doc: str) -> list[Block]:
    """Return the pieces of a docstring, in order.

    >>> [block.head for block in read("Do.\\n\\nArgs:\\n    x: it.\\n\\n>>> 1\\n1\\n")]
    ['', 'Args', 'example']
    """
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", doc.strip("\n")):
        lines = paragraph.split("\n")
        if not paragraph:  # no docstring
            continue
        head = HEAD.match(lines[0])
        if lines[0].startswith(">>>"):
            blocks.append(Block("example", lines))
        elif head:
            blocks.append(Block(head[1], [head[2].strip(), *lines[1:]]))
        elif lines[0].startswith("    ") and blocks and blocks[-1].head in HEADS:
            blocks[-1].lines.extend(lines)  # the head goes on after an empty line
        elif blocks and blocks[-1].head == "example":
            blocks[-1].lines.extend(["", *lines])
        else:
            blocks.append(Block("", lines))
    return blocks


def items(lines: list[str]) -> list[tuple[str, str]]:
    """Return what is said of each argument; lines that are set in further go on with the one above.

    >>> items(["", "    x: (T,) scores,", "        any.", "    a, b: whole."])
    [('x', '(T,) scores, any.'), ('a, b', 'whole.')]
    """
    found: list[list[str]] = []
    for line in lines:
        match = ITEM.match(line.strip()) if re.match(r" {4}\S", line) else None
        if match:
            found.append([match[1], match[2]])
        elif found and line.strip():
            found[-1][1] += f" {line.strip()}"
    return [(name, said) for name, said in found]


def inline(text: str) -> list[nodes.Node]:
    """Return a text whose code, in one backtick or two, is literal.

    >>> [node.tagname for node in inline("See `softmax`, ``x``.")]
    ['#text', 'literal', '#text', 'literal', '#text']
    """
    pieces = re.split(r"(``.+?``|`.+?`)", " ".join(text.split()))
    return [
        nodes.literal("", piece.strip("`")) if piece.startswith("`") else nodes.Text(piece)
        for piece in pieces
        if piece
    ]


def as_nodes(doc: str) -> list[nodes.Node]:
    """Return a docstring as nodes."""
    made: list[nodes.Node] = []
    for block in read(doc):
        if block.head == "example":
            code = "\n".join(block.lines).rstrip()
            made.append(nodes.literal_block(code, code, language="pycon"))
        elif block.head:
            made.append(facts(block))
        elif any(re.match(r"\s*[-*] ", line) for line in block.lines):
            made.append(bullets(block.lines))
        else:
            made.append(nodes.paragraph("", "", *inline(" ".join(block.lines))))
    return made


def bullets(lines: list[str]) -> nodes.bullet_list:
    """Return a list; a line without its own dash goes on with the one above."""
    found: list[str] = []
    for line in lines:
        match = re.match(r"\s*[-*] (.*)", line)
        if match or not found:
            found.append(match[1] if match else line)
        else:
            found[-1] += f" {line.strip()}"
    listed = nodes.bullet_list(bullet="-")
    for each in found:
        listed += nodes.list_item("", nodes.paragraph("", "", *inline(each)))
    return listed


def facts(block: Block) -> nodes.definition_list:
    """Return a head with what it holds: one text, or an entry for each argument."""
    found = items(block.lines) if block.head in ITEMS else []
    if found:
        inner: nodes.Element = nodes.definition_list(classes=["pf-arguments"])
        for name, said in found:
            names: list[nodes.Node] = []
            for number, each in enumerate(name.split(", ")):
                names += [nodes.Text(", ")] if number else []
                names.append(nodes.literal("", each))
            told = nodes.definition("", nodes.paragraph("", "", *inline(said)))
            inner += nodes.definition_list_item("", nodes.term("", "", *names), told)
    else:
        inner = nodes.paragraph("", "", *inline(" ".join(block.lines)))
    term, told = nodes.term("", block.head), nodes.definition("", inner)
    item = nodes.definition_list_item("", term, told)
    return nodes.definition_list("", item, classes=["pf-facts", "pf-signature"])
