"""How far apart two tokens are: positions that enter where queries meet keys.

In reading order:

- `rope.py`: rotary positions, which turn queries and keys;
- `rope_scaling.py`: their frequencies, slowed down for longer texts;
- `alibi.py`: a penalty on distance, added to the scores.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
