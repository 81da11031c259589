"""Search: of all the texts that a model could write, find a likely one.

>>> from plainformer.decoding.search import Node
>>> Node(0, None, 0, None, 0.0, 0.0, 0.0, "survived").step
0
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.decoding.search.tree import Fate, Hypothesis, Node, SearchTree, Step

__all__ = [
    "Fate",
    "Hypothesis",
    "Node",
    "SearchTree",
    "Step",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "tree": ["Fate", "Hypothesis", "Node", "SearchTree", "Step"],
    },
)
