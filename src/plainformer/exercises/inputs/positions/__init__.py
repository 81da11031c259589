"""Four exercises on absolute positions.

Build the sinusoidal table, find the wrong number in a printed one, go from one row to a later
one by a rotation, and add up the input of BERT. Each file holds one exercise: the task and its
solution, examples, hints, and the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.spec import Exercise

__all__ = ["EXERCISES"]

EXERCISES: tuple[Exercise, ...] = ()
