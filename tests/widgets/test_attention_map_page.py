"""AttentionMap in a static page opened as a file, in Chromium: its numbers, hands and looks."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, axe_problems, open_page, put, trait
from tests.widgets.test_attention_map import HEADS, softmax_maps

from plainformer.arrays import Array
from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap
from plainformer.widgets.base import source
from plainformer.widgets.token_words import label
from plainformer.widgets.token_words import weight as written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SETTINGS: list[dict[str, Any]] = [
    {},
    {"head": 1, "temperature": 0.1},
    {"causal": True, "temperature": 3.16},
    {"padding": [1, 4], "scaled": False},
    {"causal": True, "padding": [0], "head": 1, "temperature": 10.0, "scaled": False},
]


def running(**options: Any) -> AttentionMap:
    return AttentionMap(TOKENS, HEADS, **({"d_head": 2, "query": 1} | options))


def wide(size: int = 64) -> AttentionMap:
    """As large as it gets, with long tokens."""
    tokens = ["internationalization", " the", "\n", "cat", "cat"] * 13
    return AttentionMap(tokens[:size], softmax_maps(0, 12, 12, size, size), layer=5, query=30)


def give(widget: AttentionMap, settings: dict[str, Any]) -> dict[str, Any]:
    """Set a widget; return the same for the page."""
    chosen = {"head": 0, "causal": False, "padding": [], "scaled": True, "temperature": 1.0}
    chosen |= settings
    chosen["padding"] = [j in chosen["padding"] for j in range(widget.n_keys)]
    for name, value in chosen.items():
        setattr(widget, name, value)
    return chosen


def table(live: "Locator", caption: str) -> list[list[str]]:
    """The cells of a table, row by row."""
    found = live.locator("table", has=live.page.locator("caption", has_text=caption))
    rows: list[list[str]] = found.evaluate(
        "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    )
    return rows


def status(live: "Locator", text: str) -> None:
    live.get_by_role("status").get_by_text(text).wait_for()


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=f"{name}:").and_(live.locator("input"))


def map_of(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Attention weights")


def centre(live: "Locator", row: int, col: int, rows: int, cols: int) -> tuple[float, float]:
    """The middle of a cell of the map, in the window."""
    map_of(live).scroll_into_view_if_needed()
    box = map_of(live).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * (col + 0.5) / cols
    return x, box["y"] + box["height"] * (row + 0.5) / rows


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((1, 2, 6, 6), "f8"),
        ((2, 12, 20, 20), "f4"),
        ((12, 12, 16, 16), "steps"),
        ((9, 9, 64, 40), "steps"),
    ],
)
def test_every_number_is_pythons(shape: tuple[int, ...], kind: str, page: "Page") -> None:
    weights: Array = softmax_maps(3, *shape, spread=2)
    weights[:, :, 2] = 0  # a row that looks at nothing
    tokens, keys = ([str(i) for i in range(n)] for n in shape[-2:])
    widget = AttentionMap(tokens, weights, keys=keys, d_head=16, layer=shape[0] - 1)
    assert widget.data["code"]["kind"] == kind
    square = shape[2] == shape[3]
    settings = [s for s in SETTINGS if square or not s.get("causal")]
    chosen = [give(widget, each) for each in settings]
    module = json.dumps(source("attention_map_weights.js"))
    maps, answers = page.evaluate(
        f"""async ([code, shape, layer, all]) => {{
          const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
          const {{ decode, share, entropy, largestEntropy }} = await import(url);
          const weights = decode(code, shape);
          const [, H, T, S] = shape;
          const rows = Array.from({{ length: T }}, (_, i) => i);
          return [[...weights], all.map((now) => {{
            const shown = new Float64Array(T * S);
            share(weights, (layer * H + now.head) * T * S, T, S, {{ d_head: 16, ...now }}, shown);
            return [[...shown], rows.map((i) => entropy(shown, i * S, S)),
              rows.map((i) => largestEntropy(i, S, now))];
          }})];
        }}""",
        [widget.data["code"], shape, shape[0] - 1, chosen],
    )
    np.testing.assert_allclose(np.reshape(maps, shape), widget.weights, atol=1e-12)
    for each, (shown, bits, most) in zip(settings, answers, strict=True):
        give(widget, each)
        np.testing.assert_allclose(np.reshape(shown, shape[2:]), widget.shown, atol=1e-9)
        np.testing.assert_allclose(bits, widget.entropy, atol=1e-9)
        np.testing.assert_allclose(most, widget.largest_entropy, atol=1e-12)


def test_tokens_and_weights_are_written_as_python_writes_them(page: "Page") -> None:
    tokens = [
        "",
        " ",
        "  a b ",
        "\n",
        " \n",
        "a \n",
        "\t\r",
        "\x00\x1b[0m\x1f",
        "\x7f\x80\x9f\xa0\ufffe",
    ]
    weights = [0, 1e-9, 0.00499, 0.005, 0.5, 0.995, 0.99501, 1 - 1e-9, 1]
    answers = page.evaluate(
        """async ([kit, text, tokens, weights]) => {
          const url = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
          const words = await import(url(text.replace("./kit.js", url(kit))));
          return [tokens.map(words.label), weights.map(words.share)];
        }""",
        [source("kit.js"), source("token_words.js"), tokens, weights],
    )
    assert answers[0] == [label(each) for each in tokens]
    assert answers[1] == [written(each) for each in weights]
    assert not set("".join(answers[0])) & set(map(chr, [*range(32), *range(127, 160)]))


def test_the_page_shows_pythons_numbers(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    for settings in SETTINGS:
        put(page, **give(widget, settings))
        page.wait_for_timeout(200)  # the table follows a little after the picture
        rows = table(live, "all weights")
        for i, row in enumerate(rows):
            numbers = [0.0 if text == "masked" else float(text) for text in row[2:-2]]
            np.testing.assert_allclose(numbers, widget.shown[i], atol=1e-6)
            masked = [text == "masked" for text in row[2:-2]]
            assert masked == (~widget.allowed[i]).tolist()
            if widget.shown[i].any():
                assert float(row[-2]) == pytest.approx(widget.entropy[i], abs=1e-6)
            else:
                assert row[-2] == "–"
            assert float(row[-1]) == pytest.approx(widget.largest_entropy[i], abs=1e-6)
        said = live.locator(".pf-sentence").text_content() or ""
        best = widget.shown[1].max()
        text = ">0.99" if 0.995 < best < 1 else f"{best:.2f}"
        assert f", {text}; entropy {widget.entropy[1]:.2f} of at" in said
        cells = live.locator(".hm-numbers span").all_text_contents()
        for text, weight, seen in zip(
            cells, widget.shown.ravel(), widget.allowed.ravel(), strict=True
        ):
            assert text == (f"{weight:.2f}" if seen else "")
    assert "NaN" not in live.inner_text()


def test_the_map_has_one_pixel_a_cell_and_leaves_masked_ones_open(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, running(causal=True, padding=[True] + [False] * 5))
    pixels = live.locator("canvas").evaluate(
        """canvas => [canvas.height, canvas.width, ...canvas.getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height).data]"""
    )
    assert pixels[:2] == [6, 6]
    rgba = np.reshape(pixels[2:], (6, 6, 4))
    widget = running(causal=True, padding=[True] + [False] * 5)
    np.testing.assert_array_equal(rgba[..., 3] == 255, widget.allowed)
    order = np.argsort(widget.shown[widget.allowed])
    green = rgba[widget.allowed][:, 1]
    assert (np.diff(green[order]) >= 0).all()  # viridis: the more weight, the more green


def test_the_bands_are_as_thick_as_the_weights(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    paths = live.locator(".am-band").evaluate_all("b => b.map(e => e.getAttribute('d'))")
    for path, weight in zip(paths, widget.shown[1], strict=True):
        start, right = float(path.split()[1].split("C")[0]), path.split("100 ")[1].split("V")
        left = float(path.split()[-1].rstrip("Z")) - start
        assert left == pytest.approx(weight * 0.94, abs=1e-9)
        assert float(right[1].split("C")[0]) - float(right[0]) == pytest.approx(left, abs=1e-9)
    put(page, causal=True)
    paths = live.locator(".am-band").evaluate_all("b => b.map(e => e.getAttribute('d'))")
    assert [bool(path) for path in paths] == [True, True, False, False, False, False]
    assert live.locator(".am-weight").all_text_contents() == ["0.50", "0.50", *["masked"] * 4]


def test_of_many_keys_the_heaviest_have_bands_and_the_rest_share_one(
    page: "Page", tmp_path: Path
) -> None:
    weights = softmax_maps(4, 40, 40, spread=3)
    widget = AttentionMap([f"t{i}" for i in range(40)], weights, query=7)
    (live,) = open_page(page, tmp_path, widget)
    names = live.locator(".am-to bdi").all_text_contents()
    heaviest = np.sort(np.argsort(-weights[7])[:11])
    assert names == [*(f"t{i}" for i in heaviest), "29 others"]
    rest = 1 - weights[7, heaviest].sum()
    assert live.locator(".am-weight").last.text_content() == f"{rest:.2f}"
    lightest = int(weights[7].argmin())
    put(page, key=lightest)  # the chosen key always has a band
    assert f"t{lightest}" in live.locator(".am-to bdi").all_text_contents()


def test_the_position_beside_a_long_token_stays_whole(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    (live,) = open_page(page, tmp_path, wide(40))
    heights = live.locator(".am-flow small").evaluate_all("all => all.map(e => e.offsetHeight)")
    shown = [each for each in heights if each]
    assert len(shown) == 12 and max(shown) < 1.5 * min(shown)  # the query, and eleven keys


def test_others_that_are_all_masked_have_neither_weight_nor_band(
    page: "Page", tmp_path: Path
) -> None:
    """Once they had what rounding had left of 1 minus the sum: "<0.01", and a hairline."""
    (live,) = open_page(page, tmp_path, AttentionMap(list("abcdefghijklmnopqrst"),
                        softmax_maps(2, 20, 20), causal=True))  # fmt: skip
    for query in range(20):
        put(page, query=query)
        path = live.locator(".am-band").last.get_attribute("d")
        said = live.locator(".am-weight").last.text_content()
        if query <= 10:  # of 20 keys, 11 have lines: those that it sees are among them
            assert (said, path) == ("masked", ""), query
        else:
            assert float((said or "").strip("<")) > 0 and path, query


def test_pointing_shows_and_pressing_keeps(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    sentence = live.locator(".pf-sentence")
    page.mouse.move(*centre(live, 3, 1, 6, 6))
    sentence.get_by_text("“a” at position 3 looks most at “cat” at position 1, 0.34").wait_for()
    assert trait(page, "query") == 1
    page.mouse.move(3, 3)
    sentence.get_by_text("“cat” at position 1 looks").wait_for()
    page.mouse.click(*centre(live, 3, 5, 6, 6))
    page.mouse.move(3, 3)
    page.evaluate(FRAME)
    assert (trait(page, "query"), trait(page, "key")) == (3, 5)
    live.locator(".am-queries .am-label").nth(4).hover()  # the tokens beside the map, too
    sentence.get_by_text("“lovely” at position 4 looks").wait_for()
    live.locator(".am-from").nth(2).click()  # and those of the flow
    page.evaluate(FRAME)
    assert (trait(page, "query"), trait(page, "key")) == (2, 5)
    live.locator(".am-to").nth(0).click()
    page.evaluate(FRAME)
    assert trait(page, "key") == 0


def test_everything_works_by_keyboard(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    map_of(live).focus()
    for key, cell in [
        ("ArrowDown", (2, 4)), ("ArrowRight", (2, 5)), ("ArrowRight", (2, 5)), ("Home", (2, 0)),
        ("ArrowUp", (1, 0)), ("End", (1, 5)), ("PageDown", (5, 5)), ("PageUp", (0, 5)),
    ]:  # fmt: skip
        page.keyboard.press(key)
        page.evaluate(FRAME)
        assert (trait(page, "query"), trait(page, "key")) == cell, key
    said = map_of(live).get_attribute("aria-valuetext") or ""
    assert re.fullmatch(r"“your”, position 0, to “cat”, position 5: weight 0\.\d{3}", said)
    status(live, "Head 0: “your” at position 0 looks most at “cat” at position 1, 0.45; entropy")
    slider(live, "Query").press("End")
    status(live, "“cat” at position 5 looks most at “lovely”, 0.77")
    slider(live, "Key").press("Home")
    status(live, "of at most 2.58 bits. At “your”: 0.05.")
    live.get_by_role("radio", name="1").press("Space")
    status(live, "Head 1: “cat” at position 5 looks most at “your”")
    slider(live, "Temperature").press("End")
    status(live, "Temperature 10.")
    assert trait(page, "temperature") == 10
    live.get_by_label("Causal mask").press("Space")
    status(live, "Causal mask on: no query sees a later key.")
    live.get_by_label("Scores divided by √2").press("Space")
    status(live, "Scores not divided by √2.")
    live.get_by_label("Numbers").press("Space")
    status(live, "Numbers in the cells hidden.")
    assert live.locator(".hm-numbers span").count() == 0
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask on “cat” at position 5.")
    live.get_by_role("group", name="Keys that are padding").get_by_label("your").press("Space")
    status(live, "Padding mask on “your”, “cat” at position 5.")
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask off.")
    live.get_by_role("button", name="Reset").press("Enter")
    page.evaluate(FRAME)
    state = [trait(page, name) for name in ("causal", "scaled", "temperature")]
    assert state == [False, True, 1]
    assert trait(page, "padding") == [False] * 6


def test_a_row_with_nothing_left_says_so(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running(query=0, causal=True))
    pads = live.get_by_role("group", name="Keys that are padding").get_by_role("checkbox")
    live.get_by_label("Padding mask").click()
    for j in range(5):
        pads.nth(j).click()
    status(live, "“your” at position 0 has no key left to look at: all are masked")
    assert live.get_by_text("nothing left to look at", exact=True).is_visible()
    assert live.locator(".am-weight").all_text_contents() == ["masked"] * 6
    live.get_by_role("button", name="Show as table").click()
    assert "NaN" not in live.inner_text()
    for j in range(6):
        pads.nth(j).click()
    page.evaluate(FRAME)
    assert pads.first.is_visible()  # no focus is lost when the last of them goes
    assert not live.get_by_text("nothing left to look at", exact=True).is_visible()


def test_where_the_model_gave_nothing_it_says_so(page: "Page", tmp_path: Path) -> None:
    hard = AttentionMap(["a", "b", "c"], np.eye(3)[[1, 2, 0]], causal=True)
    (live,) = open_page(page, tmp_path, hard)
    status(live, "“a” at position 0 has nothing left to look at: the keys that no mask hides had")


def test_the_causal_mask_is_offered_where_it_makes_sense(page: "Page", tmp_path: Path) -> None:
    cross = AttentionMap(["a", "b"], np.full((2, 3), 1 / 3), keys=["x", "y", "y"], query=1)
    (live,) = open_page(page, tmp_path, cross)
    assert live.get_by_label("Causal mask").count() == 0
    assert live.get_by_label("Scores divided").count() == 0
    assert live.get_by_role("radio").count() == 0  # one head: nothing to choose
    slider(live, "Key").press("End")
    status(live, "At “y” at position 2: 0.33.")


def test_the_error_of_rounding_is_said(page: "Page", tmp_path: Path) -> None:
    large, small = wide(), running()
    lives = open_page(page, tmp_path, large, small)
    note = lives[0].locator(".pf-note").text_content() or ""
    found = re.search(r"the 589,824 weights are rounded: each is within (0\.\d+) of", note)
    assert found and large.max_error <= float(found[1]) < large.max_error * 1.1
    assert "rounded" not in (lives[1].locator(".pf-note").text_content() or "")


def test_what_python_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    widget.weights = HEADS[::-1]
    put(page, data=widget.data)
    status(live, "Head 0: “cat” at position 1 looks most at “your”")
    put(page, padding=[False, True, False, False, False, True], temperature=0.25)
    assert live.get_by_label("Padding mask").is_checked()
    assert slider(live, "Temperature").get_attribute("aria-valuetext") == "0.25"


@pytest.mark.parametrize("how", ["display", "print"])
def test_hidden_it_still_follows_python(how: str, page: "Page", tmp_path: Path) -> None:
    """JupyterLab hides a notebook whose tab is behind another; once that hung the browser's tab."""
    (live,) = open_page(page, tmp_path, running())
    show = "hidden => document.querySelector('main').style.display = hidden ? 'none' : ''"

    def hide(hidden: bool) -> None:
        if how == "display":
            page.evaluate(show, hidden)
        else:
            page.emulate_media(media="print" if hidden else "screen")
        page.wait_for_timeout(200)  # the map learns of its new size a little later

    hide(True)
    assert not live.is_visible()
    page.evaluate("plainformer.widgets[0].model.set('query', 3)")
    page.wait_for_function("document.querySelector('.am-queries .am-marked').textContent === '3a'")
    hide(False)
    status(live, "“a” at position 3 looks most at “cat” at position 1")
    assert live.locator(".am-keys .am-label:visible").count() == 6


