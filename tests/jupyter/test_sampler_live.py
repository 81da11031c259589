"""The widgets of the next token in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.widgets import SamplerLab, TemperatureLab
lab = TemperatureLab()
lab""",
    """sampler = SamplerLab()
sampler""",
    """from math import inf
lab.temperature = 2; lab.drawn = 0; lab.logits = [1, -inf, 3, 0, 0, 0, 0, 0]
sampler.order = ["top_k", "penalties", "temperature", "top_p", "min_p"]
sampler.top_k = 4; sampler.temperature = 1; sampler.drawn = 0; sampler.seed = 2**53 - 1""",
    """print("read back:", lab.temperature, lab.drawn, lab.probabilities()[:3].round(2),
      sampler.top_k, sampler.order[:2], sampler.drawn, sampler.draws()[:4])""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    lab, sampler = page.locator(".jp-OutputArea-output .pf-card").all()
    tau = lab.get_by_role("slider", name="Temperature", exact=False)
    k = sampler.get_by_role("slider", name="k, how many stay", exact=False)
    stages = sampler.locator(".sl-switch")

    # From Python to the page, -∞ and 2⁵³ - 1 too.
    expect(tau).to_have_value("40")
    expect(k).to_have_value("4")
    expect(stages.first).to_have_text("Top-k")
    expect(lab.locator(".tl-out")).to_have_text(["good"])
    sampler.get_by_text(f"Seed {2**53 - 1}.").wait_for()

    # From the page to Python.
    read_back(page, READ, "2.0 0 [0.15 0.   0.4 ] 4")
    lab.get_by_role("button", name="Draw 10 words").click()
    tau.press("Home")
    k.press("ArrowLeft")
    sampler.get_by_role("button", name="Move Penalties up").click()
    sampler.get_by_role("button", name="Draw 100").click()
    after = read_back(page, READ, "0.0 10 [0. 0. 1.] 3 ['penalties', 'top_k'] 100 [")
    drawn = sampler.get_attribute("data-draws")
    assert drawn is not None
    assert after.endswith(str([int(each) for each in drawn.split()[:4]]))

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    expect(tau).to_have_value("40")
    expect(k).to_have_value("4")
    expect(lab.locator(".tl-said b")).to_have_text("…")
