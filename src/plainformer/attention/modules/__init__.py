"""Attention with parameters, in torch, as models are built from it.

In reading order:

- `multi_head.py`: `MultiHeadAttention`, with rotary positions and a cache;
- `fused.py`: torch's fused kernel, with the masks that it asks for.

And what the chapters measure:

- `copying.py`: a model that is allowed to see the next letter;
- `vanishing_gradients.py`: gradients through an RNN, and through a layer of attention;
- `measuring.py`: seconds and megabytes.
"""

from plainformer.attention.modules.multi_head import MultiHeadAttention

__all__ = ["MultiHeadAttention"]
