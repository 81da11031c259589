"""Attention with parameters, in torch: what a model is built of.

In reading order:

- `multi_head.py`: `MultiHeadAttention`, with rotary positions and a cache;
- `fused.py`: torch's fused kernel, with the masks that it asks for.
"""

from plainformer.attention.modules.multi_head import MultiHeadAttention

__all__ = ["MultiHeadAttention"]
