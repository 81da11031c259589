"""In torch: input layers with parameters, and the smallest model with an embedding, `bigram.py`."""

from plainformer.inputs.modules.positions import InputEmbedding, LearnedPositions

__all__ = ["InputEmbedding", "LearnedPositions"]
