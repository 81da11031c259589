"""RotaryVectors in Chromium: its page shows Python's numbers, and every control does its work."""

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python
import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import write_page

from plainformer.widgets import RotaryVectors
from plainformer.widgets.rotary_vectors import LARGEST, LAST

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
FRAME = "() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))"
SLIDERS = ["Query at", "Key at", "Shift both"]


def open_page(page: "Page", folder: Path, *widgets: Any) -> "list[Locator]":
    """Open a page with these widgets; return the live part of each."""
    page.goto(write_page(folder, *widgets))
    places = page.locator(".pf-widget")
    for number in range(places.count()):
        if places.nth(number).is_visible():
            places.nth(number).and_(page.locator("[data-pf-ready]")).wait_for()
    return [places.nth(number).locator(".pf-live") for number in range(places.count())]


def numbers(live: "Locator") -> dict[str, Any]:
    """What the page shows, with all its digits."""
    found: dict[str, Any] = live.evaluate(
        """async (live) => {
            await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
            const card = live.querySelector(".rv-card");
            const all = [...live.querySelectorAll(".rv-option[data-contribution]")];
            const of = (name) => all.map(({ dataset }) => Number(dataset[name]));
            return {
              score: Number(card.dataset.score),
              scores: card.dataset.scores.split(" ").map(Number),
              angles: ["angleQ", "angleK", "difference"].map(of),
              contributions: of("contribution"),
            };
        }"""
    )
    return found


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=re.compile(name))


def check(live: "Locator", widget: RotaryVectors) -> float:
    """Hold the page's numbers against Python's; return the page's score."""
    shown = numbers(live)
    tolerance = 1e-6
    assert np.abs(np.asarray(shown["angles"]) - np.asarray(widget.angles)).max() < tolerance
    assert np.abs(np.asarray(shown["contributions"]) - widget.contributions).max() < tolerance
    every = widget.contributions_at(np.arange(-LAST, LAST + 1)).sum(0)
    assert np.abs(np.asarray(shown["scores"]) - every).max() < tolerance
    assert abs(shown["score"] - widget.score) < tolerance
    return float(shown["score"])


CASES: list[dict[str, Any]] = [
    {},
    {"query": [1.0, 0.0], "key": [0.0, -1.0], "m": 64, "n": 0},
    {"query": list(range(16)), "key": [100.0, -100.0] * 8, "m": 0, "n": 64, "base": 500000.0},
    {"query": [0.1] * 6, "key": [-0.3, 2.0] * 3, "m": 33, "n": 33, "base": 1.5, "pair": None},
    {"query": [0.0] * 4, "key": [0.0] * 4, "pair": 1},
]


@pytest.mark.parametrize("options", CASES)
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(**options)
    (live,) = open_page(page, tmp_path, widget)
    check(live, widget)
    for widget.m, widget.n in itertools.product([0, 7, 64], [0, 31, 64]):
        slider(live, "Query at").fill(str(widget.m))
        slider(live, "Key at").fill(str(widget.n))
        check(live, widget)


