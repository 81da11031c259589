"""`BPETokenizer` on texts: the laws it keeps, the ids of `tokenizers`, and what it refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.awkward import AWKWARD, LONE_SURROGATES
from tests.inputs.tokenization.peers import (
    any_text,
    hf_merges,
    hf_train,
    mixed_texts,
    our_merges,
    settled_text,
    short,
)
from tokenizers import Tokenizer as HFTokenizer

from plainformer.data import python_manual
from plainformer.inputs.tokenization import BPETokenizer
from plainformer.inputs.tokenization.bpe import CACHE_SIZE, CACHED_LENGTH

SPECIAL = ["<unk>", "<|endoftext|>"]


@pytest.fixture(scope="module")
def english() -> str:
    return python_manual()


@pytest.fixture(scope="module")
def ours(english: str) -> BPETokenizer:
    return BPETokenizer.train(english, 1500, special_tokens=SPECIAL)


@pytest.fixture(scope="module")
def peer(english: str) -> HFTokenizer:
    peer = hf_train([english], 1500, special_tokens=SPECIAL)
    peer.encode_special_tokens = True  # special tokens in a text are text, as with ours
    return peer


# The same as the production library


def test_tinyshakespeare_as_tokenizers_does_it(tinyshakespeare: str) -> None:
    ours = BPETokenizer.train(tinyshakespeare, 4096)
    peer = hf_train([tinyshakespeare], 4096)
    assert len(ours.merges) == len(ours.merge_counts) == 4096 - 256
    assert our_merges(ours) == hf_merges(peer)
    ids = ours.encode(tinyshakespeare)
    assert ids == peer.encode(tinyshakespeare).ids
    assert ours.decode(ids) == tinyshakespeare


def test_english_as_tokenizers_does_it(ours: BPETokenizer, peer: HFTokenizer, english: str) -> None:
    assert our_merges(ours) == hf_merges(peer)
    assert ours.encode(english) == peer.encode(english).ids
    assert ours.vocab_size == peer.get_vocab_size() == 1500


@pytest.mark.parametrize("text", AWKWARD, ids=short)
def test_awkward_texts(ours: BPETokenizer, peer: HFTokenizer, text: str) -> None:
    ids = ours.encode(text)
    assert ours.decode(ids) == text
    assert ids == peer.encode(text).ids


@given(text=settled_text)
def test_ids_as_tokenizers_has_them(ours: BPETokenizer, peer: HFTokenizer, text: str) -> None:
    ids = ours.encode(text)
    assert ids == peer.encode(text).ids
    assert ours.decode(ids) == peer.decode(ids)


@pytest.mark.parametrize("unit", ["a", "the"])
def test_a_long_text_without_a_space(ours: BPETokenizer, peer: HFTokenizer, unit: str) -> None:
    text = unit * (2**17 // len(unit))
    ids = ours.encode(text)
    assert ids == peer.encode(text).ids
    assert ours.decode(ids) == text


# Laws


@given(text=any_text)
def test_decode_undoes_encode(ours: BPETokenizer, text: str) -> None:
    assert ours.decode(ours.encode(text)) == text
    assert ours.decode(ours.encode(text, allowed_special="all")) == text


@given(text=any_text)
def test_tokens_join_to_the_text_unless_bytes_are_split(ours: BPETokenizer, text: str) -> None:
    tokens = ours.tokens(text)
    assert len(tokens) == len(ours.encode(text))
    if not any(token.startswith("<0x") for token in tokens):
        assert "".join(tokens) == text


@given(text=mixed_texts)
def test_characters_undo_too(text: str) -> None:
    tokenizer = BPETokenizer.train(text, 50, byte_level=False)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert "".join(tokenizer.tokens(text)) == text


def test_the_cache_changes_nothing_and_stays_bounded(english: str) -> None:
    tokenizer = BPETokenizer.train(english, 400)
    first = tokenizer.encode(english)
    assert tokenizer.encode(english) == first
    assert max(map(len, tokenizer._cache)) <= CACHED_LENGTH
    tokenizer.encode(" ".join(map(str, range(2 * CACHE_SIZE))))
    assert 0 < len(tokenizer._cache) <= CACHE_SIZE
    assert tokenizer.encode(english) == first
    assert pickle.loads(pickle.dumps(tokenizer)).encode(english) == first


def test_a_result_can_be_changed_without_harm(ours: BPETokenizer) -> None:
    ids = ours.encode("cat")
    ids.append(0)
    assert ours.encode("cat") == ids[:-1]


def test_bytes_that_are_no_text(ours: BPETokenizer) -> None:
    ids = [ours.vocab[bytes([byte])] for byte in "€".encode()]
    assert ours.decode(ids) == "€"
    assert ours.decode(ids[:2] + ids) == "\ufffd€"
    assert ours.tokens("\U0010ffff")[-1].endswith("<0xBF>")


# Training


def test_ids_are_special_tokens_then_alphabet_then_merges() -> None:
    tokenizer = BPETokenizer.train("hug pug", 259, special_tokens=SPECIAL)
    assert tokenizer.special_tokens == {"<unk>": 0, "<|endoftext|>": 1}
    assert tokenizer.vocab[b"!"] == 2  # the first of the byte alphabet
    assert tokenizer.vocab[b"ug"] == 258
    assert tokenizer.merges == [(b"u", b"g")]
    assert tokenizer.merge_counts == [2]


def test_training_ends_when_nothing_is_left_to_merge() -> None:
    assert BPETokenizer.train("aaa", 1000).merges == [(b"a", b"a"), (b"aa", b"a")]
    assert BPETokenizer.train([], 1000).vocab_size == 256


def test_no_merge_makes_a_special_token() -> None:
    # `tokenizers` gives the merge "<un" + "k>" the id of the special token "<unk>".
    text = "the <unk> and the <unk> " * 5
    for byte_level in (True, False):
        tokenizer = BPETokenizer.train(
            text, 300, special_tokens=["<unk>"], pattern=r"\S+|\s+", byte_level=byte_level
        )
        assert "<unk>" not in tokenizer.tokens(text)
        assert tokenizer.special_tokens["<unk>"] not in tokenizer.encode(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text


# Special tokens


def test_special_tokens_are_text_unless_allowed(ours: BPETokenizer) -> None:
    text = "one<|endoftext|>two <unk>"
    plain = ours.encode(text)
    assert not {0, 1} & {*plain}
    assert {0, 1} <= {*ours.encode(text, allowed_special="all")}
    ids = ours.encode(text, allowed_special={"<|endoftext|>"})
    assert 1 in ids
    assert 0 not in ids
    assert ours.tokens(text, allowed_special=["<|endoftext|>"])[:2] == ["one", "<|endoftext|>"]
    assert ours.decode(plain) == ours.decode(ids) == text


def test_what_is_allowed_may_come_from_a_generator(ours: BPETokenizer) -> None:
    text = "one<|endoftext|>"
    ids = ours.encode(text, allowed_special=(token for token in SPECIAL))
    assert ids == ours.encode(text, allowed_special="all")


@given(texts=st.lists(st.sampled_from([*SPECIAL, "<", ">", "unk", "text", " "]), max_size=12))
def test_allowing_as_tokenizers_does(
    ours: BPETokenizer, peer: HFTokenizer, texts: list[str]
) -> None:
    text = "".join(texts)
    peer.encode_special_tokens = False
    theirs = peer.encode(text).ids
    peer.encode_special_tokens = True
    assert ours.encode(text, allowed_special="all") == theirs
    assert ours.encode(text) == peer.encode(text).ids


def test_allowing_what_is_not_there(ours: BPETokenizer) -> None:
    with pytest.raises(ValueError, match=r"allowed_special must name special tokens.*got '<s>'"):
        ours.encode("a", allowed_special=["<s>"])
    with pytest.raises(TypeError, match="must be \"all\" or a collection of str; got '<unk>'"):
        ours.encode("a", allowed_special="<unk>")
    with pytest.raises(TypeError, match='must be "all" or a collection of str; got 5'):
        ours.encode("a", allowed_special=5)  # type: ignore[arg-type]  # the mistake under test


# Characters instead of bytes


def test_characters_as_tokenizers_does_it(english: str) -> None:
    ours = BPETokenizer.train(english, 600, byte_level=False, special_tokens=["<unk>"])
    peer = hf_train([english], 600, byte_level=False, special_tokens=["<unk>"])
    assert our_merges(ours) == hf_merges(peer)
    assert ours.vocab | ours.special_tokens == peer.get_vocab()
    peer.encode_special_tokens = True
    for text in [english, *AWKWARD]:
        ids = ours.encode(text)
        assert ids == peer.encode(text).ids
        assert ours.decode(ids) == peer.decode(ids, skip_special_tokens=False)


def test_a_character_not_met_in_training() -> None:
    tokenizer = BPETokenizer.train("aab", 3, byte_level=False)
    with pytest.raises(ValueError, match=r"got 'c', which is not in it.*<unk>"):
        tokenizer.encode("abc")
    tokenizer = BPETokenizer.train("aab", 4, byte_level=False, special_tokens=["<unk>"])
    assert tokenizer.tokens("abcca") == ["a", "b", "<unk>", "<unk>", "a"]


# Mistakes


def test_training_refuses() -> None:
    train = BPETokenizer.train
    with pytest.raises(ValueError, match=r"vocab_size must be at least 257: 1 special.*got 256"):
        train("a", 256, special_tokens=["<s>"])
    with pytest.raises(ValueError, match=r"vocab_size must be at least 3: 0 special.*got 2"):
        train("abc", 2, byte_level=False)
    with pytest.raises(TypeError, match="vocab_size must be a whole number; got '300'"):
        train("a", "300")  # type: ignore[arg-type]
    assert train("a", np.int64(300)).vocab_size == 256  # type: ignore[arg-type]  # does as an int
    with pytest.raises(ValueError, match="contain one another; got '<s>' inside '<s><s>'"):
        train("a", 300, special_tokens=["<s><s>", "<s>"])
    with pytest.raises(ValueError, match="special_tokens must be different; got"):
        train("a", 300, special_tokens=["<s>", "<s>"])
    with pytest.raises(ValueError, match="special_tokens must not be empty; got ''"):
        train("a", 300, special_tokens=["<s>", ""])
    with pytest.raises(TypeError, match="special_tokens must be a collection of str; got '<s>'"):
        train("a", 300, special_tokens="<s>")
    with pytest.raises(TypeError, match="special_tokens must be a collection of str; got 5"):
        train("a", 300, special_tokens=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="each of special_tokens must be a str; got int"):
        train("a", 300, special_tokens=[3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="written like ordinary tokens; got 'a'"):
        train("a", 300, special_tokens=["a"])
    with pytest.raises(ValueError, match="written like ordinary tokens; got 'a'"):
        train("a", 300, special_tokens=["a"], byte_level=False)
    for text in LONE_SURROGATES:
        with pytest.raises(ValueError, match="each of texts must not contain lone surrogates"):
            train(text, 300)
    with pytest.raises(TypeError, match="texts must be a str or an iterable of str; got NoneType"):
        train(None, 300)  # type: ignore[arg-type]


def test_a_small_vocabulary_is_refused_before_a_long_corpus_is_read() -> None:
    with pytest.raises(ValueError, match="vocab_size must be at least 256"):
        BPETokenizer.train(iter(lambda: pytest.fail("was read"), None), 255)


@pytest.mark.parametrize(
    ("vocab", "merges", "options", "message"),
    [
        ({"a": 0, "b": 0}, [], {}, "ids must be different; got 0 for both 'a' and 'b'"),
        ({"a": -1}, [], {}, r"ids must be integers from 0 to 2\*\*32 - 1; got -1 for 'a'"),
        ({"a": 0.5}, [], {}, "ids must be integers from 0 .* got 0.5"),
        ({"a": 2**32}, [], {}, "ids must be integers from 0 .* got 4294967296"),
        ({"a": 0}, [], {"special_tokens": {"<s>": 2**70}}, "got 1180591620717411303424 for '<s>'"),
        ({"a": 0}, [], {"special_tokens": {"<s>": 0}}, "got 0 for both 'a' and '<s>'"),
        ({"": 0}, [], {}, "vocab must not have an empty token"),
        ({"a": 0}, [("a", "b")], {}, "got .* and no 'b' in it"),
        ({"a": 0, "b": 1}, [("a", "b")], {}, "got .* and no 'ab' in it"),
        ({"a": 0, "aa": 1}, [("a", "a"), ("a", "a")], {}, "must be different; got .* twice"),
        ({"a": 0}, [], {"merge_counts": [1, 2]}, "one count for each of 0 merges, or none; got 2"),
        ({"a": 0}, [], {"unk_token": "<unk>"}, "unk_token must be one of special_tokens"),
        ({"a": 0}, [], {"pattern": "("}, "pattern must be a regular expression"),
    ],
)
def test_parts_that_do_not_fit(
    vocab: dict[str, int],
    merges: list[tuple[str, str]],
    options: dict[str, object],
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        BPETokenizer(vocab, merges, byte_level=False, **options)  # type: ignore[arg-type]


def test_tokens_of_the_wrong_type() -> None:
    with pytest.raises(TypeError, match="vocab must have bytes for tokens; got 'a'"):
        BPETokenizer({"a": 0}, [])
    vocab = {"a": 0, "b": 1, "ab": 2}
    for merge in ("ab", ("a", "b", "ab"), ("a", b"b"), 5):
        with pytest.raises(TypeError, match=r"merges must be pairs of str; got \S"):
            BPETokenizer(vocab, [merge], byte_level=False)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="vocab must map tokens to ids; got list"):
        BPETokenizer([("a", 0)], [])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="special_tokens must map tokens to ids; got list"):
        BPETokenizer({b"a": 0}, [], special_tokens=["<s>"])  # type: ignore[arg-type]
