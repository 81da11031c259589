"""Learning and applying merges: the plain way, the quick way, and the production library's."""

import inspect
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.inputs.tokenization.peers import (
    hf_merges,
    hf_train,
    mixed_texts,
    our_merges,
    small_texts,
)

from plainformer.inputs.tokenization import (
    BPETokenizer,
    apply_merges,
    apply_merges_naive,
    count_pairs,
    count_words,
    merge_pair,
    train_merges,
    train_merges_naive,
)


def test_the_example_of_wikipedia() -> None:
    # aaabdaaabac: aa -> Z, ab -> Y, ZY -> X, which leaves XdXac. (Of the ties in the article, ours
    # takes the pair whose symbols are older: "ab" before "aaa".)
    words = {tuple("aaabdaaabac"): 1}
    learned = list(train_merges(words, "abcd", 3))
    assert learned == [(("a", "a"), 4), (("a", "b"), 2), (("aa", "ab"), 2)]
    ranks = {pair: rank for rank, (pair, _) in enumerate(learned)}
    assert apply_merges("aaabdaaabac", ranks) == ["aaab", "d", "aaab", "a", "c"]


def test_the_example_of_the_paper() -> None:
    # Sennrich et al. (2016), figure 1, without its end-of-word mark.
    words = {tuple("low"): 5, tuple("lower"): 2, tuple("newest"): 6, tuple("widest"): 3}
    pairs = [pair for pair, _ in train_merges(words, "deilnorstw", 4)]
    assert pairs == [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w")]


@pytest.mark.parametrize(
    ("symbols", "pair", "merged"),
    [
        ("", "ab", []),
        ("a", "ab", ["a"]),
        ("ab", "ab", ["ab"]),
        ("aba", "ab", ["ab", "a"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("aaaaa", "aa", ["aa", "aa", "a"]),
        ("baab", "ab", ["b", "a", "ab"]),
    ],
)
def test_merge_pair(symbols: str, pair: str, merged: list[str]) -> None:
    assert merge_pair(symbols, (pair[0], pair[1]), pair) == tuple(merged)


def test_overlapping_pairs_are_counted() -> None:
    assert count_pairs({tuple("aaa"): 2}) == {("a", "a"): 4}
    assert count_pairs({("a",): 5, (): 3}) == {}


def test_no_words_no_merges() -> None:
    assert list(train_merges({}, "ab", 5)) == []
    assert list(train_merges({("a",): 3}, "ab", 5)) == []
    assert list(train_merges({("a", "b"): 3}, "ab", 0)) == []
    assert list(train_merges({("a", "b"): 3}, "ab", 5)) == [(("a", "b"), 3)]


@pytest.mark.parametrize(
    "shown", [count_pairs, merge_pair, train_merges_naive, train_merges, apply_merges_naive]
)
def test_what_the_chapter_shows_fits_its_column(shown: Callable[..., Any]) -> None:
    assert max(map(len, inspect.getsource(shown).splitlines())) <= 76


@given(small_texts, st.integers(0, 40))
def test_quick_training_equals_recounting(text: str, n_merges: int) -> None:
    words = {tuple(word): times for word, times in count_words(text).items()}
    alphabet = sorted(set(text))
    learned = list(train_merges(words, alphabet, n_merges))
    assert learned == list(train_merges_naive(words, alphabet, n_merges))
    made = [first + second for (first, second), _ in learned]
    assert len({*made}) == len(made)  # every merge makes a new symbol


def test_a_long_word_is_scanned_once_for_each_merge() -> None:
    # 20,000 places at which one pair occurs: a scan for each of them would take 400 million steps.
    word = ("a", "b") * 20_000
    learned = list(train_merges({word: 1}, "ab", 3))
    assert learned == [(("a", "b"), 20_000), (("ab", "ab"), 19_999), (("abab", "abab"), 9_999)]


@given(
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "ab", "ba", "aab"]), max_size=8).map(tuple),
        st.integers(1, 9),
        max_size=6,
    ),
    st.permutations(["a", "b", "ab", "ba", "aab"]),
)
@example({("ab", "a", "b", "ab"): 1}, ["a", "b", "ab", "ba", "aab"])  # a pair beside itself
@example({("ab", "ab"): 3, ("a", "b", "ab"): 4}, ["a", "b", "ab", "ba", "aab"])  # words become one
def test_a_merge_may_make_what_the_alphabet_has(
    words: dict[tuple[str, ...], int], alphabet: list[str]
) -> None:
    learned = list(train_merges(words, alphabet, 20))
    assert learned == list(train_merges_naive(words, alphabet, 20))


@given(small_texts)
def test_pairs_that_may_never_be_made(text: str) -> None:
    words = {tuple(word): times for word, times in count_words(text).items()}
    learned = train_merges(words, sorted(set(text)), 40, never={"ab", "aa"})
    assert not {"ab", "aa"} & {first + second for (first, second), _ in learned}


@given(st.lists(mixed_texts, max_size=4), st.integers(0, 60))
def test_the_merges_of_tokenizers(texts: list[str], more: int) -> None:
    ours = BPETokenizer.train(texts, 257 + more, special_tokens=["<unk>"])
    peer = hf_train(texts, 257 + more, special_tokens=["<unk>"])
    assert our_merges(ours) == hf_merges(peer)
    assert ours.vocab_size == peer.get_vocab_size()


@given(small_texts, st.integers(0, 40))
def test_the_merges_of_tokenizers_on_characters(text: str, more: int) -> None:
    size = len(set(text)) + more
    ours = BPETokenizer.train(text, size, byte_level=False)
    peer = hf_train([text], size, byte_level=False)
    assert our_merges(ours) == hf_merges(peer)
    assert ours.vocab == peer.get_vocab()


@given(small_texts, st.integers(0, 40), st.text(alphabet="abc ", max_size=60))
def test_quick_encoding_equals_the_plain_one(text: str, n_merges: int, word: str) -> None:
    words = {tuple(piece): times for piece, times in count_words(text).items()}
    learned = train_merges(words, sorted(set(text)), n_merges)
    ranks = {pair: rank for rank, (pair, _) in enumerate(learned)}
    assert apply_merges(word, ranks) == apply_merges_naive(word, ranks)


@given(
    st.dictionaries(
        st.tuples(*[st.text(alphabet="ab", min_size=1, max_size=3)] * 2), st.integers(0, 5)
    ),
    st.text(alphabet="ab", max_size=40),
)
def test_quick_encoding_equals_the_plain_one_for_any_ranks(
    ranks: dict[tuple[str, str], int], word: str
) -> None:
    parts = apply_merges(word, ranks)
    assert parts == apply_merges_naive(word, ranks)
    assert "".join(parts) == word
    assert not any(pair in ranks for pair in pairwise(parts))


class CountedRanks(dict[tuple[bytes, bytes], int]):
    """The ranks of merges, and how often somebody has looked one up."""

    looks = 0

    def __contains__(self, pair: object) -> bool:
        self.looks += 1
        return super().__contains__(pair)


@pytest.mark.parametrize(("apply", "grows"), [(apply_merges, 4.0), (apply_merges_naive, 16.0)])
def test_work_grows_with_the_word_or_with_its_square(
    apply: Callable[..., list[bytes]], grows: float
) -> None:
    learned = BPETokenizer.train("the other then the " * 9, 262).merges
    looks = []
    for length in (100, 400):
        ranks = CountedRanks({pair: rank for rank, pair in enumerate(learned)})
        apply([b"t", b"h", b"e"] * length, ranks)
        looks.append(ranks.looks)
    assert looks[1] / looks[0] == pytest.approx(grows, rel=0.05)
