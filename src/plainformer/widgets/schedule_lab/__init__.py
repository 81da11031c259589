"""`ScheduleLab`: four schedules of the learning rate, under sliders."""

from .widget import ScheduleLab

__all__ = ["ScheduleLab"]
