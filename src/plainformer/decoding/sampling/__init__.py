"""Drawing the next token by chance: which tokens may be drawn, how one is, and how a text grows.

In reading order:

- `filters.py`: top-k, top-p and min-p, which cut off the tail of a distribution;
- `sorting.py`: how they find the largest of many without sorting all;
- `pipeline.py`: penalties, temperature and filters in a row, each stage with a name;
- `draw.py`: from logits and a number between 0 and 1 to a token;
- `generation.py`: a whole text, token by token;
- `speculative.py`: the same text for fewer calls of a large model, with a small one that guesses.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
