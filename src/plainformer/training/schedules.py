"""Learning-rate schedules.

A schedule is called with a step, which is the number of updates made so far, and returns the
learning rate of the next update. The rate rises linearly to its `peak` in `warmup` updates, because
AdamW divides each gradient by a running average of its size, which is unreliable after only a few
steps. The four schedules differ in what follows the peak.

>>> schedule = Cosine(0.8, total=11, warmup=3)
>>> [round(schedule(step), 2) for step in range(12)]
[0.2, 0.4, 0.6, 0.8, 0.77, 0.68, 0.55, 0.4, 0.25, 0.12, 0.03, 0.0]
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from plainformer.arrays import check_number, check_size

__all__ = ["Constant", "Cosine", "InverseSquareRoot", "Schedule", "StepDecay"]


@dataclass(frozen=True)
class Schedule:
    """The base of all schedules, with the warm-up and the checks."""

    peak: float  # the largest learning rate
    _: KW_ONLY
    warmup: int = 0  # the number of updates before the peak

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        step = check_size(step, "step", least=0)
        if step < self.warmup:
            return self.peak * (step + 1) / (self.warmup + 1)
        return self._after(step)

    def _after(self, step: int) -> float:
        """Return the rate of a step from the peak on; the peak is at step `warmup`."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")
        check_size(self.warmup, "warmup", least=0)


@dataclass(frozen=True)
class Constant(Schedule):
    """A constant rate after the warm-up.

    >>> [Constant(0.1)(step) for step in (0, 1, 1000)]
    [0.1, 0.1, 0.1]
    """

    def _after(self, step: int) -> float:
        return self.peak


@dataclass(frozen=True, kw_only=True)
class StepDecay(Schedule):
    """A rate that is multiplied by a factor after every so many updates (torch's `StepLR`).

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
    """A rate that falls from the peak to a floor along half a cosine wave.

    It falls slowly at first, fastest halfway, and slowly again at the end. The floor is reached at
    step `total`, just after the last update of a run of `total` updates, warm-up included.

    Source: Loshchilov and Hutter 2017, "SGDR", equation 5, without restarts.

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
    """A rate that is proportional to 1/√step, so it halves whenever the steps quadruple.

    It needs no end, so a run can be extended at any time. In "Attention is all you need", the peak
    is (d_model · n)^-0.5 for a warm-up of n - 1 updates.

    Source: Vaswani et al. 2017, section 5.3, equation 3.

    >>> schedule = InverseSquareRoot(0.8, warmup=3)
    >>> [round(schedule(step), 3) for step in (0, 1, 2, 3, 15, 63)]
    [0.2, 0.4, 0.6, 0.8, 0.4, 0.2]
    """

    def _after(self, step: int) -> float:
        return self.peak * math.sqrt((self.warmup + 1) / (step + 1))
