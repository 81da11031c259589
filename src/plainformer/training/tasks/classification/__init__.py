"""Which of K labels has a text? An encoder reads it, a mean makes it one vector, a matrix answers.

In reading order:

- `examples.py`: from texts and labels to batches;
- `models.py`: the plain way, and the one with an encoder;
- `fitting.py`: training, and what is measured on texts that were held out;
- `attribution.py`: which tokens the answer rests on.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
