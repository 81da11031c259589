"""Where a token stands: positions written into its vector.

In reading order:

- `angles.py`: the ladder of wavelengths, which sinusoids and RoPE share;
- `sinusoidal.py`: the table of sines and cosines, and why a step is a rotation;
- `modules.py`: learned positions, segments, and the whole input of a transformer, in torch.
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.inputs.positions.angles import frequencies, wavelengths
    from plainformer.inputs.positions.modules import (
        InputEmbedding,
        LearnedPositions,
        SegmentEmbedding,
    )
    from plainformer.inputs.positions.sinusoidal import shift_matrix, sinusoidal

__all__ = [
    "InputEmbedding",
    "LearnedPositions",
    "SegmentEmbedding",
    "frequencies",
    "shift_matrix",
    "sinusoidal",
    "wavelengths",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "angles": ["frequencies", "wavelengths"],
        "sinusoidal": ["shift_matrix", "sinusoidal"],
        "modules": ["InputEmbedding", "LearnedPositions", "SegmentEmbedding"],  # these need torch
    },
)
