"""Four exercises on the gradients of attention.

What each value gets, back through the softmax, the whole backward pass of attention, and from there
to the tokens and the matrices. Each file holds one exercise: the task and its solution, examples,
hints, and the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.attention.attention_gradients.backward_pass import (
    EXERCISE as BACKWARD_PASS,
)
from plainformer.exercises.attention.attention_gradients.score_gradient import (
    EXERCISE as SCORE_GRADIENT,
)
from plainformer.exercises.attention.attention_gradients.token_gradient import (
    EXERCISE as TOKEN_GRADIENT,
)
from plainformer.exercises.attention.attention_gradients.value_gradient import (
    EXERCISE as VALUE_GRADIENT,
)

__all__ = ["EXERCISES"]

EXERCISES = (VALUE_GRADIENT, SCORE_GRADIENT, BACKWARD_PASS, TOKEN_GRADIENT)
