"""Three exercises on temperature: by powers, with both ends right, and found from an entropy.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.decoding.temperature.find_temperature import EXERCISE as FIND_TEMPERATURE
from plainformer.exercises.decoding.temperature.reheat import EXERCISE as REHEAT
from plainformer.exercises.decoding.temperature.token_chances import EXERCISE as TOKEN_CHANCES

__all__ = ["EXERCISES"]

EXERCISES = (REHEAT, TOKEN_CHANCES, FIND_TEMPERATURE)
