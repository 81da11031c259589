"""Everybody's marks as they count: with what a person set, shared in groups, less what rules take.

The judge and the table of questions give marks to hand-ins. Here they become marks of students, who
may have handed in together, late, or with a deadline of their own. What was decided for a student
is said in sentences, which are in the feedback and in the report.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plainformer.classroom.collect import collected
from plainformer.classroom.course import CourseError, load_course
from plainformer.classroom.export import harmless
from plainformer.classroom.grade import judged_marks
from plainformer.classroom.manual import question_marks, sheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.overrides import overridden, overrides
from plainformer.classroom.people import granted, people
from plainformer.classroom.record import Collected
from plainformer.classroom.rules import Accommodation, deadline, spoken, with_lateness
from plainformer.classroom.verdict import Mark

__all__ = ["Settled", "settled"]


@dataclass(frozen=True)
class Settled:
    """What counts of an assignment, by student.

    Attributes:
        place: of the assignment.
        marks: of exercises and then of questions.
        notes: what was decided for a student, for that student.
        handed_in_by: whose hand-in counts for a student.
        people: the person behind each name.
        waiting: the answers that have no points yet: hand-ins and exercises or questions.
    """

    place: AssignmentFiles
    marks: dict[str, list[Mark]]
    notes: dict[str, list[str]] = field(default_factory=dict)
    handed_in_by: dict[str, str] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    waiting: list[tuple[str, str]] = field(default_factory=list)


def settled(
    folder: Path, assignment: str, sandbox: str | None = None, *, partial: bool = False
) -> Settled:
    """Settle an assignment's marks.

    Args:
        folder: of the course.
        assignment: its name.
        sandbox: instead of the course's.
        partial: whether answers may be without points, which then wait and count for nothing.

    Raises:
        CourseError: an answer has no points yet, or a table of a person's marks is damaged.
    """
    judged = judged_marks(folder, assignment, sandbox, partial=partial)
    course = load_course(folder)
    place = AssignmentFiles(course, course.assignment(assignment))
    found = settle(place, judged)
    if found.waiting and not partial:
        raise CourseError(_where_points_are_missing(place, *found.waiting[0]))
    return found


def settle(place: AssignmentFiles, judged: Mapping[str, Sequence[Mark]]) -> Settled:
    """Settle marks of hand-ins."""
    by_hand = question_marks(place, judged)
    rows = {student: [*row, *by_hand[student]] for student, row in judged.items()}
    given, known = overrides(place), collected(place)
    members = _members(place, rows)
    persons = people(place, members)
    waiting = [
        (source, mark.exercise)
        for source, row in rows.items()
        for mark in row
        if overridden(place, mark, given.get((harmless(source), mark.exercise))).waiting
    ]
    result = Settled(place, {}, people=persons, waiting=waiting)
    for student, candidates in members.items():
        best: tuple[list[Mark], list[str], str] | None = None
        for source in candidates:
            alone = student != source and student not in rows  # points of their own, in a group
            row = []
            for mark in rows[source]:
                own = given.get((harmless(student), mark.exercise)) if alone else None
                own = own or given.get((harmless(source), mark.exercise))
                row.append(overridden(place, mark, own))
            grant = granted(place.course, student, persons[student])
            row, notes = _after_lateness(place, row, known.get(source), grant)
            if best is None or _sum(row) > _sum(best[0]):
                best = row, notes, source
        assert best is not None
        row, notes, source = best
        if len(candidates) > 1 or source != student:
            notes = [*notes, _of_group(student, source, candidates)]
        result.marks[student], result.notes[student] = row, notes
        result.handed_in_by[student] = source
    return result


def _members(place: AssignmentFiles, rows: Mapping[str, object]) -> dict[str, list[str]]:
    """Everybody who gets marks, and the hand-ins from which they come."""
    persons = people(place, rows)
    found = {student: [student] for student in rows}
    for group in place.assignment.groups:
        inside = [student for student in rows if student in group or persons[student] in group]
        there = {persons[student] for student in inside} | {*inside}
        for name in (*inside, *(each for each in group if each not in there)):
            if inside:
                found[name] = inside
    return {student: found[student] for student in sorted(found)}


def _after_lateness(
    place: AssignmentFiles, row: list[Mark], hand_in: Collected | None, grant: Accommodation
) -> tuple[list[Mark], list[str]]:
    """Marks without what lateness takes, and what to say of it."""
    assignment, notes = place.assignment, list[str]()
    until = deadline(assignment.due, assignment.name, grant)
    if until is not None and until != assignment.due:
        notes.append(f"Your own deadline was {until:%Y-%m-%d %H:%M}.")
    if assignment.name in grant.exempt:
        notes.append(
            "You did not have to hand this in. It counts only where that raises your total, and "
            "lateness takes nothing off."
        )
        return row, notes
    policy = assignment.late
    if policy is None or hand_in is None or until is None:
        return row, notes
    if not hand_in.when:
        if hand_in.late:
            notes.append("It was late, and nothing says by how much; nothing is taken off.")
        return row, notes
    late = datetime.datetime.fromisoformat(hand_in.when) - until
    if late <= datetime.timedelta():
        return row, notes
    after = with_lateness(row, policy, late)
    if not policy.share_for(late):
        notes.append(f"It was {spoken(late)} late, for which nothing is taken off.")
    else:
        lost = _sum(row) - _sum(after)
        why = policy.says(late)
        notes.append(f"{why[0].upper()}{why[1:]}. That is {lost:.4g} points.")
    return after, notes


def _of_group(student: str, source: str, candidates: Sequence[str]) -> str:
    whose = "Your own answers count" if source == student else f"The answers of {source} count"
    if len(candidates) > 1:
        return f"{whose} for you: of your group, {', '.join(candidates)} handed in."
    return f"{whose} for your group."


def _sum(row: Sequence[Mark]) -> float:
    return math.fsum(mark.points for mark in row)


def _where_points_are_missing(place: AssignmentFiles, student: str, question: str) -> str:
    name, path = place.assignment.name, sheet(place)
    again = f"`plainformer-class questions {name}`"
    look = f"`plainformer-class grade {name} --look` asks for them on a page"
    if not path.exists():
        return f"{path} must hold the marks of questions; {again} writes it, or {look}"
    return (
        f"{student}'s {question} has no points yet in {path}; fill them in, 0 for no answer, or "
        f"{look}. A row that is missing is added by {again}"
    )
