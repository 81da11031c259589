"""Four exercises on multi-head attention.

Cut rows into heads, mix what the heads found, attend in each head by itself, and let several heads
share their keys and values. Each file holds one exercise: the task and its solution, examples,
hints, and the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.attention.multi_head.cut_heads import EXERCISE as CUT_HEADS
from plainformer.exercises.attention.multi_head.many_heads import EXERCISE as MANY_HEADS
from plainformer.exercises.attention.multi_head.mix_heads import EXERCISE as MIX_HEADS
from plainformer.exercises.attention.multi_head.shared_heads import EXERCISE as SHARED_HEADS

__all__ = ["EXERCISES"]

EXERCISES = (CUT_HEADS, MIX_HEADS, MANY_HEADS, SHARED_HEADS)
