"""Exercises that answer back: check an answer, get a hint, count the points.

    from plainformer.exercises import check
    check("inputs.tokenization.1", count_neighbours)

The framework reads in this order: `spec` (what an exercise is), `compare` (what differs), `limit`
and `runner` (call an answer safely), `grading` (what is wrong with it), `registry` (find an
exercise), `session` (what a reader calls). The exercises themselves are in one folder for each
chapter, inside one for each part of the course, with one file for each exercise.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
