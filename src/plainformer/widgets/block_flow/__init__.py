"""`BlockFlow`: the stream through two encoder layers, and what each sublayer writes into it."""

from .widget import BlockFlow

__all__ = ["BlockFlow"]
