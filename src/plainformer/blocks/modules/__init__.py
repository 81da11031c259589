"""Blocks with parameters, and the models that are built from them, in torch.

In reading order: `norms`, `feed_forward`, `layers`, `embedding` and `models`. Then `pretrained`
loads and saves published weights, `tracing` shows and replaces the intermediate results of a
forward pass, and `longer_texts` and `experiment` are two measurements of the book.
"""

from plainformer.blocks.modules.feed_forward import FeedForward
from plainformer.blocks.modules.layers import DecoderLayer, EncoderLayer
from plainformer.blocks.modules.models import DecoderOnly, EncoderDecoder, EncoderOnly
from plainformer.blocks.modules.norms import LayerNorm, RMSNorm
from plainformer.blocks.modules.pretrained import from_pretrained, save_pretrained
from plainformer.blocks.modules.tracing import Trace, ablate, patch, trace

__all__ = [
    "DecoderLayer",
    "DecoderOnly",
    "EncoderDecoder",
    "EncoderLayer",
    "EncoderOnly",
    "FeedForward",
    "LayerNorm",
    "RMSNorm",
    "Trace",
    "ablate",
    "from_pretrained",
    "patch",
    "save_pretrained",
    "trace",
]
