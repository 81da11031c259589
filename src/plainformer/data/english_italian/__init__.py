"""A small grammar of English and Italian that writes as many sentence pairs as one wants.

No download: the words stand in a table, the agreement of Italian in a few functions, the sentences
in a few rules. `sentence_pairs` draws pairs; those of the "test" split hold combinations of words
that no pair of the "train" split has.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
