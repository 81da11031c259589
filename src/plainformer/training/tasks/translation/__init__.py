"""Translation: pairs of sentences as batches, a small encoder-decoder, and what it writes."""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
