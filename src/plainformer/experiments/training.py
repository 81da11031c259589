"""An experiment on how a model learns."""

from __future__ import annotations

from typing import Any

from plainformer.training.tasks import course_lm

from .judging import Experiment, Finding
from .measuring import model, story_loss

__all__ = ["EXPERIMENTS"]

STEP = 414


def predicted_loss(answer: Any) -> Finding:
    """A point of the learning curve, predicted before it is drawn."""
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not 0 < answer < 20:
        raise ValueError(f"the answer must be a loss in nats, between 0 and 20; got {answer!r}")
    begin, end = story_loss(course_lm(0).model), story_loss(model().model)
    there = story_loss(course_lm(STEP).model)
    off = answer - there
    known = f"The loss on 64 stories is {begin:.2f} before training and {end:.2f} at its end."
    if abs(off) <= 0.3:
        return Finding(True, f"{known} After {STEP} steps it is {there:.2f}.")
    return Finding(False, f"{known} Your prediction is too {'high' if off > 0 else 'low'}.")


EXPERIMENTS = (
    Experiment(
        "training.language_model",
        "A curve, before it is drawn",
        f"Course-lm was trained for 8,000 steps. Predict its loss on the stories after {STEP} of "
        "them, to within 0.3 nats. The answer is a number.",
        predicted_loss,
        (2.2,),
    ),
)
