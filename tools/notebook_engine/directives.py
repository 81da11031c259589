"""What each directive becomes in a portable notebook. One that is not here is an error."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .blocks import Directive
from .boxes import BARE, BOXES, fold, quote, title_of
from .index import exercise_title
from .inline import one_line_math
from .sources import piece

if TYPE_CHECKING:
    from .render import Renderer

Handler = Callable[["Renderer", Directive], str]
SOLUTIONS = "src/plainformer/exercises"
RUNS = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


def box(renderer: Renderer, block: Directive) -> str:
    """A quote with a bold title; a fold in a quote, so that one sees where it ends."""
    kind = BOXES[block.name]
    title = renderer.inline(title_of(kind, block.argument), block.line)
    if title == renderer.heading and not kind.folded:
        title = ""  # the heading just above says it
    facts = [
        f"**{label}:** {renderer.inline(block.options[option], block.line)}"
        for option, label in kind.facts
        if label and option in block.options
    ]
    listed = facts[0] if len(facts) == 1 else "\n".join(f"* {fact}" for fact in facts)
    renderer.depth += 1
    body = "\n\n".join(filter(None, [renderer.markdown(block.body, block.body_line), listed]))
    renderer.depth -= 1
    folded = kind.folded or "dropdown" in block.options.get("class", "").split()
    if folded:
        folded_away = fold(title, body, open_="open" in block.options)
        return folded_away if renderer.depth else quote(folded_away)
    return quote(f"**{title}**\n\n{body}" if title else body)


def bare_quote(renderer: Renderer, block: Directive) -> str:
    """A quote without a title."""
    return quote(renderer.markdown(block.body, block.body_line))


def content(renderer: Renderer, block: Directive) -> str:
    """The body alone: the directive only laid it out."""
    return renderer.markdown(block.body, block.body_line)


def nothing(renderer: Renderer, block: Directive) -> str:
    """Nothing: solutions, lists of contents, index entries."""
    return ""


def exercise(renderer: Renderer, block: Directive) -> str:
    """A heading and the prompt."""
    title = renderer.inline(exercise_title(renderer.page.numbers[block.line]), block.line)
    marks = "#" * (2 if renderer.sheet else min(renderer.level + 1, 6))
    body = renderer.markdown(block.body, block.body_line)
    return f"{marks} {title}\n\n{body}".rstrip()


def literalinclude(renderer: Renderer, block: Directive) -> str:
    """The very source, as a code block, and the name of its file."""
    root = renderer.book.root
    folder = root if block.argument.startswith("/") else renderer.page.path.parent
    path = (folder / block.argument.lstrip("/")).resolve()
    shown = path.relative_to(root.resolve()).as_posix()
    if shown.startswith(SOLUTIONS):
        raise renderer.error(block.line, f"{shown} holds solutions; show it in {{solution}} only")
    try:
        source = piece(path, block.options)
    except ValueError as problem:
        raise renderer.error(block.line, f"{shown}: {problem}") from problem
    language = block.options.get("language", "python" if path.suffix == ".py" else "")
    caption = renderer.inline(block.options.get("caption", ""), block.line)
    what = f"`{block.options['pyobject']}` in " if "pyobject" in block.options else ""
    origin = f"*{caption}* ({what}`{shown}`)" if caption else f"*{what}`{shown}`*"
    return f"{fenced(source, language)}\n\n{origin}"


def fenced(source: str, language: str) -> str:
    """Return source between fences that are longer than any inside it."""
    marks = "`" * max(3, 1 + max((len(run) for run in re.findall("`{3,}", source)), default=0))
    return f"{marks}{language}\n{source}\n{marks}"


def code_block(renderer: Renderer, block: Directive) -> str:
    """A code block without its book-only options."""
    language = block.argument or ("python" if block.name == "doctest" else "")
    caption = renderer.inline(block.options.get("caption", ""), block.line)
    return (f"*{caption}*\n\n" if caption else "") + fenced(block.body, language)


def math(renderer: Renderer, block: Directive) -> str:
    """A displayed equation, numbered where it has a label."""
    label = block.options.get("label") or block.options.get("name") or ""
    tag = str(renderer.page.labels[label].number) if label else ""
    return one_line_math("\n".join(filter(None, [block.argument, block.body])), tag)


def image(renderer: Renderer, block: Directive) -> str:
    """A picture, which comes along as an attachment."""
    return renderer.image(block.options.get("alt", ""), block.argument, block.line)


def figure(renderer: Renderer, block: Directive) -> str:
    """A picture with its number and caption."""
    caption = renderer.markdown(block.body, block.body_line)
    number = renderer.page.numbers[block.line].number
    return f"{image(renderer, block)}\n\n**Figure {number}.** {caption}".rstrip()


def figure_md(renderer: Renderer, block: Directive) -> str:
    """A figure whose picture stands in its body."""
    picture, _, caption = renderer.markdown(block.body, block.body_line).partition("\n\n")
    number = renderer.page.numbers[block.line].number
    return f"{picture}\n\n**Figure {number}.** {caption}".rstrip()


def raw(renderer: Renderer, block: Directive) -> str:
    """HTML without what a notebook would not run; other formats are for other readers."""
    if block.argument != "html":
        return ""
    if "<svg" in block.body:
        problem = "notebooks drop inline SVG; make it a {figure}, or draw it in a cell"
        raise renderer.error(block.line, problem)
    return re.sub(r"\n\s*\n", "\n", RUNS.sub("", block.body)).strip()


def tab_item(renderer: Renderer, block: Directive) -> str:
    """One tab under a heading of its own."""
    title = renderer.inline(block.argument, block.line)
    level = renderer.level
    renderer.level = min(level + 1, 6)
    text = f"{'#' * renderer.level} {title}\n\n{content(renderer, block)}"
    renderer.level = level
    return text


def rubric(renderer: Renderer, block: Directive) -> str:
    """A line in bold."""
    return f"**{renderer.inline(block.argument, block.line)}**"


def table(renderer: Renderer, block: Directive) -> str:
    """A table under its caption."""
    return captioned(renderer, block, content(renderer, block))


def list_table(renderer: Renderer, block: Directive) -> str:
    """A table written as a list of lists."""
    rows: list[list[str]] = []
    for number, line in enumerate(block.body.split("\n")):
        row, cell = re.match(r"^[*-] +[*-]( .*|$)", line), re.match(r"^ +[*-]( .*|$)", line)
        if row:
            rows.append([row[1].strip()])
        elif cell and rows:
            rows[-1].append(cell[1].strip())
        elif line.strip() and rows:
            rows[-1][-1] += f" {line.strip()}"
        elif line.strip():
            raise renderer.error(block.body_line + number, "a list-table starts with '* - '")
    return grid(renderer, block, rows)


def csv_table(renderer: Renderer, block: Directive) -> str:
    """A table written as comma-separated values."""
    rows = list(csv.reader(block.body.splitlines(), skipinitialspace=True))
    if "header" in block.options:
        rows = [*csv.reader([block.options["header"]], skipinitialspace=True), *rows]
        block.options["header-rows"] = "1"
    return grid(renderer, block, rows)


def grid(renderer: Renderer, block: Directive, rows: list[list[str]]) -> str:
    """Return rows as a pipe table, whose first row is its head."""
    if not rows or len({len(row) for row in rows}) != 1:
        raise renderer.error(block.line, "the rows of the table differ in length")
    if not int(block.options.get("header-rows") or 0):
        rows = [[""] * len(rows[0]), *rows]
    shown = [[renderer.inline(cell, block.line) for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in shown]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return captioned(renderer, block, "\n".join(lines))


def captioned(renderer: Renderer, block: Directive, body: str) -> str:
    """Return a table under its number and title, where it has a title."""
    if not block.argument:
        return body
    number = renderer.page.numbers[block.line].number
    return f"**Table {number}.** {renderer.inline(block.argument, block.line)}\n\n{body}"


def glossary(renderer: Renderer, block: Directive) -> str:
    """Terms in bold, each with its meaning."""
    entries = re.sub(r"^(\S.*)\n[ \t]+:?[ \t]*(?=\S)", r"- **\1**: ", block.body, flags=re.M)
    entries = re.sub(r"^(?![-*] )(\S.*)\n:[ \t]+", r"- **\1**: ", entries, flags=re.M)
    return renderer.markdown(entries, block.body_line)


def button(renderer: Renderer, block: Directive) -> str:
    """A link."""
    text = renderer.inline(block.body.strip() or block.argument, block.line)
    role = "ref" if block.options.get("ref-type") in (None, "any", "ref") else "doc"
    if block.name == "button-link":
        return f"[{text}]({block.argument})"
    return renderer.inline(f"{{{role}}}`{text} <{block.argument}>`", block.line)


def bibliography(renderer: Renderer, block: Directive) -> str:
    """The works that the page has cited so far."""
    works = renderer.book.bibliography
    if works is None:
        raise renderer.error(block.line, "there is no references.bib")
    entries = "\n".join(works.entry(key) for key in works.sorted(renderer.cited))
    return entries if renderer.heading == "References" else f"**References**\n\n{entries}"


def misplaced(renderer: Renderer, block: Directive) -> str:
    """A cell inside another directive, which would never run."""
    raise renderer.error(block.line, f"{{{block.name}}} stands inside another directive or a list")


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(BOXES, box),
    **dict.fromkeys(BARE, bare_quote),
    **dict.fromkeys(("code-block", "code", "sourcecode", "doctest", "parsed-literal"), code_block),
    **dict.fromkeys(("tab-set", "grid", "grid-item", "div", "container", "compound"), content),
    **dict.fromkeys(("solution", "contents", "index", "tableofcontents", "toctree"), nothing),
    **dict.fromkeys(("button-ref", "button-link"), button),
    **dict.fromkeys(("code-cell", "raw-cell"), misplaced),
    "exercise": exercise, "exercise-start": exercise, "exercise-end": nothing,
    "literalinclude": literalinclude, "math": math, "image": image, "figure": figure,
    "figure-md": figure_md, "raw": raw, "tab-item": tab_item, "rubric": rubric, "table": table,
    "list-table": list_table, "csv-table": csv_table, "glossary": glossary,
    "bibliography": bibliography,
}  # fmt: skip
