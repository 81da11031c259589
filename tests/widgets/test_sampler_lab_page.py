"""SamplerLab in Chromium: its page shows Python's numbers and draws Python's tokens."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, open_page, put

from plainformer.decoding.example import WORDS
from plainformer.widgets import SamplerLab
from plainformer.widgets.kit.token_words import weight
from plainformer.widgets.sampler_lab.widget import PRESETS, STAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

RNG = np.random.default_rng(5)
MANY = RNG.normal(size=300) * 3
MANY[7] = -np.inf
BUSY: dict[str, Any] = {
    "logits": MANY, "counts": RNG.integers(0, 3, 300), "repetition_penalty": 1.4,
    "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.02, "drawn": 150, "seed": 2**53 - 1,
}  # fmt: skip
HARD: dict[str, Any] = {
    "logits": [1e4, 1e4, -1e4, -math.inf], "words": ["y" * 200, " the", "\n", ""],
    "counts": [1000, 0, 1, 0], "drawn": 10_000,
}  # fmt: skip


# All that the page has and shows, once it is drawn: traits, what each stage did, sums, numbers.
SHOWN = f"""async (live, names) => {{
  await ({FRAME})();
  const all = (selector, what) => [...live.querySelectorAll(selector)].map(what);
  const {{ model }} = plainformer.widgets[0];
  return {{
    state: names.map((name) => [name, model.get(name)]),
    facts: all(".sl-facts:not(.sl-occurred)", ({{ dataset: {{ removed, moved, left }} }}) =>
      ({{ removed: Number(removed), moved: Number(moved), left: Number(left) }})),
    data: {{ ...live.querySelector(".pf-card").dataset }},
    numbers: all(".tb-number:not(.tb-sum)", ({{ dataset }}) => Number(dataset.value)),
    texts: all(".tb-number:not(.tb-sum)", (each) => each.innerText),
  }};
}}"""


def softmax(z: Any) -> Any:
    grown = np.exp(z - z.max())
    return grown / grown.sum()


def check(live: "Locator", lab: SamplerLab) -> None:
    """Hold everything that the page shows against Python's functions.

    The lab is given what the page has now, as Jupyter would.
    """
    shown = live.evaluate(SHOWN, [name for name in lab.state() if name != "data"])
    for name, value in shown["state"]:
        setattr(lab, name, value)
    data = shown["data"]
    final = lab.probabilities()
    before = softmax(np.array([-np.inf if each is None else each for each in lab.logits]))
    for (_, z), fact in zip(lab.stages(), shown["facts"], strict=True):
        after = softmax(z)
        assert fact["left"] == np.isfinite(z).sum()
        assert fact["removed"] == pytest.approx(before[np.isneginf(z)].sum(), abs=1e-6)
        assert fact["moved"] == pytest.approx(np.abs(after - before).sum() / 2, abs=1e-6)
        before = after
    draws = lab.draws()
    assert [int(each) for each in data["draws"].split()] == draws[-200:]
    tally = np.bincount(np.array(draws, dtype=int), minlength=len(final))
    if lab.drawn:
        gap = np.abs(tally / lab.drawn - final).max()
        assert float(data["gap"]) == pytest.approx(gap, abs=1e-6)
    z = np.array([-np.inf if each is None else each for each in lab.logits])
    order = np.argsort(-z, kind="stable")[: lab.shown]
    rest = [i for i in range(len(z)) if i not in order]
    found = shown["numbers"][::2]
    due = [*final[order], *([final[rest].sum()] if rest else [])]
    np.testing.assert_allclose(found, due, rtol=0, atol=1e-6)
    drawn = [*tally[order], *([tally[rest].sum()] if rest else [])]
    assert shown["texts"][1::2] == [f"{each:,}" for each in drawn]
    assert shown["texts"][0::2] == [weight(each) for each in found]


@pytest.mark.parametrize("options", [{}, BUSY, HARD, {"logits": [3.0], "drawn": 7}])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab(**options)
    (live,) = open_page(page, tmp_path, lab)
    check(live, lab)
    put(page, drawn=min(lab.drawn, 300))  # each key draws them anew
    for slider in live.get_by_role("slider").all():
        slider.focus()
        for key in ("Home", "ArrowRight", "End", "ArrowLeft"):
            page.keyboard.press(key)
        check(live, lab)


def test_random_settings_and_orders_agree(page: "Page", tmp_path: Path) -> None:
    rng = np.random.default_rng(17)
    lab = SamplerLab(rng.normal(size=9), preset="off")
    (live,) = open_page(page, tmp_path, lab)
    for _ in range(60):
        z = np.round(rng.normal(size=9) * 4, rng.integers(0, 3))  # rounded to whole: ties
        z[rng.random(9) < 0.2] = -np.inf
        z[rng.integers(9)] = 1.0
        put(
            page,
            logits=[None if each == -np.inf else float(each) for each in z],
            counts=rng.integers(0, 3, 9).tolist(),
            frequency_penalty=float(rng.choice([0, 0, -1.5, 0.7])),
            presence_penalty=float(rng.choice([0, 0, -2, 0.4])),
            repetition_penalty=float(rng.choice([1, 1, 0.6, 1.3])),
            temperature=float(rng.choice([0, 0.01, 0.4, 1, 3, 100])),
            top_k=rng.choice([None, 1, 2, 5, 9, 50]),
            top_p=rng.choice([None, 0.01, 0.5, 0.9, 1.0]),
            min_p=rng.choice([None, 0.02, 0.3, 1.0]),
            order=rng.permutation(STAGES).tolist(),
            seed=int(rng.integers(2**53)),
            drawn=int(rng.choice([0, 1, 5, 40])),
        )
        check(live, lab)


@pytest.mark.parametrize("seed", [0, 12, 2**32 + 1, 2**53 - 1])
def test_two_hundred_draws_are_pythons(seed: int, page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab(seed=seed, temperature=1.4, top_p=0.97)
    (live,) = open_page(page, tmp_path, lab)
    for name in ("Draw 100", "Draw one", "Draw 100"):
        live.get_by_role("button", name=name).click()
    check(live, lab)
    assert lab.drawn == 201
    assert len(set(lab.draws())) > 4


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab(preset="off")
    (live,) = open_page(page, tmp_path, lab)
    status = live.get_by_role("status")
    status.get_by_text("8 tokens can be drawn, and “lovely” ends at 0.40.").wait_for()
    live.get_by_role("checkbox", name="Top-k").press("Space")
    status.get_by_text(
        "Top-k: k = 3, removes 0.28, 3 left of 8 tokens. “lovely” ends at 0.56."
    ).wait_for()
    live.get_by_role("slider", name="k, how many stay").press("ArrowLeft")
    status.get_by_text("Top-k: k = 2, removes 0.40, 2 left").wait_for()
    live.get_by_role("checkbox", name="Top-k").press("Space")
    status.get_by_text("Top-k: off, 8 left of 8 tokens.").wait_for()
    check(live, lab)
    assert lab.top_k is None
    live.get_by_role("checkbox", name="Top-k").press("Space")
    status.get_by_text("Top-k: k = 2, ").wait_for()  # what the reader had chosen comes back
    live.get_by_role("slider", name="k, how many stay").press("End")
    page.evaluate(FRAME)
    assert not live.get_by_role("checkbox", name="Top-k").is_checked()
    live.get_by_role("checkbox", name="Temperature").press("Space")  # unfolds it
    live.get_by_role("slider", name="τ, divide by").press("Home")
    status.get_by_text("Temperature: τ = 0, removes 0.60, 1 left of 8 tokens.").wait_for()
    live.get_by_role("radio", name="No repeats").press("Space")
    status.get_by_text("8 tokens can be drawn, and “lovely” ends at").wait_for()
    live.get_by_role("slider", name="Repetition").press("End")
    status.get_by_text("Penalties: ρ = 2, shifts 0.07, 8 left of 8 tokens.").wait_for()
    live.get_by_role("button", name="Draw one").press("Enter")
    drawn = WORDS[SamplerLab(repetition_penalty=2, drawn=1).draws()[0]]
    status.get_by_text(f"falls on “{drawn}”. 1 draw: the largest gap to the bars is").wait_for()
    live.get_by_role("button", name="Draw 100").press("Space")
    status.get_by_text("101 draws: the largest gap").wait_for()
    live.get_by_role("button", name="Next seed").press("Enter")
    status.get_by_text("Seed 1: other random numbers. 101 draws:").wait_for()
    check(live, lab)
    live.get_by_role("button", name="Reset draws").press("Enter")
    status.get_by_text("No draws yet.").wait_for()


def test_stages_move_and_the_focus_stays(page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab(temperature=2, top_p=0.7)
    (live,) = open_page(page, tmp_path, lab)
    names = live.locator(".sl-switch")
    focus = "document.activeElement.getAttribute('aria-label')"
    live.get_by_role("button", name="Move Top-p up").press("Enter")
    check(live, lab)
    assert names.all_inner_texts() == ["Penalties", "Temperature", "Top-p", "Top-k", "Min-p"]
    assert page.evaluate(focus) == "Move Top-p up"
    for _ in range(2):
        page.keyboard.press("Space")
        page.evaluate(FRAME)
    check(live, lab)
    assert lab.order[0] == "top_p"
    assert page.evaluate(focus) == "Move Top-p down"  # at the top there is no way up
    assert not live.get_by_role("button", name="Move Top-p up").is_visible()
    assert live.locator(".sl-place").all_inner_texts() == list("12345")
    live.get_by_role("button", name="Move Top-k down").click()
    page.evaluate(FRAME)
    assert page.evaluate(focus) == "Move Top-k up"
    live.get_by_role("status").get_by_text(
        "New order: top-p, penalties, temperature, min-p, top-k."
    ).wait_for()
    check(live, lab)


def test_the_strip_is_as_long_as_the_probabilities(page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab([1, 3, 2, 0, -1], list("abcde"), shown=2, drawn=9, seed=3)
    (live,) = open_page(page, tmp_path, lab)
    pieces = live.locator(".sl-strip span")
    assert pieces.evaluate_all("all => all.map(e => e.title)") == ["…", "b", "c", "…"]
    widths = pieces.evaluate_all("all => all.map(e => parseFloat(e.style.width) / 100)")
    p = lab.probabilities()
    np.testing.assert_allclose(widths, [p[0], p[1], p[2], p[3] + p[4]], rtol=0, atol=1e-5)
    left = live.locator(".sl-needle").evaluate("e => parseFloat(e.style.left) / 100")
    ends = np.cumsum(p)
    assert int(np.argmax(ends > left)) == lab.draws()[-1]


def test_the_tables_have_all_digits(page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab(
        [3, 1, -math.inf, 0], list("abcd"), counts=[0, 2, 0, 1], frequency_penalty=0.5, top_k=2,
        order=["top_k", "penalties", "temperature", "top_p", "min_p"], drawn=25, shown=3,
    )  # fmt: skip
    (live,) = open_page(page, tmp_path, lab)
    live.get_by_role("button", name="Show as table").press("Enter")
    rows_of_tokens, stages, gaps = live.get_by_role("table").all()
    heads = ["Token", "Occurred", "Logit", "At first", "Top-k", "Penalties", "Temperature"]
    assert rows_of_tokens.locator("th").all_inner_texts() == [*heads, "Top-p", "Min-p", "Drawn"]
    rows = [row.locator("td").all_inner_texts() for row in rows_of_tokens.locator("tbody tr").all()]
    assert [row[:3] for row in rows] == [
        ["a", "0", "3"], ["b", "2", "1"], ["d", "1", "0"], ["1 other", "0", ""],
    ]  # fmt: skip
    expected = [softmax(z) for _, z in lab.stages()]
    expected = [softmax(np.array([3, 1, -np.inf, 0])), *expected, lab.tally()]
    for column, right in enumerate(expected, start=3):
        found = [float(row[column]) for row in rows]
        np.testing.assert_allclose(found, right[[0, 1, 3, 2]], rtol=0, atol=1e-6)
    rows = [row.locator("td").all_inner_texts() for row in stages.locator("tbody tr").all()]
    assert [(row[0], row[1], row[4]) for row in rows[:3]] == [
        ("Top-k", "k = 2", "2"), ("Penalties", "α = 0.5", "2"), ("Temperature", "off", "2"),
    ]  # fmt: skip
    rows = [row.locator("td").all_inner_texts() for row in gaps.locator("tbody tr").all()]
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "25"]
    for n, gap, _ in rows:
        lab.drawn = int(n)
        right = np.abs(lab.tally() / lab.drawn - lab.probabilities()).max()
        assert float(gap) == pytest.approx(right, abs=1e-6)


def test_a_stage_is_moved_by_a_tap(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 640}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, SamplerLab())
    live.get_by_role("button", name="Move Min-p up").tap()
    expect(live.locator(".sl-switch").nth(3)).to_have_text("Min-p")
    context.close()


def test_where_there_is_no_gap_no_token_is_named(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, SamplerLab([-np.inf, 1.0, 2.0], top_k=1, drawn=9))
    assert "9 drawn; no gap to the bars" in live.inner_text()
    live.get_by_role("button", name="Draw 100").click()
    live.get_by_role("status").get_by_text("109 draws: no gap to the bars.").wait_for()
    live.get_by_role("button", name="Show as table").click()
    gaps = live.locator("table").last.locator("tbody tr")
    assert [row.split("\t")[1:] for row in gaps.all_inner_texts()] == [["0", ""]] * gaps.count()
    assert gaps.count() > 3


def test_a_preset_is_chosen_and_shown(page: "Page", tmp_path: Path) -> None:
    lab = SamplerLab()
    (live,) = open_page(page, tmp_path, lab)
    preset = live.get_by_role("group", name="Preset")
    checked = "all => all.filter((each) => each.checked).map((each) => each.value)"
    chosen = preset.get_by_role("radio")
    assert chosen.evaluate_all(checked) == ["focused"]
    assert live.get_by_role("slider", name="τ, divide by").is_visible()
    assert not live.get_by_role("slider", name="k, how many stay").is_visible()
    for name, settings in PRESETS.items():
        preset.get_by_text(name.capitalize(), exact=True).click()
        check(live, lab)
        assert {key: getattr(lab, key) for key in settings} == settings
        assert chosen.evaluate_all(checked) == [name]
        folded = live.locator(".sl-folded").count()
        assert folded == 5 - len({"repetition_penalty": "penalties"}.keys() & settings) - len(
            settings.keys() & set(STAGES)
        )
    live.get_by_role("checkbox", name="Top-k").check()
    page.evaluate(FRAME)
    assert chosen.evaluate_all(checked) == []  # settings of the reader's own
    top_k = live.get_by_role("slider", name="k, how many stay")
    top_k.press("End")  # off again, and still there under the thumb
    page.evaluate(FRAME)
    assert chosen.evaluate_all(checked) == ["no repeats"]
    assert top_k.is_visible()
