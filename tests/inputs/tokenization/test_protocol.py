"""What holds for every tokenizer."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.awkward import AWKWARD, LONE_SURROGATES
from tests.inputs.tokenization.peers import any_text, short

from plainformer.inputs.tokenization import (
    BPETokenizer,
    CharTokenizer,
    Tokenizer,
    WordTokenizer,
)

SENTENCE = "your cat is a lovely cat"

ALL: dict[str, Tokenizer] = {
    "words": WordTokenizer.train(SENTENCE),
    "characters": CharTokenizer.train(SENTENCE),
    "bytes": BPETokenizer.train(SENTENCE, 270, special_tokens=["<unk>"]),
    "letters": BPETokenizer.train(SENTENCE, 20, special_tokens=["<unk>"], byte_level=False),
}

every_tokenizer = pytest.mark.parametrize("tokenizer", ALL.values(), ids=ALL.keys())


@every_tokenizer
def test_the_protocol(tokenizer: Tokenizer) -> None:
    assert isinstance(tokenizer, Tokenizer)
    ids = tokenizer.encode(SENTENCE)
    assert all(type(id_) is int and 0 <= id_ < tokenizer.vocab_size for id_ in ids)
    assert tokenizer.decode(ids) == SENTENCE
    assert tokenizer.decode(np.array(ids)) == SENTENCE
    assert len(tokenizer.tokens(SENTENCE)) == len(ids)
    assert tokenizer.encode("") == tokenizer.tokens("") == []
    assert tokenizer.decode([]) == ""
    assert "vocab_size" in repr(tokenizer)


@every_tokenizer
@given(text=any_text | st.sampled_from(AWKWARD))
def test_every_string_has_ids(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert len(tokenizer.tokens(text)) == len(ids)
    assert isinstance(tokenizer.decode(ids), str)


@every_tokenizer
@pytest.mark.parametrize("text", LONE_SURROGATES, ids=short)
def test_lone_surrogates_are_refused(tokenizer: Tokenizer, text: str) -> None:
    for method in (tokenizer.encode, tokenizer.tokens):
        with pytest.raises(ValueError, match=r"lone surrogates; got U\+D[0-9A-F]{3} at position"):
            method(text)


@every_tokenizer
@pytest.mark.parametrize("text", [None, 7, b"bytes", ["a", "list"]], ids=repr)
def test_what_is_no_string_is_refused(tokenizer: Tokenizer, text: object) -> None:
    calls: list[Callable[..., object]] = [tokenizer.encode, tokenizer.tokens]
    for call in calls:
        with pytest.raises(TypeError, match="text must be a str; got"):
            call(text)


@every_tokenizer
def test_unknown_ids_are_refused(tokenizer: Tokenizer) -> None:
    for wrong in (tokenizer.vocab_size, -1):
        with pytest.raises(ValueError, match=f"got {wrong} at position 1"):
            tokenizer.decode([0, wrong])
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError, match=r"ids must be integers; got .* at position 0"):
            tokenizer.decode([wrong])  # type: ignore[list-item]
