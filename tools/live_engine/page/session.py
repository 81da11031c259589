"""The session in which the cells of one page run: one namespace, as in a notebook's kernel."""

import ast
import traceback
from typing import Any

FILE = "<cell>"
names: dict[str, Any] = {"__name__": "__main__"}


def run(source: str) -> str:
    """Run a cell; print the value of its last expression, and return what went wrong, or "".

    >>> run("x = 2"), run("x + 1"), run("x +")[:6]
    3
    ('', '', '  File')
    >>> print(run("1 / 0"))
    Line 1: 1 / 0
    ZeroDivisionError: division by zero
    """
    try:
        tree = ast.parse(source, FILE)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, FILE, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), FILE, "eval"), names)
            # What would display itself in a notebook has said in print what it has to say.
            if value is not None and not hasattr(value, "_ipython_display_"):
                print(repr(value))
    except SyntaxError as error:
        return "".join(traceback.format_exception_only(error)).rstrip()
    except BaseException as error:  # SystemExit too: a session goes on
        lines = source.splitlines()
        at = [
            each.lineno or 0
            for each in traceback.extract_tb(error.__traceback__)
            if each.filename == FILE
        ]
        where = [
            f"Line {number}: {lines[number - 1].strip()}"
            for number in at[-1:]
            if number <= len(lines)
        ]
        return "\n".join([*where, *traceback.format_exception_only(error)]).rstrip()
    return ""