def test_by_keyboard_and_by_shift_too(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors()
    (live,) = open_page(page, tmp_path, widget)
    slider(live, "Query at").focus()
    for key, m in [("ArrowRight", 6), ("End", 64), ("ArrowLeft", 63), ("Home", 0), ("PageUp", 6)]:
        page.keyboard.press(key)
        widget.m = m
        check(live, widget)
    slider(live, "Key at").focus()
    page.keyboard.press("ArrowRight")
    widget.n = 3
    score = check(live, widget)
    shift = slider(live, "Shift both")
    shift.focus()
    assert (shift.get_attribute("max"), shift.input_value()) == ("61", "3")
    for key, n in [("ArrowRight", 4), ("End", 61), ("Home", 0), ("PageUp", 6)]:
        page.keyboard.press(key)
        widget.m, widget.n = n + 3, n
        assert abs(check(live, widget) - score) < 1e-9
        assert shift.get_attribute("aria-valuetext") == f"m = {n + 3}, n = {n}"
    live.get_by_role("status").get_by_text("Distance still 3, score still").wait_for()


def test_a_key_behind_its_query_can_be_shifted_too(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(m=2, n=50)
    (live,) = open_page(page, tmp_path, widget)
    score = check(live, widget)
    slider(live, "Shift both").focus()
    page.keyboard.press("End")
    widget.m, widget.n = 16, 64
    assert abs(check(live, widget) - score) < 1e-9
    page.keyboard.press("Home")
    widget.m, widget.n = 0, 48
    assert abs(check(live, widget) - score) < 1e-9
    slider(live, "Key at").press("End")
    page.evaluate(FRAME)
    assert slider(live, "Shift both").is_disabled()  # 64 apart: there is no room
    assert live.get_by_role("button", name="Play").get_attribute("aria-disabled") == "true"


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    widget = RotaryVectors(
        [2.0, 1.0, 0.5, -1.0], [1.0, 1.0, 1.0, 1.0], m=9, n=4, base=100.0, pair=1
    )
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        widget.state(),
    )
    check(live, widget)
    assert live.get_by_role("radio").count() == 3
    assert live.get_by_role("radio", name="Pair 1").is_checked()


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


def test_the_switch_of_pairs(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    status = live.get_by_role("status")
    live.get_by_role("radio", name="Pair 0").focus()
    for name in ("Pair 1", "Pair 2", "Pair 3"):
        page.keyboard.press("ArrowRight")
        status.get_by_text(f"{name}: q turned by").wait_for()
        assert live.locator(".rv-picture .rv-dial").count() == 1
        assert live.locator(".rv-chosen").count() == 1
    page.keyboard.press("ArrowRight")
    status.get_by_text("All 4 pairs").wait_for()
    assert live.locator(".rv-picture .rv-dial").count() == 4
    assert page.evaluate("plainformer.widgets[0].model.get('pair')") is None


def follow(page: "Page", widget: RotaryVectors) -> None:
    """Give a widget the vectors that the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in ("query", "key"):
        setattr(widget, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


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


def test_play_shifts_both_to_the_end(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors(m=63, n=60))
    live.get_by_role("button", name="Play").click()
    live.get_by_role("status").get_by_text("m = 64, n = 61: both turned").wait_for()
    play = live.get_by_role("button", name="Play")
    play.wait_for()
    play.press("Enter")  # from the start again
    live.get_by_role("status").get_by_text("m = 4, n = 1: both turned").wait_for()
    live.get_by_role("button", name="Pause").press("Space")
    play.wait_for()


def test_the_table_has_what_the_picture_has(page: "Page", tmp_path: Path) -> None:
    widget = RotaryVectors(m=12, n=40)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()

    def cells(name: str) -> list[list[str]]:
        rows = live.get_by_role("table", name=name).locator("tbody tr").all()
        return [
            [cell.replace("−", "-") for cell in r.locator("td").all_text_contents()] for r in rows
        ]

    *pairs, total = cells("Each pair at m = 12, n = 40")
    shown = np.array(pairs, dtype=float)
    expected = np.stack([*widget.angles, widget.contributions], axis=1)
    assert np.abs(shown[:, 3:] - expected).max() < 1e-6
    assert abs(float(total[-1]) - widget.score) < 1e-6
    found = live.get_by_role("table", name="The score at every distance").evaluate(
        "table => [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    )
    curve = np.array([[cell.replace("−", "-") for cell in row] for row in found], dtype=float)
    scores = widget.contributions_at(curve[:, 0])
    assert np.abs(curve[:, 1] - scores.sum(0)).max() < 1e-6
    assert np.abs(curve[:, 2:].T - scores).max() < 1e-6
    live.get_by_role("button", name="Hide table").click()
    assert live.get_by_role("table").count() == 0


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    other = RotaryVectors(m=9, n=9, pair=2)
    first, second = open_page(page, tmp_path, RotaryVectors(), other)
    slider(first, "Query at").fill("30")
    first.get_by_role("radio", name="Pair 1").check()
    check(second, other)
    assert second.get_by_role("radio", name="Pair 2").is_checked()
    repeated = page.evaluate(
        "[...document.querySelectorAll('[id]')].map(e => e.id)"
        ".filter((id, i, all) => all.indexOf(id) !== i)"
    )
    assert repeated == []


def test_it_draws_when_it_is_shown(page: "Page", tmp_path: Path) -> None:
    folded = f"<details><summary>More</summary>{RotaryVectors().html()}</details>"
    tab = f'<div id="tab" hidden>{RotaryVectors().html()}</div>'
    open_page(page, tmp_path, folded, tab)
    expect(page.locator("[data-pf-ready]")).to_have_count(0)
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    page.evaluate("document.getElementById('tab').hidden = false")
    page.locator("#tab [data-pf-ready]").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    widgets = [RotaryVectors(), RotaryVectors([1.0] * 16, [0.1] * 16, m=64, n=0, pair=None)]
    lives = open_page(page, tmp_path, *widgets)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    lives[0].get_by_role("button", name="Show as table").click()
    lives[0].get_by_text("Change q and k").click()
    page.add_script_tag(path=AXE)
    results = page.evaluate("axe.run({ preload: false })")  # no fetching of style sheets
    found = [(each["id"], [n["html"] for n in each["nodes"]][:3]) for each in results["violations"]]
    assert found == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_a_thumb_finds_it(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    large = RotaryVectors([-100.0] * 16, [100.0] * 16, m=64, n=64, pair=None)
    lives = open_page(page, tmp_path, RotaryVectors(), large)
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    lives[0].get_by_text("Change q and k").click()
    for live in lives:
        expect(live.get_by_role("table")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    targets = "button, input[type=range], label:has(input), summary, .rv-handle"
    for target in page.locator(".pf-live").locator(targets).filter(visible=True).all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, target.text_content()
    page.evaluate(
        "document.querySelectorAll('.pf-widget').forEach(w => w.removeAttribute('data-pf-ready'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_nothing_moves_below_the_sliders_on_a_phone(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    (live,) = open_page(page, tmp_path, RotaryVectors())
    dial = live.locator(".rv-picture")
    before = dial.bounding_box()
    for name in SLIDERS:
        slider(live, name).press("End")
        page.evaluate(FRAME)
        assert dial.bounding_box() == before, name


def test_without_scripts_and_in_print_the_picture_stands(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, RotaryVectors())
    picture = page.locator(".pf-fallback svg")
    assert not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert not live.is_visible()
