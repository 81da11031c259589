"""What AttentionMap is without a browser that runs its script: a description and a picture."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.widgets.attention_maps import HEADS, softmax_maps

from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap
from plainformer.widgets.attention_map.checks import MAX_TOKENS
from plainformer.widgets.attention_map.picture import COLOURS, POWER
from plainformer.widgets.kit.front_end import source


def test_the_description_says_what_is_shown() -> None:
    widget = AttentionMap(TOKENS, HEADS[[0, 1]], head=1, names=["a", "pointers"], query=1)
    said = widget.description()
    assert said.startswith("Attention weights, 6 queries against 6 keys, head “pointers”: “cat” at")
    widget.causal, widget.padding, widget.temperature = True, [True] + [False] * 5, 2
    assert "(causal mask, padding mask on 1 key, temperature 2)" in widget.description()
    odd = AttentionMap([" the", "\n"], [[0.002, 0.998], [1, 0]], names=None)
    assert odd.description() == (
        "Attention weights, 2 queries against 2 keys: “␣the” attends most to “⏎”, >0.99, then to "
        "“␣the”, <0.01. The entropy of its row is 0.01 of at most 0.69 nats."
    )
    one = AttentionMap(["a"], [[1.0]]).description()
    assert one.startswith(
        "Attention weights, 1 query against 1 key: “a” attends most to “a”, 1.00."
    )


@pytest.mark.parametrize("size", [1, 6, 13, MAX_TOKENS])
def test_the_picture_is_small_and_follows_the_theme(size: int) -> None:
    tokens = ["$x_1$ and <b>", "über\nlang" * 9, *map(str, range(62))][:size]
    widget = AttentionMap(tokens, softmax_maps(0, size, size), causal=True)
    html = widget.fallback()
    assert html.startswith('<div role="img" aria-label="Attention weights')
    assert "<b>" not in html
    assert "var(--pf-ink" in html
    assert len(html.encode()) < 50_000


def cells_of(picture: str, shape: tuple[int, int]) -> list[list[str]]:
    """The colour of each cell in a picture's map; "" where a cell is open."""
    found = [[""] * shape[1] for _ in range(shape[0])]
    paths = re.search(r"<g [^>]*crispEdges[^>]*>(.*?)</g>", picture)
    assert paths
    for colour, strokes in re.findall(r'<path stroke="#(\w+)" d="([^"]+)"', paths[1]):
        for x, y, long in re.findall(r"M(\d+) (\d+)\.5h(\d+)", strokes):
            for column in range(int(x), int(x) + int(long)):
                assert found[int(y)][column] == ""  # none is painted twice
                found[int(y)][column] = colour
    return found


@pytest.mark.parametrize("size", [6, 20])
def test_the_picture_has_every_weight(size: int) -> None:
    widget = AttentionMap(
        [f"t{i}" for i in range(size)],
        softmax_maps(7, size, size, spread=0.7),
        causal=True,
        query=4,
    )
    picture, weights = widget.picture(), widget.shown
    cells = np.array(cells_of(picture, (size, size)))
    assert ((cells == "") == ~widget.allowed).all()  # masked cells, and only these, are open
    for (i, j), colour in np.ndenumerate(cells):
        if colour:
            assert abs(COLOURS.index(colour) - 20 * weights[i, j] ** POWER) <= 0.5 + 1e-9
    said = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    if size == 6:
        expected = [
            f"{w:.2f}" if seen else "–"
            for w, seen in zip(weights.ravel(), widget.allowed.ravel(), strict=True)
        ]
        start = said.index("1.00")
        assert said[start : start + 36] == expected
    frames = re.findall(r'<rect [^>]*y="([\d.]+)"[^>]*stroke="#000000"', picture)
    rows = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>t4<', picture)]
    assert len(frames) == 1 and 0 < rows[0] - float(frames[0]) < 26  # around the query's own row


def test_the_picture_has_the_pages_colours() -> None:
    stops = re.search(r"const WEIGHT = \[(.*?)\]", source("kit/scales.js"), re.DOTALL)
    assert stops
    assert re.findall(r'"(\w{6})"', stops[1]) == COLOURS
    assert f"const POWER = {POWER};" in source("kit/scales.js")


def test_no_token_makes_the_picture_fail_or_warn(recwarn: pytest.WarningsRecorder) -> None:
    tokens = ["猫" * 30, "🙂", "\x00", "\x1b[0m", "\x7f\x85", "", " ", "\ufffe"]
    widget = AttentionMap(tokens, softmax_maps(1, 8, 8), query=2)
    html = widget.html()
    ElementTree.fromstring(widget.picture())
    assert not re.search("[\x00-\x1f\x7f-\x9f]", html)
    assert ">␀</text>" in html and ">␛[0m</text>" in html and ">∅</text>" in html
    assert "“␀” attends most to" in widget.description()
    assert [str(each.message) for each in recwarn] == []


def test_the_picture_needs_no_matplotlib() -> None:
    code = (
        "import sys; from plainformer.widgets import AttentionMap; "
        "AttentionMap(['a'], [[1.0]]).html(); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
