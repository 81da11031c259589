"""AttentionMap in Python: what it computes, how it rounds, its mistakes, its picture."""

import json
import math
import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from plainformer.arrays import Array
from plainformer.attention import attention, causal_mask, softmax
from plainformer.attention.example import TOKENS, W_K, W_K1, W_Q, W_Q1, W_V, X
from plainformer.widgets import AttentionMap
from plainformer.widgets.attention_map_checks import MAX_MAPS, MAX_TOKENS
from plainformer.widgets.attention_map_codes import decode, weight_of
from plainformer.widgets.attention_map_picture import COLOURS
from plainformer.widgets.base import MAX_STATE_BYTES, source

HEADS = np.stack(
    [attention(X @ q, X @ k, X @ W_V)[1] for q, k in [(W_Q, W_K), (W_Q1, W_K1)]]
)  # (2, 6, 6)


def softmax_maps(seed: int, *shape: int, spread: float = 1.0, causal: bool = False) -> Array:
    """Random attention weights: softmax of normal scores."""
    scores = np.random.default_rng(seed).normal(0, spread, shape)
    if causal:
        scores = np.where(np.tri(shape[-1]).astype(bool), scores, -np.inf)
    return softmax(scores)


def scores_of(weights: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(weights)


def test_the_running_example() -> None:
    widget = AttentionMap(TOKENS, HEADS, d_head=2, query=1)
    np.testing.assert_allclose(widget.shown, HEADS[0], rtol=1e-14)
    assert widget.max_error == 0
    assert widget.key == 4  # "lovely"
    assert "“cat” at position 1 looks most at “lovely”, 0.77" in widget.description()
    assert "of at most 2.58 bits" in widget.description()
    widget.causal = True  # the first cat cannot see lovely
    assert widget.shown[1, 4] == 0
    np.testing.assert_allclose(widget.shown[1, :2], 0.5, atol=1e-12)


@pytest.mark.parametrize("temperature", [0.1, 0.5, 1, 3.7, 10])
@pytest.mark.parametrize("scaled", [True, False])
def test_masks_temperature_and_scaling_are_those_of_the_scores(
    temperature: float, scaled: bool
) -> None:
    rng = np.random.default_rng(5)
    width = 16
    q, k = rng.normal(size=(3, 7, width)), rng.normal(size=(3, 7, width))
    scores = q @ k.swapaxes(-1, -2)  # (H, T, S), before the scaling
    widget = AttentionMap(list("abcdefg"), softmax(scores / math.sqrt(width)), d_head=width)
    widget.temperature, widget.scaled = temperature, scaled
    widget.causal, widget.padding = True, [False, True, False, False, True, False, False]
    mask = causal_mask(7) & ~np.array(widget.padding)
    expected = scores / (math.sqrt(width) if scaled else 1) / temperature
    expected = softmax(np.where(mask, expected, -np.inf), empty="zero")
    for head in range(3):
        widget.head = head
        np.testing.assert_allclose(widget.shown, expected[head], atol=1e-12)


def test_entropy_is_in_bits_and_knows_how_many_keys_there_are() -> None:
    widget = AttentionMap(["a", "b", "c", "d"], np.full((4, 4), 0.25))
    np.testing.assert_allclose(widget.entropy, 2, atol=1e-12)
    np.testing.assert_allclose(widget.largest_entropy, 2, atol=1e-12)
    widget.causal = True
    np.testing.assert_allclose(widget.entropy, np.log2([1, 2, 3, 4]), atol=1e-12)
    np.testing.assert_allclose(widget.largest_entropy, np.log2([1, 2, 3, 4]), atol=1e-12)
    weights = softmax_maps(0, 9, 5)
    got = AttentionMap(list("abcdefghi"), weights, keys=list("vwxyz")).entropy
    np.testing.assert_allclose(got, -(weights * np.log2(weights)).sum(-1), atol=1e-12)


def test_a_row_with_nothing_left_is_zeros_not_nan() -> None:
    widget = AttentionMap(["a", "b"], [[0.0, 1.0], [0.5, 0.5]], causal=True)
    assert widget.shown.tolist() == [[0, 0], [0.5, 0.5]]  # the model gave the one allowed key a 0
    assert widget.entropy.tolist() == [0, 1]
    assert "No key is left for “a”" in widget.description()
    widget.padding = [True, True]
    assert not widget.shown.any()
    assert widget.largest_entropy.tolist() == [0, 0]
    zeros = AttentionMap(["a", "b"], [[0.0, 0.0], [0.5, 0.5]])  # softmax(..., empty="zero")
    assert zeros.shown.tolist() == [[0, 0], [0.5, 0.5]]
    assert np.isfinite(zeros.shown).all() and np.isfinite(zeros.entropy).all()
    assert "nan" not in re.sub(r"<text[^>]*>[^<]*</text>", "", zeros.picture())
    assert "nothing left to look at" in zeros.picture()


@pytest.mark.parametrize(
    "weights",
    [
        HEADS[None],
        HEADS.tolist(),
        torch.tensor(HEADS),
        torch.nn.Parameter(torch.tensor(HEADS)),
        [torch.tensor(HEADS)],  # a tensor for each layer
        (torch.tensor(HEADS)[None],),  # with a batch of one text, as models return them
        [HEADS[None]],
        HEADS[None, None],
    ],
)
def test_weights_of_other_kinds(weights: Any) -> None:
    widget = AttentionMap(TOKENS, weights)
    assert widget.weights.shape == (1, 2, 6, 6)
    np.testing.assert_allclose(widget.weights[0], HEADS, atol=1e-15)


def test_what_a_model_returns_for_a_batch_of_one_text_will_do() -> None:
    layers = tuple(torch.tensor(softmax_maps(i, 1, 4, 6, 6)) for i in range(3))  # (B, H, T, S)
    widget = AttentionMap(TOKENS, layers, layer=2)
    assert widget.weights.shape == (3, 4, 6, 6)
    np.testing.assert_allclose(widget.shown, layers[2][0, 0], atol=1e-15)
    batch = tuple(torch.tensor(softmax_maps(i, 2, 4, 6, 6)) for i in range(3))
    with pytest.raises(ValueError, match=r"of one text; got those of 2 for each layer: take one"):
        AttentionMap(TOKENS, batch)
    first = AttentionMap(TOKENS, [layer[0] for layer in batch])  # as the message says
    np.testing.assert_allclose(first.shown, batch[0][0, 0], atol=1e-15)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_coarse_floats_are_made_to_sum_to_1_and_it_says_by_how_much(dtype: Any) -> None:
    given = torch.softmax(torch.randn(2, 3, 40, 40, generator=torch.manual_seed(0)), -1).to(dtype)
    widget = AttentionMap([str(i) for i in range(40)], given)
    np.testing.assert_allclose(widget.weights.sum(-1), 1, atol=1e-6)
    error = np.abs(widget.weights - given.double().numpy()).max()
    assert widget.max_error == error
    assert (error > 1e-6) == (dtype != torch.float32)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0, 8.0])
