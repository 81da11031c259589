"""Attention with parameters, in torch, and the measurements for the chapters."""

from plainformer.attention.modules.multi_head import MultiHeadAttention

__all__ = ["MultiHeadAttention"]
