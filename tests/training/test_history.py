"""History: what goes in comes out, a long run stays small, and what is no history is refused."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.training.runs import PROBE, letters

from plainformer.training import History
from plainformer.training.history import MAX_BYTES, Progress


def long_run(steps: int, snapshots: int, letters_each: int = 300, T: int = 16) -> History:
    rng = np.random.default_rng(0)
    history = History("long")
    for step in range(steps):
        history.report(
            Progress(step, 4 + float(rng.normal()), 0.0003 * (1 + math.cos(step / steps)))
        )
    for i in range(snapshots):
        step = i * steps // snapshots
        weights = rng.dirichlet(np.ones(T), size=T)
        history.add_snapshot(step, "x" * letters_each, ["token"] * T, weights)
        history.add_held_out(step, 4.0)
    return history


def test_a_real_run_comes_out_as_it_went_in() -> None:
    history = letters()
    again = History.from_json(history.to_json())
    assert again.to_json() == history.to_json()
    assert (again.name, again.steps) == (history.name, list(range(60)))
    np.testing.assert_allclose(again.loss, history.loss, atol=5e-6)
    np.testing.assert_allclose(again.learning_rate, history.learning_rate, rtol=1e-5)
    np.testing.assert_allclose(again.held_out, history.held_out, atol=5e-6)
    assert [each.step for each in again.snapshots] == [0, 10, 20, 30, 40, 50, 60]
    assert again.snapshots[3].sample == history.snapshots[3].sample
    assert again.snapshots[3].tokens == list(PROBE)
    np.testing.assert_allclose(
        again.snapshots[3].attention, history.snapshots[3].attention, atol=5e-4
    )
    assert history.held_out[-1][1] < history.held_out[0][1] - 0.5  # and it has learned something


def test_the_json_is_the_one_that_is_agreed_on() -> None:
    history = History("toy", [3], [2.5], [0.001], [(3, 2.75)])
    history.add_snapshot(4, "è", ["a"], [[1]])
    assert json.loads(history.to_json()) == {
        "name": "toy",
        "steps": [3],
        "loss": [2.5],
        "held_out": [[3, 2.75]],
        "learning_rate": [0.001],
        "snapshots": [{"step": 4, "sample": "è", "tokens": ["a"], "attention": [[1.0]]}],
    }


def test_what_a_loop_reports_may_be_any_numbers() -> None:
    history = History("numbers")
    history.report(SimpleNamespace(step=np.int64(1), loss=np.float64(2.5), learning_rate=1))
    history.report(SimpleNamespace(step=2, loss=np.float32(0.5), learning_rate=0.5, tokens=7))
    assert history.to_json().startswith('{"name":"numbers","steps":[1,2],"loss":[2.5,0.5]')
    history.add_snapshot(3, "", ["a", "b"], torch.eye(2))
    assert history.snapshots[0].attention == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(("steps", "snapshots"), [(2000, 20), (2000, 200), (50_000, 40)])
def test_a_long_run_stays_small(steps: int, snapshots: int) -> None:
    history = long_run(steps, snapshots)
    text = history.to_json()
    assert len(text.encode()) <= MAX_BYTES
    kept = History.from_json(text)
    assert kept.steps[-1] == steps - 1 and 1000 <= len(kept.steps) <= 2000
    assert kept.snapshots[0].step == 0 and kept.snapshots[-1].step == history.snapshots[-1].step
    assert len(kept.snapshots) >= 20
    assert kept.to_json() == text
    if steps == 2000:
        np.testing.assert_allclose(kept.loss, history.loss, atol=1e-5)  # nothing was downsampled


def test_snapshots_that_do_not_fit_are_left_out() -> None:
    """However long its tokens are: to_json promises a limit."""
    history = long_run(100, 4)
    history.add_snapshot(100, "", ["a" * MAX_BYTES], [[1.0]])
    text = history.to_json()
    assert len(text.encode()) <= MAX_BYTES and History.from_json(text).snapshots == []


def test_of_many_snapshots_the_last_remains_longest() -> None:
    history = long_run(100, 4)
    steps = [each.step for each in history.snapshots]
    for most, kept in [(4, steps), (2, [steps[0], steps[-1]]), (1, steps[-1:]), (0, [])]:
        assert [each.step for each in history.downsampled(50, most).snapshots] == kept
    assert history.downsampled(1).held_out == history.held_out[-1:]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=200), st.integers(1, 50))
def test_thinning_keeps_the_mean_of_stretches(gaps: list[int], points: int) -> None:
    steps = np.cumsum(gaps).tolist()
    history = History("gaps", steps, [float(each) for each in steps], [1.0] * len(steps))
    thin = history.downsampled(points)
    assert len(thin.steps) <= points and thin.steps[-1] == steps[-1]
    assert thin.downsampled(points) == thin
    before = 0
    for step, loss in zip(thin.steps, thin.loss, strict=True):
        stretch = [each for each in steps if before < each <= step]
        assert loss == pytest.approx(np.mean(stretch))
        before = step


def test_half_a_character_is_replaced_so_that_the_file_can_be_written() -> None:
    history = History("toy")
    history.add_snapshot(0, "a\ud800")
    assert history.snapshots[0].sample == "a?"
    history.to_json().encode()


def test_an_exact_history_keeps_every_step_and_every_digit() -> None:
    history = long_run(5_000, 30)
    assert History.from_json(history.to_json(exact=True)) == history


def test_a_run_goes_on_from_a_checkpoint() -> None:
    history = long_run(20, 4)
    with pytest.raises(ValueError, match=r"above the last, 19; got 10 \(history.rewind\(10\)"):
        history.report(Progress(10, 1.0, 1.0))
    history.rewind(10)
    history.report(Progress(10, 1.0, 1.0))
    assert history.steps == list(range(11)) and len(history.loss) == len(history.learning_rate)
    assert [each.step for each in history.snapshots] == [0, 5]
    assert [step for step, _ in history.held_out] == [0, 5]


def test_a_refused_step_leaves_nothing_behind() -> None:
    history = History("safe")
    for progress in (Progress(0, float("nan"), 1.0), Progress(0, 1.0, float("inf"))):
        with pytest.raises(ValueError, match="must be finite"):
            history.report(progress)
    assert history == History("safe")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ((0, "x" * 2001), ValueError, "sample must have at most 2,000 characters, .*; got 2,001"),
        ((0, "", ["a"] * 33, []), ValueError, "tokens must be at most 32; got 0 and 33"),
        ((0, "", ["a"], [1]), ValueError, r"attention must be \(1, 1\), as tokens; got"),
        ((0, "", [], [[1]]), ValueError, r"attention must be \(0, 0\)"),
        ((0, "", ["a"], [[2]]), ValueError, "attention must hold weights from 0 to 1"),
        ((0, "", ["a"], [[math.nan]]), ValueError, "attention must hold weights from 0 to 1"),
        ((-1, ""), ValueError, "step must be 0 or more; got -1"),
        ((0.5, ""), TypeError, "step must be a whole number; got 0.5"),
    ],
)
def test_an_invalid_snapshot_is_refused(given: Any, error: type[Exception], said: str) -> None:
    history = History("toy")
    with pytest.raises(error, match=said):
        history.add_snapshot(*given)
    assert history.snapshots == []


GOOD = json.loads(History("toy", [0, 1], [2.0, 1.0], [0.1, 0.1]).to_json())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Expecting"),
        ("[]", "indices"),
        ({"steps": "01"}, "step must be a whole number"),
        ({"loss": [1.0]}, "shorter"),
        ({"steps": [1, 1]}, "step must be above the last, 1; got 1"),
        ({"loss": [1.0, None]}, "loss must be a"),
        ({"held_out": [[1]]}, "expected 2"),
        ({"snapshots": [{}]}, "'step' and 'sample'"),
    ],
)
def test_what_is_no_history_is_refused(text: Any, said: str) -> None:
    if isinstance(text, dict):
        text = json.dumps(GOOD | text)
    with pytest.raises(ValueError, match=f"text must be a history as JSON; .*{said}"):
        History.from_json(text)
