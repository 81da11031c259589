"""TrainingRun in Chromium: it shows each snapshot of a real run, plays, and grows."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.training.runs import PROBE, letters
from tests.widgets.pages import FRAME, open_page, put, slider, trait

from plainformer.training import History
from plainformer.widgets import TrainingRun

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_each_moment_is_shown(page: "Page", tmp_path: Path) -> None:
    history = letters()
    (live,) = open_page(page, tmp_path, TrainingRun(history))
    for i, snapshot in enumerate(history.snapshots):
        slider(live, "Updates").fill(str(i))
        page.evaluate(FRAME)
        assert live.locator(".tr-sample").text_content() == snapshot.sample
        said = str(live.locator(".pf-sentence").text_content())
        loss = history.loss[min(snapshot.step, 59)]
        assert said.startswith(f"After {snapshot.step} updates: loss {loss:.2f} in training, ")
        assert f"{history.held_out[i][1]:.2f} on held-out text" in said
        row = snapshot.attention[-1]
        assert f"looks most at “{PROBE[row.index(max(row))].replace(' ', '␣')}”" in said
    size = live.locator("canvas").evaluate("each => [each.width, each.height]")
    assert size == [len(PROBE), len(PROBE)]


def test_it_plays_from_the_start_to_the_end(page: "Page", tmp_path: Path) -> None:
    page.add_init_script(
        "const later = setTimeout; window.setTimeout = (f, ms, ...x) => later(f, ms && 5, ...x);"
    )
    (live,) = open_page(page, tmp_path, TrainingRun(letters()))
    page.evaluate(
        """() => {
          window.seen = [];
          plainformer.widgets[0].model.on("change:snapshot", (_, value) => seen.push(value));
        }"""
    )
    live.get_by_role("button", name="Play").click()
    page.wait_for_function("seen.length === 7")
    live.get_by_role("button", name="Play").wait_for()  # it was "Pause" meanwhile
    assert page.evaluate("seen") == [0, 1, 2, 3, 4, 5, 6]


def test_it_grows(page: "Page", tmp_path: Path) -> None:
    """As in Jupyter, where Python sends the data anew."""
    empty = TrainingRun(History("letters"))
    (live,) = open_page(page, tmp_path, empty)
    assert live.locator(".pf-sentence").text_content() == "Nothing is recorded yet."
    assert not slider(live, "Updates").is_visible()
    put(page, data=TrainingRun(History("begun", [0, 1], [4.5, 4.0], [0.1, 0.2])).data)
    said = live.locator(".pf-sentence")
    assert said.text_content() == ("After 2 updates: loss 4.00 in training, learning rate 0.2.")
    whole = TrainingRun(letters(), snapshot=4)
    put(page, data=whole.data, snapshot=4)
    assert slider(live, "Updates").is_visible()
    assert live.locator(".tr-sample").text_content() == letters().snapshots[4].sample
    before = live.locator(".tr-train").last.get_attribute("d")
    put(page, data=letters().downsampled(10).as_data())
    assert live.locator(".tr-train").last.get_attribute("d") != before
    assert trait(page, "snapshot") == 4


def test_what_it_writes_is_text(page: "Page", tmp_path: Path) -> None:
    history = History("toy")
    history.add_snapshot(
        0, "<img src=x onerror=alert(1)>\n  two", ["<b>", "a"], [[1, 0], [0.5, 0.5]]
    )
    (live,) = open_page(page, tmp_path, TrainingRun(history))
    assert live.locator(".tr-sample").text_content() == history.snapshots[0].sample
    assert live.locator("img, b:not(li b, .pf-prompt b)").count() == 0
