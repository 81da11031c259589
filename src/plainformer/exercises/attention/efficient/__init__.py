"""Four exercises on attention for less: less work by a cache, less memory by blocks.

The bytes of a cache, a step of decoding with the right mask, two halves of a text merged, and the
online softmax itself. Each file holds one exercise: the task and its solution, examples, hints, and
the answers, wrong and right, that the checker is tested with.
"""

from plainformer.exercises.attention.efficient.attend_with_cache import (
    EXERCISE as ATTEND_WITH_CACHE,
)
from plainformer.exercises.attention.efficient.cache_bytes import EXERCISE as CACHE_BYTES
from plainformer.exercises.attention.efficient.merge_parts import EXERCISE as MERGE_PARTS
from plainformer.exercises.attention.efficient.online_row import EXERCISE as ONLINE_ROW

__all__ = ["EXERCISES"]

EXERCISES = (CACHE_BYTES, ATTEND_WITH_CACHE, MERGE_PARTS, ONLINE_ROW)
