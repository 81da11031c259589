"""Search: of all the texts that a model could write, find a likely one.

>>> import numpy as np
>>> from plainformer.decoding.search import beam_search, greedy_search
>>> table = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
>>> def model(ids):  # the last token decides
...     return table[ids[:, -1]]
>>> greedy_search(model, [0], max_new_tokens=2)  # of probability 0.5 · 0.4
[0, 1, 0]
>>> beam_search(model, [0], beam_size=2, max_new_tokens=2).sequences  # 0.3 · 0.9
[[0, 2, 0]]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.decoding.search.beam import beam_search, best_continuations
    from plainformer.decoding.search.greedy import greedy_search
    from plainformer.decoding.search.lengths import (
        EarlyStopping,
        LengthNorm,
        length_divisor,
        may_improve,
    )
    from plainformer.decoding.search.tree import Fate, Hypothesis, Node, SearchTree, Step

__all__ = [
    "EarlyStopping",
    "Fate",
    "Hypothesis",
    "LengthNorm",
    "Node",
    "SearchTree",
    "Step",
    "beam_search",
    "best_continuations",
    "greedy_search",
    "length_divisor",
    "may_improve",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "beam": ["beam_search", "best_continuations"],
        "greedy": ["greedy_search"],
        "lengths": ["EarlyStopping", "LengthNorm", "length_divisor", "may_improve"],
        "tree": ["Fate", "Hypothesis", "Node", "SearchTree", "Step"],
    },
)
