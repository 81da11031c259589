"""The references, against implementations that are not ours."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE

from plainformer.exercises import exercise

count_neighbours, merge, train, encode, decode, savings = (
    exercise(f"inputs.tokenization.{n}").reference for n in range(1, 7)
)

words = st.text(alphabet="abc", min_size=1, max_size=8)


@given(st.text(alphabet="ab", max_size=12), st.sampled_from(["ab", "aa", "ba", "bb"]))
def test_merging_single_letters_is_what_replace_does(text, pair):
    # str.replace also reads from the left and uses no letter twice.
    marked = text.replace(pair, "|")
    expected = [pair if symbol == "|" else symbol for symbol in marked]
    assert merge(list(text), (pair[0], pair[1])) == expected


@given(st.text(alphabet="abc", max_size=12))
def test_every_place_but_the_last_begins_one_pair(text):
    counts = count_neighbours(list(text))
    assert sum(counts.values()) == max(len(text) - 1, 0)
    for (x, y), n in counts.items():
        assert n == sum(text.startswith(x + y, i) for i in range(len(text)))


@given(st.text(alphabet="ab", max_size=12))
def test_a_merge_saves_what_replacing_it_in_the_text_saves(text):
    expected = {(x, y): text.count(x + y) for x, y in pairwise(text)}  # count: without overlaps
    assert savings(list(text)) == expected


@given(st.lists(words, min_size=1, max_size=8), st.integers(0, 8))
def test_encoding_the_training_words_repeats_the_training(corpus, n):
    merges = train(corpus, n)
    split = [list(word) for word in corpus]
    for pair in merges:
        split = [merge(symbols, pair) for symbols in split]
    assert [encode(word, merges) for word in corpus] == split


@given(st.lists(words, min_size=1, max_size=8), st.integers(0, 8), words)
def test_encoding_agrees_with_the_production_library(corpus, n, word):
    merges = train(corpus, n)
    vocab = {token: i for i, token in enumerate(dict.fromkeys("abc"))}
    for x, y in merges:
        vocab.setdefault(x + y, len(vocab))
    theirs = Tokenizer(BPE(vocab=vocab, merges=merges)).encode(word).tokens
    assert encode(word, merges) == theirs


@given(st.text(max_size=12), st.lists(st.integers(0, 48), max_size=6))
def test_text_survives_any_cutting_of_its_bytes(text, places):
    data = text.encode()
    cuts = sorted({0, len(data), *(place for place in places if place < len(data))})
    vocab = {i: data[a:b] for i, (a, b) in enumerate(pairwise(cuts))}
    assert decode(list(vocab), vocab) == text
