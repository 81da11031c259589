"""LogitLens in Python: its numbers, its words, its picture, and what it refuses."""

import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
import torch

from plainformer.attention import softmax
from plainformer.blocks import DecoderOnly, TransformerConfig, trace
from plainformer.inputs import BPETokenizer
from plainformer.widgets import LogitLens

WORDS = ["a", "b", "c", "d", "e", "f", "g"]
SHARES = softmax(np.random.default_rng(0).normal(size=(3, 4, 7)))


def lens(**options: Any) -> LogitLens:
    known: dict[str, Any] = {
        "tokens": ["a", "b", "c", "d"], "words": WORDS, "probabilities": SHARES,
        "wanted": [1, 2, 3, None],
    }  # fmt: skip
    return LogitLens(**known | options)


def test_what_is_shown_of_a_cell() -> None:
    for row, column in np.ndindex(3, 4):
        shown = lens(row=row, column=column)
        right = sorted(zip(SHARES[row, column], WORDS, strict=True), reverse=True)[:5]
        assert shown.likeliest == [(word, share) for share, word in right]
        wanted = None if column == 3 else SHARES[:, column, column + 1].tolist()
        assert shown.climb == wanted


def test_a_page_carries_what_is_shown() -> None:
    shown = lens()
    data = shown.data
    for row, column in np.ndindex(3, 4):
        shown.row, shown.column = row, column
        names = [data["words"][i] for i in data["top"][row][column]]
        assert list(zip(names, data["shares"][row][column], strict=True)) == shown.likeliest
        climb = [each[column] for each in data["right"]]
        assert climb == (shown.climb or [None] * 3)
    assert [None if i is None else data["words"][i] for i in data["next"]] == ["b", "c", "d", None]


def test_it_starts_at_the_bottom_of_the_column_that_ends_best() -> None:
    shown = lens()
    assert shown.row == 0
    assert shown.column == np.argmax([SHARES[-1, t, t + 1] for t in range(3)])
    assert lens(wanted=None).column == 3
    even = lens(probabilities=np.full((3, 4, 7), 1 / 7))
    assert (even.column, even.likeliest[0][0]) == (0, "a")  # of alike ones the first


@torch.no_grad()
def test_from_logits_takes_what_a_trace_gives() -> None:
    tokenizer = BPETokenizer.train("the cat is a lovely cat", 260)
    config = TransformerConfig(
        family="decoder", vocab_size=tokenizer.vocab_size, d_model=8, n_layers=2, n_heads=2, d_ff=16
    )
    model = DecoderOnly(config, rng=torch.Generator().manual_seed(0))
    ids = torch.tensor([tokenizer.encode("a cat")])
    steps = trace(model, ids)
    names = ["embedding", "layers.0.residual_2", "layers.1.residual_2"]
    logits = [model.head(model.norm(steps[name]))[0] for name in names]
    shown = LogitLens.from_logits(ids, logits, tokenizer, after=7)
    assert "".join(shown.tokens) == "a cat"
    assert shown.names == ["embedding", "layer 1", "layer 2"]
    assert shown.wanted == [*ids[0, 1:].tolist(), 7]
    np.testing.assert_allclose(shown.probabilities, torch.stack(logits).softmax(-1), atol=1e-6)
    same = LogitLens.from_logits(ids[0].numpy(), np.stack(logits), shown.words, after=7)
    assert same.data == shown.data


def test_from_logits_takes_a_tensor_that_is_being_trained() -> None:
    logits = torch.zeros(2, 3, 7, requires_grad=True)
    assert LogitLens.from_logits([0, 1, 2], logits, WORDS).likeliest[0] == ("a", 1 / 7)


def test_its_state_stays_far_below_the_limit() -> None:
    shares = softmax(np.random.default_rng(0).normal(size=(13, 16, 50_000)))
    shown = LogitLens(["word"] * 16, [f"word {i}" for i in range(50_000)], shares, range(16))
    assert len(gzip.compress(json.dumps(shown.state()).encode())) < 25_000


def test_the_words_and_the_picture_say_the_numbers() -> None:
    shares = [[[0.75, 0.25]], [[0.001, 0.999]]]
    shown = LogitLens([" <b>"], [" <b>", "cat"], shares, [1])
    assert shown.description() == (
        "A grid of 2 depths and 1 tokens. The likeliest next token after “␣<b>”, from the bottom: "
        "embedding: “␣<b>” 0.75; layer 1: “cat” >0.99. What follows is “cat”."
    )
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", shown.picture())
    assert texts == [
        "embedding", "␣&lt;b&gt;", "0.75", "layer 1", "cat", "&gt;0.99", "read", "␣&lt;b&gt;"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[0, 1], [1, 2]], np.zeros((1, 2, 7)), WORDS), r"one text; got \(2, 2\)"),
        (([0, 9], np.zeros((1, 2, 7)), WORDS), "each of ids must be from 0 to 6; got 9"),
        (([0, 1], np.zeros((2, 7)), WORDS), r"logits must have shape \(L, T, V\); got \(2, 7\)"),
        (([0], [np.zeros((1, 7)), np.zeros((1, 6))], WORDS), "one shape at all depths; got 2"),
        (([0], np.zeros((1, 1, 7)), WORDS[1:]), "words must have 7 entries"),
        (([0], np.zeros((1, 2, 7)), WORDS), r"shape \(L, 1, 7\)"),
    ],
)
def test_refusals_of_logits(arguments: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        LogitLens.from_logits(*arguments)
