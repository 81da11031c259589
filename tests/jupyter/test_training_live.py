"""A run that is watched while it trains, in a real JupyterLab; and the lab of schedules."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.training import History
from plainformer.training.history import Progress
from plainformer.widgets import ScheduleLab, TrainingRun
lab = ScheduleLab(total=20, warmup=2, every=5)
lab""",
    """run = TrainingRun(History("watched"), every=2)
run""",
    """def go_on():
    for _ in range(4):
        step = len(run.history.steps)
        run.history.add_snapshot(step, f"after {step}")
        run.report(Progress(step, 4 - step / 10, lab.schedules["cosine"](step)))
go_on()""",
    """print("read back:", run.snapshot, len(run.data["steps"]), lab.schedule, lab.peak)""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_a_run_grows_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    lab, run = page.locator(".jp-OutputArea-output .pf-card").all()
    snapshot = run.get_by_role("slider", name="Updates", exact=False)
    sample = run.get_by_role("group", name="What it writes")

    # The page has what was reported after it was drawn.
    expect(snapshot).to_have_value("3")
    expect(sample).to_have_text("after 3")
    read_back(page, READ, "3 4 cosine 0.003")

    # It goes on: who looks at the end stays there.
    run_cell(page, WRITE)
    expect(snapshot).to_have_value("7")
    expect(sample).to_have_text("after 7")

    # From the page to Python; and who looks back is left there.
    snapshot.press("Home")
    lab.get_by_role("radio", name="Step decay").check()
    lab.get_by_role("slider", name="Peak", exact=False).press("ArrowRight")
    read_back(page, READ, "0 8 step 0.005")
    run_cell(page, WRITE)
    expect(snapshot).to_have_attribute("max", "11")
    expect(snapshot).to_have_value("0")
    expect(sample).to_have_text("after 0")
