"""Which answers are more alike than those of the rest of the class.

Answers to the same task are alike anyway, so only what is *unusual* counts. A fingerprint weighs
the more, the fewer students have it, and one that is in the template or in one of the course's own
right answers weighs nothing. Two answers are named if they have most of the unusual part of the
shorter one in common.

That is a reason to talk, never a verdict. Two people may have learned together, which may have been
allowed, or they may have read the same page or asked the same assistant; and who wrote an answer
first, no comparison can tell. Nothing that is found here changes a mark or is shown to a student.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plainformer.classroom.fingerprints import fingerprints, labels, runs
from plainformer.classroom.rehearsal import as_cell
from plainformer.exercises.spec import Exercise

__all__ = ["LEAST", "Alike", "Pair", "alike", "expected", "imports_of", "own_answers", "pairs"]

LEAST = 0.6
"""The part of the unusual fingerprints that two answers must share to be named."""

FEWEST = 5  # fingerprints in common, about as much as two lines: less is chance
CROWD = 0.2  # what more than this part of the class has is usual


@dataclass(frozen=True)
class Alike:
    """Two answers to one exercise.

    Attributes:
        exercise: its id.
        share: how much of the unusual part of the shorter answer is in both, from 0 to 1.
        weight: how unusual what they have in common is; for sorting.
        lines: of each answer, the numbers of the lines that are in both, from 1.
    """

    exercise: str
    share: float
    weight: float
    lines: tuple[frozenset[int], frozenset[int]]


@dataclass
class Pair:
    """Two students, and in which exercises their answers are alike."""

    students: tuple[str, str]
    found: list[Alike] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return sum(each.weight for each in self.found)


def expected(exercise: Exercise) -> set[int]:
    """The runs of labels that say nothing, as they are in the stub or in a right answer of ours."""
    imports = imports_of(exercise)
    texts = [f"{imports}\n{text}" for text in (exercise.stub, *own_answers(exercise))]
    return {value for text in texts for stream in labels(text) for value, _ in runs(stream)}


def own_answers(exercise: Exercise) -> list[str]:
    """The reference and the other right answers, as a student would have written them."""
    functions = [exercise.reference, *exercise.right_answers()]
    return [as_cell(exercise, each) for each in functions if each.__name__ != "<lambda>"]


def imports_of(exercise: Exercise) -> str:
    """The imports of an exercise's module, which say what its names stand for."""
    tree = ast.parse(inspect.getsource(sys.modules[exercise.reference.__module__]))
    steps = (each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom))
    return "\n".join(map(ast.unparse, steps))


def alike(
    exercise: str,
    answers: Mapping[str, str],
    usual: set[int],
    *,
    least: float = LEAST,
) -> dict[tuple[str, str], Alike]:
    """Compare the answers to one exercise, each with each.

    Args:
        exercise: its id.
        answers: the source texts, by student.
        usual: runs that are not looked at; see `expected`.
        least: the share from which two answers are named.

    Returns:
        What is alike, by pairs of students in the order of their names.
    """
    prints = {
        student: {value: at for value, at in fingerprints(text).items() if value not in usual}
        for student, text in answers.items()
    }
    counted = Counter(value for found in prints.values() for value in found)
    crowd = max(2, CROWD * len(answers))
    weigh = {value: math.log2((len(answers) + 1) / n) for value, n in counted.items() if n <= crowd}
    total = {student: sum(weigh.get(each, 0) for each in prints[student]) for student in prints}
    having: dict[int, list[str]] = {}
    for student in sorted(prints):
        for value in prints[student]:
            if value in weigh:
                having.setdefault(value, []).append(student)
    shared: dict[tuple[str, str], list[int]] = {}
    for value, students in having.items():
        for pair in itertools.combinations(students, 2):
            shared.setdefault(pair, []).append(value)
    found: dict[tuple[str, str], Alike] = {}
    for (one, other), values in sorted(shared.items()):
        weight = sum(weigh[value] for value in values)
        share = weight / min(total[one], total[other])
        if len(values) >= FEWEST and share >= least:
            lines = [
                frozenset(line for value in values for line in prints[student][value])
                for student in (one, other)
            ]
            found[one, other] = Alike(exercise, share, weight, (lines[0], lines[1]))
    return found


def pairs(
    exercises: Sequence[Exercise],
    answers: Mapping[str, Mapping[str, str]],
    *,
    least: float = LEAST,
) -> list[Pair]:
    """Compare all answers of an assignment; return pairs of students, the most unusual first.

    Args:
        exercises: of the assignment.
        answers: source texts by exercise and student.
        least: see `alike`.
    """
    found: dict[tuple[str, str], Pair] = {}
    for exercise in exercises:
        given = answers.get(exercise.id, {})
        for both, each in alike(exercise.id, given, expected(exercise), least=least).items():
            found.setdefault(both, Pair(both)).found.append(each)
    return sorted(found.values(), key=lambda pair: (-pair.weight, pair.students))
