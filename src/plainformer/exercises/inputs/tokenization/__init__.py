"""Five exercises on tokenization: the reader builds byte-pair encoding, piece by piece.

Count the pairs, merge one, learn merges from words, encode with them, and read bytes back. Each
file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.inputs.tokenization.count_pairs import EXERCISE as COUNT_PAIRS
from plainformer.exercises.inputs.tokenization.decode import EXERCISE as DECODE
from plainformer.exercises.inputs.tokenization.encode import EXERCISE as ENCODE
from plainformer.exercises.inputs.tokenization.merge import EXERCISE as MERGE
from plainformer.exercises.inputs.tokenization.train import EXERCISE as TRAIN

__all__ = ["EXERCISES"]

EXERCISES = (COUNT_PAIRS, MERGE, TRAIN, ENCODE, DECODE)
