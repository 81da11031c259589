"""What the tests of the committed notebooks look for, each in a function that can be tested."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from notebook_engine.blocks import Directive, parse

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(
    path for path in FOLDER.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
)
SHORTEST = 24  # characters without blanks; less than that ("return a+b") may stand anywhere

# Written without a look at the generator's own list, so that one cannot hide the other's gaps.
SYNTAX = [
    r":::",
    r"\{[a-zA-Z][^}\s`]*\}`",
    r"^[>\s]*(```+|~~~+)\s*\{",
    r"^[>\s]*\([^)\s]+\)=\s*$",
    r"\[\^[^\]]+\]",
    r"^[>\s]*:[a-z-]+:(\s|$)",
    r"^\+\+\+",
]


def myst_in(markdown: str) -> list[str]:
    """Return the lines of a Markdown cell, outside of code, that still hold MyST."""
    lines, inside = [], ""
    for line in markdown.split("\n"):
        fence = re.match(r"^[>\s]*(```+|~~~+)(.*)$", line)
        if inside:
            inside = "" if fence and fence[1] == inside and not fence[2].strip() else inside
        elif fence and "{" not in fence[2]:
            inside = fence[1]
        else:
            lines.append(line)
    bare = [re.sub(r"(?<![}`])(`+)[^`]+\1(?!`)", "", line) for line in lines]
    return [line for line in bare if any(re.search(rule, line) for rule in SYNTAX)]


def squeezed(text: str) -> str:
    """Return text without any blank, so that layout hides nothing."""
    return re.sub(r"[\s>]+", "", text)


def body_of(function: Callable[..., Any]) -> str:
    """Return the source of a function's body without its docstring, which the stub shows too."""
    if function.__name__ == "<lambda>":  # the source of its lines is no code by itself
        module = Path(inspect.getfile(function)).read_text(encoding="utf-8")
        line = function.__code__.co_firstlineno
        lambdas = (node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.Lambda))
        outermost = next(node for node in lambdas if node.lineno == line)
        return ast.get_source_segment(module, outermost.body) or ""
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    body = _statements(node)
    return "\n".join(text.split("\n")[body[0].lineno - 1 : body[-1].end_lineno]) if body else ""


def answers() -> dict[str, str]:
    """Return every reference, mutant and alternate of every exercise: its name and its body."""
    return {name: body_of(function) for name, function in _functions().items()}


def answer_shapes() -> dict[str, str]:
    """Return the shape of every answer that is more than one expression, and its name."""
    shapes = {}
    for name, function in _functions().items():
        if function.__name__ == "<lambda>":  # one expression
            continue
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(node, ast.FunctionDef)
        if len(_statements(node)) > 1:
            shapes[shape(node)] = name
    return shapes


def shape(function: ast.FunctionDef) -> str:
    """Return what a function does, whatever it calls itself, its arguments and its variables.

    >>> one, other = ast.parse("def f(x):\\n y = x + 1\\n return y\\ndef g(a):\\n b = a + 1\\n return b").body
    >>> shape(one) == shape(other)
    True
    """  # noqa: E501
    body = [ast.parse(ast.unparse(statement)).body[0] for statement in _statements(function)]
    nodes = [node for statement in body for node in ast.walk(statement)]
    local = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    local |= {
        one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    numbers: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in local:
            node.id = f"local{numbers.setdefault(node.id, len(numbers))}"
    return "\n".join(ast.dump(statement) for statement in body)


def copied(notebook: dict[str, Any], shapes: dict[str, str]) -> list[str]:
    """Return the names of the answers that a function in a cell or a code block equals."""
    found = []
    for text in _texts(notebook):
        for source in [text, *re.findall(r"^[> ]*```python\n(.*?)```", text, re.M | re.S)]:
            try:
                tree = ast.parse(re.sub(r"^[>%!].*$", "", source, flags=re.M))
            except SyntaxError:
                continue
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            found += [shapes[key] for key in map(shape, functions) if key in shapes]
    return found


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def _functions() -> dict[str, Callable[..., Any]]:
    from plainformer.exercises import exercise, exercise_ids

    found: dict[str, Callable[..., Any]] = {}
    for name in exercise_ids():
        spec = exercise(name)
        mutants = [mutant for _, mutant in spec.wrong_answers()]
        for kind, functions in (
            ("reference", [spec.reference]),
            ("mutant", mutants),
            ("alternate", spec.right_answers()),
        ):
            for number, function in enumerate(functions, 1):
                found[f"{name} {kind} {number}"] = function
    return found


def solution_texts() -> dict[str, str]:
    """Return the paragraphs of every solution in the book: where it stands, and its text."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "book").rglob("*.md")):
        shown = path.relative_to(ROOT).as_posix()
        for block in parse(path.read_text(encoding="utf-8"), shown):
            if isinstance(block, Directive) and block.name == "solution":
                for number, part in enumerate(re.split(r"\n\s*\n", block.body), 1):
                    found[f"{shown}:{block.line} paragraph {number}"] = part
    return found


def leaks(notebook: dict[str, Any], secrets: dict[str, str]) -> list[str]:
    """Return the names of the secrets whose text stands in a notebook, in whatever layout."""
    text = squeezed("\n".join(_texts(notebook)))
    return [
        name
        for name, secret in secrets.items()
        if len(squeezed(secret)) >= SHORTEST and squeezed(secret) in text
    ]


def _texts(notebook: dict[str, Any]) -> Iterable[str]:
    for cell in notebook["cells"]:
        yield "".join(cell["source"])
        yield str(cell.get("outputs", ""))