def test_touch_chooses(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 740}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, running())
    page.touchscreen.tap(*centre(live, 3, 2, 6, 6))
    page.wait_for_function("plainformer.widgets[0].model.get('query') === 3")
    live.locator(".am-from").nth(4).tap()
    page.wait_for_function("plainformer.widgets[0].model.get('query') === 4")
    context.close()


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    first, second = open_page(page, tmp_path, running(), running())
    first.get_by_label("Causal mask").click()
    first.get_by_role("radio", name="1").press("Space")
    page.evaluate(FRAME)
    assert [trait(page, "causal", i) for i in (0, 1)] == [True, False]
    assert [trait(page, "head", i) for i in (0, 1)] == [1, 0]
    assert second.get_by_role("radio", name="0").is_checked()
    repeated = page.evaluate(
        "[...document.querySelectorAll('[id]')].map(e => e.id)"
        ".filter((id, i, all) => all.indexOf(id) !== i)"
    )
    assert repeated == []


def test_a_second_rendering_leaves_no_listener_of_the_first(page: "Page", tmp_path: Path) -> None:
    open_page(page, tmp_path, running())
    module = json.dumps(AttentionMap._esm)
    counts = page.evaluate(
        f"""async () => {{
          const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
          const {{ default: widget }} = await import(url);
          const {{ model }} = plainformer.widgets[0];
          const listening = new Set();
          const own = {{ ...model,
            on: (name, f) => (listening.add(name), model.on(name, f)),
            off: (name, f) => (listening.delete(name), model.off(name, f)) }};
          const el = document.createElement("div");
          document.body.append(el);
          const counts = [];
          for (let i = 0; i < 3; i += 1) {{
            const stop = widget.render({{ model: own, el }});
            counts.push(listening.size, el.children.length);
            stop();
            counts.push(listening.size);
          }}
          el.remove();
          return counts;
        }}"""
    )
    assert counts == [9, 1, 0] * 3


