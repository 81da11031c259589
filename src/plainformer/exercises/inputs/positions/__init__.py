"""Four exercises on absolute positions.

Build the sinusoidal table, find the wrong number in a printed one, go from one row to a later
one by a rotation, and add up the input of BERT. Each file holds one exercise: the task and its
solution, examples, hints, and the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.inputs.positions.bert_input import EXERCISE as BERT_INPUT
from plainformer.exercises.inputs.positions.build_table import EXERCISE as BUILD_TABLE
from plainformer.exercises.inputs.positions.find_mistake import EXERCISE as FIND_MISTAKE
from plainformer.exercises.inputs.positions.step_forward import EXERCISE as STEP_FORWARD

__all__ = ["EXERCISES"]

EXERCISES = (BUILD_TABLE, FIND_MISTAKE, STEP_FORWARD, BERT_INPUT)
