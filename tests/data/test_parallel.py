"""Parallel text of the reader's: what is read, what is dropped, and what is said of bad files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.data import clean_pairs, load_pairs


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_two_files_line_by_line(tmp_path):
    english = write(tmp_path / "train.en", "your cat\n\na dog\n")
    italian = write(tmp_path / "train.it", "il tuo gatto\n\nun cane")  # no line end at the end
    expected = [("your cat", "il tuo gatto"), ("", ""), ("a dog", "un cane")]
    assert load_pairs(english, italian) == expected
    assert load_pairs(str(english), str(italian)) == expected


def test_files_from_windows_with_a_mark_in_front(tmp_path):
    english = write(tmp_path / "a.en", "\ufeffyour cat\r\na dog\r\n")
    italian = write(tmp_path / "a.it", "il tuo gatto\nun cane\n")
    assert load_pairs(english, italian) == [("your cat", "il tuo gatto"), ("a dog", "un cane")]


def test_only_line_ends_end_a_line(tmp_path):
    """str.splitlines would cut at these, too, and every pair after them would be wrong."""
    english = write(tmp_path / "a.en", "one\u2028still one\x0cstill one\ntwo\n")
    italian = write(tmp_path / "a.it", "uno\ndue\n")
    assert load_pairs(english, italian)[1] == ("two", "due")


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a dog\tun cane\n", ("a dog", "un cane")),
        (
            "a dog\tun cane\tCC-BY 2.0 (France) Attribution: tatoeba.org\n",
            ("a dog", "un cane"),
        ),
        ("1276\ta dog\t4371\tun cane\n", ("a dog", "un cane")),
        ("a dog\tun cane\tx\n\n", ("a dog", "un cane")),
    ],
)
def test_tables(tmp_path, text, pair):
    assert load_pairs(write(tmp_path / "pairs.tsv", text)) == [pair]


def test_lines_that_do_not_pair(tmp_path):
    english = write(tmp_path / "a.en", "one\ntwo\nthree\n")
    italian = write(tmp_path / "a.it", "uno\ndue\n")
    with pytest.raises(ValueError, match=r"a\.it ends after line 2, and \S*a\.en has 3"):
        load_pairs(english, italian)


def test_another_encoding_names_file_and_line(tmp_path):
    english = write(tmp_path / "a.en", "one\nis\n")
    italian = write(tmp_path / "a.it", "uno\nè\n", "latin-1")
    with pytest.raises(ValueError, match=r"a\.it, line 2: expected UTF-8 text; byte 1 .* 0xe8"):
        load_pairs(english, italian)


def test_a_line_without_a_tab_names_file_and_line(tmp_path):
    table = write(tmp_path / "pairs.tsv", "a dog\tun cane\nyour cat, il tuo gatto\n")
    with pytest.raises(ValueError, match=r"pairs\.tsv, line 2: expected 2 columns .* got 1"):
        load_pairs(table)


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file(tmp_path, text):
    with pytest.raises(ValueError, match=r"a\.tsv is empty; expected a sentence on each line"):
        load_pairs(write(tmp_path / "a.tsv", text))


def test_other_mistakes(tmp_path):
    table = write(tmp_path / "a.tsv", "a\tb\n")
    with pytest.raises(FileNotFoundError, match=r"there is no file \S*none\.en"):
        load_pairs(tmp_path / "none.en", table)
    with pytest.raises(ValueError, match="is a folder; expected an ordinary file"):
        load_pairs(tmp_path)
    with pytest.raises(TypeError, match="must be a string or a path; got int"):
        load_pairs(3)


def test_cleaning_says_why():
    kept, dropped = clean_pairs(
        [
            ("  your   cat ", "il tuo gatto\u00a0"),
            ("your cat", "il tuo gatto"),
            ("", "vuoto"),
            ("two", "  "),
            ("click here click here", "click here click here"),
            ("Roma", "Roma"),
            ("yes", "sì, è proprio così come dicevi tu"),
            ("no " * 41, "no " * 41),
        ],
    )
    assert kept == [("your cat", "il tuo gatto"), ("Roma", "Roma")]
    assert dropped == {
        "duplicate": 1, "empty": 2, "not translated": 1, "length ratio": 1, "too long": 1,
    }  # fmt: skip


def test_two_spellings_of_one_letter_become_one():
    kept, _ = clean_pairs([("is", "e\u0300"), ("is", "\u00e8")])
    assert kept == [("is", "\u00e8")]


@given(st.lists(st.tuples(st.text(), st.text())))
def test_nothing_gets_lost_and_cleaning_twice_is_cleaning_once(pairs):
    kept, dropped = clean_pairs(pairs)
    assert len(kept) + dropped.total() == len(pairs)
    assert clean_pairs(kept) == (kept, {})


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"max_words": 0}, ValueError, "max_words must be 1 or more; got 0"),
        ({"max_words": 2.5}, TypeError, "max_words must be a whole number; got 2.5"),
        (
            {"pairs": [("a", None)]},
            TypeError,
            "pairs must be pairs of strings; got ('a', None) at 0",
        ),
    ],
)
def test_bad_limits_are_named(arguments, error, says):
    with pytest.raises(error, match=re.escape(says)):
        clean_pairs(**{"pairs": [], **arguments})
