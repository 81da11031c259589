"""Text classification: an encoder, the mean of its vectors, and a linear layer predict a label.

In reading order:

- `examples.py`: convert texts and labels to batches;
- `models.py`: a classifier with an encoder, and one that only averages word vectors;
- `fitting.py`: train a classifier, and evaluate it on held-out texts;
- `attribution.py`: find the tokens that a prediction depends on;
- `settings.py` and `saving.py`: train from the command line, save the result, and open it again.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
