"""AttentionMap on a page: every number, pixel and arc is what Python says."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.attention_maps import (
    HEADS,
    SETTINGS,
    arcs,
    crossing,
    give,
    numbers,
    running,
    softmax_maps,
)
from tests.widgets.pages import FRAME, open_page, put, table_follows

from plainformer.arrays import Array
from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap
from plainformer.widgets.kit.front_end import bundle, source
from plainformer.widgets.kit.token_words import label
from plainformer.widgets.kit.token_words import weight as written

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


END = """path => {
  const end = path.getPointAtLength(path.getTotalLength());
  return path.ownerSVGElement.getBoundingClientRect().x + end.x;
}"""


def table(live: "Locator", caption: str) -> list[list[str]]:
    """The cells of a table, row by row."""
    found = live.locator("table", has=live.page.locator("caption", has_text=caption))
    rows: list[list[str]] = found.evaluate(
        "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    )
    return rows


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((1, 2, 6, 6), "f8"),
        ((2, 12, 20, 20), "f4"),
        ((9, 9, 64, 40), "f4"),
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
    module = json.dumps(source("attention_map/weights.js"))
    maps, answers = page.evaluate(
        f"""async ([code, shape, layer, all]) => {{
          const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
          const {{ decode, share, entropy, largestEntropy }} = await import(url);
          const weights = decode(code);
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
    for each, (shown, nats, most) in zip(settings, answers, strict=True):
        give(widget, each)
        np.testing.assert_allclose(np.reshape(shown, shape[2:]), widget.shown, atol=1e-9)
        np.testing.assert_allclose(nats, widget.entropy, atol=1e-9)
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
        """async ([code, tokens, weights]) => {
          const file = new Blob([code], { type: "text/javascript" });
          const words = await import(URL.createObjectURL(file));
          return [tokens.map(words.label), weights.map(words.share)];
        }""",
        [bundle("kit/token_words"), tokens, weights],
    )
    assert answers[0] == [label(each) for each in tokens]
    assert answers[1] == [written(each) for each in weights]
    assert not set("".join(answers[0])) & set(map(chr, [*range(32), *range(127, 160)]))


def test_the_page_shows_pythons_numbers(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    for settings in SETTINGS:
        with table_follows(live):
            put(page, **give(widget, {"temperature": 0.5} if settings == {} else {}))
            put(page, **give(widget, settings))
        rows = table(live, "all weights")
        for i, row in enumerate(rows):
            found = [0.0 if text == "masked" else float(text) for text in row[2:-2]]
            np.testing.assert_allclose(found, widget.shown[i], atol=1e-6)
            masked = [text == "masked" for text in row[2:-2]]
            assert masked == (~widget.allowed[i]).tolist()
            if widget.shown[i].any():
                assert float(row[-2]) == pytest.approx(widget.entropy[i], abs=1e-6)
            else:
                assert row[-2] == "–"
            assert float(row[-1]) == pytest.approx(widget.largest_entropy[i], abs=1e-6)
        row, seen = widget.shown[1], widget.allowed[1]
        assert numbers(live) == [
            written(each) if open_ else "–" for each, open_ in zip(row, seen, strict=True)
        ]
        note = live.locator(".pf-besides .pf-note").first.text_content() or ""
        assert f"is {widget.entropy[1]:.2f} of at most {widget.largest_entropy[1]:.2f} nats" in note
    assert "NaN" not in live.inner_text()


def pixels(live: "Locator", number: int) -> Array:
    """The colours of a thumbnail, (T, S, 4)."""
    found = (
        live.locator(".am-thumb canvas")
        .nth(number)
        .evaluate(
            """canvas => [canvas.height, canvas.width, ...canvas.getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height).data]"""
        )
    )
    return np.reshape(found[2:], (found[0], found[1], 4))


def test_a_thumbnail_has_one_pixel_a_weight_and_leaves_masked_ones_open(
    page: "Page", tmp_path: Path
) -> None:
    widget = running(causal=True, padding=[True] + [False] * 5)
    (live,) = open_page(page, tmp_path, widget)
    for head in (0, 1):
        rgba = pixels(live, head)
        np.testing.assert_array_equal(rgba[..., 3] == 255, widget.allowed)
        order = np.argsort(HEADS[head][widget.allowed])
        green = rgba[widget.allowed][:, 1]
        assert (np.diff(green[order]) <= 0).all()  # on light ground: the more weight, the darker
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    green = pixels(live, 1)[widget.allowed][:, 1]
    assert (np.diff(green[order]) >= 0).all()  # on dark ground: the brighter
    put(page, causal=False)
    assert (pixels(live, 1)[..., 3] == 255).sum() == 30


def test_the_arcs_are_as_thick_as_the_weights_and_go_to_their_words(
    page: "Page", tmp_path: Path
) -> None:
    for widget, query in [(running(), 1), (running(causal=True), 4), (crossing(), 1)]:
        (live,) = open_page(page, tmp_path, widget)
        put(page, query=query)
        thick = np.array(arcs(live))
        widget.query = query
        row = widget.shown[query]
        np.testing.assert_allclose(thick / thick.sum(), row, atol=1e-4)
        keys = live.locator(".am-word:has(.am-number)")
        paths = live.locator(".am-arcs path").all()
        for path, word in zip(paths, keys.all()[: len(row)], strict=True):
            if not path.get_attribute("d"):
                continue
            box = word.bounding_box()
            end = path.evaluate(END)
            assert box is not None
            assert box["x"] <= end <= box["x"] + box["width"]


def test_the_whole_head_is_a_map_in_a_fold(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    live.locator("summary", has_text="Whole map").click()
    page.evaluate(FRAME)
    assert live.locator(".tm-rows span").all_text_contents() == list(TOKENS)
    whole = live.locator(".tm-cells").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    np.testing.assert_array_equal(np.reshape(whole, (6, 6, 4)), pixels(live, 0))


def test_what_was_done_to_coarse_weights_is_said(page: "Page", tmp_path: Path) -> None:
    coarse, exact = AttentionMap(TOKENS, HEADS.astype(np.float16)), running()
    lives = open_page(page, tmp_path, coarse, exact)
    note = lives[0].locator(".pf-besides").first.text_content() or ""
    found = re.search(r"were made to: each weight moved by (0\.\d+) at most", note)
    assert found and coarse.max_error <= float(found[1]) < coarse.max_error * 1.1
    assert "moved by" not in (lives[1].locator(".pf-besides").first.text_content() or "")
