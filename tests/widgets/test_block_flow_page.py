"""BlockFlow in Chromium: its page shows Python's numbers, and every control does its work."""

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, run, slider

from plainformer.attention.example import X
from plainformer.widgets import BlockFlow
from plainformer.widgets.block_flow.flow import NORMS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

VALUES = "all => all.map((each) => Number(each.dataset.value))"


def check(page: "Page", live: "Locator", flow: BlockFlow) -> None:
    """Give a widget what the page has now, as Jupyter would; hold the page's numbers against it."""
    page.evaluate(FRAME)
    for name in ("on", "norms", "token", "sublayer"):
        setattr(flow, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))
    steps = flow.steps
    streams = np.stack([X, *(each.stream for each in steps)], axis=1)  # (T, 5, D)
    written = np.stack([0 * X, *(each.written for each in steps)], axis=1)
    for kind, right in (("stream", streams), ("written", written)):
        shown = live.locator(f".bf-{kind}").evaluate_all(VALUES)
        np.testing.assert_allclose(shown, right.ravel(), rtol=0, atol=1e-12)
    t, s = flow.token, flow.sublayer
    columns = [streams[t, s], steps[s].read[t], steps[s].written[t], streams[t, s + 1]]
    shown = live.locator(".bf-number").evaluate_all(VALUES)
    np.testing.assert_allclose(shown, np.stack(columns, axis=1).ravel(), rtol=0, atol=1e-12)


def test_the_formula_agrees_with_python_in_every_state(page: "Page", tmp_path: Path) -> None:
    """All 48 states that the switches and the norms have."""
    data = BlockFlow().data
    open_page(page, tmp_path, BlockFlow())
    switches = product([True, False], repeat=4)
    states: list[Any] = [{"on": on, "norms": norms} for on, norms in product(switches, NORMS)]
    every = "x.states.map((state) => m.flow(x.x, { ...x, ...state }))"
    found = run(page, "formulas/block", every, {"states": states, **data})
    for state, steps in zip(states, found, strict=True):
        for mine, right in zip(steps, BlockFlow(**state).steps, strict=True):
            for name, value in right._asdict().items():
                np.testing.assert_allclose(mine[name], value, rtol=0, atol=1e-11)


@pytest.mark.parametrize("options", [{}, {"norms": "post", "on": [False, True] * 2, "token": 4}])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    flow = BlockFlow(**options)
    (live,) = open_page(page, tmp_path, flow)
    check(page, live, flow)
    was = list(flow.on)
    live.get_by_role("checkbox", name="attention of layer 2").click()
    check(page, live, flow)
    assert flow.on == [*was[:2], not was[2], was[3]] and flow.sublayer == 2
    live.get_by_text("Post-norm", exact=True).click()
    check(page, live, flow)
    live.get_by_text("lovely", exact=True).click()
    slider(live, "Look at").fill("3")
    check(page, live, flow)
    assert (flow.norms, flow.token, flow.sublayer) == ("post", 4, 3)


def test_a_cell_is_chosen_by_a_press(page: "Page", tmp_path: Path) -> None:
    flow = BlockFlow()
    (live,) = open_page(page, tmp_path, flow)
    live.locator(".bf-cell").nth(5 * 2 + 4).click()  # "is", after the last sublayer
    check(page, live, flow)
    assert (flow.token, flow.sublayer) == (2, 3)
    live.locator(".bf-cell").nth(5 * 4).click()  # the input of "lovely": no sublayer
    check(page, live, flow)
    assert (flow.token, flow.sublayer) == (4, 3)
    assert live.locator(".bf-cell.bf-chosen").count() == 1


def test_what_is_off_leaves_the_bars_as_they_were(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BlockFlow(on=[False] * 4))
    heights = live.locator(".bf-stream").evaluate_all(
        "all => all.map((each) => each.getAttribute('height'))"
    )
    rows = np.array(heights, dtype=float).reshape(6, 5, 4)
    assert (rows == rows[:, :1]).all()
    assert live.locator(".bf-written").filter(visible=True).count() == 0
    live.get_by_text("Post-norm", exact=True).click()
    said = "Attention of layer 1 is off: “cat” goes straight on. Then it is normed."
    live.get_by_role("status").get_by_text(said).wait_for()
