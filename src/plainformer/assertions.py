"""Make a failed ``assert`` in a cell explain what was expected and what the values were.

When an assertion fails, Python only says "AssertionError", and a reader who has changed a number or
installed another version of a library would like to know which claim failed and by how much.
Calling `explain_assertions` once in a notebook rewrites every later ``assert`` without a message,
so that a failure quotes the comment above it, the condition, and the values on its sides, which are
evaluated a second time.

This file uses the standard library only, because the book's engine sends its text into the kernels
that run the pages.
"""

from __future__ import annotations

import ast
import linecache
import reprlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["ExplainAssertions", "explain_assertions"]

MODULE = "_plainformer_assertions"  # the module in which rewritten cells find `explain`
SHORT = reprlib.Repr()  # shows only the beginning and the end of long values
SHORT.maxother = SHORT.maxstring = 120
CHANGES = (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)  # must not be evaluated twice


class ExplainAssertions(ast.NodeTransformer):
    """Rewrites ``assert test`` into ``assert test, explain(...)``; Python evaluates it on failure.

    >>> explain_assertions()
    >>> tree = ExplainAssertions().visit(ast.parse("cats = 3\\nassert cats + 1 == 2"))
    >>> exec(compile(tree, "<cell>", "exec"))
    Traceback (most recent call last):
        ...
    AssertionError: expected cats + 1 == 2
    got cats + 1 = 4
    """

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """Add a message to one assertion, unless it has one."""
        if node.msg is None and not any(isinstance(part, CHANGES) for part in ast.walk(node)):
            sides = {ast.unparse(side): side for side in _sides(node.test)}
            values = ", ".join(f"{text!r}: lambda: ({text})" for text in sides)
            call = f"__import__('sys').modules[{MODULE!r}].explain"
            message = f"{call}({ast.unparse(node.test)!r}, {node.lineno}, {{{values}}})"
            node.msg = ast.parse(message, mode="eval").body
            for part in ast.walk(node.msg):  # so that a traceback points at the assertion
                ast.copy_location(part, node)
        return node


def _sides(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a condition whose values help to explain it, leaving out constants."""
    match test:
        case ast.BoolOp(values=parts) | ast.Compare(left=ast.Constant(), comparators=parts):
            pass
        case ast.Compare(left=left, comparators=others):
            parts = [left, *others]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            parts = [inner]
        case ast.Call(func=ast.Attribute(value=ast.Compare() as inner, attr="all" | "any")):
            parts = [inner]  # (a == b).all()
        case ast.Constant():
            parts = []
        case _:
            yield test
            return
    for part in parts:
        if isinstance(part, ast.BoolOp | ast.Compare | ast.UnaryOp | ast.Call):
            yield from _sides(part)
        elif not isinstance(part, ast.Constant):
            yield part


def explain(test: str, line: int, values: Mapping[str, Callable[[], Any]]) -> str:
    """Return the message of a failed assertion in a line of its cell: claim, condition and values.

    The values are those of each side of the condition, as functions that evaluate it again.
    """
    claim = _comment_above(line, sys._getframe(1).f_code.co_filename)
    lines = [f"the claim does not hold: {claim}"] if claim else []
    lines.append(f"expected {test}")
    for text, value in values.items():
        try:
            shown = SHORT.repr(value())
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
        if shown != text:  # a literal such as -1 needs no explanation
            lines.append(f"got {text} = {shown}")
    return "\n".join(lines)


def _comment_above(line: int, file: str) -> str:
    """Return the comment above a line and the assertions before it, or "" if there is none."""
    before = linecache.getlines(file)[: line - 1]
    while before and before[-1].strip() and not before[-1].startswith("#"):
        before.pop()
    words: list[str] = []
    while before and before[-1].startswith("#"):
        words.insert(0, before.pop().strip("# \n"))
    return " ".join(words)


def explain_assertions() -> None:
    """Make the assertions in this notebook's cells explain their failures from now on.

    Outside IPython this has no effect, because Python compiles a file before it runs any of it.
    """
    module = types.ModuleType(MODULE)
    vars(module)["explain"] = explain
    sys.modules[MODULE] = module
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        others = [t for t in shell.ast_transformers if type(t).__name__ != "ExplainAssertions"]
        shell.ast_transformers[:] = [*others, ExplainAssertions()]
