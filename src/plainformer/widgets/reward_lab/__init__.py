"""`RewardLab`: see `widget.py`."""

from .widget import RewardLab

__all__ = ["RewardLab"]
