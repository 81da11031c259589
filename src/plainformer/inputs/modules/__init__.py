"""Input layers with parameters, in torch.

In reading order:

- `positions.py`: learned positions, segments, and the complete input layer of a transformer;
- `bigram.py`: the smallest model with an embedding, trained.
"""

from plainformer.inputs.modules.positions import (
    InputEmbedding,
    LearnedPositions,
    SegmentEmbedding,
)

__all__ = ["InputEmbedding", "LearnedPositions", "SegmentEmbedding"]
