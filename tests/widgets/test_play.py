"""What plays by itself: it goes on at its pace to the end, starts over, and halts for the reader.

Time stands still on these pages but for what a test lets pass.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.pages import open_still, trait
from tests.widgets.steppers import grid

from plainformer.attention.example import W_K, W_Q, W_V, X
from plainformer.widgets import AttentionStepper, BeamTree, BlockSweep, CacheGrowth

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Q, K, V = X @ W_Q, X @ W_K, X @ W_V

# A widget at its end, how long a step takes, the trait that changes, and what comes when it plays:
# at once, just before the next step, and from there on.
PLAYED: dict[str, tuple[Callable[[], Any], int, str, list[Any]]] = {
    "AttentionStepper": (lambda: AttentionStepper(step=4, causal=True), 2600, "step", [1, 2, 3, 4]),
    "BeamTree": (lambda: BeamTree(step=4), 2600, "step", [1, 2, 3, 4]),
    "BlockSweep": (lambda: BlockSweep(Q, K, V, block_size=6, step=2), 1600, "step", [1, 2, 2]),
    "CacheGrowth": (lambda: CacheGrowth(["a", "b"], step=2), 1100, "history", [[1], [1, 2]]),
}


@pytest.mark.parametrize(("motion", "slower"), [("no-preference", 1), ("reduce", 2)])
@pytest.mark.parametrize(("make", "pace", "name", "steps"), PLAYED.values(), ids=list(PLAYED))
def test_it_plays_to_the_end_and_starts_over(
    make: Callable[[], Any], pace: int, name: str, steps: list[Any],
    motion: Any, slower: int, page: "Page", tmp_path: Path,
) -> None:  # fmt: skip
    page.emulate_media(reduced_motion=motion)
    (live,) = open_still(page, tmp_path, make())
    live.get_by_role("button", name="Play").click()
    seen = []
    first, *later = steps
    for wait in (20, slower * pace - 40, 40, *[slower * pace] * len(later)):
        page.clock.run_for(wait)
        seen.append(trait(page, name))
    assert seen == [first, first, *later, steps[-1]]
    assert live.get_by_role("button", name="Play").count() == 1  # it is no longer "Pause"


def move(control: "Locator") -> None:
    """Change a control by a key."""
    if control.get_attribute("type") == "checkbox":
        control.press("Space")
    elif control.get_attribute("type") == "range":
        control.press("End" if control.input_value() == control.get_attribute("min") else "Home")
    else:
        control.press("End")


# A widget, what sets it back to its beginning, and what halts it.
HALTED: dict[str, tuple[Callable[[], Any], tuple[str, Any], Callable[[Any], list[Any]]]] = {
    "AttentionStepper": (
        AttentionStepper,
        ("step", 0),
        lambda live: [
            lambda: live.get_by_label("Causal mask").check(),
            lambda: live.get_by_label("q of “your”, column 0").fill("9"),
            lambda: grid(live).press("ArrowUp"),
            lambda: live.get_by_text("scaled", exact=True).click(),
        ],
    ),
    "BeamTree": (
        BeamTree,
        ("step", 0),
        lambda live: [*live.get_by_role("slider").all(), live.get_by_role("treeitem").first],
    ),
    "BlockSweep": (
        lambda: BlockSweep(Q, K, V, block_size=3),
        ("step", 0),
        lambda live: [*live.get_by_role("slider").all(), live.get_by_label("Causal")],
    ),
    "CacheGrowth": (
        lambda: CacheGrowth(["x"] * 12),
        ("history", []),
        lambda live: live.get_by_role("slider").all(),
    ),
}


@pytest.mark.parametrize(("make", "start", "others"), HALTED.values(), ids=list(HALTED))
def test_whatever_else_the_reader_does_halts(
    make: Callable[[], Any], start: Any, others: Any, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_still(page, tmp_path, make())
    acts = others(live)
    assert len(acts) >= 3
    for act in acts:
        page.evaluate("([name, to]) => plainformer.widgets[0].model.set(name, to)", list(start))
        live.get_by_role("button", name="Play").click()
        page.clock.run_for(40)
        live.get_by_role("button", name="Pause").wait_for()
        if callable(act):
            act()
        else:
            move(act)
        live.get_by_role("button", name="Play").wait_for()
        halted = trait(page, start[0])
        page.clock.run_for(10_000)
        assert trait(page, start[0]) == halted
