"""What is on the pages: every answer with its mark, and how a person's word about it is kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plainformer.classroom.answers import Answer, answers_of
from plainformer.classroom.export import harmless
from plainformer.classroom.judge import Mark
from plainformer.classroom.manual import question_marks
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.classroom.notebook import IMPORTS, NotebookError
from plainformer.classroom.overrides import (
    Override,
    overridden,
    overrides,
    remove_override,
    set_override,
)
from plainformer.classroom.release import CODE_STUB, TEXT_STUB

__all__ = ["Asked", "Card", "Desk"]

NOTHING = Override()


@dataclass(frozen=True)
class Asked:
    """An exercise or a question of an assignment.

    Attributes:
        id: of it.
        title, task: for people; the task of an exercise is its stub, with the docstring.
        points: that it can give.
        rubric: the named deductions.
        judged: whether the judge marks it; otherwise only a person does.
        stub: what the answer's cell had when it was handed out.
    """

    id: str
    title: str
    task: str
    points: float
    rubric: Mapping[str, float]
    judged: bool
    stub: str


@dataclass(frozen=True)
class Card:
    """One student's answer.

    Attributes:
        student: the name that marks have.
        answer: as it was handed in.
        own: more than imports in the cell of imports, which runs before the answer; or empty.
        before: the mark without what a person set here.
        mark: with it.
        given: what a person set.
        untouched: whether the cell is as it was handed out.
    """

    student: str
    answer: Answer
    own: str
    before: Mark
    mark: Mark
    given: Override
    untouched: bool


class Desk:
    """An assignment that is being looked at.

    Args:
        place: of the assignment.
        judged: the judge's marks, by student.
    """

    def __init__(self, place: AssignmentFiles, judged: Mapping[str, Sequence[Mark]]) -> None:
        self.place = place
        self.judged = judged
        self.files: Mapping[str, Path] = students(place)
        self.lock = threading.Lock()
        rubrics = place.assignment.rubrics
        self.asked = [
            Asked(
                each.id,
                each.title,
                each.stub,
                each.points,
                rubrics.get(each.id, {}),
                True,
                each.stub,
            )
            for each in place.assignment.exercises
        ]
        self.asked += [
            Asked(
                each.id,
                each.title,
                each.task,
                each.points,
                rubrics.get(each.id, {}),
                False,
                CODE_STUB if each.code else TEXT_STUB,
            )
            for each in place.assignment.questions
        ]

    def cards(self, number: int, first: int = 0, most: int | None = None) -> list[Card]:
        """The answers to one question, of some of the students, in the order of their names."""
        names = list(self.judged)[first:][:most]
        marks, given = self._marks(number), overrides(self.place)
        return [self._card(number, name, marks[name], given) for name in names]

    def waiting(self, number: int) -> list[str]:
        """Whose answers to a question have no points yet."""
        asked, marks, given = self.asked[number], self._marks(number), overrides(self.place)
        return [
            name
            for name, mark in marks.items()
            if overridden(self.place, mark, given.get((harmless(name), asked.id))).waiting
        ]

    def save(
        self, number: int, student: str, points: str, comment: str, rubric: Sequence[str]
    ) -> Mark:
        """Keep what a person set for an answer, at once; return the mark with it.

        Raises:
            CourseError: there is no such student or name, or these points cannot be given.
        """
        name = self.asked[number].id
        with self.lock:
            if points.strip() or comment.strip() or rubric:
                given = set_override(self.place, student, name, points, comment, rubric)
            else:
                given = NOTHING
                if (harmless(student), name) in overrides(self.place):
                    remove_override(self.place, student, name)
        return overridden(self.place, self._marks(number)[student], given)

    def _marks(self, number: int) -> dict[str, Mark]:
        """The marks of one question without what a person set here."""
        asked = self.asked[number]
        if asked.judged:
            return {name: row[number] for name, row in self.judged.items()}
        column = number - len(self.place.assignment.exercises)
        by_hand = question_marks(self.place, self.judged)
        return {name: row[column] for name, row in by_hand.items()}

    def _card(
        self, number: int, student: str, mark: Mark, given: Mapping[tuple[str, str], Override]
    ) -> Card:
        asked = self.asked[number]
        own = given.get((harmless(student), asked.id), NOTHING)
        try:
            found = answers_of(self.files[student], self.place.assignment, self.place.course.secret)
        except NotebookError as error:
            found = {asked.id: Answer(problem=str(error))}
        answer = found[asked.id]
        before = found[IMPORTS].source if IMPORTS in found and asked.judged else ""
        untouched = answer.source.strip() == asked.stub.strip()
        now = overridden(self.place, mark, own)
        return Card(student, answer, before, mark, now, own, untouched)
