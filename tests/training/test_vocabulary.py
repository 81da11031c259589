"""Words to ids and back, in two languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.data import sentence_pairs
from plainformer.inputs import Tokenizer
from plainformer.training import SPECIAL_TOKENS, Vocabulary


def test_the_running_example():
    vocabulary = Vocabulary.build(["your cat is a lovely cat"])
    assert vocabulary.vocab == {
        "<pad>": 0, "<unk>": 1, "<sos>": 2, "<eos>": 3,
        "cat": 4, "a": 5, "is": 6, "lovely": 7, "your": 8,
    }  # fmt: skip
    assert vocabulary.encode("your cat is a lovely cat") == [8, 4, 6, 5, 7, 4]
    assert vocabulary.tokens("your dog") == ["your", "<unk>"]


def test_it_is_a_tokenizer():
    assert isinstance(Vocabulary(["cat"]), Tokenizer)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("un'oca e l'albero", ["un'", "oca", "e", "l'", "albero"]),
        ("c'è nell'acqua", ["c'", "è", "nell'", "acqua"]),
        ("marco's cat", ["marco", "'s", "cat"]),
        ("don't, they'll!", ["don", "'t", ",", "they", "'ll", "!"]),
        ("l’oca", ["l’", "oca"]),
        ("", []),
    ],
)
def test_an_apostrophe_parts_two_words(text, tokens):
    vocabulary = Vocabulary.build(text or "x")
    assert vocabulary.tokens(text) == tokens
    assert vocabulary.decode(vocabulary.encode(text)) == text


def test_every_sentence_of_the_grammar_comes_back():
    pairs = sentence_pairs(2_000)
    sentences = [side for pair in pairs for side in (pair.english, pair.italian)]
    vocabulary = Vocabulary.build(sentences)
    for sentence in sentences:
        assert vocabulary.decode(vocabulary.encode(sentence)) == sentence


@given(st.text(alphabet="abè' ’.,\n"), st.integers(1, 3))
def test_rare_words_are_unknown_and_no_other(text, least):
    vocabulary = Vocabulary.build(text, minimum_count=least)
    everything = Vocabulary.build(text)
    words = everything.tokens(text)
    assert vocabulary.tokens(text) == [w if words.count(w) >= least else "<unk>" for w in words]
    assert "<unk>" not in words


def test_a_maximum_keeps_the_most_frequent():
    vocabulary = Vocabulary.build("b a a c b a", maximum_size=6)
    assert list(vocabulary.vocab) == [*SPECIAL_TOKENS, "a", "b"]
    assert vocabulary.vocab_size == 6


def test_what_is_typed_is_never_a_special_token():
    vocabulary = Vocabulary.build("<pad> <eos> <unk>")
    assert vocabulary.encode("<eos>")[0] == vocabulary.vocab["<"]
    assert not set(vocabulary.encode("<pad> <eos> <unk>")) & {0, 2, 3}


def test_decoding_ends_where_the_sentence_does():
    vocabulary = Vocabulary(["il", "gatto"])
    assert vocabulary.decode([2, 4, 5, 3, 4, 4]) == "il gatto"
    assert vocabulary.decode([4, 1, 0, 0]) == "il <unk>"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: Vocabulary(["a", "a"]), ValueError, "'a' occurs twice"),
        (lambda: Vocabulary(["<pad>"]), ValueError, "'<pad>' is a special token"),
        (lambda: Vocabulary([3]), TypeError, "each of words must be a str; got int"),
        (lambda: Vocabulary.build([None]), TypeError, "each of texts must be a str"),
        (lambda: Vocabulary.build("a", minimum_count=0), ValueError, "minimum_count"),
        (lambda: Vocabulary.build("a", maximum_size=4), ValueError, "must be 5 or more; got 4"),
        (lambda: Vocabulary(["a"]).decode([9]), ValueError, "got 9 at position 0"),
        (lambda: Vocabulary(["a"]).encode(9), TypeError, "text must be a str; got int"),
    ],
)
def test_mistakes_are_named(call, error, says):
    with pytest.raises(error, match=says):
        call()
