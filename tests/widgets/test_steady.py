"""What does not change under a reader's hand: nothing below a control moves, nothing is made anew.

A control that pushed what stands below it would slip from under the finger that holds it; and what
is made anew loses the focus, and costs a frame.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.training.runs import letters
from tests.widgets.attention_maps import wide, words
from tests.widgets.beam_trees import real
from tests.widgets.pages import FRAME, open_page, put
from tests.widgets.steppers import LARGE, grid

from plainformer.widgets import (
    AttentionStepper,
    BlockFlow,
    BlockSweep,
    CacheGrowth,
    FeedForwardLab,
    LogitLens,
    LookupDial,
    NormLab,
    RewardLab,
    RotaryVectors,
    SamplerLab,
    ScheduleLab,
    SharingLab,
    TemperatureLab,
    TrainingRun,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Push every slider whose name fits to its ends, its middle and beside its beginning, choose every
# such choice, and note after which of these a part no longer stands where it stood.
MOVED = f"""async (live, [parts, named]) => {{
  const boxes = () => [...live.querySelectorAll(parts)].map(
    (each) => JSON.stringify(each.getBoundingClientRect())).join();
  const name = (control) => control.labels?.[0]?.textContent ?? control.ariaLabel ?? "";
  const found = (kind) => [...live.querySelectorAll(`input[type=${{kind}}]`)].filter(
    (each) => !each.disabled && new RegExp(named).test(name(each))
      && (kind === "radio" || each.checkVisibility()));  // some choices are drawn by their label
  const [before, moved] = [boxes(), []];
  async function look(what) {{
    await ({FRAME})();
    if (boxes() !== before) moved.push(what);
  }}
  for (const choice of [...found("radio"), null]) {{
    choice?.click();
    await look(choice && name(choice));
    for (const slider of found("range")) {{
      const [low, high, step] = ["min", "max", "step"].map((each) => Number(slider[each] || 1));
      const middle = low + step * Math.round((high - low) / step / 2);
      for (const place of [low, low + step, middle, high]) {{
        slider.value = place;
        slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
        await look(`${{name(slider)}} at ${{place}}`);
      }}
    }}
  }}
  return [before.length > 0, moved];
}}"""
NAMES = ["thing", "quality"]
DIAL = ".dial-face, .dial-chart"
HEAP = ".tl-heap, .tl-buttons, .tl-foot"
# What stays where it is, and the names of the controls that leave it there, if not all do.
STILL: dict[str, tuple[Callable[[], Any], str, str]] = {
    "BlockFlow": (BlockFlow, ".bf-river", ""),
    "FeedForwardLab": (lambda: FeedForwardLab(features=NAMES), ".ff-frame, .ff-foot", ""),
    "LogitLens": (
        lambda: LogitLens([*"abcdef"], [*"vwxyz"], np.full((5, 6, 5), 0.2)),
        *(".ll-box, .ll-climb, .ll-foot", ""),
    ),
    "LookupDial": (LookupDial, DIAL, ""),
    "LookupDial, in parts": (
        lambda: LookupDial(np.eye(2), np.eye(2), parts=["gatto", "adorabile"]),
        *(DIAL, ""),
    ),
    "NormLab": (lambda: NormLab(names=[*NAMES, "pointer", "link"]), ".nl-foot", "Then plus"),
    "RewardLab": (RewardLab, ".pf-tools", ""),
    "RotaryVectors": (RotaryVectors, ".rv-picture", "Query at|Key at|Shift both"),
    "SamplerLab": (lambda: SamplerLab(drawn=30), ".sl-stage, .tb-bars, .sl-foot", "τ"),
    "ScheduleLab": (ScheduleLab, ".sl-foot", "Warm-up|Look at"),
    "SharingLab": (SharingLab, ".sh-foot", ""),
    "TemperatureLab": (TemperatureLab, HEAP, ""),
    "TemperatureLab, drawn": (lambda: TemperatureLab(drawn=10), HEAP, ""),
    "TrainingRun": (lambda: TrainingRun(letters()), ".tr-foot", ""),
}


@pytest.mark.parametrize(("make", "parts", "named"), STILL.values(), ids=list(STILL))
def test_nothing_moves_while_a_control_does(
    make: Callable[[], Any], parts: str, named: str, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, make())
    for width in (360, 900):
        page.set_viewport_size({"width": width, "height": 740})
        for _ in range(2):  # what observes its size follows
            page.evaluate(FRAME)
        found, moved = live.evaluate(MOVED, [parts, named])
        assert found and moved == [], width


# Count the elements that come, but for those of buttons, whose icons are drawn anew, and those that
# had only been taken away for a while.
COUNT = """() => {
  window.made = 0;
  const known = new Set(document.querySelectorAll(".pf-live *"));
  const count = (list) => list.forEach(({ target, addedNodes: all }) => all.forEach((node) => {
    made += node.nodeType === Node.ELEMENT_NODE && !known.has(node) && !target.closest("button");
  }));
  new MutationObserver(count).observe(
    document.querySelector(".pf-live"), { childList: true, subtree: true });
}"""


def hover(cells: "Callable[[Locator], Locator]", places: list[int]) -> Any:
    def act(page: "Page", live: "Locator") -> None:
        for place in places:
            cells(live).nth(place).hover()
            page.evaluate(FRAME)

    return act


def sets(*states: dict[str, Any]) -> Any:
    def act(page: "Page", live: "Locator") -> None:
        for state in states:
            put(page, **state)

    return act


Q, K, V = np.random.default_rng(0).normal(size=(3, 16, 4))
KEPT: dict[str, tuple[Callable[[], Any], Any, int]] = {
    "AttentionMap": (lambda: wide(40), hover(words, [*range(20, 30), 39]), 0),
    # The longest sum has one part more than the first.
    "AttentionStepper": (
        lambda: AttentionStepper(**LARGE, step=3),
        hover(lambda live: grid(live).locator(".as-cell"), [20, 21, 22, 30, 40, 20]),
        1,
    ),
    "BeamTree": (
        lambda: real(0),
        sets(*({"step": i, "length_penalty": i / 4, "node": i} for i in range(7))),
        0,
    ),
    "BlockSweep": (
        lambda: BlockSweep(Q, K, V, block_size=2),
        sets(*({"step": i, "lift": i / 2} for i in range(10)), {"step": 3}),
        0,
    ),
    "CacheGrowth": (
        lambda: CacheGrowth(["x"] * 12),
        sets(
            *({"history": [*range(1, n + 1)]} for n in range(13)),
            {"d_model": 128, "history": [1, 2, 1]},
        ),
        0,
    ),
}


@pytest.mark.parametrize(("make", "act", "most"), KEPT.values(), ids=list(KEPT))
def test_a_change_makes_nothing_anew(
    make: Callable[[], Any], act: Any, most: int, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, make())
    page.evaluate(COUNT)
    before = live.inner_text()
    act(page, live)
    assert live.inner_text() != before
    assert page.evaluate("made") <= most
