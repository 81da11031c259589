"""`TrainingLab`: a small model that trains in the page, and can be broken."""

from .widget import TrainingLab

__all__ = ["TrainingLab"]
