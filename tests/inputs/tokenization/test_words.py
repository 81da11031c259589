"""`WordTokenizer` and `CharTokenizer`: what they keep, and what they lose."""

import numpy as np
import pytest
from hypothesis import given
from tests.inputs.tokenization.peers import any_text

from plainformer.inputs.tokenization import CharTokenizer, WordTokenizer

SENTENCE = "your cat is a lovely cat"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't, she'd said", ["don't", ",", "she'd", "said"]),
        ("it\u2019s 'quoted'", ["it\u2019s", "'", "quoted", "'"]),
        ("3.14 x_1 e-mail", ["3", ".", "14", "x_1", "e", "-", "mail"]),
        ("cafe\u0301 caf\u00e9", ["cafe\u0301", "caf\u00e9"]),
        (" \t\n ", []),
        ("...", [".", ".", "."]),
    ],
)
def test_what_a_word_is(text: str, words: list[str]) -> None:
    assert WordTokenizer.train(text).tokens(text) == words


def test_frequent_words_come_first_and_ties_are_sorted() -> None:
    assert WordTokenizer.train(SENTENCE).vocab == {
        "<unk>": 0, "cat": 1, "a": 2, "is": 3, "lovely": 4, "your": 5
    }  # fmt: skip
    assert WordTokenizer.train([SENTENCE, "is it"], vocab_size=3).vocab == {
        "<unk>": 0, "cat": 1, "is": 2
    }  # fmt: skip
    assert list(CharTokenizer.train("abcab", special_tokens=["<pad>"]).vocab) == [
        "<unk>", "<pad>", "a", "b", "c"
    ]  # fmt: skip


def test_what_words_lose() -> None:
    tokenizer = WordTokenizer.train(SENTENCE)
    assert tokenizer.decode(tokenizer.encode("your  cats\nis a\tcat")) == "your <unk> is a cat"


@given(any_text)
def test_characters_lose_nothing_that_they_have_met(text: str) -> None:
    tokenizer = CharTokenizer.train(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.tokens(text) == list(text)


@given(any_text)
def test_special_tokens_never_come_from_a_text(text: str) -> None:
    special = ["<pad>", "<sos>", "<eos>"]
    text = f"{text}<pad>{text}<eos>"
    for kind in (WordTokenizer, CharTokenizer):
        tokenizer = kind.train(text, special_tokens=special)
        assert not {tokenizer.special_tokens[name] for name in special} & {*tokenizer.encode(text)}


def test_mistakes() -> None:
    with pytest.raises(ValueError, match=r"must not look like tokens of a text.*got 'pad'"):
        WordTokenizer.train(SENTENCE, special_tokens=["pad"])
    with pytest.raises(ValueError, match=r"must not look like tokens of a text.*got '_'"):
        CharTokenizer.train(SENTENCE, special_tokens=["_"])
    with pytest.raises(TypeError, match="special_tokens must be a collection of str; got '<pad>'"):
        WordTokenizer([], special_tokens="<pad>")
    with pytest.raises(TypeError, match="special_tokens must be a collection of str; got '<pad>'"):
        WordTokenizer.train(SENTENCE, special_tokens="<pad>")
    with pytest.raises(ValueError, match="special_tokens must be different"):
        WordTokenizer([], special_tokens=["<pad>", "<pad>"])
    for size in ("3", 2.0, True):
        with pytest.raises(TypeError, match="vocab_size must be a whole number; got"):
            WordTokenizer.train(SENTENCE, vocab_size=size)  # type: ignore[arg-type]
    assert WordTokenizer.train(SENTENCE, vocab_size=np.int64(3)).vocab_size == 3  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"vocab_size must be at least .* 2 with <unk>; got 1"):
        WordTokenizer.train(SENTENCE, vocab_size=1, special_tokens=["<pad>"])
    with pytest.raises(ValueError, match="got 'cat' twice"):
        WordTokenizer(["cat", "cat"])
    with pytest.raises(TypeError, match="each token must be a str; got int"):
        WordTokenizer(["cat", 3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="texts must be a str or an iterable of str; got int"):
        WordTokenizer.train(3)  # type: ignore[arg-type]
