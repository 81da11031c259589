"""What each directive becomes in a portable notebook. One that is not here is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sphinx.config import Config
from sphinx.directives.code import LiteralIncludeReader
from sphinx.errors import PycodeError

from book_engine import listings, questions
from book_engine.boxes import KINDS

from .blocks import PARSER, Directive
from .index import exercise_title

if TYPE_CHECKING:
    from .render import Renderer

Handler = Callable[["Renderer", Directive], str]
SOLUTIONS = "src/plainformer/exercises"
BOXES = {kind.name: kind for kind in KINDS}


def quote(markdown: str) -> str:
    r"""Return `markdown` as a quote.

    >>> quote("**Note**\n\nMind the gap.")
    '> **Note**\n>\n> Mind the gap.'
    """
    return "\n".join(f"> {line}" if line.strip() else ">" for line in markdown.split("\n"))


def fold(summary: str, markdown: str) -> str:
    r"""Return `markdown` folded away below `summary`, whose inline Markdown becomes HTML.

    >>> print(fold("Why `a`?", "Because."))
    <details>
    <summary><b>Why <code>a</code>?</b></summary>
    <BLANKLINE>
    Because.
    <BLANKLINE>
    </details>
    """
    title = PARSER.renderInline(summary)
    return f"<details>\n<summary><b>{title}</b></summary>\n\n{markdown}\n\n</details>"


def box(renderer: Renderer, block: Directive) -> str:
    """A box of the course: a quote with a bold title, or a fold."""
    kind = BOXES[block.name]
    title = f"{kind.label}: {block.argument}" if block.argument else kind.label
    facts = [
        f"**{label}:** {renderer.text(block.options[option], block.line)}"
        for option, label in kind.options
        if label and option in block.options
    ]
    listed = facts[0] if len(facts) == 1 else "\n".join(f"* {fact}" for fact in facts)
    return framed(renderer, block, title, folded=kind.folded, after=listed)


def dropdown(renderer: Renderer, block: Directive) -> str:
    """A fold with a title of its own, such as the answer to a guess."""
    return framed(renderer, block, block.argument or "More", folded=True)


def framed(
    renderer: Renderer, block: Directive, title: str, *, folded: bool, after: str = ""
) -> str:
    """A quote with a bold title; a fold in a quote, so that one sees where it ends."""
    title = renderer.text(title, block.line)
    if title == renderer.heading and not folded:
        title = ""  # the heading just above says it
    renderer.depth += 1
    body = "\n\n".join(filter(None, [renderer.markdown(block.body, block.body_line), after]))
    renderer.depth -= 1
    if folded:
        folded_away = fold(title, body)
        return folded_away if renderer.depth else quote(folded_away)
    return quote(f"**{title}**\n\n{body}" if title else body)


def solution(renderer: Renderer, block: Directive) -> str:
    """Nothing: solutions stay in the book."""
    return ""


def exercise(renderer: Renderer, block: Directive) -> str:
    """A heading and the prompt."""
    title = renderer.text(exercise_title(renderer.page.exercises[block.line]), block.line)
    marks = "#" * (2 if renderer.sheet else min(renderer.level + 1, 6))
    return f"{marks} {title}\n\n{renderer.markdown(block.body, block.body_line)}".rstrip()


def listing(renderer: Renderer, block: Directive) -> str:
    """The source of a function without its docstring, folded; Sphinx cuts it, as for the page."""
    root = renderer.book.root
    folder = root if block.argument.startswith("/") else renderer.page.path.parent
    path = (folder / block.argument.lstrip("/")).resolve()
    shown = path.relative_to(root.resolve()).as_posix()
    if shown.startswith(SOLUTIONS):
        raise renderer.error(block.line, f"{shown} holds solutions; show it in {{solution}} only")
    if block.options.keys() - {"dedent"} != {"pyobject"}:  # a method is dedented in any case
        raise renderer.error(block.line, f"{shown}: a listing has a pyobject, and no other option")
    wanted = {"pyobject": block.options["pyobject"]}
    try:
        source, _ = LiteralIncludeReader(str(path), wanted, Config()).read()
    except (OSError, ValueError, PycodeError) as problem:
        raise renderer.error(block.line, f"{shown}: {problem}") from problem
    title = listings.title_of(block.argument, block.options)
    code = f"```python\n{listings.without_docstring(source)}\n```"
    return quote(fold(f"Code: {title}", code))


def question(renderer: Renderer, block: Directive) -> str:
    """The question and its choices; what is said to each answer is folded."""
    try:
        answers = questions.read_answers(block.body.split("\n"), block.options.get("answer"))
    except questions.QuestionError as problem:
        raise renderer.error(block.line, str(problem)) from problem
    told = []
    for each in answers:
        text = "Any other" if each.text == "else" else renderer.text(each.text, block.line)
        mark = "✓" if each.right else "✗"
        told.append(f"* {mark} **{text}**: {renderer.text(each.reply, block.line)}")
    asked = f"**Question: {renderer.text(block.argument, block.line)}**"
    choices = "\n".join(f"* {renderer.text(each.text, block.line)}" for each in answers)
    shown = [asked] if "answer" in block.options else [asked, choices]
    return quote("\n\n".join([*shown, fold("Answer", "\n".join(told))]))


def bibliography(renderer: Renderer, block: Directive) -> str:
    """The works that the page has cited so far."""
    works = renderer.book.bibliography
    entries = "\n".join(works.entry(key) for key in works.sorted(renderer.cited))
    return entries if renderer.heading == "References" else f"**References**\n\n{entries}"


def practice(renderer: Renderer, block: Directive) -> str:
    """Nothing: these tasks are done in the page, and a notebook has the exercises themselves."""
    return ""


def misplaced(renderer: Renderer, block: Directive) -> str:
    """A cell inside another directive, which would never run."""
    raise renderer.error(block.line, f"{{{block.name}}} stands inside another directive")


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(BOXES, box),
    "bibliography": bibliography,
    "code-cell": misplaced,
    "dropdown": dropdown,
    "exercise": exercise,
    "listing": listing,
    "practice": practice,
    "question": question,
    "solution": solution,
}
