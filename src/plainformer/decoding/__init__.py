"""Part 4, decoding: from logits to text, with any model that computes logits.

>>> from plainformer.decoding import log_softmax
>>> log_softmax([0.0, 0.0]).round(3).tolist()  # two equally likely tokens: log of 1/2
[-0.693, -0.693]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
