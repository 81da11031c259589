"""`SamplerLab`: everything between the logits and the token that is drawn."""

from .widget import SamplerLab

__all__ = ["SamplerLab"]
