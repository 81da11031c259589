"""Part 1, inputs: from text to the vectors that a transformer reads.

>>> from plainformer.inputs import CharTokenizer, sinusoidal
>>> CharTokenizer("act").encode("cat")
[2, 1, 3]
>>> sinusoidal(1, d_model=4).tolist()
[[0.0, 1.0, 0.0, 1.0]]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
