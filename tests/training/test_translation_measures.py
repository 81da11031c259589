"""What the chapter *Translation* measures, on the shipped translator and on small cases."""

import pytest
import torch

from plainformer.training.tasks import course_translator
from plainformer.training.tasks.translation import Translator, grammar_pairs
from plainformer.training.tasks.translation.measures import (
    alignment_accuracy,
    answers,
    count_rows,
    gender_votes,
    half_trained,
    lexicon_alignment,
)

PAIRS = grammar_pairs(40, seed=1, split="test")


@pytest.fixture(scope="module")
def translator() -> Translator:
    return course_translator()


@pytest.fixture(scope="module")
def beginner() -> Translator:
    """One that gets some words right."""
    return half_trained(40)


def test_a_sentence_is_right_in_both_ways_or_in_neither(beginner):
    """The page's law: while nothing was wrong, both ways read the same words."""
    found = answers(beginner, PAIRS)
    assert 0 < found.right(found.forced).sum() < found.counts.sum()
    forced, own = (
        (found.right(said) | ~found.counts).all(1) for said in (found.forced, found.free_running)
    )
    assert torch.equal(forced, own)
    # Up to the first mistake, and at it, they say the same.
    wrong = (~found.right(found.free_running) & found.counts).int().cumsum(1)
    before = found.counts & (wrong - (~found.right(found.free_running) & found.counts).int() == 0)
    assert torch.equal(found.forced[before], found.free_running[before])


def test_its_own_words_are_those_that_it_writes(translator):
    found = answers(translator, PAIRS)
    written = [translator.vocabulary.decode(row) for row in found.free_running.tolist()]
    assert written == translator.translate([source for source, _ in PAIRS])
    assert torch.allclose(found.probs.sum(-1), torch.ones(found.targets.shape), atol=1e-4)


def test_tokens_are_counted_layer_by_layer(translator):
    source, ids = torch.tensor([[5, 6, 7]]), torch.tensor([[2, 8]])
    with count_rows(translator.model) as rows, torch.no_grad():
        translator.model(source, ids)
        assert rows == {"encoder": 3, "decoder": 2}
    with torch.no_grad():
        translator.model(source, ids)
    assert rows == {"encoder": 3, "decoder": 2}  # nobody counts any more


def test_the_dictionary_links_what_is_beyond_doubt():
    english, italian = "your cat is a lovely cat", "il tuo gatto è un gatto adorabile"
    assert lexicon_alignment(english.split(), italian.split()) == [(6, 4)]


def test_one_head_finds_the_word_that_is_being_translated(translator):
    heads, mean, count = alignment_accuracy(translator, PAIRS[:20])
    assert heads.shape == (2, 4) and count > 40
    assert heads.max() > 0.98 and mean > 0.94


def test_gender_travels_in_the_vector_of_the_adjective(translator):
    votes = gender_votes(translator, ["red"])
    assert votes.asked > 20
    assert votes.source == votes.vector == votes.asked
    assert votes.attention.shape == (2, 4) and votes.attention.max() > 0.9
