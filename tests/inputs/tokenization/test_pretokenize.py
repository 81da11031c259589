"""Cutting texts: nothing lost, as `tokenizers` cuts, one text at a time."""

import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from tests.awkward import AWKWARD
from tests.inputs.tokenization.peers import any_text, hf_pieces, settled_text, short

from plainformer.inputs.tokenization import (
    GPT2_PATTERN,
    BPETokenizer,
    count_words,
    pre_tokenize,
)

# The first two leave gaps or match nothing at places; the last is that of GPT-4.
PATTERNS = [
    r"[a-z]+",
    r"x*",
    r"\s+|\S+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+",
]


@pytest.mark.parametrize("text", AWKWARD, ids=short)
def test_cuts_awkward_texts_as_tokenizers_does(text: str) -> None:
    for pattern in [GPT2_PATTERN, *PATTERNS]:
        assert list(pre_tokenize(text, pattern)) == hf_pieces(text, pattern)


@given(settled_text)
def test_cuts_as_tokenizers_does(text: str) -> None:
    assert list(pre_tokenize(text)) == hf_pieces(text, GPT2_PATTERN)


@given(any_text)
def test_nothing_is_lost(text: str) -> None:
    for pattern in [GPT2_PATTERN, *PATTERNS]:
        pieces = list(pre_tokenize(text, pattern))
        assert "".join(pieces) == text
        assert "" not in pieces


def test_contractions_only_in_lower_case() -> None:
    assert list(pre_tokenize("it's IT'S")) == ["it", "'s", " IT", "'", "S"]


def test_each_text_is_a_text_of_its_own() -> None:
    assert count_words(["ab", "ab"]) == {"ab": 2}
    assert count_words("abab") == {"abab": 1}


class Chunk(str):
    """A str that can be watched for being let go."""


def test_texts_are_let_go_one_by_one() -> None:
    alive: weakref.WeakSet[Chunk] = weakref.WeakSet()
    most = 0

    def texts() -> Iterator[str]:
        nonlocal most
        for number in range(50):
            chunk = Chunk(f"chunk {number} of a long text " * 10)
            alive.add(chunk)
            most = max(most, len(alive))
            yield chunk
            del chunk

    BPETokenizer.train(texts(), 300)
    assert most == 1


def test_a_file_is_an_iterable_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("the cat\nand the dog\n")
    with path.open() as lines:
        from_file = BPETokenizer.train(lines, 262)
    assert from_file.merges == BPETokenizer.train(["the cat\n", "and the dog\n"], 262).merges


def test_mistakes() -> None:
    with pytest.raises(ValueError, match=r"pattern must be a regular expression; got '\('"):
        pre_tokenize("a", "(")
    with pytest.raises(ValueError, match="pattern must have no capturing groups"):
        pre_tokenize("a", "(a)|b")
    with pytest.raises(ValueError, match="pattern must be a regular expression"):
        pre_tokenize("xaby", "a)(?:b")  # one only between the brackets that are put round it
    with pytest.raises(TypeError, match="text must be a str; got int"):
        pre_tokenize(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pattern must be a str; got int"):
        pre_tokenize("a", 3)  # type: ignore[arg-type]
    for texts in (None, 3, b"bytes"):
        with pytest.raises(TypeError, match="texts must be a str or an iterable of str; got"):
            count_words(texts)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="each of texts must be a str; got int"):
        count_words(["a", 3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"each of texts must not .* U\+D800 at position 1"):
        count_words(["a", "b\ud800"])
