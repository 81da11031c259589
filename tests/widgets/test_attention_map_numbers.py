"""AttentionMap on a page: every number, pixel and band is what Python says."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.attention_maps import HEADS, SETTINGS, give, running, softmax_maps
from tests.widgets.pages import FRAME, open_page, put, table_follows

from plainformer.arrays import Array
from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap
from plainformer.widgets.kit.front_end import bundle, source
from plainformer.widgets.kit.token_words import label
from plainformer.widgets.kit.token_words import weight as written

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


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
    assert (np.diff(green[order]) <= 0).all()  # on light ground: the more weight, the darker
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    dark = live.locator("canvas").evaluate(
        """canvas => [...canvas.getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height).data]"""
    )
    green = np.reshape(dark, (6, 6, 4))[widget.allowed][:, 1]
    assert (np.diff(green[order]) >= 0).all()  # on dark ground: the brighter


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


def test_what_was_done_to_coarse_weights_is_said(page: "Page", tmp_path: Path) -> None:
    coarse, exact = AttentionMap(TOKENS, HEADS.astype(np.float16)), running()
    lives = open_page(page, tmp_path, coarse, exact)
    note = lives[0].locator(".pf-note").text_content() or ""
    found = re.search(r"were made to: each weight moved by (0\.\d+) at most", note)
    assert found and coarse.max_error <= float(found[1]) < coarse.max_error * 1.1
    assert "moved by" not in (lives[1].locator(".pf-note").text_content() or "")
