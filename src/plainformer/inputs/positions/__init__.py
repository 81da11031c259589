"""Positions that are added to the vectors of tokens.

In reading order:

- `angles.py`: the ladder of wavelengths, which sinusoids and RoPE share;
- `sinusoidal_table.py`: the table of sines and cosines, and why a step is a rotation;
- `experiment.py`: words and positions that are added, and found again;
- `../modules/positions.py`: learned positions, segments, and the whole input of a transformer, in
  torch.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
