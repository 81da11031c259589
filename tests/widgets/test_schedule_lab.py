"""ScheduleLab in Python: its schedules, its words, its picture, and what it refuses."""

import re

import pytest

from plainformer.training import Constant, Cosine, InverseSquareRoot, StepDecay
from plainformer.widgets import ScheduleLab


def test_the_schedules_have_the_settings() -> None:
    lab = ScheduleLab(peak=0.5, warmup=3, total=50, every=7, factor=0.25, floor=0.2, step=20)
    assert lab.schedules == {
        "constant": Constant(0.5, warmup=3),
        "step": StepDecay(0.5, warmup=3, every=7, factor=0.25),
        "cosine": Cosine(0.5, warmup=3, total=50, floor=0.1),
        "inverse": InverseSquareRoot(0.5, warmup=3),
    }
    assert lab.rate == Cosine(0.5, warmup=3, total=50, floor=0.1)(20)


def test_a_shorter_run_brings_the_rest_inside() -> None:
    lab = ScheduleLab(warmup=500, every=900, step=2000)
    lab.total = 100
    assert (lab.warmup, lab.every, lab.step) == (99, 100, 100)
    assert lab.rate == pytest.approx(lab.peak * lab.floor)


def test_the_words_and_the_picture_say_the_rates() -> None:
    lab = ScheduleLab("step", peak=0.002, warmup=0, total=100, every=50, factor=0.5, step=50)
    assert lab.description() == (
        "Curves of four learning rates over 100 steps. All rise to 0.002 in 0 steps. Step decay "
        "stands out. At step 50: Constant 0.002, Step decay 0.001, Cosine 0.0011, Inverse square "
        "root 0.00028."
    )
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", lab.picture())
    assert texts == ["0.002", "0.001", "0", "0", "50", "100"]
    assert lab.picture().count("<polyline") == 4
