"""Schedules: the learning rate of every step of a training run.

A schedule is called with a step and returns a learning rate. The step counts the updates that were
made before: 0 for the first. Each schedule has a `peak`, which it reaches after `warmup` updates
with smaller rates, that rise in a line::

    rate = peak · (step + 1) / (warmup + 1)     while step < warmup

So the first update has a rate, too, and with `warmup=0` nothing rises. What comes after the peak is
what the four differ in.

>>> schedule = Cosine(0.8, total=11, warmup=3)
>>> [round(schedule(step), 2) for step in range(12)]
[0.2, 0.4, 0.6, 0.8, 0.77, 0.68, 0.55, 0.4, 0.25, 0.12, 0.03, 0.0]

Why warm up? AdamW divides each gradient by a running mean of its size. After a few steps that mean
is made of a few gradients, and may be far too small.

But: one rate for all weights of a model. (torch's optimizers allow a rate for each group.)
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from plainformer.arrays import check_number, check_size

__all__ = ["Constant", "Cosine", "InverseSquareRoot", "Schedule", "StepDecay"]


@dataclass(frozen=True)
class Schedule:
    """What all schedules share: the way up to the peak, and the checks.

    Attributes:
        peak: the largest learning rate, above 0.
        warmup: how many updates come before the peak.
    """

    peak: float
    _: KW_ONLY
    warmup: int = 0

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step; 0 is the first.

        Raises TypeError when step is no whole number, ValueError when it is below 0.
        """
        step = check_size(step, "step", least=0)
        if step < self.warmup:
            return self.peak * (step + 1) / (self.warmup + 1)
        return self._after(step)

    def _after(self, step: int) -> float:
        """The rate from the peak on, which is at step `warmup`."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        """Check all settings; each kind of schedule checks its own besides."""
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")
        check_size(self.warmup, "warmup", least=0)


@dataclass(frozen=True)
class Constant(Schedule):
    """The peak, for good.

    >>> [Constant(0.1)(step) for step in (0, 1, 1000)]
    [0.1, 0.1, 0.1]
    """

    def _after(self, step: int) -> float:
        return self.peak


@dataclass(frozen=True, kw_only=True)
class StepDecay(Schedule):
    """Stairs: after every so many updates the rate is multiplied by a factor.

    The stairs begin at the peak: `every` updates have the peak itself.

    Attributes:
        every: how many updates a stair is long.
        factor: above 0, and 1 at most.

    >>> schedule = StepDecay(0.8, every=2, factor=0.5)
    >>> [schedule(step) for step in range(6)]
    [0.8, 0.8, 0.4, 0.4, 0.2, 0.2]
    """

    every: int
    factor: float

    def _after(self, step: int) -> float:
        return self.peak * self.factor ** ((step - self.warmup) // self.every)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size(self.every, "every")
        if not 0 < check_number(self.factor, "factor") <= 1:
            raise ValueError(f"factor must be above 0, and 1 at most; got {self.factor}")


@dataclass(frozen=True, kw_only=True)
class Cosine(Schedule):
    """Half a wave from the peak down to a floor: gently at first, fastest halfway, gently again.

    The formula is that of Loshchilov and Hutter (2017, "SGDR", equation 5), without restarts. The
    floor is reached at step `total`, which is the first that a run of so many updates does not
    make; from there on the rate stays.

    Attributes:
        total: of how many updates the run is, those of the warm-up among them.
        floor: the rate in the end, from 0 to the peak.

    >>> schedule = Cosine(0.1, total=8, floor=0.02)
    >>> [round(schedule(step), 3) for step in (0, 2, 4, 6, 8, 100)]
    [0.1, 0.088, 0.06, 0.032, 0.02, 0.02]
    """

    total: int
    floor: float = 0.0

    def _after(self, step: int) -> float:
        done = min(1.0, (step - self.warmup) / (self.total - self.warmup))  # from 0 to 1
        share = (1 + math.cos(math.pi * done)) / 2  # from 1 to 0
        return share * self.peak + (1 - share) * self.floor

    def __post_init__(self) -> None:
        super().__post_init__()
        if check_size(self.total, "total") <= self.warmup:
            raise ValueError(f"total must be above warmup, {self.warmup:,}; got {self.total:,}")
        if not 0 <= check_number(self.floor, "floor") <= self.peak:
            raise ValueError(f"floor must be from 0 to peak, {self.peak}; got {self.floor}")


@dataclass(frozen=True)
class InverseSquareRoot(Schedule):
    """Down with the root of the step: four times as many updates, half the rate. It has no end.

    >>> schedule = InverseSquareRoot(0.8, warmup=3)
    >>> [round(schedule(step), 3) for step in (0, 1, 2, 3, 15, 63)]
    [0.2, 0.4, 0.6, 0.8, 0.4, 0.2]
    """

    def _after(self, step: int) -> float:
        return self.peak * math.sqrt((self.warmup + 1) / (step + 1))

    @classmethod
    def of_paper(cls, d_model: int, warmup_steps: int = 4000) -> InverseSquareRoot:
        """Return the schedule of Vaswani et al. (2017), section 5.3, equation 3.

        There the peak is not chosen, it follows: with n counted from 1,
        rate = d_model^-0.5 · min(n^-0.5, n · warmup_steps^-1.5).

        Args:
            d_model: D, the width of the model.
            warmup_steps: at which n the rate is at its peak.

        >>> round(InverseSquareRoot.of_paper(512).peak, 6)
        0.000699

        Raises TypeError or ValueError when one is no whole number, or below 1.
        """
        check_size(d_model, "d_model")
        check_size(warmup_steps, "warmup_steps")
        return cls((d_model * warmup_steps) ** -0.5, warmup=warmup_steps - 1)
