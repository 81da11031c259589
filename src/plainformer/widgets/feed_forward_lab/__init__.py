"""`FeedForwardLab`: one vector of two numbers through a feed-forward layer, unit by unit."""

from .widget import FeedForwardLab

__all__ = ["FeedForwardLab"]
