"""Four exercises on sampling: a draw, the size of a nucleus, min-p, and one speculative step.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.decoding.sampling.draw_word import EXERCISE as DRAW_WORD
from plainformer.exercises.decoding.sampling.keep_min_p import EXERCISE as KEEP_MIN_P
from plainformer.exercises.decoding.sampling.nucleus import EXERCISE as NUCLEUS
from plainformer.exercises.decoding.sampling.speculate import EXERCISE as SPECULATE

__all__ = ["EXERCISES"]

EXERCISES = (DRAW_WORD, NUCLEUS, KEEP_MIN_P, SPECULATE)
