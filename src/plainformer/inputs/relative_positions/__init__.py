"""Relative positions, which enter where queries are compared with keys.

In reading order:

- `rope.py`: rotary positions, which rotate queries and keys;
- `alibi.py`: a penalty on distance, added to the scores.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
