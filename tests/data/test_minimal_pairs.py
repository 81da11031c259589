"""The grammar: sentences come in pairs of the same words, in which the roles are swapped."""

from collections import Counter

import pytest

from plainformer.data import who_did_what
from plainformer.data.minimal_pairs import ADJECTIVES, ANIMALS, PLACES, TIMES, VERBS


def test_both_of_a_pair_have_the_same_words_and_another_answer():
    sentences = who_did_what(500, seed=3)
    assert len(sentences) == 1_000 == len({each.text for each in sentences})
    for one, other in zip(sentences[::2], sentences[1::2], strict=True):
        assert Counter(one.text.split()) == Counter(other.text.split())
        assert one.text != other.text and one.whom != other.whom
        assert {one.whom, other.whom} == set(one.animals.split())
        assert one.animals == other.animals


def test_the_answer_is_read_off_by_a_parser_of_its_own():
    passives = 0
    for each in who_did_what(500, seed=1):
        words = each.text.split()
        first, last = (words.index(a) for a in sorted(each.animals.split(), key=words.index))
        assert any(verb in words[first:last] for verb in VERBS)
        passive = "by" in words
        passives += passive
        assert passive == ("was" in words)
        assert each.whom == words[first if passive else last]
    assert 400 < passives < 600


def test_all_words_come_and_the_first_word_tells_nothing():
    sentences = who_did_what(2_000)
    words = {word for each in sentences for word in each.text.split()}
    phrases = " ".join(TIMES + PLACES).split()
    assert words == {*ANIMALS, *VERBS, *ADJECTIVES, *phrases, "the", "was", "by"}
    assert len({each.animals for each in sentences}) == 28
    counts = Counter(each.whom for each in sentences)
    assert min(counts.values()) > 0.8 * max(counts.values())


def test_a_seed_gives_the_same_sentences_again():
    assert who_did_what(50, seed=1) == who_did_what(50, seed=1)
    assert who_did_what(50, seed=1) != who_did_what(50, seed=2)
    assert who_did_what(20, seed=1) == who_did_what(50, seed=1)[:40]
    assert who_did_what(0) == []


def test_what_cannot_be_had_is_refused():
    with pytest.raises(ValueError, match="n_pairs must be 20,000 or less"):
        who_did_what(50_001)
    with pytest.raises(ValueError, match="n_pairs must be 0 or more"):
        who_did_what(-1)
    with pytest.raises(TypeError, match="whole number"):
        who_did_what(1.5)
