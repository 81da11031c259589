"""BLEU and chrF are those of sacreBLEU, with its default options."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.training.tasks.translation.metrics import bleu, chrf

sacrebleu = pytest.importorskip("sacrebleu")

PAIRS = [
    ("The cat is on the mat.", "The cat sat on the mat."),
    ("Il prezzo è 1,5 euro (circa), no?", "Il prezzo è di 1,5 euro - circa, vero?"),
    ("a &amp; b 3-4 x/y", "a & b 3-4 x/y"),
    ("", "one word"),
    ("zwei Männer", "Zwei Männer gehen 10.000 Meter."),
]
words = st.lists(st.sampled_from(["the", "cat", "mat.", "è", "1,5", "3-4", "(b)"]), max_size=12)
sentence = words.map(" ".join)


def test_a_corpus_of_real_sentences() -> None:
    ours, theirs = zip(*PAIRS, strict=True)
    assert bleu(ours, theirs) == pytest.approx(sacrebleu.corpus_bleu(ours, [theirs]).score)
    assert chrf(ours, theirs) == pytest.approx(sacrebleu.corpus_chrf(ours, [theirs]).score)
    assert bleu(theirs, theirs) == pytest.approx(100) and chrf(theirs, theirs) == pytest.approx(100)


@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=6))
def test_any_corpus(pairs: list[tuple[str, str]]) -> None:
    ours, theirs = map(list, zip(*pairs, strict=True))
    assert bleu(ours, theirs) == pytest.approx(sacrebleu.corpus_bleu(ours, [theirs]).score)
    assert chrf(ours, theirs) == pytest.approx(sacrebleu.corpus_chrf(ours, [theirs]).score)


def test_translations_without_references_are_refused() -> None:
    for measure in (bleu, chrf):
        with pytest.raises(ValueError, match="got 1 translations and 2 references"):
            measure(["a"], ["a", "b"])
        with pytest.raises(ValueError, match="at least one"):
            measure([], [])
