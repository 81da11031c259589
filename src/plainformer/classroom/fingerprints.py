"""Fingerprints of a piece of code that stay the same when it is disguised.

The syntax tree is written as a sequence of labels in which names that the author chose, comments,
docstrings, annotations and imports no longer appear. Short sequences of labels are hashed, and one
in every few hashes is kept, so that two texts that share a long enough passage share a fingerprint,
wherever the passage is ("winnowing").

Source: Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document
fingerprinting", sections 2 and 3.

But: code that was written anew is not recognised, such as a loop that became a comprehension.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Collection, Iterator

__all__ = ["RUN", "fingerprints", "imported", "labels", "parsed", "runs"]

RUN = 12  # labels of a fingerprint; shorter runs are in everybody's code
WINDOW = 4  # of this many runs in a row, at least one is kept
BUILTINS = frozenset(dir(builtins))
CHOSEN = "·"  # what takes the place of a name that the author chose
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}

Label = tuple[str, int]
"""What a part of the tree is, and its line, from 1."""


def fingerprints(source: str) -> dict[int, set[int]]:
    """The fingerprints of some code, each with the lines that it comes from.

    >>> one = "import numpy as np\\ndef f(x):\\n    y = np.exp(x - max(x))\\n    return y / sum(y)"
    >>> two = "from numpy import exp\\ndef f(z):\\n    e=exp(z-max(z)) #\\n    return e/sum(e)"
    >>> fingerprints(one).keys() == fingerprints(two).keys() != set()
    True
    """
    found: dict[int, set[int]] = {}
    for stream in labels(source):
        hashed = list(runs(stream))
        for start in range(max(1, len(hashed) - WINDOW + 1)):
            window = hashed[start : start + WINDOW]
            if window:
                value, lines = min(window, key=lambda each: each[0])
                found.setdefault(value, set()).update(lines)
    return found


def runs(stream: list[Label]) -> Iterator[tuple[int, set[int]]]:
    """Every run of labels as a hash, with its lines."""
    for i in range(len(stream) - RUN + 1):
        part = stream[i : i + RUN]
        text = "\0".join(label for label, _ in part)
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
        yield int.from_bytes(digest, "big"), {line for _, line in part}


def labels(source: str) -> list[list[Label]]:
    """The code as rows of labels: one for each function, and one for what is outside of them.

    Code that cannot be parsed has none.

    >>> [label for label, _ in labels("x = 1.0e3")[0]]
    ['Assign', '·', '1000.0']
    """
    try:
        return _streams(parsed(source))
    except (ValueError, RecursionError):  # brackets without end, a number of too many digits
        return []


def parsed(source: str) -> ast.Module:
    """The tree of some code; of code that cannot be parsed, an empty one.

    Lines that only IPython reads become empty, so that all others keep their numbers.
    """
    lines = ["" if line.lstrip()[:1] in ("%", "!") else line for line in source.split("\n")]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _streams(tree: ast.Module) -> list[list[Label]]:
    known = imported(tree)
    loose: list[ast.stmt] = []
    streams: list[list[Label]] = []
    for step in tree.body:
        if isinstance(step, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            streams.append(list(_labels(step, known)))
        else:
            loose.append(step)
    streams.append([label for step in loose for label in _labels(step, known)])
    return [stream for stream in streams if stream]


def imported(tree: ast.AST) -> dict[str, str]:
    """The names that imports give, each with what it stands for: `np` for `numpy`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                whole = each.name if each.asname else each.name.partition(".")[0]
                found[each.asname or whole] = whole
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                found[each.asname or each.name] = f"{node.module}.{each.name}"
    return found


def _labels(node: ast.AST, known: dict[str, str], line: int = 1) -> Iterator[Label]:
    """A part of the tree, the outer before the inner."""
    line = getattr(node, "lineno", line)
    if _says_nothing(node):
        return
    if isinstance(node, ast.Name | ast.Attribute) and (path := _path(node, known)):
        yield path, line
        return
    if isinstance(node, ast.Name | ast.arg):
        yield (node.id if isinstance(node, ast.Name) and node.id in BUILTINS else CHOSEN), line
        return
    if isinstance(node, ast.Constant):
        yield repr(node.value)[:200], line
        return
    yield _kind(node), line
    for each in _parts(node):
        yield from _labels(each, known, line)


def _says_nothing(node: ast.AST) -> bool:
    """Imports, docstrings, `pass`, and what says only how a name is used."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    silent = (ast.Import, ast.ImportFrom, ast.Pass, ast.expr_context, ast.Global, ast.Nonlocal)
    return text or isinstance(node, silent)


def _path(node: ast.AST, known: dict[str, str]) -> str:
    """What an imported name stands for: `np.exp`, and `exp` alone, are `numpy.exp`."""
    if isinstance(node, ast.Name):
        return known.get(node.id, "")
    if isinstance(node, ast.Attribute) and (before := _path(node.value, known)):
        return f"{before}.{node.attr}"
    return ""


def _kind(node: ast.AST) -> str:
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return "Assign"
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    if isinstance(node, ast.keyword):
        return f"{node.arg}="
    return type(node).__name__


def _parts(node: ast.AST) -> Collection[ast.AST]:
    """The parts of a node, in an order that does not depend on how the same thing is written."""
    if isinstance(node, ast.AnnAssign):
        return [node.target, *([node.value] if node.value else [])]
    if isinstance(node, ast.AugAssign):  # x += 1 is x = x + 1
        sum_ = ast.BinOp(node.target, node.op, node.value, lineno=node.lineno)
        return [node.target, sum_]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED and len(node.ops) == 1:
        return [node.comparators[0], TURNED[type(node.ops[0])](), node.left]  # a > b is b < a
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.args, *node.body]  # without annotations and decorators
    if isinstance(node, ast.Call):
        named = sorted(node.keywords, key=lambda each: each.arg or "")
        return [node.func, *node.args, *named]
    return list(ast.iter_child_nodes(node))
