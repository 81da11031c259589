"""The same attention, for less time or memory.

In reading order, after `kv_cache.py` one folder up:

- `blockwise.py`: the online softmax, which never writes all scores out;

torch's fused kernel is in `attention/modules/fused.py`.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
