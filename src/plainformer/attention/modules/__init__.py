"""Attention with parameters, in torch, and what the chapters measure."""

from plainformer.attention.modules.multi_head import MultiHeadAttention

__all__ = ["MultiHeadAttention"]
