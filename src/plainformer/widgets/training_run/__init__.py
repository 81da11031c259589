"""`TrainingRun`: a training run, scrubbed like a film; or watched while it trains."""

from .widget import TrainingRun

__all__ = ["TrainingRun"]
