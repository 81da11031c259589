"""`LookupDial`: a query that is turned among keys: hard, soft and sharp lookup."""

from .widget import LookupDial

__all__ = ["LookupDial"]
