"""`NormLab`: one token through LayerNorm and RMSNorm, scaled and shifted before."""

from .widget import NormLab

__all__ = ["NormLab"]
