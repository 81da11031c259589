"""Four exercises on search: greedily, one step of a beam, the better of two lengths, all of it.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.decoding.search.best_pairs import EXERCISE as BEST_PAIRS
from plainformer.exercises.decoding.search.best_text import EXERCISE as BEST_TEXT
from plainformer.exercises.decoding.search.search import EXERCISE as SEARCH
from plainformer.exercises.decoding.search.take_likeliest import EXERCISE as TAKE_LIKELIEST

__all__ = ["EXERCISES"]

EXERCISES = (TAKE_LIKELIEST, BEST_PAIRS, BEST_TEXT, SEARCH)
