"""Three questions about a student's own notebook, for a talk of five minutes.

Each question is about something that is in the code: a check that it failed, a part that would be a
known mistake if it were written a little differently, a call, a comparison, a loop, a name. Whoever
has written the code, or has understood it, can answer without preparation.

Nothing of the student's runs here, and the answers to the questions are for the teacher to judge.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plainformer.classroom.fingerprints import imported, parsed
from plainformer.classroom.judge import Mark
from plainformer.classroom.papers.tasks import CALL
from plainformer.exercises.practice.results import call_of
from plainformer.exercises.spec import Exercise

__all__ = ["OralQuestion", "as_markdown", "questions_for"]

QUESTIONS = 3
SHOWN = 80  # characters of a line
COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}


@dataclass(frozen=True)
class OralQuestion:
    """One question.

    Attributes:
        kind: what it is about; the three of a talk differ in it as far as they can.
        exercise: whose answer it is about.
        ask: the question.
        listen: what a good answer mentions.
    """

    kind: str
    exercise: str
    ask: str
    listen: str


Rule = Callable[[Exercise, ast.AST, Sequence[str], Mapping[str, str]], Iterator[OralQuestion]]


def questions_for(
    exercises: Sequence[Exercise],
    answers: Mapping[str, str],
    marks: Mapping[str, Mark],
    imports: str = "",
) -> list[OralQuestion]:
    """Suggest questions, the most telling first.

    Args:
        exercises: of the assignment, in order.
        answers: the student's source texts, by exercise.
        marks: the student's, by exercise; those that there are.
        imports: the cell before the answers.
    """
    found: list[OralQuestion] = []
    for exercise in exercises:
        source = answers.get(exercise.id, "")
        tree = parsed(source)
        if not any(_body(tree)):
            continue
        if said := _failed(exercise, marks.get(exercise.id)):
            found.append(said)
        known = imported(parsed(imports)) | imported(tree)
        for rule in RULES:
            found += rule(exercise, tree, source.splitlines(), known)
    order = list(dict.fromkeys(["failed", "changed", *(each.kind for each in found)]))
    chosen: list[OralQuestion] = []
    while found and len(chosen) < QUESTIONS:
        best = min(
            found,
            key=lambda each: (
                sum(each.kind == other.kind for other in chosen),
                sum(each.exercise == other.exercise for other in chosen),
                order.index(each.kind),
            ),
        )
        chosen.append(best)
        found.remove(best)
    for exercise in exercises[: QUESTIONS - len(chosen)]:
        chosen.append(
            OralQuestion(
                "begin", exercise.id,
                f"{exercise.title}: how would you begin, and what would you try first?",
                "A plan for the simplest public case, and what it returns.",
            )
        )  # fmt: skip
    return chosen


def as_markdown(student: str, title: str, questions: Sequence[OralQuestion]) -> str:
    """A talk as text, for the teacher."""
    lines = [f"## {student}: {title}", ""]
    for number, each in enumerate(questions, 1):
        lines += [f"{number}. {each.ask}", "", f"   *Listen for:* {each.listen}", ""]
    return "\n".join(lines)


def _body(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements of all functions that do something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from (each for each in node.body if not _is_empty(each))


def _is_empty(step: ast.stmt) -> bool:
    constant = isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)
    return constant or isinstance(step, ast.Pass)


def _failed(exercise: Exercise, mark: Mark | None) -> OralQuestion | None:
    """A check that the answer failed: what is wrong, in the student's own words."""
    if mark is None or mark.status != "wrong":
        return None
    call = next((line for line in mark.text.splitlines() if line.startswith("The call:")), "")
    asked = call.partition(":")[2].strip()
    where = f"for the call `{asked}`" if asked else "in hidden cases, and in no public one"
    return OralQuestion(
        "failed", exercise.id,
        f"Your `{exercise.entry}` is not right {where}. Go through it line by line: where does it "
        "leave the right way, and what would you change?",
        mark.hint or f"The judge said: {' '.join(mark.text.split())[:300]}",
    )  # fmt: skip


def _changed(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """A part of a line that a known mistake writes in another way."""
    for hint, change in exercise.mutants.items():
        if not isinstance(change, str) or "; " in change:
            continue
        old, _, new = change.partition(" ->")
        for number, line in enumerate(lines, 1):
            if len(old.strip()) > 3 and _tight(old) in _tight(line):
                other = f"there were `{new.strip()}`" if new.strip() else "that were left out"
                yield OralQuestion(
                    "changed", exercise.id,
                    f"In line {number} of `{exercise.entry}` you write `{old.strip()}`. What would "
                    f"be different if {other} instead? Give an input for which it matters.",
                    hint,
                )  # fmt: skip
                break


def _tight(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _calls(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """A call of a library with arguments, the longest first, which have most to explain."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for node in sorted(found, key=lambda each: -len(_short(each))):
        if not isinstance(node.func, ast.Attribute):
            continue
        base = node.func.value
        if isinstance(base, ast.Name) and base.id in known and node.args:
            text = _short(node)
            yield OralQuestion(
                "call", exercise.id,
                f"In line {node.lineno} of `{exercise.entry}` you call `{text}`. What does "
                f"`{_short(node.func)}` do, and what comes out of it here for an input of your "
                "choice? Write it down.",
                "The shape and the numbers for a small input, with each argument accounted for.",
            )  # fmt: skip


def _comparisons(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """A comparison, and its border case."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
            sign, other = COMPARED[type(node.ops[0])]
            yield OralQuestion(
                "comparison", exercise.id,
                f"In line {node.lineno} of `{exercise.entry}` you compare `{_short(node)}`. Why "
                f"`{sign}` and not `{other}`?",
                "The case in which both sides are equal, and what should happen then.",
            )  # fmt: skip


def _axes(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """An axis."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg in ("axis", "dim", "axes", "dims"):
                    yield OralQuestion(
                        "axis", exercise.id,
                        f"In line {node.lineno} of `{exercise.entry}` there is "
                        f"`{word.arg}={_short(word.value)}` in `{_short(node)}`. What are the "
                        "shapes before and after, and what would another axis mean?",
                        "Both shapes in letters, and which things are combined with one another.",
                    )  # fmt: skip


def _loops(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """A loop, and how often it runs."""
    calls = (call_of(exercise, case.args) for case in exercise.cases)
    call = next((each for each in calls if each and len(each) <= CALL), f"{exercise.entry}(…)")
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While):
            yield OralQuestion(
                "loop", exercise.id,
                f"How often does the loop in line {node.lineno} of `{exercise.entry}` run for "
                f"`{call}`, and what has changed after its first round?",
                "A number, and the values of the names that the loop sets.",
            )  # fmt: skip


def _names(
    exercise: Exercise, tree: ast.AST, lines: Sequence[str], known: Mapping[str, str]
) -> Iterator[OralQuestion]:
    """A name that the student chose."""
    for step in ast.walk(tree):
        if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name):
            name = step.targets[0].id
            yield OralQuestion(
                "name", exercise.id,
                f"What does `{name}` hold after line {step.lineno} of `{exercise.entry}`, and why "
                "did you call it that?",
                f"What `{_short(step.value)}` gives: its type, its shape, and what it is for.",
            )  # fmt: skip


def _short(node: ast.AST) -> str:
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):  # brackets without end, a number of too many digits
        return "…"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


RULES: tuple[Rule, ...] = (_changed, _axes, _calls, _comparisons, _loops, _names)
