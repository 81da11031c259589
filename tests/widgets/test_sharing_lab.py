"""SharingLab in Python and in Chromium: its counts, its mistakes, its hands."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.pages import FRAME, open_page, slider, trait

from plainformer.widgets import SharingLab
from plainformer.widgets.sharing_lab.widget import LABELS, MODELS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def test_the_picture_says_what_it_shows() -> None:
    said = SharingLab("fsdp", parts=8).fallback()
    assert "FSDP: GPT-2, 64 texts of 1,024 tokens a step, read by 8 processes." in said
    assert "Each holds 0.25 GB of weights, gradients and Adam" in said


def check(page: "Page", live: "Locator") -> SharingLab:
    """Hold the page's counts against Python's, for what the page has now."""
    page.evaluate(FRAME)
    lab = SharingLab(*[trait(page, "how")], parts=trait(page, "parts"), model=trait(page, "model"))
    shown = json.loads(live.locator("[data-costs]").evaluate("card => card.dataset.costs"))
    assert shown.keys() == lab.costs.keys()
    for part, value in lab.costs.items():
        assert shown[part] == pytest.approx(value, rel=1e-6, abs=1), part
    return lab


def test_the_page_agrees_with_python(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, SharingLab())
    check(page, live)
    for place, name in enumerate(MODELS):
        slider(live, "Model:").fill(str(place))
        for label in LABELS.values():
            live.get_by_role("radio", name=label).check()
            lab = check(page, live)
        assert lab.model == name and lab.how == "fsdp"
    for place, parts in enumerate((1, 2, 4, 8, 16, 32, 64)):
        slider(live, "Processes:").fill(str(place))
        assert check(page, live).parts == parts


def test_every_control_changes_the_sentence(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, SharingLab())
    status = live.get_by_role("status")
    status.get_by_text(
        "DDP, GPT-2: of 64 texts, 8 processes read 8 texts each. A process holds 1.99 GB for "
        "124 million parameters and 11 GB of activations, and sends 0.87 GB in a step."
    ).wait_for()
    slider(live, "Processes:").press("ArrowLeft")
    status.get_by_text("4 processes read 16 texts each.").wait_for()
    slider(live, "Model:").press("ArrowRight")
    status.get_by_text("DDP, GPT-2 medium:").wait_for()
    live.get_by_role("radio", name="Accumulate").check()
    status.get_by_text("one process reads 16 texts at a time, 4 times.").wait_for()
    assert slider(live, "Turns:").is_visible()
    live.get_by_role("radio", name="One process").check()
    status.get_by_text("one process reads all. A process holds").wait_for()
    assert live.get_by_label("Turns").count() == 0 or not slider(live, "Turns").is_visible()
