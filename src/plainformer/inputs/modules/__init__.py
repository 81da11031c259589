"""The inputs' parts that have parameters, in torch.

In reading order:

- `positions.py`: learned positions, segments, and the whole input of a transformer;
- `bigram.py`: the smallest model with an embedding, trained;
- `experiment.py`: five ways to say where a token stands, each trained on short texts and tested on
  longer ones.
"""

from plainformer.inputs.modules.positions import (
    InputEmbedding,
    LearnedPositions,
    SegmentEmbedding,
)

__all__ = ["InputEmbedding", "LearnedPositions", "SegmentEmbedding"]
