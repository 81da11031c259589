"""Four exercises on self-attention.

Read a matrix of weights, by rows and by columns; write attention in NumPy; choose the matrices of
queries and keys so that tokens look where they are told to; count what it all costs.
"""

from plainformer.exercises.attention.self_attention.attend import EXERCISE as ATTEND
from plainformer.exercises.attention.self_attention.choose_weights import EXERCISE as CHOOSE_WEIGHTS
from plainformer.exercises.attention.self_attention.count_work import EXERCISE as COUNT_WORK
from plainformer.exercises.attention.self_attention.read_weights import EXERCISE as READ_WEIGHTS

__all__ = ["EXERCISES"]

EXERCISES = (READ_WEIGHTS, ATTEND, CHOOSE_WEIGHTS, COUNT_WORK)
