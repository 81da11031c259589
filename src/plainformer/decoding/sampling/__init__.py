"""Drawing the next token by chance: which tokens may be drawn, how one is, and how a text grows.

In reading order:

- `filters.py`: top-k, top-p and min-p, which cut off the tail of a distribution;
- `pipeline.py`: penalties, temperature and filters in a row, each stage with a name;
- `draw.py`: from logits and a number between 0 and 1 to a token;
- `generate.py`: a whole text, token by token;
- `speculative.py`: the same text for fewer calls of a large model, with a small one that guesses.
"""

from plainformer.decoding.sampling.draw import draw_token
from plainformer.decoding.sampling.filters import min_p, top_k, top_p
from plainformer.decoding.sampling.generate import generate, sample
from plainformer.decoding.sampling.pipeline import History, LogitsPipeline
from plainformer.decoding.sampling.speculative import (
    Speculation,
    accept_or_redraw,
    speculative_sample,
)

__all__ = [
    "History",
    "LogitsPipeline",
    "Speculation",
    "accept_or_redraw",
    "draw_token",
    "generate",
    "min_p",
    "sample",
    "speculative_sample",
    "top_k",
    "top_p",
]
