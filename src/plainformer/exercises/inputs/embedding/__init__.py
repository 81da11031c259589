"""Three exercises on the embedding: look vectors up, send a gradient back, find neighbours.

Each file holds one exercise: the task and its solution, examples, hints, and the answers, wrong and
right, that the checker is tested with.
"""

from plainformer.exercises.inputs.embedding.neighbours import EXERCISE as NEIGHBOURS
from plainformer.exercises.inputs.embedding.rows_of import EXERCISE as ROWS_OF
from plainformer.exercises.inputs.embedding.table_gradient import EXERCISE as TABLE_GRADIENT

__all__ = ["EXERCISES"]

EXERCISES = (ROWS_OF, TABLE_GRADIENT, NEIGHBOURS)
