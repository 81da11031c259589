"""Five exercises on relative positions: RoPE and ALiBi.

Turn vectors with complex numbers, see that a shift of both positions changes no score, go from one
layout of the pairs to the other, and then ALiBi's slopes and its penalty. Each file holds one
exercise: the task and its solution, examples, hints, and the answers, wrong and right, that the
checker is tested with.
"""

from plainformer.exercises.inputs.relative_positions.alibi_scores import EXERCISE as ALIBI_SCORES
from plainformer.exercises.inputs.relative_positions.rotate import EXERCISE as ROTATE
from plainformer.exercises.inputs.relative_positions.shifted_scores import (
    EXERCISE as SHIFTED_SCORES,
)
from plainformer.exercises.inputs.relative_positions.slopes import EXERCISE as SLOPES
from plainformer.exercises.inputs.relative_positions.to_half import EXERCISE as TO_HALF

__all__ = ["EXERCISES"]

EXERCISES = (ROTATE, SHIFTED_SCORES, TO_HALF, SLOPES, ALIBI_SCORES)
