"""`BeamTree`: a beam search that grows step by step, and the ranking of what it finished."""

from .widget import BeamTree

__all__ = ["BeamTree"]
