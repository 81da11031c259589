"""The same attention with less memory: the online softmax of `blockwise.py`.

Read `kv_cache.py`, one folder up, first. Torch's fused kernel is in `attention/modules/fused.py`.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