def test_a_pointer_rebuilds_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, wide(40))
    page.evaluate(
        """window.made = 0;
        const root = document.querySelector(".pf-live");
        new MutationObserver((all) => {
          for (const { addedNodes } of all) {
            window.made += [...addedNodes].filter((n) => n.nodeType === 1).length;
          }
        }).observe(root, { childList: true, subtree: true });"""
    )
    for row in range(20, 30):
        page.mouse.move(*centre(live, row, row // 2, 40, 40))
        page.evaluate(FRAME)
    slider(live, "Query").press("End")
    slider(live, "Temperature").press("ArrowLeft")
    page.evaluate(FRAME)
    assert page.evaluate("window.made") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    masked = running(causal=True, padding=[True] + [False] * 5, query=0, names=["one", "two"])
    lives = open_page(page, tmp_path, running(), masked, wide(40))
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for live in lives[:2]:
        live.get_by_role("button", name="Show as table").click()
    page.evaluate(FRAME)
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_every_target_fits_a_thumb(
    width: int, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    tokens = [f"{i}-internationalization" for i in range(14)]
    long = AttentionMap(tokens, softmax_maps(1, 9, 14, 14), padding=[True] * 2 + [False] * 12)
    lives = open_page(page, tmp_path, running(), wide(), long)
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    page.wait_for_timeout(150)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for target in page.locator(".pf-live").locator("button:visible, input:visible").all():
        box = target.evaluate("t => (t.closest('label') ?? t).getBoundingClientRect().height")
        assert box >= 44, target.evaluate("t => t.outerHTML.slice(0, 90)")
    page.evaluate(
        "document.querySelectorAll('.pf-widget').forEach(w => w.removeAttribute('data-pf-ready'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
