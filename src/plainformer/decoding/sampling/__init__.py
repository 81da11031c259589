"""Sampling: which tokens may be drawn, how one is drawn, and how a text is generated.

In reading order:

- `filters.py`: top-k, top-p and min-p, which cut off the tail of a distribution;
- `pipeline.py`: penalties, temperature and filters in a row, each stage with a name;
- `draw.py`: from logits and a random number to a token;
- `generation.py`: whole texts, token by token;
- `speculative.py`: the same with fewer calls of a large model, because a small one guesses.
"""
