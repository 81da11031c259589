"""Sentence pairs: worked examples, the same ones for the same seed, and an honest split."""

import re
from collections import Counter

import numpy as np
import pytest

from plainformer.data.english_italian import (
    SentencePair,
    is_held_out,
    sentence_pairs,
)
from plainformer.data.english_italian.phrases import Draw
from plainformer.data.english_italian.sampling import LONGEST
from plainformer.data.english_italian.sentences import sentence, written


@pytest.fixture(scope="module")
def train():
    return sentence_pairs(30_000)


@pytest.fixture(scope="module")
def test():
    return sentence_pairs(3_000, seed=1, split="test")


def words(text):
    return re.findall(r"\w+'(?=\w)|'s|\w+|,", text)


class Scripted(Draw):
    """Picks what a script says, if it is among the options: the grammar, steered by hand."""

    def __init__(self, script):
        super().__init__(np.random.default_rng(0))
        self.script = list(script)

    def pick(self, options):
        wanted = self.script.pop(0)
        return next(option for option in options if wanted in names_of(option))

    def chance(self, share):
        wanted = self.script.pop(0)
        assert isinstance(wanted, bool), wanted
        return wanted


def names_of(option):
    """By what a script may call an option."""
    english = getattr(option, "english", None)
    called = english[0] if isinstance(english, tuple) else english
    first = option[0] if isinstance(option, tuple) else None
    return (option, called, first, getattr(option, "__name__", None))


# Scripts: True and False answer "said to someone?", "named first?", "described?", "not?" and so on.
WORKED = {
    "your cat is a lovely cat → il tuo gatto è un gatto adorabile": [
        False, "is_same", "cat", "s", False, "possessive", (2, "s"), False, "lovely", "a", False,
    ],
    "girls, your cats are not beautiful cats → ragazze, i vostri gatti non sono bei gatti": [
        True, "girls", True, "is_same", "cat", "p", False, "possessive", True, True, "bare", True,
    ],
    "you are tired, anna → sei stanca, anna": [
        True, "name", "anna", False, "is_so", True, True, "tired", False, False,
    ],
    "there is a squirrel in your garden → c'è uno scoiattolo nel tuo giardino": [
        False, "there_is", ("person", "animal"), "s", "squirrel", False, "a",
        "garden", "s", False, "possessive", (2, "s"),
    ],
    "she buys the eggs because they are white → compra le uova perché sono bianche": [
        False, "because_of_it", "buy", "pronoun", "she", "egg", "p", False, "the",
        "white", False, False, "because",
    ],
}  # fmt: skip


@pytest.mark.parametrize("pair", WORKED)
def test_worked_examples(pair):
    draw = Scripted(WORKED[pair])
    words = sentence(draw)
    assert f"{written(words.english)} → {written(words.italian)}" == pair
    assert not draw.script


DRAWN = {
    "your neighbour luca waits for our son's witch": (
        "il tuo vicino luca aspetta la strega di nostro figlio"
    ),
    "girls, you see the box because it is not red": "ragazze, vedete la scatola perché non è rossa",
    "anna sees that apple because it is beautiful": "anna vede quella mela perché è bella",
}


def test_drawn_examples():
    assert {p.english: p.italian for p in sentence_pairs(3, seed=1, split="test")} == DRAWN


def test_the_running_example_waits_in_the_test():
    assert is_held_out("lovely", "cat")


def test_the_same_seed_gives_the_same_pairs():
    assert sentence_pairs(50, seed=3) == sentence_pairs(80, seed=3)[:50]
    assert sentence_pairs(50, seed=3) != sentence_pairs(50, seed=4)


def test_no_sentence_comes_twice_and_none_is_in_both_splits(train, test):
    english = [pair.english for pair in train]
    assert len(set(english)) == len(english)
    assert not set(english) & {pair.english for pair in test}


def test_every_english_sentence_has_one_translation(train, test):
    """Exact match is a fair measure only so."""
    for seed in (5, 6):
        known = {pair.english: pair.italian for pair in train}
        for pair in sentence_pairs(5_000, seed):
            assert known.get(pair.english, pair.italian) == pair.italian


def test_every_word_of_the_test_is_in_training_and_its_combination_is_not(train, test):
    english = Counter(word for pair in train for word in words(pair.english))
    italian = Counter(word for pair in train for word in words(pair.italian))
    met = {link for pair in train for link in pair.links}
    for pair in test:
        assert all(english[word] >= 5 for word in words(pair.english)), pair
        assert all(italian[word] >= 3 for word in words(pair.italian)), pair
        new = [link for link in pair.links if is_held_out(*link)]
        assert new and not met & set(new), pair


def test_about_one_combination_in_ten_is_held_out():
    pairs = [(f"a{i}", f"b{j}") for i in range(60) for j in range(60)]
    assert 0.08 < sum(is_held_out(*pair) for pair in pairs) / len(pairs) < 0.12


def test_sentences_are_short_and_their_words_some_hundred(train):
    assert max(max(len(words(p.english)), len(words(p.italian))) for p in train) <= LONGEST
    assert 250 < len({word for p in train for word in words(p.english)}) < 400
    assert 400 < len({word for p in train for word in words(p.italian)}) < 700


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((-1,), ValueError, "count must be 0 or more; got -1"),
        ((2_000_000,), ValueError, "count must be at most 1,000,000"),
        ((2.5,), TypeError, "count must be a whole number; got"),
        ((True,), TypeError, "count must be a whole number; got True"),
        ((5, -3), ValueError, "seed must be 0 or more; got -3"),
        ((5, 0, "dev"), ValueError, "split must be 'train' or 'test'; got 'dev'"),
    ],
)
def test_bad_arguments_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        sentence_pairs(*arguments)


def test_none_are_as_easy_as_many():
    assert sentence_pairs(0) == []
    assert isinstance(sentence_pairs(1)[0], SentencePair)
