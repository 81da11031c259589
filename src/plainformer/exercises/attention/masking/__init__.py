"""Four exercises on masks: know one by its weights, make one, join two, skip padding.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.attention.masking.decoder_mask import EXERCISE as DECODER_MASK
from plainformer.exercises.attention.masking.may_see import EXERCISE as MAY_SEE
from plainformer.exercises.attention.masking.mean_loss import EXERCISE as MEAN_LOSS
from plainformer.exercises.attention.masking.which_mask import EXERCISE as WHICH_MASK

__all__ = ["EXERCISES"]

EXERCISES = (WHICH_MASK, MAY_SEE, DECODER_MASK, MEAN_LOSS)
