"""The widgets of embedding and positions in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.widgets import EmbeddingLookup, PositionalWaves, RotaryVectors
waves = PositionalWaves(length=20, d_model=8)
waves""",
    """rotary = RotaryVectors(m=5, n=2)
rotary""",
    """words = "your cat is a lovely cat".split()
lookup = EmbeddingLookup(words, [[0.1 * i, -0.2 * i, 1.0] for i in range(5)])
lookup""",
    """waves.position = 7; waves.dimension = 3
rotary.query = [3, 1, 0.5, 2, 1, 0, 0, 1]; rotary.m = 12
lookup.place = 4""",
    """print("read back:", waves.position, waves.dimension, rotary.m, round(rotary.score, 6),
      lookup.place)""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    waves, rotary, lookup = page.locator(".jp-OutputArea-output .pf-card").all()
    position = waves.get_by_role("slider", name="Position", exact=False).first
    m = rotary.get_by_role("slider", name="Query at position", exact=False)
    tokens = lookup.get_by_role("group", name="Token to look up").get_by_role("radio")

    def shown() -> None:
        expect(position).to_have_value("7")
        expect(m).to_have_value("12")
        expect(tokens.nth(4)).to_be_checked()

    # A card is as wide as the place for outputs, which asks no card how wide it wants to be.
    for card in (waves, rotary, lookup):
        here, place = card.evaluate(
            "card => [card, card.closest('.jp-OutputArea-output')].map(e => e.clientWidth)"
        )
        assert place > 300 and here > 0.9 * place

    # From Python to the page.
    shown()

    # From the page to Python.
    before = read_back(page, READ, "7 3 12 ")
    position.press("ArrowRight")
    m.press("ArrowRight")
    tokens.nth(4).press("ArrowRight")
    after = read_back(page, READ, "8 3 13 ")
    assert after.endswith(" 5")
    assert after.split()[3] != before.split()[3]  # the score moved with m
    for _ in range(10):  # so many places on both: the score is where it was
        m.press("ArrowRight")
        rotary.get_by_role("slider", name="Key at position", exact=False).press("ArrowRight")
    shifted = read_back(page, READ, "8 3 23 ")
    assert shifted.split()[3] == after.split()[3]

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    shown()
