"""Change every exercise's reference by machine, and count how many changed ones the judge refuses.

    python benchmarks/mutants.py [--each 12] [--seed 0] [--jobs 2] [EXERCISE ...]

A mutant differs in one place of the syntax tree: an operator, a comparison, a number, a condition,
a statement that is left out. It is handed in like a student's answer. Those that earn the points
are printed: each is equal to the reference in all that may be asked, or the cases miss it. Words of
error messages are left alone, and so are the checks that raise them.
"""

from __future__ import annotations

import argparse
import ast
import copy
import inspect
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from plainformer.classroom.judge import judge
from plainformer.classroom.sandbox import Limits, choose
from plainformer.exercises.registry import exercise, exercise_ids
from plainformer.exercises.spec import Exercise

LIMITS = Limits(memory=2 << 30)
OTHER: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.MatMult: ast.Add,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.Lt: ast.LtE,
    ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


def places(function: ast.FunctionDef) -> list[ast.AST]:
    """The parts of a function that a mutant may differ in."""
    kept: list[ast.AST] = []

    def look(node: ast.AST) -> None:
        if isinstance(node, ast.Raise | ast.arguments | ast.JoinedStr):
            return
        if isinstance(node, ast.If) and any(isinstance(each, ast.Raise) for each in node.body):
            return  # a check of what is given
        kept.append(node)
        for each in ast.iter_child_nodes(node):
            look(each)

    for statement in function.body[bool(ast.get_docstring(function)) :]:
        look(statement)
    return kept


def changes(node: ast.AST) -> Iterator[str]:
    """Change a part in each way that there is, in place, until the next is asked for."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER:
        node.op = OTHER[type(node.op)]()
        yield "an operator"
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        node.ops[0] = OTHER[type(node.ops[0])]()
        yield "a comparison"
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        node.value = not node.value
        yield "a truth"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value = node.value + 1  # type: ignore[operator]
        yield "a number"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Invert()
        yield "a sign"
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        yield "a condition"


def mutants(of: Exercise) -> list[tuple[str, str]]:
    """What is changed, with its line, and the module with it."""
    module = sys.modules[of.reference.__module__]
    tree = ast.parse(inspect.getsource(module))
    name = of.reference.__name__
    found, seen = [], {ast.dump(tree)}
    n = sum(1 for _ in places(_function(tree, name)))
    for i in range(n):
        changed = copy.deepcopy(tree)
        node = places(_function(changed, name))[i]
        for what in changes(node):
            if ast.dump(changed) not in seen:
                seen.add(ast.dump(changed))
                text = ast.unparse(ast.fix_missing_locations(changed))
                found.append((f"{what}: {ast.unparse(node)[:70]}", f"{text}\n{of.entry} = {name}"))
    return found


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    return next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name
    )


def survivors(given: tuple[str, int, int]) -> tuple[Counter[str], list[str]]:
    """How the mutants of one exercise ended, and those that earned its points."""
    name, most, seed = given
    of = exercise(name)
    try:
        made = mutants(of)
    except (StopIteration, OSError):
        return Counter(), []  # its reference stands elsewhere
    random.Random(seed).shuffle(made)
    ended, alive = Counter[str](), []
    for what, cell in made[:most]:
        start = choose("best", LIMITS, torch="torch" in cell)
        modules = [of.reference.__module__]
        mark = judge(of, [cell], start, secret=b"", student=what, modules=modules)
        ended[mark.status] += 1
        if mark.status == "ok":
            alive.append(f"{name}  {what}")
    return ended, alive


def main() -> None:
    """Print the survivors, and how many of all were refused."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("exercises", nargs="*", help="all of the book's without")
    parser.add_argument("--each", type=int, default=12, help="mutants of each at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    todo = [(name, options.each, options.seed) for name in options.exercises or exercise_ids()]
    ended, without = Counter[str](), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for counted, alive in pool.map(survivors, todo):
            ended += counted
            without += not counted
            for each in alive:
                print(each, flush=True)
    total = ended.total()
    print(f"{total} mutants of {len(todo) - without} exercises: {dict(ended)}")
    print(f"refused: {100 * (total - ended['ok']) / max(total, 1):.1f} %; {without} without any")


if __name__ == "__main__":
    main()
