"""TemperatureLab in Chromium: its page shows Python's numbers, and every control does its work."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page

from plainformer.widgets import TemperatureLab
from plainformer.widgets.kit.token_words import label, weight

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MANY = np.random.default_rng(5).normal(size=300) * 3
MANY[7] = -np.inf
HARD: dict[str, Any] = {
    "logits": [1e4, 1e4, -1e4, -math.inf],
    "words": ["y" * 200, " the", "\n", ""],
    "compare": 100,
}


def slider(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Temperature τ")


def follow(page: "Page", lab: TemperatureLab) -> None:
    """Give a lab what the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in ("logits", "temperature", "compare"):
        setattr(lab, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


def check(page: "Page", live: "Locator", lab: TemperatureLab) -> None:
    """Hold the page's numbers, all digits and as they are written, against Python's."""
    follow(page, lab)
    entropies: Any = live.locator(".pf-card").get_attribute("data-entropy")
    both = [lab.temperature] + ([] if lab.compare is None else [lab.compare])
    expected = [lab.probabilities(tau) for tau in both]
    found = [float(each) for each in entropies.split()]
    np.testing.assert_allclose(found, [lab.entropy(tau) for tau in both], rtol=0, atol=1e-6)
    cells = live.locator(".tb-number:visible:not(.tb-sum)")
    z = np.array([-np.inf if each is None else each for each in lab.logits])
    order = np.argsort(-z, kind="stable")[: lab.shown]
    columns = [[*p[order], *([p.sum() - p[order].sum()] * (len(p) > len(order)))] for p in expected]
    found = cells.evaluate_all("all => all.map(({ dataset }) => Number(dataset.value))")
    np.testing.assert_allclose(found, np.transpose(columns).ravel(), rtol=0, atol=1e-6)
    assert cells.all_inner_texts() == [weight(each) for each in found]


@pytest.mark.parametrize(
    "options", [{}, {"compare": 0.3}, {"logits": MANY, "shown": 9, "compare": 2}, HARD]
)
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab(**options)
    (live,) = open_page(page, tmp_path, lab)
    check(page, live, lab)
    for place, temperature in ((-21, 0), (-20, 0.1), (-6, 0.5), (0, 1), (6, 2), (20, 10)):
        slider(live).fill(str(place))
        check(page, live, lab)
        assert lab.temperature == temperature


def test_random_logits_agree(page: "Page", tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    lab = TemperatureLab(rng.normal(size=9))
    (live,) = open_page(page, tmp_path, lab)
    for _ in range(40):
        z = np.round(rng.normal(size=9) * 4, rng.integers(0, 3))  # rounded to whole: ties
        z[rng.random(9) < 0.2] = -np.inf
        z[rng.integers(9)] = 1.0
        state = {
            "logits": [None if each == -np.inf else float(each) for each in z],
            "temperature": float(rng.choice([0, 0.01, 0.4, 1, 3, 100])),
            "compare": rng.choice([None, 0.0, 2.5]),
        }
        page.evaluate(
            """(state) => Object.entries(state).forEach(
                ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
            state,
        )
        check(page, live, lab)


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab()
    (live,) = open_page(page, tmp_path, lab)
    status = live.get_by_role("status")
    page.keyboard.press("Tab")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    status.get_by_text(
        "At temperature 0.5, “lovely” has probability 0.68. Entropy: 1.05"
    ).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    status.get_by_text("Kept to compare, at 0.5: 0.68, entropy 1.05.").wait_for()
    assert live.get_by_role("button", name="Stop comparing").is_visible()
    slider(live).press("Home")
    status.get_by_text("At temperature 0, “lovely” is certain: the largest logit takes").wait_for()
    assert slider(live).get_attribute("aria-valuetext") == "0"
    check(page, live, lab)
    assert (lab.temperature, lab.compare) == (0, 0.5)
    live.get_by_role("button", name="Stop comparing").press("Space")
    check(page, live, lab)
    assert lab.compare is None
    assert live.locator(".tb-bar-1:visible").count() == 0


def test_the_table_has_all_digits(page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab([3, 1, -math.inf, 0], list("abcd"), temperature=2, compare=0.5, shown=3)
    (live,) = open_page(page, tmp_path, lab)
    live.get_by_role("button", name="Show as table").press("Enter")
    table = live.get_by_role("table")
    heads = table.locator("th").all_inner_texts()
    assert heads == ["Token", "Logit z", "Energy −z", "Probability at 2", "Probability at 0.5"]
    cells = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert [row[:3] for row in cells] == [
        ["a", "3", "−3"], ["b", "1", "−1"], ["d", "0", "0"], ["1 other", "", ""],
        ["together", "", ""], ["entropy, nats", "", ""], ["at most, ln 3", "", ""],
    ]  # fmt: skip
    for column, tau in ((3, 2), (4, 0.5)):
        p = lab.probabilities(tau)
        right = [*p[[0, 1, 3, 2]], 1, lab.entropy(tau), lab.most_entropy()]
        np.testing.assert_allclose([float(row[column]) for row in cells], right, rtol=0, atol=1e-6)


def test_one_token_is_one(page: "Page", tmp_path: Path) -> None:
    lives = open_page(page, tmp_path, TemperatureLab(temperature=0), TemperatureLab([3.0]))
    for live in lives:
        assert live.locator(".tl-openness").inner_text().endswith("nats: as open as 1 token")


def test_of_several_alike_the_first_is_named(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab([1, 3, 3], ["a", " b", "c"], temperature=0))
    text = "“␣b” is certain: the largest logit takes all, the first of 2 alike."
    live.get_by_role("status").get_by_text(text).wait_for()


def test_names_are_written_as_python_writes_them(page: "Page", tmp_path: Path) -> None:
    words = [" the ", "a b", "one\ntwo", "\x1b[0m", "\t", "\x7f", "\x85", "", "<b>", "  "]
    (live,) = open_page(page, tmp_path, TemperatureLab([0.0] * 10, words))
    assert live.locator(".tb-name:not(.tb-sum)").all_text_contents() == [label(w) for w in words]


def test_the_levels_stand_at_minus_the_logit(page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab([4, 3, 0, -math.inf], temperature=2, compare=1)
    (live,) = open_page(page, tmp_path, lab)

    def heights(of: str) -> list[float]:
        found: Any = live.locator(of).evaluate_all("all => all.map(e => parseFloat(e.style.top))")
        return list(found)

    low, middle, high = heights(".tl-level")  # what is impossible has no level
    assert low - middle == pytest.approx((low - high) / 4, abs=0.1)
    widths = live.locator(".tl-full").evaluate_all("all => all.map(e => parseFloat(e.style.width))")
    np.testing.assert_allclose(widths, 100 * lab.probabilities()[:3], rtol=0, atol=1e-3)
    (top,) = heights(".tl-reach")
    assert low - top == pytest.approx((low - high) / 2, abs=0.1)  # τ = 2 of an energy range of 4
    assert live.locator(".tl-label b").all_inner_texts() == ["0.00", "−3.00", "−4.00"]
    slider(live).press("Home")
    page.evaluate(FRAME)
    assert not live.locator(".tl-reach").is_visible()


def test_names_of_crowded_levels_make_room(page: "Page", tmp_path: Path) -> None:
    crowd = TemperatureLab([5, 5, 5, 5, 1, 0.9, 0.8] + [0.0] * 5)
    single = TemperatureLab([2.0])
    for live in open_page(page, tmp_path, crowd, TemperatureLab(MANY, shown=40), single):
        tops: Any = live.locator(".tl-label").evaluate_all(
            "all => all.map(e => parseFloat(e.style.top))"
        )
        assert tops == sorted(tops)
        assert min(np.diff(tops), default=19) >= 19 - 1e-9
        assert min(tops) >= 9 - 1e-9 and max(tops) <= 251 + 1e-9


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab([1, 2, 3]))
    lab = TemperatureLab([3, -math.inf, 5], temperature=77, compare=0)
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        {name: value for name, value in lab.state().items() if name != "data"},
    )
    check(page, live, lab)
    assert live.locator(".tb-name").all_inner_texts()[:3] == ["token 2", "token 0", "token 1"]
    assert slider(live).input_value() == "20"  # its end; the label tells the truth
    assert live.get_by_text("Temperature τ: 77").is_visible()


@pytest.mark.parametrize("width", [320, 360, 700])
@pytest.mark.parametrize("compare", [None, 0.5])
def test_nothing_moves_while_the_slider_does(
    compare: float | None, width: int, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    (live,) = open_page(page, tmp_path, TemperatureLab(compare=compare))
    parts = [live.locator(each) for each in (".tb-bars", ".tl-box", ".tl-meter", ".tl-foot")]
    before = [part.bounding_box() for part in parts]
    for place in (-21, -20, -12, 0, 1, 7, 20):
        slider(live).fill(str(place))
        page.evaluate(FRAME)
        assert [part.bounding_box() for part in parts] == before
