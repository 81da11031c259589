"""A small grammar of English and Italian that generates any number of sentence pairs.

Nothing has to be downloaded, because the words come from a table, Italian agreement from a few
functions, and the sentences from a few rules. `sentence_pairs` draws pairs at random, and those of
the "test" split contain combinations of words that never occur in the "train" split.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
