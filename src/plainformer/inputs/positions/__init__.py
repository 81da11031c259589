"""Positions that are added to the vectors of tokens.

In reading order:

- `angles.py`: the frequencies and wavelengths that sinusoids and RoPE share;
- `sinusoidal_table.py`: the table of sines and cosines, and why a step is a rotation;
- `experiment.py`: whether a word and a position can be recovered from their sum;
- `../modules/positions.py`: learned positions, segments, and the complete input layer, in torch.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
