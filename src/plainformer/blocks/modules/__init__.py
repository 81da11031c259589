"""Blocks with parameters, and the models that are built from them, in torch.

In reading order:

- `norms.py`, `feed_forward.py`: the formulas, with parameters;
- `layers.py`: an encoder's layer and a decoder's;
- `embedding.py`: from ids to vectors, and from vectors to logits;
- `models.py`: `DecoderOnly`, `EncoderOnly` and `EncoderDecoder`, each short enough for one screen;
- `pretrained.py`: loading and saving published weights;
- `tracing.py`: the intermediate results of a forward pass, and how to replace them;
- `longer_texts.py`: five ways to encode positions, trained on short texts and tested on longer
  ones;
- `experiment.py`: activations and gradients in stacks of layers before training.
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
