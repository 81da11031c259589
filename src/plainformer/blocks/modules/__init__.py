"""Blocks with parameters, and the whole models that are built of them, in torch.

In reading order:

- `norms.py`, `feed_forward.py`: the formulas, with parameters;
- `layers.py`: an encoder's layer and a decoder's;
- `embedding.py`, `head.py`: from ids to vectors, and from vectors to logits;
- `models.py`: `DecoderOnly`, `EncoderOnly` and `EncoderDecoder`, each on one screen;
- `pretrained.py`: models from published files, and back;
- `tracing.py`: what happens inside them, step by step, and what if one step were another;
- `longer_texts.py`: five ways to say where a token stands, each trained on short texts and tested
  on longer ones.
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
