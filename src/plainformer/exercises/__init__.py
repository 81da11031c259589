"""Exercises that answer back: check an answer, get a hint, count the points.

    from plainformer.exercises import check
    check("inputs.tokenization.1", count_neighbours)

The framework reads in this order: `spec` (what an exercise is), `compare` (what differs), `limit`
and `runner` (call an answer safely), `grading` (what is wrong with it), `registry` (find an
exercise), `session` (what a reader calls). The exercises themselves stand in one folder for each
part of the course and one module for each chapter.
"""

from plainformer.exercises.grading import Result, grade
from plainformer.exercises.registry import exercise, exercise_ids
from plainformer.exercises.session import Points, check, hint, points

__all__ = ["Points", "Result", "check", "exercise", "exercise_ids", "grade", "hint", "points"]
