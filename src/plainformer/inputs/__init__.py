"""Part 1, inputs: from text to what a transformer reads.

>>> from plainformer.inputs import CharTokenizer, sinusoidal
>>> CharTokenizer("act").encode("cat")
[2, 1, 3]
>>> sinusoidal(1, d_model=4).tolist()
[[0.0, 1.0, 0.0, 1.0]]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.inputs.embedding import embed, one_hot
    from plainformer.inputs.positions import (
        InputEmbedding,
        LearnedPositions,
        SegmentEmbedding,
        shift_matrix,
        sinusoidal,
        wavelengths,
    )
    from plainformer.inputs.relative_positions import (
        alibi_bias,
        alibi_slopes,
        apply_rope,
        half_from_interleaved,
        rope_angles,
    )
    from plainformer.inputs.tokenization import (
        GPT2_PATTERN,
        BPETokenizer,
        CharTokenizer,
        Tokenizer,
        WordTokenizer,
    )

__all__ = [
    "GPT2_PATTERN",
    "BPETokenizer",
    "CharTokenizer",
    "InputEmbedding",
    "LearnedPositions",
    "SegmentEmbedding",
    "Tokenizer",
    "WordTokenizer",
    "alibi_bias",
    "alibi_slopes",
    "apply_rope",
    "embed",
    "half_from_interleaved",
    "one_hot",
    "rope_angles",
    "shift_matrix",
    "sinusoidal",
    "wavelengths",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "tokenization": [
            "GPT2_PATTERN", "BPETokenizer", "CharTokenizer", "Tokenizer", "WordTokenizer"
        ],
        "embedding": ["embed", "one_hot"],
        "positions": [
            "InputEmbedding", "LearnedPositions", "SegmentEmbedding",  # these need torch
            "shift_matrix", "sinusoidal", "wavelengths",
        ],
        "relative_positions": [
            "alibi_bias", "alibi_slopes", "apply_rope", "half_from_interleaved", "rope_angles"
        ],
    },
)  # fmt: skip
