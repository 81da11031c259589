"""A small honest model of the next token, and what it thinks of a text.

In reading order:

- `witten_bell.py`: the formula, one row of probabilities made of counts and a shorter row;
- `counts.py`: how often each token followed each history, by sorting;
- `ngram.py`: the model that joins the two;
- `sequence.py`: the probability of a whole text, whichever model it is.
"""

from plainformer.decoding.next_token.ngram import NGramModel
from plainformer.decoding.next_token.sequence import sequence_log_prob
from plainformer.decoding.next_token.witten_bell import witten_bell

__all__ = ["NGramModel", "sequence_log_prob", "witten_bell"]
