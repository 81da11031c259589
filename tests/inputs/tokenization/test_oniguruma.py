"""Patterns in a `tokenizer.json`: the same cuts on both sides, or a refusal that quotes a part."""

from pathlib import Path

import pytest
import regex
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.inputs.tokenization.peers import hf_pieces

from plainformer.inputs.tokenization import BPETokenizer, pre_tokenize
from plainformer.inputs.tokenization.oniguruma import PUBLISHED, from_oniguruma, to_oniguruma

ATOMS = st.sampled_from(
    ["a", "b", "1", " ", r"\n", ".", r"\s", r"\S", r"\d", r"\p{L}", r"\p{^L}", r"\P{N}", r"\w",
     "[ab]", "[^a]", "[]a]", "[^]1]", r"[\s1]", r"[^\r\n\p{L}]", r"\.", r"\-", "é", r"\x41",
     r"\u00e9", "(?:a|1)", "(?>a|ab)", "(?i:ab)"]
)  # fmt: skip
LOOKS = st.sampled_from([r"\A", "(?=a)", r"(?!\s)", "(?<=a)", r"(?<!\n)"])
REPEATS = st.sampled_from(
    ["", "", "", "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+",
     "{2}", "{1,2}", "{1,}", "{,2}"]
)  # fmt: skip
TEXTS = st.text(alphabet="aAb1 \n\r&[]é.-", max_size=12)


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Patterns in which only what takes up room is repeated: else each goes on in its own way."""
    repeated = st.builds("".join, st.tuples(ATOMS, REPEATS))
    roomy = st.lists(repeated, min_size=1, max_size=3).map("".join)
    row = st.lists(repeated | LOOKS, min_size=1, max_size=4).map("".join)
    group = st.builds("(?:{}|{}){}".format, roomy, roomy, REPEATS)
    return "|".join(draw(st.lists(row | group, min_size=1, max_size=3)))


def cut_here(pattern: str, text: str) -> list[str]:
    """Where we cut, unless a match is empty: then the two go on in different ways."""
    assume(all(found[0] for found in regex.finditer(pattern, text)))
    return list(pre_tokenize(text, pattern))


def is_pattern_here(pattern: str) -> bool:
    try:
        regex.compile(pattern)
    except regex.error:
        return False
    return True


@given(patterns(), st.lists(TEXTS, max_size=4))
def test_what_means_the_same_cuts_the_same(pattern: str, texts: list[str]) -> None:
    assume(is_pattern_here(pattern))
    assert to_oniguruma(pattern) == from_oniguruma(pattern) == pattern
    for text in texts:
        assert cut_here(pattern, text) == hf_pieces(text, pattern)


@pytest.mark.parametrize("pattern", PUBLISHED, ids=["GPT-2", "GPT-4"])
def test_published_patterns_give_the_same_ids(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "tokenizer.json"
    text = "1234567 cats, 89 dogs' tails;\n\n  isn't it?  \n"
    ours = BPETokenizer.train(text * 3, 300, pattern=pattern)
    ours.save(path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    assert BPETokenizer.load(path).pattern == pattern
    for each in (text, "1234567", "we'LL\r\n see  ", "  \n"):
        assert theirs.encode(each).ids == ours.encode(each) == BPETokenizer.load(path).encode(each)


def test_case_may_count_in_one_part_and_not_in_another(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    pattern = r"\p{Lu}+|(?i:'s|'LL)|\p{Ll}+|\s+"
    ours = BPETokenizer.train("Hello hello HE'LL ' S's", 262, pattern=pattern)
    ours.save(path)
    text = "HELLO Hello he'll HE'LL's"
    assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == ours.encode(text)


@pytest.mark.parametrize(
    ("pattern", "rest"),
    [
        (r" \h+", r"\h+"),
        ("^a", "^a"),
        ("a$", "$"),
        (r"a\Z", r"\Z"),
        ("(?m:.)", "(?m:.)"),
        ("a(?i)b", "(?i)b"),
        ("(?P<n>a)", "(?P<n>a)"),
        (r"[\b]", r"[\b]"),
        ("[a&&b]", "[a&&b]"),
        ("[[a-c]d]", "[[a-c]d]"),
        ("[[:digit:]]+", "[[:digit:]]+"),
        (r"\x{e9}", r"\x{e9}"),
        (r"\p{Script=Latin}", r"\p{Script=Latin}"),
        (r"\p{XDigit}+", r"\p{XDigit}+"),
        (r"(?i:a|[\p{Lu}b])", r"(?i:a|[\p{Lu}b])"),
        ("a{1,3}+", "{1,3}+"),
        ("a{2}?", "{2}?"),
        ("a{,}", "{,}"),
        ("(?:cat){e<=1}", "{e<=1}"),
        (r"(a)\1", r"(a)\1"),
    ],
)
def test_what_may_mean_something_else_is_quoted(tmp_path: Path, pattern: str, rest: str) -> None:
    for translate in (to_oniguruma, from_oniguruma):
        with pytest.raises(ValueError, match="pattern must mean the same") as refusal:
            translate(pattern)
        assert f"does; {rest[:20]!r} may" in str(refusal.value)
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ValueError, match="pattern must mean the same"):
        BPETokenizer.train("ab", 256, pattern="a{2}?").save(path)
    assert not path.exists()
