"""AttentionMap in Python: what it computes, how it travels, and what can be set.

What it looks like without a browser is in `test_attention_map_picture.py`, what it refuses in
`test_refusals.py`.
"""

import base64
import json
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from tests.widgets.attention_maps import HEADS, softmax_maps

from plainformer.arrays import Array
from plainformer.attention import causal_mask, softmax
from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap
from plainformer.widgets.attention_map.checks import MAX_MAPS


def decode(widget: AttentionMap) -> Array:
    """The weights, (L, H, T, S), that a page reads from a widget's state."""
    code = json.loads(json.dumps(widget.state()["data"]))["code"]
    raw = base64.b64decode(code["text"])
    return np.frombuffer(raw, f"<{code['kind']}").reshape(widget.weights.shape).astype(float)


def test_the_running_example() -> None:
    widget = AttentionMap(TOKENS, HEADS, d_head=2, query=1)
    np.testing.assert_allclose(widget.shown, HEADS[0], rtol=1e-14)
    assert widget.max_error == 0
    assert "“cat” at position 1 attends most to “lovely”, 0.77" in widget.description()
    assert "of at most 1.79 nats" in widget.description()
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
    expected = softmax(np.where(mask, expected, -np.inf), fully_masked="zero")
    for head in range(3):
        widget.head = head
        np.testing.assert_allclose(widget.shown, expected[head], atol=1e-12)


def test_entropy_is_in_bits_and_knows_how_many_keys_there_are() -> None:
    widget = AttentionMap(["a", "b", "c", "d"], np.full((4, 4), 0.25))
    np.testing.assert_allclose(widget.entropy, np.log(4), atol=1e-12)
    np.testing.assert_allclose(widget.largest_entropy, np.log(4), atol=1e-12)
    widget.causal = True
    np.testing.assert_allclose(widget.entropy, np.log([1, 2, 3, 4]), atol=1e-12)
    np.testing.assert_allclose(widget.largest_entropy, np.log([1, 2, 3, 4]), atol=1e-12)
    weights = softmax_maps(0, 9, 5)
    got = AttentionMap(list("abcdefghi"), weights, keys=list("vwxyz")).entropy
    np.testing.assert_allclose(got, -(weights * np.log(weights)).sum(-1), atol=1e-12)


def test_weights_that_came_with_a_causal_mask_are_known_as_such() -> None:
    causal = AttentionMap(["a", "b"], [[1.0, 0.0], [0.5, 0.5]])
    assert causal.is_causal and causal.data["causal"] is True
    assert causal.allowed.tolist() == [[True, False], [True, True]]
    assert causal.largest_entropy.round(12).tolist() == [0, round(np.log(2), 12)]
    assert not AttentionMap(["a", "b"], [[0.9, 0.1], [0.5, 0.5]]).is_causal
    assert not AttentionMap(["a"], [[1.0]]).is_causal  # nothing could be later
    assert not AttentionMap(["a", "b"], [[1.0], [1.0]], keys=["x"]).is_causal


def test_a_row_with_nothing_left_is_zeros_not_nan() -> None:
    widget = AttentionMap(["a", "b"], [[0.0, 1.0], [0.5, 0.5]], causal=True)
    assert widget.shown.tolist() == [[0, 0], [0.5, 0.5]]  # the model gave the one allowed key a 0
    assert widget.entropy.round(12).tolist() == [0, round(np.log(2), 12)]
    assert "No key is left for “a”" in widget.description()
    widget.padding = [True, True]
    assert not widget.shown.any()
    assert widget.largest_entropy.tolist() == [0, 0]
    zeros = AttentionMap(["a", "b"], [[0.0, 0.0], [0.5, 0.5]])  # softmax(..., fully_masked="zero")
    assert zeros.shown.tolist() == [[0, 0], [0.5, 0.5]]
    assert np.isfinite(zeros.shown).all() and np.isfinite(zeros.entropy).all()
    assert "nan" not in re.sub(r"<text[^>]*>[^<]*</text>", "", zeros.picture())


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


@pytest.mark.parametrize(
    ("shape", "kind", "most"),
    [((1, 12, 16, 16), "f8", 0), ((1, 12, 32, 32), "f4", 6e-8), ((12, 12, 64, 64), "f4", 6e-8)],
)
def test_many_weights_travel_as_shorter_floats(
    shape: tuple[int, ...], kind: str, most: float
) -> None:
    weights = softmax_maps(2, *shape)
    widget = AttentionMap([str(i) for i in range(shape[-1])], weights)
    assert widget.data["code"]["kind"] == kind
    assert np.abs(widget.weights - weights).max() == widget.max_error <= most
    assert (decode(widget) == widget.weights).all()


def test_a_page_carries_twelve_thousand_weights() -> None:
    tokens = [f"token {i}" for i in range(32)]
    widget = AttentionMap(tokens, softmax_maps(1, 2, 6, 32, 32))
    assert 'data-pf-widget="attention_map"' in widget.html()


def test_a_page_shows_the_picture_of_larger_ones() -> None:
    widget = AttentionMap([f"token {i}" for i in range(64)], softmax_maps(1, 12, 12, 64, 64))
    with pytest.warns(UserWarning, match="AttentionMap weighs"):
        html = widget.html()
    assert "data-pf-widget" not in html
    assert "<svg" in html


@pytest.mark.parametrize("seed", range(4))
def test_zeros_and_sums_survive_the_way_to_the_page(seed: int) -> None:
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
    assert (decode(widget) == widget.weights).all()
    assert not widget.weights[weights == 0].any()
    np.testing.assert_allclose(widget.weights.sum(-1), weights.any(-1), atol=1e-6)
    assert np.abs(widget.weights - weights).max() == widget.max_error


def test_weights_can_be_set_anew() -> None:
    widget = AttentionMap(TOKENS, HEADS, head=1)
    widget.weights = HEADS[::-1]
    np.testing.assert_allclose(widget.shown, HEADS[0], rtol=1e-14)
    assert (decode(widget)[0] == HEADS[::-1]).all()
    with pytest.raises(ValueError, match="read-only"):
        widget.weights[0, 0, 0, 0] = 1


def test_a_message_of_the_front_end_sets_several_traits() -> None:
    widget = AttentionMap(TOKENS, HEADS, d_head=2)
    padding = [False, False, True, False, False, True]
    widget.set_state({"head": 1, "query": 4, "causal": True, "padding": padding})
    assert (widget.head, widget.query, widget.causal) == (1, 4, True)
    widget.set_state({"scaled": False, "temperature": 0.5})
    assert widget.allowed[4].tolist() == [True, True, False, True, True, False]


def test_new_weights_keep_their_shape() -> None:
    widget = AttentionMap(TOKENS, HEADS)
    for weights, said in (
        (HEADS[0], r"keep their shape \(1, 2, 6, 6\); got"),
        (2 * HEADS, "sum to"),
    ):
        with pytest.raises(ValueError, match=said):
            widget.weights = weights
    np.testing.assert_array_equal(widget.weights[0], HEADS)


def test_where_queries_and_keys_differ_there_is_no_causal_mask() -> None:
    widget = AttentionMap(["a", "b"], np.full((2, 3), 1 / 3), keys=["x", "y", "z"])
    assert widget.shown.shape == (2, 3)
    with pytest.raises(ValueError, match="causal needs a key for each token; got 2 tokens and 3"):
        widget.causal = True
