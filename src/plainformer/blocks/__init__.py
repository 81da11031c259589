"""Part 3, blocks: everything in a transformer besides attention, and the models built from both.

>>> from plainformer.blocks import layer_norm
>>> layer_norm([1.0, 3.0], eps=0.0).tolist()  # mean 0, variance 1
[-1.0, 1.0]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
