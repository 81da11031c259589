"""A small model of the next token, and the probability that a model gives to a text.

In reading order:

- `smoothing.py`: the formula, which interpolates counts with a model of shorter histories;
- `ngram.py`: the model, which counts and applies the formula;
- `sequence.py`: the probability of a text under any model.
"""
