"""BPEMerges in Python: its traits, its mistakes, its picture, and its steps against `encode`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.awkward import AWKWARD, LONE_SURROGATES

from plainformer.inputs import BPETokenizer
from plainformer.widgets import BPEMerges
from plainformer.widgets.bpe_merges.replay import Replay
from plainformer.widgets.bpe_merges.widget import MAX_TEXT


@pytest.mark.parametrize("text", AWKWARD)
def test_the_last_step_is_what_encode_returns(tokenizer: BPETokenizer, text: str) -> None:
    widget = BPEMerges(tokenizer, text=text)
    assert widget.ids == tokenizer.encode(text)
    assert widget.tokens == tokenizer.tokens(text)


@pytest.mark.parametrize("text", AWKWARD)
def test_characters_too(character_tokenizer: BPETokenizer, text: str) -> None:
    widget = BPEMerges(character_tokenizer, text=text)
    assert widget.ids == character_tokenizer.encode(text)


def test_steps_go_by_rank_and_count_down(tokenizer: BPETokenizer) -> None:
    text = "The cat that I saw isn't a lovely cat, is it?"
    steps = Replay(tokenizer, text).steps
    ranks = [step.rank for step in steps]
    assert ranks == sorted(set(ranks))
    assert [tokenizer.merges[rank] for rank in ranks] == [(s.left, s.right) for s in steps]
    for number, step in enumerate(steps, start=1):
        assert len(Replay(tokenizer, text).symbols(number)) == step.tokens


@given(st.text(max_size=40))
def test_every_step_spells_the_text(tokenizer: BPETokenizer, text: str) -> None:
    replay = Replay(tokenizer, text)
    for step in range(len(replay.steps) + 1):
        assert b"".join(replay.symbols(step)).decode() == text


def test_a_merge_whose_token_came_earlier_by_another_way() -> None:
    # "ab" + "c" and "a" + "bc" make the same token, and the second of them has the higher rank:
    # what it makes can then be merged by a rule of lower rank, before the next place is reached.
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "abca": 6}
    merges = [("b", "c"), ("ab", "c"), ("abc", "a"), ("a", "bc")]
    tokenizer = BPETokenizer(vocab, merges, byte_level=False)
    assert BPEMerges(tokenizer, text="abcabc").ids == tokenizer.encode("abcabc")


def test_the_traits_are_live(tokenizer: BPETokenizer) -> None:
    widget = BPEMerges(tokenizer, text="lovely")
    assert widget.step is None
    widget.step = 0
    assert widget.tokens == list("lovely")
    widget.text = "cat"
    assert widget.tokens == ["c", "a", "t"]
    widget.step = None
    assert widget.ids == tokenizer.encode("cat")


def test_a_shorter_text_goes_to_its_last_step(tokenizer: BPETokenizer) -> None:
    widget = BPEMerges(tokenizer, text="a long sentence with many merges")
    widget.step = widget.last_step
    widget.text = "a b"
    assert widget.step is None


def test_a_text_that_is_too_long_is_not_encoded_first(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = BPEMerges(BPETokenizer.train("a cat", 257))
    monkeypatch.setattr(BPETokenizer, "encode", lambda *_: pytest.fail("was encoded"))
    with pytest.raises(ValueError, match="text must have at most 10,000 characters; got 10,001"):
        widget.text = "x" * (MAX_TEXT + 1)


@pytest.mark.parametrize("text", LONE_SURROGATES)
def test_lone_surrogates_are_refused(tokenizer: BPETokenizer, text: str) -> None:
    with pytest.raises(ValueError, match="text must not contain lone surrogates"):
        BPEMerges(tokenizer, text=text)


def test_what_is_no_tokenizer() -> None:
    with pytest.raises(TypeError, match="tokenizer must be a BPETokenizer; got str"):
        BPEMerges("cat")  # type: ignore[arg-type]  # the mistake under test


def test_a_character_without_a_token() -> None:
    tokenizer = BPETokenizer.train("a cat", 6, byte_level=False)
    with pytest.raises(ValueError, match="'é'"):
        BPEMerges(tokenizer, text="é")


def test_tokens_that_no_merge_makes_are_refused() -> None:
    tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2}, [], byte_level=False, ignore_merges=True)
    with pytest.raises(ValueError, match="tokenizer must make its tokens by merges alone"):
        BPEMerges(tokenizer, text="ab")


@pytest.mark.parametrize("pattern", [r"\w+|\s+", r"(?i:a)|.", r"\p{L}++", r"a$", r"\p{Han}+"])
def test_a_pattern_that_a_browser_reads_otherwise_is_refused(pattern: str) -> None:
    tokenizer = BPETokenizer.train("a cat", 256, pattern=pattern)
    with pytest.raises(ValueError, match="pattern must be one that a browser can run"):
        BPEMerges(tokenizer, text="a")


def test_the_picture_shows_every_token_and_escapes_it(tokenizer: BPETokenizer) -> None:
    widget = BPEMerges(tokenizer, text='<b> cat & "mouse"')
    html = widget.fallback()
    assert "<b>" not in html
    assert 'role="img"' in html
    assert html.count("<sub>") == len(widget.ids)
    for number in widget.ids:
        assert f"<sub>{number}</sub>" in html
    assert f"{len(widget.ids)} tokens" in widget.description()


def test_the_picture_of_no_text(tokenizer: BPETokenizer) -> None:
    assert "0 tokens" in BPEMerges(tokenizer, text="").fallback()


def test_the_picture_of_a_long_text_says_how_much_it_leaves_out(tokenizer: BPETokenizer) -> None:
    widget = BPEMerges(tokenizer, text="a cat " * 300)
    html = widget.fallback()
    assert html.count("<sub>") == 200
    assert f"… and {len(widget.ids) - 200:,} more" in html
