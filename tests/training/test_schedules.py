"""Schedules against torch's, against those of transformers, and against their own laws."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.optim import lr_scheduler as theirs
from transformers import get_cosine_schedule_with_warmup, get_inverse_sqrt_schedule

from plainformer.training import Constant, Cosine, InverseSquareRoot, StepDecay
from plainformer.training.schedules import Schedule

PEAK, WARMUP, TOTAL = 0.003, 7, 60
STEPS = range(2 * TOTAL)
EVERY: list[Callable[..., Schedule]] = [
    Constant,
    lambda peak, **more: StepDecay(peak, every=5, factor=0.7, **more),
    lambda peak, **more: Cosine(peak, total=TOTAL, floor=peak / 9, **more),
    InverseSquareRoot,
]


def rates(scheduler: Callable[[torch.optim.Optimizer], Any], peak: float = PEAK) -> list[float]:
    """What an optimizer of torch's is told to use, step by step."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=peak)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # SequentialLR passes a step of its own
        made = scheduler(optimizer)
        found = []
        for _ in STEPS:
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            made.step()
    return found


def warmed(after: Callable[[torch.optim.Optimizer], Any]) -> Callable[[Any], Any]:
    """torch's linear warm-up, then one of its schedules."""

    def make(optimizer: torch.optim.Optimizer) -> Any:
        rise = theirs.LinearLR(optimizer, 1 / (WARMUP + 1), 1.0, total_iters=WARMUP)
        return theirs.SequentialLR(optimizer, [rise, after(optimizer)], milestones=[WARMUP])

    return make


def same(ours: Schedule, found: list[float], steps: range = STEPS) -> None:
    assert [ours(step) for step in steps] == pytest.approx(found[: len(steps)], rel=1e-9)


def test_constant_is_torchs() -> None:
    same(Constant(PEAK), rates(lambda o: theirs.LambdaLR(o, lambda step: 1.0)))
    last = warmed(lambda o: theirs.ConstantLR(o, 1.0, total_iters=0))
    same(Constant(PEAK, warmup=WARMUP), rates(last))


@pytest.mark.parametrize(("every", "factor"), [(1, 0.9), (5, 0.5), (200, 0.1), (3, 1.0)])
def test_step_decay_is_torchs(every: int, factor: float) -> None:
    same(
        StepDecay(PEAK, every=every, factor=factor),
        rates(lambda o: theirs.StepLR(o, every, factor)),
    )
    same(
        StepDecay(PEAK, every=every, factor=factor, warmup=WARMUP),
        rates(warmed(lambda o: theirs.StepLR(o, every, factor))),
    )


@pytest.mark.parametrize("floor", [0.0, 0.001, PEAK])
def test_cosine_is_torchs(floor: float) -> None:
    """As far as the floor: from there on torch's rises again."""
    plain = rates(lambda o: theirs.CosineAnnealingLR(o, TOTAL, eta_min=floor))
    same(Cosine(PEAK, total=TOTAL, floor=floor), plain, range(TOTAL + 1))
    after = rates(warmed(lambda o: theirs.CosineAnnealingLR(o, TOTAL - WARMUP, eta_min=floor)))
    same(Cosine(PEAK, total=TOTAL, floor=floor, warmup=WARMUP), after, range(TOTAL + 1))


def test_cosine_comes_down_as_torchs_one_cycle() -> None:
    """OneCycleLR reaches its end one step earlier, and rises from another rate."""
    one = rates(
        lambda o: theirs.OneCycleLR(
            o, PEAK, total_steps=124, pct_start=0.25, cycle_momentum=False,
            anneal_strategy="cos", final_div_factor=1e9, div_factor=25,
        )
    )  # fmt: skip
    top = 30  # a quarter of 124, less 1
    ours = Cosine(PEAK, total=123 - top)
    assert one[top:] == pytest.approx([ours(step) for step in range(len(one) - top)], abs=1e-9)


