"""TrainingRun in Python: what it shows of a history, how it grows, and what it refuses."""

import gzip
import json

import numpy as np
import pytest
from tests.training.runs import letters

from plainformer.training import History
from plainformer.training.history import Progress
from plainformer.widgets import TrainingRun
from plainformer.widgets.kit.base import MAX_STATE_BYTES


def weight(run: TrainingRun) -> int:
    return len(gzip.compress(json.dumps(run.state(), separators=(",", ":")).encode()))


def test_it_shows_what_the_history_holds() -> None:
    history = letters()
    run = TrainingRun(history, snapshot=3)
    assert run.now == history.snapshots[3] and run.shown.steps == history.steps
    assert run.data == json.loads(json.dumps(run.data))  # plain data
    assert run.data["snapshots"][3]["sample"] == history.snapshots[3].sample
    first, last = history.held_out[0][1], history.held_out[-1][1]
    assert f"On held-out text it goes from {first:.2f} to {last:.2f}." in run.description()
    assert f"After 30 updates it writes: “{history.snapshots[3].sample}”" in run.description()
    with pytest.raises(ValueError, match="snapshot must be from 0 to 6; got 7"):
        TrainingRun(history, snapshot=7)


def test_a_long_run_is_thinned_until_a_page_can_carry_it() -> None:
    rng = np.random.default_rng(0)
    history = History("long")
    for step in range(5000):
        history.report(Progress(step, float(rng.normal()), float(rng.random())))
    for step in range(200):
        text = "".join(rng.choice(list("abcdefghijklmnop "), 1500))
        weights = rng.dirichlet(np.ones(32), size=32)
        history.add_snapshot(25 * step, text, [f"t{i}" for i in range(32)], weights)
    run = TrainingRun(history)
    assert weight(run) <= MAX_STATE_BYTES
    assert 250 <= len(run.shown.steps) <= 500 and len(run.shown.snapshots) >= 10
    assert run.now == history.snapshots[-1]


def test_it_follows_a_run_while_it_trains() -> None:
    run = TrainingRun(History("watched"), every=5)
    assert (run.now, run.snapshot) == (None, 0)
    assert run.description() == "The run watched: nothing is recorded yet."
    for step in range(12):
        if step % 4 == 0:
            run.history.add_snapshot(step, f"text {step}")
        run.report(Progress(step, 4.0 - step / 10, 0.01))
    assert run.data["steps"] == list(range(10))  # told after each fifth step
    assert (run.snapshot, run.now and run.now.sample) == (2, "text 8")  # who is at the end stays so
    run.snapshot = 0
    run.history.add_snapshot(12, "text 12")
    run.refresh()
    assert len(run.data["snapshots"]) == 4 and run.snapshot == 0  # who looks back is left there
    assert run.data["steps"][-1] == 11


def test_text_is_no_markup_in_the_picture() -> None:
    history = History("<i>")
    history.add_snapshot(0, "<script>alert(1)</script>", ["<b>"], [[1]])
    shown = TrainingRun(history).html()
    assert "<script>alert" not in shown and "<b>" not in shown and "<i>" not in shown
