"""Three exercises on attention as a dictionary: look up exactly, make weights, look up softly.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.attention.lookup.exact_lookup import EXERCISE as EXACT_LOOKUP
from plainformer.exercises.attention.lookup.row_weights import EXERCISE as ROW_WEIGHTS
from plainformer.exercises.attention.lookup.sharp_lookup import EXERCISE as SHARP_LOOKUP

__all__ = ["EXERCISES"]

EXERCISES = (EXACT_LOOKUP, ROW_WEIGHTS, SHARP_LOOKUP)