def test_cosine_is_that_of_transformers_one_step_on() -> None:
    """Theirs begins with an update of rate 0; ours leaves that one out."""
    found = rates(lambda o: get_cosine_schedule_with_warmup(o, WARMUP + 1, TOTAL + 1))
    ours = Cosine(PEAK, total=TOTAL, warmup=WARMUP)
    assert found[0] == 0
    same(ours, found[1:], range(TOTAL))


def test_inverse_square_root_is_that_of_transformers_one_step_on() -> None:
    found = rates(lambda o: get_inverse_sqrt_schedule(o, WARMUP + 1))
    ours = InverseSquareRoot(PEAK, warmup=WARMUP)
    same(ours, found[1:], STEPS[:-1])


@pytest.mark.parametrize(("d_model", "warmup_steps"), [(512, 4000), (64, 10), (8, 1)])
def test_the_papers_equation_3(d_model: int, warmup_steps: int) -> None:
    ours = InverseSquareRoot((d_model * warmup_steps) ** -0.5, warmup=warmup_steps - 1)
    for n in (1, 2, 5, 9, 10, 11, 500, 3999, 4000, 4001, 100_000):
        paper = d_model**-0.5 * min(n**-0.5, n * warmup_steps**-1.5)
        assert ours(n - 1) == pytest.approx(paper, rel=1e-12)


@pytest.mark.parametrize("make", EVERY)
@given(peak=st.floats(1e-6, 10), warmup=st.integers(0, TOTAL - 1))
def test_it_rises_to_its_peak_and_never_again(
    make: Callable[..., Schedule], peak: float, warmup: int
) -> None:
    schedule = make(peak, warmup=warmup)
    found = [schedule(step) for step in range(3 * TOTAL)]
    assert found[warmup] == peak == max(found)
    assert all(rate > 0 for rate in found)
    rise, fall = found[: warmup + 1], found[warmup:]
    assert all(later > rate for rate, later in pairwise(rise))
    assert all(later <= rate * (1 + 1e-12) for rate, later in pairwise(fall))


@pytest.mark.parametrize("make", EVERY)
def test_it_is_plain_data(make: Callable[..., Schedule]) -> None:
    """It can be compared, printed and read back, copied, and sent to another process."""
    schedule = make(PEAK, warmup=WARMUP)
    assert eval(repr(schedule)) == schedule == copy.deepcopy(schedule)
    assert pickle.loads(pickle.dumps(schedule)) == schedule != make(PEAK)
    assert schedule != Constant(PEAK)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: Constant(0), ValueError, "peak must be above 0; got 0"),
        (lambda: Constant(float("nan")), ValueError, "peak must be finite"),
        (lambda: Constant("fast"), TypeError, "peak must be a"),
        (lambda: Constant(1, warmup=-1), ValueError, "warmup must be 0 or more; got -1"),
        (lambda: Constant(1, warmup=2.5), TypeError, "warmup must be a whole number; got 2.5"),
        (lambda: StepDecay(1, every=0, factor=0.5), ValueError, "every must be 1 or more; got 0"),
        (lambda: StepDecay(1, every=1, factor=0), ValueError, "factor must be above 0, and 1 at"),
        (lambda: StepDecay(1, every=1, factor=2), ValueError, "1 at most; got 2"),
        (lambda: Cosine(1, total=5, warmup=5), ValueError, "total must be above warmup, 5; got 5"),
        (lambda: Cosine(1, total=5, floor=2), ValueError, "floor must be from 0 to peak, 1; got 2"),
        (lambda: Cosine(1, total=5, floor=-1), ValueError, "floor must be from 0 to peak"),
        (lambda: Constant(1)(-1), ValueError, "step must be 0 or more; got -1"),
        (lambda: Constant(1)(0.5), TypeError, "step must be a whole number; got 0.5"),
    ],
)
def test_refusals(make: Callable[[], object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()
