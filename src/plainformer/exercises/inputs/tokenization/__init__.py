"""Six exercises on tokenization: the reader builds byte-pair encoding, piece by piece.

Count the pairs, merge one, learn merges from words, encode with them, read bytes back, and find
out what a merge really saves. Each file holds one exercise: the task and its solution, examples,
hints, and the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.inputs.tokenization.count_neighbours import EXERCISE as COUNT_NEIGHBOURS
from plainformer.exercises.inputs.tokenization.decode import EXERCISE as DECODE
from plainformer.exercises.inputs.tokenization.encode import EXERCISE as ENCODE
from plainformer.exercises.inputs.tokenization.merge import EXERCISE as MERGE
from plainformer.exercises.inputs.tokenization.savings import EXERCISE as SAVINGS
from plainformer.exercises.inputs.tokenization.train import EXERCISE as TRAIN

__all__ = ["EXERCISES"]

EXERCISES = (COUNT_NEIGHBOURS, MERGE, TRAIN, ENCODE, DECODE, SAVINGS)