def test_twelve_layers_of_twelve_heads_fit_a_page(spread: float, causal: bool) -> None:
    weights = softmax_maps(1, 12, 12, 64, 64, spread=spread, causal=causal)
    tokens = [f"token {i}" for i in range(64)]
    widget = AttentionMap(tokens, weights, layer=11, head=11, query=63, causal=causal)
    assert weight_of(widget.state()) <= MAX_STATE_BYTES
    assert 'data-pf-widget="attention_map"' in widget.html()
    error = np.abs(widget.weights - weights).max()
    assert widget.max_error == error
    assert error <= 1 / widget.data["code"]["steps"]  # a step at most
    assert error < 0.05
    np.testing.assert_allclose(widget.weights.sum(-1), 1, atol=1e-12)
    assert (widget.weights >= 0).all()
    if causal:
        assert not widget.weights[..., ~np.tri(64).astype(bool)].any()  # no weight for the future


@pytest.mark.parametrize(
    ("shape", "most"), [((1, 12, 16, 16), 0), ((2, 12, 20, 20), 1e-7), ((12, 12, 16, 16), 5e-4)]
)
def test_the_fewer_the_weights_the_closer(shape: tuple[int, ...], most: float) -> None:
    weights = softmax_maps(2, *shape)
    widget = AttentionMap([str(i) for i in range(shape[-1])], weights)
    assert np.abs(widget.weights - weights).max() == widget.max_error <= most
    assert weight_of(widget.state()) <= MAX_STATE_BYTES


