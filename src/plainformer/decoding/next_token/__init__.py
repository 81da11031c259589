"""A small honest model of the next token, and what it thinks of a text.

In reading order:

- `smoothing.py`: the formula, one row of probabilities made of counts and a shorter row;
- `counts.py`: how often each token followed each history, by sorting;
- `ngram.py`: the model that joins the two;
- `sequence.py`: the probability of a whole text, whichever model it is.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
