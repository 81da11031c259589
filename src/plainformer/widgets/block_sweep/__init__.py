"""`BlockSweep`: the online softmax, one block of keys a step."""

from .widget import BlockSweep

__all__ = ["BlockSweep"]
