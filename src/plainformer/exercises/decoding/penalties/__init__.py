"""Three exercises on penalties: subtract what was said, divide or multiply it, find the loop.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.decoding.penalties.find_loop import EXERCISE as FIND_LOOP
from plainformer.exercises.decoding.penalties.fine_said import EXERCISE as FINE_SAID
from plainformer.exercises.decoding.penalties.shrink_said import EXERCISE as SHRINK_SAID

__all__ = ["EXERCISES"]

EXERCISES = (FINE_SAID, SHRINK_SAID, FIND_LOOP)
