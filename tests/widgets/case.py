"""What every test of all widgets is told of one: how to make it, how to unfold it, what to leave.

The cases themselves, one for each widget, are in `cases.py`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.generate_box import press, unfold
from tests.widgets.glass import computed

from plainformer.inputs import BPETokenizer
from plainformer.training import History
from plainformer.widgets.kit.base import Widget

if TYPE_CHECKING:
    from playwright.sync_api import Locator

Make = Callable[[BPETokenizer], Widget]


@dataclass(frozen=True)
class Case:
    """A widget to be tested: how to make it, and how to bring it into its fullest state.

    Attributes:
        usual: an ordinary one.
        hard: one with the longest names and the largest numbers.
        more: others whose looks are worth a test.
        given: the traits that Python alone sets: no control of the widget changes them.
        far: other values that a reader reaches, but only in several steps.
        trait, value: a trait, and a value that the usual one does not have, to set from outside.
        open_up: what unfolds the rest of a live widget, besides its table.
        targets: a selector of what a thumb must find, besides what all widgets have.
        narrow: a selector of targets in a row, which are 44 px high, but may be narrower.
        axe_widths: the widths at which axe looks at it.
    """

    usual: Make
    hard: Make
    trait: str
    value: Any
    more: Callable[[BPETokenizer], list[Widget]] = lambda _: []
    given: tuple[str, ...] = ()
    far: Mapping[str, Any] = field(default_factory=dict)
    open_up: Callable[["Locator"], None] = lambda _: None
    targets: str = ""
    narrow: str = ""
    axe_widths: tuple[int, ...] = (900,)


def long_run(name: str) -> History:
    """A history with all that is long: names, text, numbers, a map of 32 tokens."""
    history = History(name, [1, 999_999], [999.125, 0.001], [1e-9, 0.123456789], [(999_999, 99.5)])
    for step in (*range(7), 999_999):
        text = "<b>" + "y" * 900 + " a line\n" * 80
        history.add_snapshot(step, text, [name, *"abcdefghijklmnopqrstuvwxyz12345"], np.eye(32))
    return history


def go_on(live: "Locator") -> None:
    """Let a GenerateBox add its tokens, open its settings, and look at a token."""
    press(live, "Continue")
    live.get_by_role("button", name="Continue", exact=True).wait_for()
    unfold(live)
    live.locator(".gen-token").nth(3).click()


def unfold_all(live: "Locator") -> None:
    """Open every fold."""
    live.locator("summary").evaluate_all("all => all.forEach((each) => each.click())")


def complain(live: "Locator") -> None:
    """Type what is no number into an AttentionStepper."""
    live.get_by_label("K of “", exact=False).last.fill("2 zoo")


def told(live: "Locator") -> None:
    """Open the fold of a TemperatureLab, and let the model write where there is one."""
    live.locator("summary").click()
    write = live.get_by_role("button", name="Let course-lm write")
    if write.count():
        write.click()
        live.get_by_role("button", name="Write another text").wait_for()


def look_inside(live: "Locator") -> None:
    """Let a TrainingLab train for a moment, and open its model in a GlassModel, with its table."""
    live.get_by_role("button", name="Start", exact=True).click()
    live.get_by_text(re.compile(r"^After .* a second, ")).first.wait_for()
    live.get_by_role("button", name="Look inside").click()
    glass = live.locator(".tl-inside")
    glass.locator(".gm-bar").first.wait_for()
    computed(live)
    glass.get_by_role("button", name="Show as table").click()
