"""Part 2, attention: how tokens exchange information.

>>> from plainformer.attention import attention, causal_mask
>>> x = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
>>> output, weights = attention(x, x, x, mask=causal_mask(3))
>>> weights[0].tolist()  # the first token sees only itself
[1.0, 0.0, 0.0]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
