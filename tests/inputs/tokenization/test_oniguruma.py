"""Patterns in a `tokenizer.json`: the same cuts on both sides, or a refusal that names the part."""

import json
from pathlib import Path

import pytest
import regex
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st

from plainformer.inputs.tokenization import BPETokenizer, pre_tokenize
from plainformer.inputs.tokenization.oniguruma import from_oniguruma, to_oniguruma

# As published with tiktoken.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


def their_cuts(pattern: str, text: str) -> list[str]:
    """Where `tokenizers` cuts: the pieces, and what lies between them."""
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


ATOMS = st.sampled_from(
    ["a", "b", "1", " ", r"\n", ".", r"\s", r"\S", r"\d", r"\p{L}", r"\p{^L}", r"\P{N}", r"\w",
     "[ab]", "[^a]", "[]a]", "[^]1]", r"[\s1]", r"[^\r\n\p{L}]", r"\.", r"\-", "é", r"\x41",
     r"\u00e9", "(?:a|1)", "(?>a|ab)", "(?i:ab)"]
)  # fmt: skip
LOOKS = st.sampled_from(["(?=a)", r"(?!\s)", "(?<=a)", r"(?<!\n)"])
REPEATS = st.sampled_from(
    ["", "", "", "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+",
     "{2}", "{1,2}", "{1,}", "{,2}", "{2}?", "{1,2}?", "{1,3}+", "{2}+", "{1,}+"]
)  # fmt: skip
# What only one of the two has, or reads in its own way.
OURS = st.sampled_from(["^", "$", r"\A", r"\Z", "[a&&b]", "[[a]", "(?s:.)", "(?si:a.)", "(?-s:.)"])
THEIRS = st.sampled_from(["^", "$", r"\A", r"\Z", r"\z", r"\h", r"\x{e9}", "(?m:.)", "(?mi:a.)"])
TEXTS = st.text(alphabet="aAb1 \n\r&[]é.-", max_size=12)


def patterns(special: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns in which only what takes up room is repeated: else each goes on in its own way."""
    repeated = st.builds("".join, st.tuples(ATOMS, REPEATS))
    roomy = st.lists(repeated, min_size=1, max_size=3).map("".join)
    row = st.lists(repeated | special | LOOKS, min_size=1, max_size=4).map("".join)
    group = st.builds("(?:{}|{}){}".format, roomy, roomy, REPEATS)
    return st.lists(row | group, min_size=1, max_size=3).map("|".join)


def cut_here(pattern: str, text: str) -> list[str]:
    """Where we cut, unless a match is empty: then the two go on in different ways."""
    assume(all(found[0] for found in regex.finditer(pattern, text)))
    return list(pre_tokenize(text, pattern))


def is_pattern_there(pattern: str) -> bool:
    try:
        tokenizers.Regex(pattern)
    except Exception:
        return False
    return True


def is_pattern_here(pattern: str) -> bool:
    try:
        regex.compile(pattern)
    except regex.error:
        return False
    return True


@given(patterns(OURS), st.lists(TEXTS, max_size=4))
def test_what_is_saved_cuts_there_as_here(pattern: str, texts: list[str]) -> None:
    assume(is_pattern_here(pattern))
    saved = to_oniguruma(pattern)
    for text in texts:
        assert cut_here(pattern, text) == their_cuts(saved, text)


@given(patterns(THEIRS), st.lists(TEXTS, max_size=4))
def test_what_is_read_cuts_here_as_there(pattern: str, texts: list[str]) -> None:
    assume(is_pattern_there(pattern))
    read = from_oniguruma(pattern)
    for text in texts:
        assert cut_here(read, text) == their_cuts(pattern, text)


@given(patterns(OURS))
def test_saved_and_read_again_it_cuts_the_same(pattern: str) -> None:
    assume(is_pattern_here(pattern))
    again = from_oniguruma(to_oniguruma(pattern))
    for text in ("a1 b\n", "AB12\n\n", "é&[a]\nb1"):
        assert list(pre_tokenize(text, again)) == list(pre_tokenize(text, pattern))


def test_the_pattern_of_cl100k_gives_the_same_ids(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    text = "1234567 cats, 89 dogs' tails;\n\n  isn't it?  \n"
    ours = BPETokenizer.train(text * 3, 300, pattern=CL100K)
    ours.save(path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    for each in (text, "1234567", "we'LL\r\n see  ", "  \n"):
        assert theirs.encode(each).ids == ours.encode(each) == BPETokenizer.load(path).encode(each)


def test_case_may_count_in_one_part_and_not_in_another(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    pattern = r"\p{Lu}+|(?i:'s|'LL)|(?i:(?-i:\p{Lt})x)|\p{Ll}+|\s+"
    ours = BPETokenizer.train("Hello hello HE'LL ' S's", 262, pattern=pattern)
    ours.save(path)
    text = "HELLO Hello he'll HE'LL's"
    assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == ours.encode(text)


def test_a_pattern_of_theirs_gives_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    BPETokenizer.train("1234567 12345", 262, pattern="[0-9]{1,3}").save(path)
    content = json.loads(path.read_text())
    content["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": "[0-9]{1,3}+"}
    path.write_text(json.dumps(content))
    theirs = tokenizers.Tokenizer.from_file(str(path))
    assert BPETokenizer.load(path).encode("1234567") == theirs.encode("1234567").ids


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        (r"\h+", r"\h"),
        ("(?m:^a)", "(?m:"),
        ("a(?i)b", "(?i)"),
        (r"\N", r"\N"),
        (r"[\b]", r"\b between square brackets"),
        (r"\p{Script=Latin}", r"\p{Script=Latin}"),
        ("(?P<n>a)", "(?P"),
        ("(?:cat){e<=1}", "{e<=1}"),
        ("[[:digit:]]+", "[:digit:]"),
        (r"\p{XDigit}+", r"\p{XDigit}"),
        (r"(?i:a|[\p{Lu}b])", r"\p{Lu} without regard to case"),
        (r"(?i)a(?-i:\p{Lu})\p{Ll}", r"\p{Ll} without regard to case"),
        ("a{,}", "{,}"),
    ],
)
def test_what_has_no_translation_is_refused_by_name(
    tmp_path: Path, pattern: str, named: str
) -> None:
    with pytest.raises(ValueError, match="pattern") as refusal:
        to_oniguruma(pattern)
    assert named in str(refusal.value)
    if "<" not in pattern:
        tokenizer = BPETokenizer.train("ab", 256, pattern=pattern)
        with pytest.raises(ValueError, match="pattern"):
            tokenizer.save(tmp_path / "tokenizer.json")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("[a&&b]", "&"),
        ("[[a-c]d]", "["),
        ("(?x: a)", "(?x:"),
        ("(?:cat){e<=1}", "{e<=1}"),
        (r"\O", r"\O"),
        (r"\1", r"\1"),
    ],
)
def test_what_a_file_may_not_ask_for(pattern: str, named: str) -> None:
    with pytest.raises(ValueError, match="pattern") as refusal:
        from_oniguruma(pattern)
    assert named in str(refusal.value)
