"""RotaryVectors in Chromium: its arrows stand where the numbers say, and can be changed."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, slider
from tests.widgets.rotary import check, follow

from plainformer.widgets import RotaryVectors
from plainformer.widgets.rotary_vectors.widget import LARGEST

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def turned_by(live: "Locator", kind: str) -> float:
    """By how many degrees an arrow of the large dial is turned on the screen."""
    arrow = live.locator(f".rv-picture .rv-arrow.rv-{kind}")
    found = re.fullmatch(r"rotate\((.+)\)", arrow.get_attribute("transform") or "")
    assert found is not None
    return -float(found[1])


def test_the_arrows_stand_where_the_numbers_say(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(pair=1, m=20, n=50)
    (live,) = open_page(page, tmp_path, widget)
    for kind, vector in zip("qk", widget.turned, strict=True):
        x, y = vector[2:4]
        off = turned_by(live, kind) - np.degrees(np.arctan2(y, x))
        assert abs((off + 180) % 360 - 180) < 0.01


def test_the_marker_rests_while_the_arrows_turn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    needle, dot = live.locator(".rv-needle"), live.locator(".rv-dot")

    def mark() -> tuple[str | None, str]:
        return needle.get_attribute("x1"), f"{float(dot.get_attribute('cy') or 0):.6f}"

    before, arrow, wedge = mark(), turned_by(live, "q"), live.locator(".rv-picture .rv-wedge")
    drawn = wedge.get_attribute("d")
    slider(live, "Shift both").press("ArrowRight")
    page.evaluate(FRAME)
    assert mark() == before
    assert abs(turned_by(live, "q") - arrow - np.degrees(1)) < 0.02
    assert wedge.get_attribute("d") != drawn
    slider(live, "Query at").press("ArrowRight")
    page.evaluate(FRAME)
    assert mark() != before


def test_arrows_can_be_changed_by_keyboard(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors([100.0] * 4, [0.5, -0.5, 3.0, 4.0], pair=1)
    (live,) = open_page(page, tmp_path, widget)
    before = [*widget.query, *widget.key]
    live.get_by_text("Change q and k").focus()
    page.keyboard.press("Enter")
    slider(live, "q points at").press("Home")
    follow(page, widget)
    assert widget.query == [100.0, 100.0, LARGEST, 0.0]  # at 0 degrees, cut to the limit
    assert slider(live, "q points at").input_value() == "0"
    slider(live, "q is").press("Home")
    slider(live, "k points at").press("ArrowRight")
    follow(page, widget)
    assert np.allclose(np.degrees(np.arctan2(widget.key[3], widget.key[2])), 54, atol=0.02)
    slider(live, "k is").press("ArrowLeft")
    follow(page, widget)
    check(live, widget)
    live.get_by_role("status").get_by_text("Pair 1: the key points at 54.0° before").wait_for()
    page.evaluate("(key) => plainformer.widgets[0].model.set('key', key)", widget.key)
    slider(live, "Query at").press("ArrowRight")  # Jupyter sends equal lists as new ones
    live.get_by_role("status").get_by_text("m = 6, n = 2: distance 4").wait_for()
    widget.m = 6
    live.get_by_role("button", name="Back to the first arrows").press("Enter")
    follow(page, widget)
    assert [*widget.query, *widget.key] == before
    check(live, widget)
    live.get_by_role("radio", name="All pairs").check()
    page.evaluate(FRAME)
    assert not live.get_by_text("Change q and k").is_visible()


@pytest.mark.parametrize("kind", ["q", "k"])
def test_arrows_can_be_dragged(kind: str, page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors([1.0, 0.0], [0.0, 1.0], m=3, n=1)
    (live,) = open_page(page, tmp_path, widget)
    dial = live.locator(".rv-picture .rv-dial").bounding_box()
    handle = live.locator(f".rv-handle >> nth={'kq'.index(kind)}").bounding_box()
    assert dial is not None
    assert handle is not None
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    reach = 0.5 * 84 / 106 * dial["width"] / 2  # half as far as the longest arrow, straight up
    page.mouse.move(dial["x"] + dial["width"] / 2, dial["y"] + dial["height"] / 2 - reach)
    page.mouse.up()
    follow(page, widget)
    turned = widget.turned["qk".index(kind)]
    assert np.abs(turned - [0.0, 0.5]).max() < 0.02
    assert (widget.key == [0.0, 1.0]) is (kind == "q")
    assert (widget.query == [1.0, 0.0]) is (kind == "k")
    check(live, widget)
    page.mouse.move(dial["x"], dial["y"])  # the pointer is up: nothing follows it
    before = [*widget.query, *widget.key]
    follow(page, widget)
    assert [*widget.query, *widget.key] == before


def test_an_arrow_of_zeros_gets_a_length_when_it_is_turned(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors([3.0, 4.0], [0.0, 0.0])
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_text("Change q and k").click()
    slider(live, "k points at").press("ArrowRight")
    follow(page, widget)
    assert np.allclose(
        widget.key, 0.5 * np.array([np.cos(np.pi / 180), np.sin(np.pi / 180)]), atol=1e-3
    )
    check(live, widget)


@pytest.mark.parametrize(("m", "n"), [(5, 4), (9, 63), (64, 0)])
def test_the_wedge_is_what_the_rows_say(m: int, n: int, page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(m=m, n=n)
    (live,) = open_page(page, tmp_path, widget)

    def shown(kind: str) -> list[float]:
        texts = live.locator(f".rv-fact-{kind} dd:last-child").all_text_contents()
        return [float(text.replace("−", "-").rstrip("°")) for text in texts]

    (before, adds), (now,) = shown("both"), shown("now")
    assert max(map(abs, [before, adds, now])) <= 180
    assert abs((before + adds - now + 180) % 360 - 180) < 0.2  # each is rounded
    (q, k) = (np.arctan2(each[1], each[0]) for each in widget.turned)
    assert abs((np.degrees(q - k) - now + 180) % 360 - 180) < 0.1
    wedge = live.locator(".rv-picture .rv-wedge").get_attribute("d") or ""
    ends = re.fullmatch(r"M(\S+) (\S+)A.* (\S+) (\S+)L0 0Z", wedge)
    assert ends is not None
    x, y, x2, y2 = map(float, ends.groups())
    drawn = np.degrees(np.arctan2(-y2, x2) - np.arctan2(-y, x))
    assert abs((drawn - now + 180) % 360 - 180) < 0.5
