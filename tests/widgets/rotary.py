"""RotaryVectors on a page, for its tests: opened, read with all digits, and held against Python."""

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.pages import FRAME

from plainformer.widgets import RotaryVectors
from plainformer.widgets.rotary_vectors.widget import LAST

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def numbers(live: "Locator") -> dict[str, Any]:
    """What the page shows, with all its digits."""
    found: dict[str, Any] = live.evaluate(
        """async (live) => {
            await pfFrame().then(() => new Promise((go) => setTimeout(go)));
            const card = live.querySelector(".rv-card");
            const all = [...live.querySelectorAll(".rv-option[data-contribution]")];
            const of = (name) => all.map(({ dataset }) => Number(dataset[name]));
            return {
              score: Number(card.dataset.score),
              scores: card.dataset.scores.split(" ").map(Number),
              angles: ["angleQ", "angleK", "difference"].map(of),
              contributions: of("contribution"),
            };
        }"""
    )
    return found


def check(live: "Locator", widget: RotaryVectors) -> float:
    """Hold the page's numbers against Python's; return the page's score."""
    shown = numbers(live)
    tolerance = 1e-6
    assert np.abs(np.asarray(shown["angles"]) - np.asarray(widget.angles)).max() < tolerance
    assert np.abs(np.asarray(shown["contributions"]) - widget.contributions).max() < tolerance
    every = widget.contributions_at(np.arange(-LAST, LAST + 1)).sum(0)
    assert np.abs(np.asarray(shown["scores"]) - every).max() < tolerance
    assert abs(shown["score"] - widget.score) < tolerance
    return float(shown["score"])


def follow(page: "Page", widget: RotaryVectors) -> None:
    """Give a widget the vectors that the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in ("query", "key"):
        setattr(widget, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))