@pytest.mark.parametrize("seed", range(8))
def test_rounding_keeps_zeros_sums_and_its_promise(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 65, 2)
    maps = int(rng.integers(90, MAX_MAPS + 1))
    weights = softmax_maps(seed, 1, maps, rows, columns, spread=float(rng.choice([0.2, 1, 4, 30])))
    weights[:, :, :, rng.random(columns) < 0.2] = 0  # padding in the model
    weights[0, rng.random((maps, rows)) < 0.1] = 0  # rows that look at nothing
    total = weights.sum(-1, keepdims=True)
    weights /= np.where(total > 0, total, 1)
    tokens, keys = ([str(i) for i in range(n)] for n in (rows, columns))
    widget = AttentionMap(tokens, weights, keys=keys)
    code = json.loads(json.dumps(widget.data["code"]))
    assert (decode(code, weights.shape) == widget.weights).all()
    assert not widget.weights[:, :, :, ~weights.any((0, 1, 2))].any()
    assert not widget.weights[~weights.any(-1)].any()
    np.testing.assert_allclose(widget.weights.sum(-1), weights.any(-1), atol=1e-6)
    assert np.abs(widget.weights - weights).max() == widget.max_error
    if code["kind"] == "steps":
        assert widget.max_error <= 1 / code["steps"] + 1e-12


