"""Mistaken arguments and changes of AttentionMap get a kind error, and change nothing."""

from typing import Any

import numpy as np
import pytest
import torch
from tests.widgets.attention_maps import HEADS

from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionMap

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
    ({"padding": [True]}, ValueError, "padding must have 6 entries, one a key; got 1"),
    ({"padding": [1] * 6}, TypeError, "padding must be a list of True .padding. and False; got"),
    ({"padding": "no"}, TypeError, "padding must be a list of True and False; got str"),
    ({"d_head": 0}, ValueError, "d_head must be 1 or more; got 0"),
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
        ("text", "a cat", ValueError, "text needs a model and its tokenizer"),
        ("text", "a" * 201, ValueError, "text must have at most 200 characters; got 201"),
        ("scaled", False, ValueError, "scaled=False needs d_head"),
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
