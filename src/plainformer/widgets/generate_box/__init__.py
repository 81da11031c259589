"""`GenerateBox`: a prompt, a model, and every setting of a sampler."""

from .widget import GenerateBox

__all__ = ["GenerateBox"]