W = np.full((2, 3), 1 / 3)  # cross-attention: two queries, three keys
NAN = W.copy()
NAN[1, 2] = np.nan
OFF = HEADS.copy()
OFF[1, 3] *= 1.2
MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"tokens": "your cat"}, TypeError, "tokens must be a list of strings; got 'your cat'"),
    ({"tokens": [1, 2]}, TypeError, r"tokens must be a list of strings; got \[1, 2\]"),
    ({"tokens": 5}, TypeError, "tokens must be a list of strings; got int"),
    ({"tokens": []}, ValueError, "tokens must have 1 to 64 entries; got 0"),
    ({"tokens": ["a"] * 65}, ValueError, "tokens must have 1 to 64 entries; got 65"),
    ({"tokens": ["a" * 201] * 6}, ValueError, "at most 200 characters long each; got 201"),
    ({"tokens": ["\ud83d"] * 6}, ValueError, r"tokens must be whole characters; got half of one"),
    ({"tokens": TOKENS[:5]}, ValueError, r"shape \(5, 5\), \(H, 5, 5\) or \(L, H, 5, 5\).*6, 6\)"),
    ({"keys": list("abc")}, ValueError, r"shape \(6, 3\), \(H, 6, 3\) or .*got \(2, 6, 6\)"),
    ({"weights": HEADS[0, 0]}, ValueError, r"got \(6,\)"),
    ({"weights": HEADS[None, None, None]}, ValueError, r"got \(1, 1, 1, 2, 6, 6\)"),
    ({"weights": HEADS[None, :, None]}, ValueError, "of one text; got those of 2 for each layer"),
    ({"weights": "weights"}, TypeError, "weights must be an array of numbers; got str"),
    ({"weights": [[1, 2], [3]]}, TypeError, "weights must be a rectangular array"),
    ({"weights": HEADS * 1j}, TypeError, "weights must be real numbers"),
    ({"weights": HEADS * np.nan}, ValueError, r"finite; got nan at \[0, 0, 0, 0\]"),
    ({"weights": HEADS - 0.04}, ValueError, r"0 or more; got -0\.0\d+ at \[0, 0, 0, 0\]"),
    ({"weights": OFF}, ValueError, r"must sum to 1; row \[0, 1, 3\] sums to 1\.2$"),
    ({"weights": HEADS.swapaxes(1, 2)}, ValueError, "its columns do: was the softmax taken over t"),
    ({"weights": np.tile(HEADS, (12, 7, 1, 1))}, ValueError, "144 maps, .*; got 12 × 14: choose"),
    ({"weights": np.zeros((0, 6, 6))}, ValueError, "1 to 144 maps, layers times heads; got 1 × 0"),
    ({"weights": [torch.ones(1, 6, 6), torch.ones(2, 6, 6)]}, ValueError, "one shape for all lay"),
    ({"layer": 1}, ValueError, "layer must be from 0 to 0; got 1"),
    ({"head": 2}, ValueError, "head must be from 0 to 1; got 2"),
    ({"head": -1}, ValueError, "head must be 0 or more; got -1"),
    ({"query": 6}, ValueError, "query must be from 0 to 5; got 6"),
    ({"query": 1.0}, TypeError, r"query must be a whole number; got 1\.0"),
    ({"causal": 1}, TypeError, "causal must be True or False; got 1"),
    ({"padding": [True]}, ValueError, "padding must have 6 entries, one a key; got 1"),
    ({"padding": [1] * 6}, TypeError, "padding must be a list of True .padding. and False; got"),
    ({"padding": "no"}, TypeError, "padding must be a list of True and False; got str"),
    ({"d_head": 0}, ValueError, "d_head must be 1 or more; got 0"),
    ({"temperature": 0}, ValueError, r"temperature must be from 0\.1 to 10; got 0"),
    ({"temperature": math.nan}, ValueError, "temperature must be finite; got nan"),
    ({"temperature": "hot"}, TypeError, "temperature must be a number; got str"),
    ({"names": ["one"]}, ValueError, r"names must name each of the 2 heads; got \['one'\]"),
    ({"names": "ab"}, TypeError, "names must be a list of strings; got 'ab'"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        AttentionMap(**({"tokens": TOKENS, "weights": HEADS} | options))


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("layer", 1, ValueError, "from 0 to 0"),
        ("key", 6, ValueError, "key must be from 0 to 5; got 6"),
        ("scaled", False, ValueError, "scaled=False needs d_head"),
        ("scaled", None, TypeError, "scaled must be True or False; got None"),
        ("weights", HEADS[0], ValueError, r"keep their shape \(1, 2, 6, 6\); got \(1, 1, 6, 6\)"),
        ("weights", OFF, ValueError, "must sum to 1"),
    ],
)
def test_a_mistaken_change_changes_nothing(
    name: str, value: Any, error: type[Exception], message: str
) -> None:
    widget = AttentionMap(TOKENS, HEADS)
    before = widget.state()
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert widget.state() == before


def test_where_queries_and_keys_differ_there_is_no_causal_mask() -> None:
    widget = AttentionMap(["a", "b"], W, keys=["x", "y", "z"])
    assert widget.shown.shape == (2, 3)
    with pytest.raises(ValueError, match="causal needs a key for each token; got 2 tokens and 3"):
        widget.causal = True
    with pytest.raises(ValueError, match=r"finite; got nan at \[0, 0, 1, 2\]"):
        AttentionMap(["a", "b"], NAN, keys=["x", "y", "z"])


def test_weights_can_be_set_anew() -> None:
    widget = AttentionMap(TOKENS, HEADS, head=1)
    widget.weights = HEADS[::-1]
    np.testing.assert_allclose(widget.shown, HEADS[0], rtol=1e-14)
    assert (decode(widget.data["code"], (1, 2, 6, 6))[0] == HEADS[::-1]).all()
    with pytest.raises(ValueError, match="read-only"):
        widget.weights[0, 0, 0, 0] = 1


