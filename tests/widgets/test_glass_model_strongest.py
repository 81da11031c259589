"""GlassModel in Chromium: where a unit or a head is strongest, fetched when a reader asks."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.widgets.glass import glass, growing
from tests.widgets.pages import FRAME, open_page, put, watched

from plainformer.training.tasks import course_lm_strongest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

UNIT, HEAD = "layers.0.feed_forward.activations[4, 100]", "layers.3.heads.2"


def test_the_places_come_when_they_are_asked_for(browser: "Browser", tmp_path: Path) -> None:
    found = json.loads(course_lm_strongest())
    widget = glass(selected=UNIT)
    tokenizer = widget.tokenizer
    with watched(browser) as (page, _):  # a file that is missing is an error of its console
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        (live,) = open_page(page, tmp_path, widget)
        (file,) = (tmp_path / "weights").glob("course-lm-strongest-*.js")
        file.rename(tmp_path / "away.js")
        assert not [url for url in asked if "weights/course-lm-strongest" in url]
        ask = live.get_by_role("button", name="Where is this unit strongest?")
        ask.click()
        live.get_by_text("could not be loaded").wait_for()
        (tmp_path / "away.js").rename(file)
        ask.press("Enter")
        live.get_by_text("In 64 stories that the model wrote, it is strongest at").wait_for()
        assert not ask.is_visible()
        marked = [tokenizer.decode([found["texts"][n][t]]) for n, t, _ in found["units"][0][100]]
        assert live.locator("ol mark").all_text_contents() == marked
        values = [value for *_, value in found["units"][0][100]]
        shown = live.locator("ol b").all_inner_texts()
        assert [float(each.replace("−", "-")) for each in shown] == values

        put(page, selected=HEAD)
        page.evaluate(FRAME)
        live.get_by_text("it is strongest at marked tokens, looking at underlined ones").wait_for()
        texts = found["texts"]
        wanted = [
            [tokenizer.decode([texts[n][place]]) for place in (t, looked)]
            for n, t, looked, _ in found["heads"][3][2]
        ]
        shown = [live.locator(f"ol {tag}").all_text_contents() for tag in ("mark", "u")]
        assert [list(pair) for pair in zip(*shown, strict=True)] == wanted


def test_only_units_and_heads_of_the_finished_model_have_places(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, glass(selected=HEAD, **growing(414)))
    ask = live.get_by_role("button", name="strongest?")
    ask.wait_for()
    for other in ("", "layers.3", "layers.3.attention.weights[2, 3, 1]", "compare"):
        put(page, selected=other)
        page.evaluate(FRAME)
        assert not ask.is_visible()
    put(page, selected=HEAD, checkpoint=414)
    page.evaluate(FRAME)
    assert not ask.is_visible()
    put(page, checkpoint=None)
    page.evaluate(FRAME)
    assert ask.is_visible()


def test_in_jupyter_they_are_there_and_another_model_has_none() -> None:
    widget = glass()
    assert json.loads(widget.data["strongest"]["text"])["texts"]
    assert set(widget.state()["data"]["strongest"]) == {"script"}
    assert glass(name="model").data["strongest"] is None
