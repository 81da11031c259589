"""BeamTree in a static page opened as a file, in Chromium: its numbers, hands and looks."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.site import widget_checks
from tests.widgets.pages import FRAME, axe_problems, open_page, put, trait
from tests.widgets.test_beam_tree import LETTERS, model

from plainformer.widgets import BeamTree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


def real(seed: int, **options: Any) -> BeamTree:
    """A search in a random model, of texts that end early or late."""
    return BeamTree.search(
        model(seed), [3, 4], beam_size=3, max_new_tokens=6, eos_id=8, words=LETTERS, **options
    )


def said(live: "Locator") -> str:
    """What stands in the visible sentence; the spoken one is the same, a little later."""
    return live.locator(".pf-sentence").inner_text()


def ranked(live: "Locator") -> list[tuple[str, float]]:
    """The texts of the ranking with their numbers in full."""
    rows = live.locator(".bt-ranking li:visible")
    found = "rows => rows.map(r => [r.children[0].textContent, r.children[1].dataset.value])"
    return [(text, float(value)) for text, value in rows.evaluate_all(found)]


@pytest.mark.parametrize("options", [{}, {"length_penalty": 0.7, "length_norm": "gnmt"}])
def test_the_pages_numbers_are_pythons(
    options: dict[str, Any], page: "Page", tmp_path: Path
) -> None:
    for seed in (0, 4):
        widget = real(seed, **options)
        (live,) = open_page(page, tmp_path, widget)
        read = """all => all.map(e => [e.dataset.logProb, e.dataset.score].map(Number))"""
        drawn = live.locator("[data-log-prob]").evaluate_all(read)
        expected = [node[4:6] for node in widget.data["nodes"][1:]]
        np.testing.assert_allclose(drawn, expected, rtol=0, atol=1e-6)
        for step in range(widget.last_step + 1):
            for alpha in (0.0, 0.35, 1.0, 2.0):
                widget.step, widget.length_penalty = step, alpha
                put(page, step=step, length_penalty=alpha)
                shown = ranked(live)
                assert [text for text, _ in shown] == [each.text for each in widget.ranking]
                values = [each.normalised for each in widget.ranking]
                np.testing.assert_allclose([x for _, x in shown], values, rtol=0, atol=1e-6)
        assert len(widget.ranking) >= 3


def test_the_search_is_told_step_by_step(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree())
    assert said(live) == "Only the prompt, “your cat is”. Each step keeps 2 beams that may go on."
    following = live.get_by_role("button", name="Next")
    told = []
    for key in ("Enter", "Space", "Enter", "Enter"):
        following.press(key)
        page.evaluate(FRAME)
        told.append(said(live))
    assert told == [
        "Step 1 of 4: 3 candidates. Kept: “a” (−0.69) and “lovely” (−0.92). 1 died.",
        "Step 2 of 4: 4 candidates. Finished: “lovely” (−1.02). Kept: “a lovely” (−1.61) and "
        "“a cat” (−1.74). 1 died. Best so far: “lovely”.",
        "Step 3 of 4: 4 candidates. Finished: “a cat” (−1.97). Kept: “a lovely cat” (−1.71) and "
        "“a cat is” (−3.35). 1 died. Best so far: “lovely”.",
        "Step 4 of 4: 4 candidates. Finished: “a lovely cat” (−1.82). Kept, but the search stops "
        "here: “a lovely cat is” (−4.02) and “a cat is a” (−4.05). 1 died. Best in the end: "
        "“lovely”.",
    ]
    live.get_by_role("status").get_by_text(told[-1]).wait_for()
    following.press("Enter")  # there is nothing after it, and the focus stays
    assert (trait(page, "step"), following.evaluate("b => b === document.activeElement")) == (
        4,
        True,
    )
    live.get_by_role("button", name="Back").click()
    page.evaluate(FRAME)
    assert said(live) == told[2]


def test_another_alpha_turns_the_ranking_over(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    slider = live.get_by_role("slider", name="α, the power of the length")
    news = live.locator(".bt-news")
    assert [text for text, _ in ranked(live)] == ["lovely", "a lovely cat", "a cat"]
    best = live.locator(".bt-state", has_text="★ best")
    assert best.count() == 1 and not news.is_visible()
    assert live.locator(".bt-trail.bt-node .bt-word").all_inner_texts() == ["lovely", "<end>"]
    for _ in range(16):  # 0.8: not yet
        slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert said(live) == (
        "α = 0.8: “lovely” is best, −1.02 / 2^0.8 = −0.59. "
        "So it is at α = 0, with which the tree was grown."
    )
    slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert said(live) == (
        "α = 0.85: “a lovely cat” is best, −1.82 / 4^0.85 = −0.56. The winner has changed: at "
        "α = 0, with which the tree was grown, it was “lovely”."
    )
    assert ranked(live)[0][0] == "a lovely cat"
    assert news.inner_text() == (
        "Another winner: at α = 0, with which the tree was grown, “lovely” was first."
    )
    words = live.locator(".bt-trail.bt-node .bt-word").all_inner_texts()
    assert words == ["a", "lovely", "cat", "<end>"]
    assert "stays as it is: the slider ranks anew what this search finished" in live.inner_text()
    put(page, step=1)
    assert live.locator(".bt-head").inner_text() == "No text is finished yet."
    slider.press("Home")
    page.evaluate(FRAME)
    assert said(live) == "α = 0: after step 1 no text is finished, so none is ranked."


def test_the_focus_tells_the_path_and_its_sum(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    root = live.get_by_role("treeitem", name="the prompt, “your cat is”")
    root.focus()
    page.evaluate(FRAME)
    assert said(live) == "“your cat is” is the root: given, not chosen. Its sum is 0."
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        page.evaluate(FRAME)
        told.append((trait(page, "node"), said(live)))
    assert told[:4] == [
        (1, "“your cat is” → “a”: log 0.5 = −0.69, probability 50%. Kept: it is continued."),
        (
            5,
            "“your cat is” → “a” → “lovely”: log 0.5 + log 0.4 = −0.69 − 0.92 = −1.61, "
            "probability 20%. Kept: it is continued.",
        ),
        (
            6,
            "“your cat is” → “a” → “cat”: log 0.5 + log 0.35 = −0.69 − 1.05 = −1.74, "
            "probability 17.5%. Kept: it is continued.",
        ),
        (
            7,
            "“your cat is” → “a” → “your”: log 0.5 + log 0.25 = −0.69 − 1.39 = −2.08, "
            "probability 12.5%. Died: others were better.",
        ),
    ]
    assert [node for node, _ in told[4:]] == [1, 15, 0]
    assert live.locator("[role=treeitem][tabindex='0']").count() == 1
    put(page, step=0)  # what was chosen is no longer there: Tab still finds the tree
    put(page, node=7)
    assert live.locator("[role=treeitem][tabindex='0']").get_attribute("data-place") == "0"


def test_a_node_that_is_pressed_is_chosen(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    live.get_by_role("treeitem", name="cat, after “a”").click()
    page.evaluate(FRAME)
    assert trait(page, "node") == 6
    assert live.get_by_role("treeitem", selected=True).count() == 1
    assert live.locator(".bt-way.bt-node .bt-word").all_inner_texts() == ["a", "cat"]


def test_states_are_told_by_words_and_lines(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=3, length_penalty=1))
    states = live.locator(".bt-level:not(.bt-later) .bt-state").all_inner_texts()
    first = ["kept", "kept", "died", "kept", "kept", "died", "★ best"]
    assert states == [*first, "kept", "died", "■ end", "kept"]
    styles = "all => all.map(e => getComputedStyle(e).borderTopStyle)"
    for fate, style in (("kept", "solid"), ("died", "dashed"), ("end", "double")):
        assert set(live.locator(f".bt-node.bt-{fate}").evaluate_all(styles)) == {style}
    struck = "all => all.map(e => getComputedStyle(e).textDecorationLine)"
    found = live.locator(".bt-died .bt-word").evaluate_all(struck)
    assert set(found) == {"line-through"}
    assert live.get_by_text("greedy", exact=True).count() == 4
    greedy = live.locator(".bt-greedy").inner_text()
    assert greedy == (
        "Greedy search, which keeps 1 beam, took “a lovely cat”: −1.82 / 4^1 = −0.46."
    )
    name = live.get_by_role("treeitem").nth(6).get_attribute("aria-label")
    assert name == "your, after “a”, 25%, log −1.39, sum −2.08, died"


def test_lines_lead_from_parents_to_children(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    ends = """live => {
      const svg = live.querySelector(".bt-lines").getBoundingClientRect();
      const boxes = [...live.querySelectorAll("[data-place]")]
        .sort((a, b) => a.dataset.place - b.dataset.place).map(e => e.getBoundingClientRect());
      return [...live.querySelectorAll(".bt-link")].map((path, i) => {
        const [a, b] = [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())];
        const to = boxes[i + 1];
        return [a.x + svg.x, b.x + svg.x - to.left, b.y + svg.y - (to.top + to.bottom) / 2,
          boxes.map((box) => box.right), getComputedStyle(path).visibility];
      });
    }"""
    found = live.evaluate(ends)
    parents = [node[1] for node in BeamTree().data["nodes"][1:]]
    for (start, x, y, rights, _), parent in zip(found, parents, strict=True):
        assert abs(start - rights[parent]) <= 1 and abs(x) <= 1 and abs(y) <= 1
    assert [visible for *_, visible in found] == ["visible"] * 7 + ["hidden"] * 8


@pytest.mark.parametrize(("motion", "pace"), [("no-preference", 2600), ("reduce", 5200)])
def test_play_goes_to_the_end_and_starts_over(
    motion: Any, pace: int, page: "Page", tmp_path: Path
) -> None:
    page.emulate_media(reduced_motion=motion)
    page.clock.install(time=0)
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    page.clock.pause_at(3_600_000)
    live.get_by_role("button", name="Play").click()
    seen = []
    for wait in (20, pace - 40, 40, pace, pace, pace):
        page.clock.run_for(wait)
        seen.append(trait(page, "step"))
    assert seen == [1, 1, 2, 3, 4, 4]
    assert live.get_by_role("button", name="Play").count() == 1  # it is no longer "Pause"


def test_whatever_else_the_reader_does_halts(page: "Page", tmp_path: Path) -> None:
    page.clock.install(time=0)
    (live,) = open_page(page, tmp_path, BeamTree())
    page.clock.pause_at(3_600_000)
    others = [*live.get_by_role("slider").all(), live.get_by_role("treeitem").first]
    assert len(others) == 3
    for other in others:
        page.evaluate("plainformer.widgets[0].model.set('step', 0)")
        live.get_by_role("button", name="Play").click()
        page.clock.run_for(40)
        live.get_by_role("button", name="Pause").wait_for()
        other.press("End")
        live.get_by_role("button", name="Play").wait_for()


def test_the_tables_have_the_numbers(page: "Page", tmp_path: Path) -> None:
    widget = BeamTree(step=4, length_penalty=1)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").press("Enter")
    finished = live.get_by_role("table", name="Finished texts, ranked with α = 1")
    rows = [row.locator("td").all_inner_texts() for row in finished.locator("tbody tr").all()]
    assert [row[1] for row in rows] == ["a lovely cat", "lovely", "a cat"]
    values = [float(row[4].replace("−", "-")) for row in rows]
    np.testing.assert_allclose(
        values, [each.normalised for each in widget.ranking], rtol=0, atol=1e-8
    )
    weighed = live.get_by_role("table", name="What was weighed up to step 4").locator("tbody tr")
    assert weighed.count() == 16
    cells = weighed.nth(4).locator("td").all_inner_texts()
    assert cells[:4] == ["2", "a", "lovely", "0.4"]
    assert float(cells[4].replace("−", "-")) == pytest.approx(math.log(0.4), abs=1e-8)
    assert cells[6:] == ["kept", "took it"]


def test_what_is_not_shown_is_counted(page: "Page", tmp_path: Path) -> None:
    widget = BeamTree.search(
        model(2, size=40), [3, 4], beam_size=2, max_new_tokens=4, considered=30
    )
    (live,) = open_page(page, tmp_path, widget)
    put(page, step=2)
    assert live.locator(".bt-current .bt-node").count() == 12
    assert live.locator(".bt-current .bt-more:visible").inner_text() == "and 18 more died"
    assert "Step 2 of 4: 30 candidates" in said(live) and "28 died" in said(live)
    page.set_viewport_size({"width": 360, "height": 700})
    page.evaluate(FRAME)
    assert live.locator(".bt-past .bt-more:visible").inner_text() == "28 died"
    assert live.locator(".bt-past .bt-node:visible").count() == 2


def test_what_greedy_did_beyond_the_tree(page: "Page", tmp_path: Path) -> None:
    for seed in range(12):
        widget = real(seed)
        greedy = widget.data["greedy"]
        if len(greedy["path"]) - 1 < greedy["length"]:
            break
    (live,) = open_page(page, tmp_path, widget)
    put(page, length_penalty=1)
    value = f"{greedy['score'] / greedy['length']:.2f}".replace("-", "−")
    assert live.locator(".bt-greedy").inner_text() == (
        f"Greedy search, which keeps 1 beam, took “{greedy['text']}”: "
        f"{greedy['score']:.2f} / {greedy['length']}^1 = {value}.".replace("-", "−")
    )
    assert live.locator(".bt-tag").count() == len(greedy["path"]) - 1


def test_it_works_by_keyboard(page: "Page", tmp_path: Path) -> None:
    open_page(page, tmp_path, BeamTree())
    widget = widget_checks.widget_at(page, 0)
    problems = widget_checks.drawing_problems(widget)
    problems += widget_checks.tab_through(page, widget)
    problems += widget_checks.slider_keys(page, widget)
    problems += widget_checks.buttons(page, widget, "Enter")
    problems += widget_checks.buttons(page, widget, "Space")
    problems += widget_checks.choices(page, widget)
    assert problems + widget_checks.table_problems(page, widget) == []


def test_it_works_by_pointer_and_in_print(page: "Page", tmp_path: Path) -> None:
    open_page(page, tmp_path, BeamTree())
    widget = widget_checks.widget_at(page, 0)
    problems = widget_checks.slider_drag(page, widget)
    problems += widget_checks.buttons(page, widget, "click")
    page.emulate_media(media="print")
    assert problems + widget_checks.stand_in_problems(widget) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 900])
def test_axe_finds_nothing(width: int, theme: str, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    widgets = [BeamTree(), BeamTree(step=4, node=8, length_penalty=1), real(0, step=4)]
    lives = open_page(page, tmp_path, *widgets)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    lives[1].get_by_role("button", name="Show as table").click()
    page.emulate_media(reduced_motion="reduce")
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_every_target_fits_a_thumb(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    for live in open_page(page, tmp_path, BeamTree(step=3), real(1, step=5)):
        targets = live.locator("button:visible, input:visible, [role=treeitem]:visible")
        for target in targets.all():
            box = target.bounding_box()
            assert box is not None and box["height"] >= 44 and box["width"] >= 44
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        assert live.locator("[role=treeitem]:visible").evaluate_all(cut) == []


def test_touch(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 640}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, BeamTree(step=2))
    live.get_by_role("treeitem", name="your, after “a”").tap()
    page.evaluate(FRAME)
    assert said(live).endswith("probability 12.5%. Died: others were better.")
    assert widget_checks.touch(page, widget_checks.widget_at(page, 0)) == []
    context.close()


def test_the_step_that_is_grown_is_in_sight(page: "Page", tmp_path: Path) -> None:
    """A long search scrolls sideways within its card, and the newest step stays in sight."""
    page.set_viewport_size({"width": 800, "height": 700})
    widget = BeamTree.search(model(1), [3, 4], beam_size=2, max_new_tokens=12)
    (live,) = open_page(page, tmp_path, widget)
    box = live.locator(".bt-stage").bounding_box()
    assert box is not None
    for step in (12, 6, 1):
        put(page, step=step)
        column = live.locator(".bt-current").bounding_box()
        assert column is not None
        assert box["x"] <= column["x"]
        assert column["x"] + column["width"] <= box["x"] + box["width"] + 1


def test_a_change_rebuilds_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, real(0))
    page.evaluate(
        """() => {
            window.made = 0;
            const known = new Set(document.querySelectorAll(".pf-live *"));
            const count = (list) => list.forEach(({ target, addedNodes: all }) =>
                all.forEach((node) => (window.made += node.nodeType === Node.ELEMENT_NODE
                    && !known.has(node) && !target.closest("button"))));
            const live = document.querySelector(".pf-live");
            new MutationObserver(count).observe(live, { childList: true, subtree: true });
        }"""
    )
    before = live.inner_text()
    for step in range(7):
        put(page, step=step, length_penalty=step / 4, node=step)
    assert live.inner_text() != before
    assert page.evaluate("window.made") == 0


def test_a_change_is_painted_within_a_frame(page: "Page", tmp_path: Path) -> None:
    widget = BeamTree.search(model(0, size=40), [3, 4], beam_size=8, max_new_tokens=24)
    (live,) = open_page(page, tmp_path, widget)
    took: list[float] = live.evaluate(
        """async (live) => {
            const took = [];
            for (const input of live.querySelectorAll("input")) {
              for (let i = 1; i <= 24; i += 1) {
                input.value = i * (input.max / 24);
                await new Promise((go) => requestAnimationFrame(go));
                const from = performance.now();
                input.dispatchEvent(new Event("input"));
                await new Promise((go) => requestAnimationFrame(go));  // it was asked for before
                live.getBoundingClientRect();
                took.push(performance.now() - from);
              }
            }
            return took;
        }"""
    )
    assert len(took) == 48
    assert np.median(took) < 34  # two frames: the wait for the next, and its work


def test_an_alpha_beyond_the_slider(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BeamTree(step=4))
    slider = live.get_by_role("slider", name="α")
    for alpha, sum_ in ((7, "−1.82 / 4^7 = −0.00011"), (-2.5, "−1.02 / 2^−2.5 = −5.78")):
        page.evaluate(f"plainformer.widgets[0].model.set('length_penalty', {alpha})")
        page.evaluate(FRAME)
        assert live.locator(".bt-sum").first.inner_text() == sum_
        assert float(slider.input_value()) == alpha
    slider.press("ArrowRight")
    page.evaluate(FRAME)
    assert page.evaluate("plainformer.widgets[0].model.get('length_penalty')") == -2.45


def test_the_ranking_says_what_counts_as_length(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, real(0, step=4, length_penalty=0.6, length_norm="gnmt"))
    head = live.locator(".bt-head").inner_text()
    assert head == "Finished texts, ranked by sum / ((5 + length) / 6)^α, α = 0.6:"
    note = "The tree was grown with 3 beams and α = 0.6, and stays as it is"
    assert note in live.inner_text()
    assert live.get_by_role("slider", name="α, the power of the length: 0.6").count() == 1