def test_a_message_of_the_front_end_sets_several_traits() -> None:
    widget = AttentionMap(TOKENS, HEADS, d_head=2)
    padding = [False, False, True, False, False, True]
    widget.set_state({"head": 1, "query": 4, "key": 2, "causal": True, "padding": padding})
    assert (widget.head, widget.query, widget.key, widget.causal) == (1, 4, 2, True)
    widget.set_state({"scaled": False, "temperature": 0.5})
    assert widget.allowed[4].tolist() == [True, True, False, True, True, False]


def test_the_description_says_what_is_shown() -> None:
    widget = AttentionMap(TOKENS, HEADS[[0, 1]], head=1, names=["a", "pointers"], query=1)
    said = widget.description()
    assert said.startswith("Attention weights, 6 queries against 6 keys, head “pointers”: “cat” at")
    widget.causal, widget.padding, widget.temperature = True, [True] + [False] * 5, 2
    assert "(causal mask, padding mask on 1 key, temperature 2)" in widget.description()
    odd = AttentionMap([" the", "\n"], [[0.002, 0.998], [1, 0]], names=None)
    assert odd.description() == (
        "Attention weights, 2 queries against 2 keys: “␣the” looks most at “⏎”, >0.99, then at "
        "“␣the”, <0.01. The entropy of its row is 0.02 of at most 1.00 bits."
    )
    one = AttentionMap(["a"], [[1.0]]).description()
    assert one.startswith("Attention weights, 1 query against 1 key: “a” looks most at “a”, 1.00.")


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
    end = re.search(r">([\d.]+) and more<", picture)
    assert bool(end) == (size > 16)
    limit = float(end[1]) if end else 1.0
    assert (weights.max(-1) <= limit).sum() >= size / 2  # the brightest colour is not everywhere
    for (i, j), colour in np.ndenumerate(cells):
        if colour:
            share = min(weights[i, j] / limit, 1)
            assert abs(COLOURS.index(colour) - 20 * share) <= 0.5 + 1e-9
    said = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    if size == 6:
        expected = [
            f"{w:.2f}" if seen else "–"
            for w, seen in zip(weights.ravel(), widget.allowed.ravel(), strict=True)
        ]
        start = said.index("1.00")
        assert said[start : start + 36] == expected
    bands = re.findall(r'd="M114 ([\d.]+)C[^"]*V([\d.]+)C[\d.]+ [\d.]+ 168 ([\d.]+)', picture)
    thick = sum(float(low) - float(top) for top, _, low in bands)
    assert thick == pytest.approx(0.92 * 24, abs=0.1)  # together a weight of 1
    assert said[-2:] == ["masked", "t5 (5)" if size == 6 else "10 others"]


def test_the_picture_has_the_pages_colours() -> None:
    stops = re.search(r"const MAGNITUDE = \[(.*?)\]", source("scales.js"), re.DOTALL)
    assert stops
    assert re.findall(r'"(\w{6})"', stops[1]) == COLOURS


def test_no_token_makes_the_picture_fail_or_warn(recwarn: pytest.WarningsRecorder) -> None:
    tokens = ["猫" * 30, "🙂", "\x00", "\x1b[0m", "\x7f\x85", "", " ", "\ufffe"]
    widget = AttentionMap(tokens, softmax_maps(1, 8, 8), query=2)
    html = widget.html()
    ElementTree.fromstring(widget.picture())
    assert not re.search("[\x00-\x1f\x7f-\x9f]", html)
    assert ">␀</text>" in html and ">␛[0m</text>" in html and ">∅</text>" in html
    assert "“␀” looks most at" in widget.description()
    assert [str(each.message) for each in recwarn] == []


def test_the_picture_needs_no_matplotlib() -> None:
    code = (
        "import sys; from plainformer.widgets import AttentionMap; "
        "AttentionMap(['a'], [[1.0]]).html(); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
