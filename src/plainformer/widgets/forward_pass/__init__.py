"""`ForwardPass`: see `widget.py`."""

from .widget import ForwardPass

__all__ = ["ForwardPass"]
