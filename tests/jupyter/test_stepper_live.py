"""The widgets that compute attention in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.widgets import AttentionStepper, LookupDial
dial = LookupDial()
dial""",
    """stepper = AttentionStepper()
stepper""",
    """dial.angle = 90; dial.sharpness = 4; dial.hard = False
stepper.q = [[1, 0]] * 6; stepper.step = 3; stepper.causal = True; stepper.query = 2""",
    """print("read back:", dial.angle, dial.sharpness, dial.hard, dial.answer.round(3),
      stepper.q[0], stepper.step, stepper.causal, stepper.query, stepper.key,
      stepper.weights[2].round(2))""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    dial, stepper = page.locator(".jp-OutputArea-output .pf-card").all()
    turn = dial.get_by_role("slider", name="Query points", exact=False)
    step = stepper.get_by_role("slider", name="Step", exact=False)
    mask = stepper.get_by_label("Causal mask", exact=False)
    box = stepper.get_by_label("q of “is”, column 0")
    grid = stepper.locator(".as-grid[role=slider]")

    def shown() -> None:
        expect(turn).to_have_value("0")
        expect(step).to_have_value("3")
        expect(mask).to_be_checked()
        expect(box).to_have_value("1")

    # A card is as wide as the place for outputs, which asks no card how wide it wants to be.
    for card in (dial, stepper):
        here, place = card.evaluate(
            "card => [card, card.closest('.jp-OutputArea-output')].map(e => e.clientWidth)"
        )
        assert place > 300
        assert here > 0.9 * place

    # From Python to the page.
    shown()

    # From the page to Python.
    before = read_back(page, READ, "90.0 4.0 False [14.")
    assert before.endswith("[1.0, 0.0] 3 True 2 4 [0.16 0.67 0.16 0.   0.   0.  ]")
    turn.press("ArrowLeft")
    dial.get_by_text("Hard: best only").click()
    box.fill("0")
    mask.press("Space")
    grid.focus()
    page.keyboard.press("ArrowRight")
    step.press("ArrowRight")
    after = read_back(page, READ, "91.0 4.0 True [15.] [1.0, 0.0] 4 False 2 5")
    assert after.endswith("[0.17 0.17 0.17 0.17 0.17 0.17]")  # it asks for nothing now

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    shown()
