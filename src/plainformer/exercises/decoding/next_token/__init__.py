"""Three exercises on the next token: count pairs, score a text, find the likeliest two tokens.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.decoding.next_token.likeliest_pair import EXERCISE as LIKELIEST_PAIR
from plainformer.exercises.decoding.next_token.log_prob_of import EXERCISE as LOG_PROB_OF
from plainformer.exercises.decoding.next_token.pair_counts import EXERCISE as PAIR_COUNTS

__all__ = ["EXERCISES"]

EXERCISES = (PAIR_COUNTS, LOG_PROB_OF, LIKELIEST_PAIR)
