"""Order the lines: the reference in pieces, with one piece too many.

Pieces are the top-level statements of the body. Which of them must come before which follows from
the names that they assign and use, so every order that obeys these pairs is right, and not only
the one in which the reference was written. The names are sometimes too strict: a line that asks for
the length of an array does not mind whether the array was copied before. Where only a later change
of a name forbids an order, the two lines are therefore exchanged, and the grader decides.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from dataclasses import dataclass, field

from plainformer.exercises.grading import is_right
from plainformer.exercises.practice.bugs import one_line_changes
from plainformer.exercises.practice.items import OrderTheLines, Pair, task_id
from plainformer.exercises.practice.results import rng_of, source_of
from plainformer.exercises.spec import Exercise, with_body

__all__ = ["order_the_lines"]

PIECES = range(3, 9)


@dataclass
class Names:
    """What a statement does with names: it uses their values, or it sets or changes them."""

    used: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    leaves: bool = False  # it returns or raises, at least sometimes


def order_the_lines(exercise: Exercise) -> OrderTheLines | None:
    """Derive the task of this kind from an exercise, or None if its body does not suit.

    >>> from plainformer.exercises import exercise
    >>> task = order_the_lines(exercise("attention.masking.2"))
    >>> task.pieces[2]
    'return keys <= queries'
    >>> [(pair.first, pair.then) for pair in task.pairs]
    [(0, 2), (1, 2)]
    """
    source = source_of(exercise)
    body = ast.parse(source.text).body
    spans = [(each.lineno - 1, each.end_lineno or each.lineno) for each in body]
    pieces = ["\n".join(source.body[start:end]) for start, end in spans]
    alone = all(first[1] <= then[0] for first, then in itertools.pairwise(spans))
    names = [_names(each) for each in body]
    if len(pieces) not in PIECES or not alone or any(each.leaves for each in names[:-1]):
        return None
    changes = [
        (i, each)
        for each in one_line_changes(exercise, source)
        for i, (start, end) in enumerate(spans)
        if start <= each.line < end
    ]
    if not changes:
        return None
    pairs = [
        pair
        for pair in _pairs(names)
        if not (pair.then == pair.first + 1 and _may_change_places(exercise, pieces, pair.first))
    ]
    rng = rng_of(task_id(exercise, "order"))
    place, change = rng.choice(changes)
    start, end = spans[place]
    extra = [change.text if i == change.line else source.body[i] for i in range(start, end)]
    shuffled = list(range(len(pieces) + 1))
    while shuffled == sorted(shuffled):
        rng.shuffle(shuffled)
    return OrderTheLines(
        id=task_id(exercise, "order"), exercise=exercise.id, title=exercise.title,
        about=source.about, head=source.head, pieces=(*pieces, "\n".join(extra)),
        extra=change.hint, pairs=tuple(pairs), shuffled=tuple(shuffled),
    )  # fmt: skip


def _pairs(names: list[Names]) -> list[Pair]:
    """All pairs of pieces whose order matters, each with the reason."""
    found = []
    for then in range(len(names)):
        for first in range(then):
            before, after = names[first], names[then]
            if flows := sorted(before.assigned & after.used):
                reply = f"uses `{flows[0]}`, which the other line sets"
            elif kept := sorted(before.used & after.assigned):
                reply = f"changes `{kept[0]}`, which the other line still needs as it was"
            elif again := sorted(before.assigned & after.assigned):
                reply = f"sets `{again[0]}` for good, and the other line would overwrite it"
            elif after.leaves:
                reply = "leaves the function, so nothing after it would run"
            else:
                continue
            found.append(Pair(first, then, reply))
    return found


def _may_change_places(exercise: Exercise, pieces: list[str], first: int) -> bool:
    """Whether the function is still right if a piece and the next one are exchanged."""
    order = [*pieces[:first], pieces[first + 1], pieces[first], *pieces[first + 2 :]]
    body = textwrap.indent("\n".join(order), " " * 4)
    return is_right(exercise, with_body(exercise.reference, body, f"exchanged {first}"))


def _names(statement: ast.stmt) -> Names:
    """What a statement does with names, including everything inside it.

    A statement that is only a call may change its arguments, and the object whose method it is:
    `rows.append(row)`, `np.add.at(table, ids, 1)`.
    """
    found = Names()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            (found.used if isinstance(node.ctx, ast.Load) else found.assigned).add(node.id)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.assigned |= _inside(node.value)
        elif isinstance(node, ast.AugAssign):
            found.used |= _inside(node.target)
            found.assigned |= _inside(node.target)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found.assigned |= _inside(node.value)
        elif isinstance(node, ast.Return | ast.Raise | ast.Yield):
            found.leaves = True
    return found


def _inside(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
