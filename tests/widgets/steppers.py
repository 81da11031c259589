"""AttentionStepper for its tests: large and oblong ones, and the parts of one on a page."""

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.pages import FRAME, slider

from plainformer.widgets import AttentionStepper
from plainformer.widgets.attention_stepper.widget import STEPS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

DRAW = np.random.default_rng(5).normal
LARGE: dict[str, Any] = {
    "q": 20 * DRAW(size=(8, 4)),
    "k": DRAW(size=(8, 4)),
    "v": DRAW(size=(8, 4)),
    "tokens": ["a very long name", *"bcdefgh"],
}
CROSS: dict[str, Any] = {
    "q": DRAW(size=(2, 3)),
    "k": DRAW(size=(5, 3)),
    "v": DRAW(size=(5, 1)),
    "tokens": ["x", "y"],
    "keys": list("abcde"),
}
TRAITS = ["q", "k", "v", "causal", "step", "query", "key", "column"]


def follow(page: "Page", stepper: AttentionStepper) -> None:
    """Give a widget what the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in TRAITS:
        setattr(stepper, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


def matrix(live: "Locator") -> Any:
    """The matrix on the screen, with all its digits."""
    grid = live.locator(".as-grid[role=slider]")
    values: Any = grid.locator(".as-cell").evaluate_all("all => all.map(c => c.dataset.value)")
    return np.array([float(each.replace("Infinity", "inf")) for each in values])


def check(page: "Page", live: "Locator", stepper: AttentionStepper) -> None:
    """Hold every step's numbers against Python's; without a mask there is no step for it."""
    follow(page, stepper)
    steps = [step for step, name in enumerate(STEPS) if stepper.causal or name != "masked"]
    assert slider(live, "Step").get_attribute("max") == str(len(steps) - 1)
    for place, step in enumerate(steps):
        name = STEPS[step]
        slider(live, "Step").fill(str(place))
        follow(page, stepper)
        assert stepper.step == step
        expected = getattr(stepper, name).ravel()
        np.testing.assert_allclose(matrix(live), expected, rtol=0, atol=1e-6)


def total(live: "Locator") -> str:
    return live.locator(".as-sum").inner_text().replace("\u00a0", " ")


def grid(live: "Locator") -> "Locator":
    return live.locator(".as-grid[role=slider]")


SUMS = [
    (0, "Score of “cat” (1) for “lovely”: 0 · 0 + 2 · 2 = 4"),
    (1, "Scaled score of “cat” (1) for “lovely”: 4 / √2 = 4 / 1.414 = 2.83"),
    (2, "Scaled score of “cat” (1) for “lovely”: 4 / √2 = 4 / 1.414 = 2.83"),  # no mask is on
    (
        3,
        "Weight of “lovely” for “cat” (1): exp(2.8284) / (exp(0) + exp(0) + exp(0) + exp(0) + "
        "exp(2.8284) + exp(0)) = 16.92 / 21.92 = 0.77",
    ),
    (
        4,
        "Output of “cat” (1), column 1: 0.046 · (−2) + 0.046 · 0 + 0.046 · 0 + 0.046 · (−1) + "
        "0.772 · 4 + 0.046 · 0 = 2.95",
    ),
]
