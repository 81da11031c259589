"""A widget with four schedules of the learning rate under the same sliders.

All rise in a line to the same peak. What comes after is what they differ in: nothing, stairs, half
a wave, or the root of the step. The chosen one stands out, the others stay faint behind it, and
each says its rate at the step that the reader looks at. The front end (``view.js``) computes it;
here the same numbers come from `plainformer.training`, and a browser test compares the two.

It shows learning rates and not their effect. Which schedule trains a model best depends on the
model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_number
from plainformer.training.schedules import (
    Constant,
    Cosine,
    InverseSquareRoot,
    Schedule,
    StepDecay,
)
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

from .picture import draw, number

__all__ = ["KINDS", "MOST_STEPS", "ScheduleLab"]

KINDS = {
    "constant": "Constant",
    "step": "Step decay",
    "cosine": "Cosine",
    "inverse": "Inverse square root",
}
"""The schedules, and what they are called on the page."""

MOST_STEPS = 1_000_000
"""The longest run."""


def _check_schedule(_: Any, value: Any) -> str:
    if not isinstance(value, str) or value not in KINDS:
        raise ValueError(f"schedule must be one of {', '.join(KINDS)}; got {value!r}")
    return value


def _whole(name: str, least: int, last: Callable[[Any], int]) -> Callable[[Any, Any], int]:
    """A check for a whole number from ``least`` to what ``last(widget)`` says."""

    def check(widget: Any, value: Any) -> int:
        return check_whole(value, name, least, last(widget))

    return check


def _real(name: str, least: float, most: float) -> Callable[[Any, Any], float]:
    """A check for a number from ``least`` to ``most``."""

    def check(_: Any, value: Any) -> float:
        found = check_number(value, name)
        if not least <= found <= most:
            raise ValueError(f"{name} must be from {least:g} to {most:g}; got {value}")
        return found

    return check


class ScheduleLab(Widget):
    """Choose a schedule of the learning rate, and see what its settings do to it.

    Arguments: ``schedule``, "constant", "step", "cosine" or "inverse". ``peak``: the largest rate,
    from 1e-6 to 1. ``warmup``: how many steps come before it. ``total``: how many steps the run
    has, 2 to `MOST_STEPS`. ``every`` and ``factor``, from 0.01 to 1, are those of the stairs.
    ``floor``: what is left at the end of the cosine, as a share of the peak, 0 to 1. ``step``: the
    step that is looked at, 0 to ``total``.

    In Jupyter all of these are live: what the reader chooses can be read here, and what is set here
    is drawn. A shorter ``total`` brings ``warmup``, ``every`` and ``step`` into what is left.
    ``schedules`` are all four, to be called with a step or given to a training loop; ``rate`` is
    that of the chosen one.

    >>> lab = ScheduleLab("cosine", peak=0.8, warmup=3, total=11, floor=0, step=7)
    >>> round(lab.rate, 3)
    0.4
    >>> lab.schedules["step"]
    StepDecay(peak=0.8, warmup=3, every=11, factor=0.5)

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "schedule_lab"

    schedule = ValidatedTrait("cosine", _check_schedule).tag(sync=True)
    total = ValidatedTrait(2000, _whole("total", 2, lambda _: MOST_STEPS)).tag(sync=True)
    peak = ValidatedTrait(0.003, _real("peak", 1e-6, 1)).tag(sync=True)
    warmup = ValidatedTrait(0, _whole("warmup", 0, lambda self: self.total - 1)).tag(sync=True)
    every = ValidatedTrait(1, _whole("every", 1, lambda self: self.total)).tag(sync=True)
    factor = ValidatedTrait(0.5, _real("factor", 0.01, 1)).tag(sync=True)
    floor = ValidatedTrait(0.1, _real("floor", 0, 1)).tag(sync=True)
    step = ValidatedTrait(0, _whole("step", 0, lambda self: self.total)).tag(sync=True)

    def __init__(
        self,
        schedule: str = "cosine",
        *,
        peak: float = 0.003,
        warmup: int = 200,
        total: int = 2000,
        every: int | None = None,
        factor: float = 0.5,
        floor: float = 0.1,
        step: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            schedule=schedule, total=total, peak=peak, factor=factor, floor=floor, **options
        )
        self.warmup = warmup
        self.every = min(400, self.total) if every is None else every
        self.step = self.total // 2 if step is None else step

    @property
    def schedules(self) -> dict[str, Schedule]:
        """All four, with the settings of now."""
        peak, warmup = self.peak, self.warmup
        return {
            "constant": Constant(peak, warmup=warmup),
            "step": StepDecay(peak, warmup=warmup, every=self.every, factor=self.factor),
            "cosine": Cosine(peak, warmup=warmup, total=self.total, floor=self.floor * peak),
            "inverse": InverseSquareRoot(peak, warmup=warmup),
        }

    @property
    def rate(self) -> float:
        """The learning rate of the chosen schedule at the step that is looked at."""
        return self.schedules[self.schedule](self.step)

    @traitlets.observe("total")
    def _stay_inside(self, change: Any) -> None:
        """A shorter run: what lies beyond its end moves to it."""
        self.warmup = min(self.warmup, self.total - 1)
        self.every = min(self.every, self.total)
        self.step = min(self.step, self.total)

    def description(self) -> str:
        """Return in a few sentences what the curves show."""
        rates = ", ".join(
            f"{KINDS[kind]} {number(each(self.step))}" for kind, each in self.schedules.items()
        )
        return (
            f"Curves of four learning rates over {self.total:,} steps. All rise to "
            f"{number(self.peak)} in {self.warmup:,} steps. {KINDS[self.schedule]} stands out. At "
            f"step {self.step:,}: {rates}."
        )

    def picture(self) -> str:
        """Return the curves, and the sentences."""
        curves = draw(self.schedules, self.schedule, self.peak, self.total, self.step)
        return f'{curves}<p class="pf-note">{self.description()}</p>'
