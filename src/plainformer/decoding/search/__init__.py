"""Search: of all the texts that a model could write, find a likely one.

>>> import numpy as np
>>> from plainformer.decoding.search import beam_search, greedy_search
>>> table = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
>>> def model(ids):  # the last token decides
...     return table[ids[:, -1]]
>>> greedy_search(model, [0], max_new_tokens=2)  # of probability 0.5 · 0.4
[0, 1, 0]
>>> beam_search(model, [0], num_beams=2, max_new_tokens=2).sequences  # 0.3 · 0.9
[[0, 2, 0]]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
