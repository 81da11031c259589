"""Three exercises on cross-attention.

Read an alignment off a map, let one text ask another, and leave the padding of a batch of sources
out. Each file holds one exercise: the task and its solution, examples, hints, and the answers,
wrong and right, that the checker is tested with.
"""

from plainformer.exercises.attention.cross_attention.ask_source import EXERCISE as ASK_SOURCE
from plainformer.exercises.attention.cross_attention.ask_sources import EXERCISE as ASK_SOURCES
from plainformer.exercises.attention.cross_attention.read_map import EXERCISE as READ_MAP

__all__ = ["EXERCISES"]

EXERCISES = (READ_MAP, ASK_SOURCE, ASK_SOURCES)
