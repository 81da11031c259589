"""`SharingLab`: four ways to share out a step of training, and what each holds and sends."""

from .widget import SharingLab

__all__ = ["SharingLab"]
