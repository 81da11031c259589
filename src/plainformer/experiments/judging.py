"""What an experiment is, and how an answer to one is judged."""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Experiment", "Finding", "experiment", "experiments"]

PARTS = ("inputs", "attention", "blocks", "decoding", "training")


@dataclass(frozen=True)
class Finding:
    """What was measured of an answer, and whether it is what the experiment asks for."""

    found: bool
    measured: str

    def __bool__(self) -> bool:
        return self.found

    def _ipython_display_(self) -> None:
        """Keep a notebook from printing what was printed already."""


@dataclass(frozen=True)
class Experiment:
    """A question about a trained model.

    `measure` takes an answer and returns a `Finding`; it raises TypeError or ValueError for an
    answer that cannot be measured. `examples` are answers that are right, for the tests.
    """

    chapter: str
    title: str
    task: str
    measure: Callable[[Any], Finding]
    examples: tuple[Any, ...]

    def _repr_markdown_(self) -> str:
        return self.task  # its title is the heading above it on the page


def experiment(chapter: str, answer: Any = ...) -> Finding | Experiment:
    """Measure an answer to a chapter's experiment, and print what was found.

    Without an answer it returns the experiment, which a notebook shows as its task. An answer that
    cannot be measured is told so in print and raises nothing, because a notebook should run to its
    end.

    Raises:
        ValueError: the chapter has no experiment; the message lists those that do.

    >>> result = experiment("attention.self_attention", (1, 2))
    Not yet. The head with index 2 of the layer with index 1 gives 51 % of
    its weight to the token before, averaged over 64 stories. Another gives
    more.
    >>> bool(result)
    False
    """
    known = experiments()
    if chapter not in known:
        raise ValueError(f"{chapter!r} has no experiment; these have: {', '.join(known)}")
    asked = known[chapter]
    if answer is ...:
        return asked
    try:
        finding = asked.measure(answer)
        said = f"{'Found!' if finding else 'Not yet.'} {finding.measured}"
    except (TypeError, ValueError) as error:
        finding = Finding(False, str(error))
        said = f"This cannot be measured: {error}."
    print(textwrap.fill(said, 72))
    return finding


def experiments() -> dict[str, Experiment]:
    """Return all experiments by the chapter that they belong to, in the order of the book."""
    modules = [importlib.import_module(f"plainformer.experiments.{part}") for part in PARTS]
    return {each.chapter: each for module in modules for each in module.EXPERIMENTS}
