"""A widget that shows a training run, and can be wound back and forth like a film.

The curves are the losses, on the batches and on held-out text, and the learning rate below them. At
each snapshot the page shows what the model wrote then, and a map of where it looked. In
Jupyter the same widget shows a run while it trains: give `TrainingRun.report` to the loop.

It computes nothing itself. It shows what a `History` holds, or as much of a long one as a page can
carry.
"""

from __future__ import annotations

import gzip
import json
from typing import Any, ClassVar

import traitlets

from plainformer.training import History
from plainformer.training.history import Progress, Snapshot
from plainformer.widgets.kit.base import MAX_STATE_BYTES, ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole
from plainformer.widgets.kit.token_words import many

from .picture import draw

__all__ = ["MOST_POINTS", "MOST_SNAPSHOTS", "TrainingRun"]

MOST_POINTS = 500
"""The most points of a curve that a page carries."""

MOST_SNAPSHOTS = 40
"""The most snapshots that a page carries."""


def _check_snapshot(widget: Any, value: Any) -> int:
    return check_whole(value, "snapshot", 0, max(0, len(widget.shown.snapshots) - 1))


class TrainingRun(Widget):
    """Wind a training run back and forth: its losses, what it writes, where it looks.

    Arguments: ``history``, a `plainformer.training.History`, which may be empty and grow.
    ``snapshot``: the index of the snapshot that is shown; None for the last. ``every``: after
    how many reported steps the page is told, where a run is watched.

    A history that is too long for a page is downsampled by `History.downsampled`, and ``shown`` is
    the result.
    In Jupyter ``snapshot`` is live, and the curves grow as the run goes on::

        run = TrainingRun(History("my run"))
        display(run)
        train(..., report=run.report)

    `report` adds a step to the history. What else is added to it, snapshots and held-out losses, is
    shown at the next `refresh`, which `report` calls. Who looks at the last snapshot stays at the
    last; who looks at an earlier one is left there.

    >>> history = History("toy", [0, 1], [3.0, 2.5], [0.1, 0.1], [(0, 3.25), (2, 2.75)])
    >>> history.add_snapshot(0, "xqz")
    >>> history.add_snapshot(2, "the cat", ["the", "cat"], [[1, 0], [0.25, 0.75]])
    >>> run = TrainingRun(history)
    >>> run.snapshot, run.now.sample
    (1, 'the cat')

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "training_run"
    shown = History("")

    data = traitlets.Dict().tag(sync=True)
    snapshot = ValidatedTrait(0, _check_snapshot).tag(sync=True)

    def __init__(
        self,
        history: History,
        *,
        snapshot: int | None = None,
        every: int = 10,
        **options: Any,
    ) -> None:
        if not isinstance(history, History):
            raise TypeError(f"history must be a History; got {type(history).__name__}")
        self.history = history
        self.every = check_whole(every, "every", 1, 1_000_000)
        self.shown, data = _fitting(history)
        super().__init__(data=data, **options)
        self.snapshot = max(0, len(self.shown.snapshots) - 1) if snapshot is None else snapshot

    @property
    def now(self) -> Snapshot | None:
        """The snapshot that is shown; None while there is none."""
        return self.shown.snapshots[self.snapshot] if self.shown.snapshots else None

    def report(self, progress: Progress) -> None:
        """Add a step to the history, as `History.report` does, and show it now and then."""
        self.history.report(progress)
        if len(self.history.steps) % self.every == 0:
            self.refresh()

    def refresh(self) -> None:
        """Show the history as it is now."""
        before, at_end = self.now, self.snapshot >= len(self.shown.snapshots) - 1
        self.shown, data = _fitting(self.history)
        steps = [each.step for each in self.shown.snapshots]
        place = len(steps) if before is None or at_end else sum(s <= before.step for s in steps)
        with self.hold_sync():  # both at once
            self.data = data
            self.snapshot = max(0, place - 1)

    def description(self) -> str:
        """Return in a few sentences how the run went, and what the model does at the moment."""
        shown, now = self.shown, self.now
        if not shown.steps and now is None:
            return f"The run {shown.name}: nothing is recorded yet."
        said = [f"The run {shown.name}."]
        if shown.steps:
            said.append(
                f"In training the loss goes from {shown.loss[0]:.2f} to {shown.loss[-1]:.2f} nats "
                f"per token in {many(shown.steps[-1] + 1, 'update')}."
            )
        if shown.held_out:
            (_, first), (_, last) = shown.held_out[0], shown.held_out[-1]
            said.append(f"On held-out text it goes from {first:.2f} to {last:.2f}.")
        if now is not None:
            said.append(f"After {many(now.step, 'update')} it writes: “{now.sample}”")
        return " ".join(said)

    def picture(self) -> str:
        """Return the losses, and the text and the map of the snapshot."""
        return draw(self.shown, self.now)


def _fitting(history: History) -> tuple[History, dict[str, Any]]:
    """As much of a history as a page carries, and the same as data."""
    points, snapshots = MOST_POINTS, MOST_SNAPSHOTS
    while True:
        shown = history.downsampled(points, snapshots)
        data = shown.as_data()
        for each in data["snapshots"]:  # two decimals are enough to paint with
            each["attention"] = [[round(w, 2) for w in row] for row in each["attention"]]
        text = json.dumps(data, separators=(",", ":"))
        if len(gzip.compress(text.encode())) < 0.9 * MAX_STATE_BYTES:
            return shown, data
        points, snapshots = (points, snapshots // 2) if snapshots > 2 else (points // 2, snapshots)
