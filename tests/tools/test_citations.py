"""The list of references names a work as the text does."""

import pytest
from pybtex.database import parse_string

from book_engine.citations import AuthorYearLabels, label


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("Shannon, Claude E.", "Shannon, 1948"),
        ("Hochreiter, Sepp and Schmidhuber, Jürgen", "Hochreiter and Schmidhuber, 1948"),
        ("Bahdanau, Dzmitry and Cho, Kyunghyun and Bengio, Yoshua", "Bahdanau et al., 1948"),
        ("{Llama Team}", "Llama Team, 1948"),
    ],
)
def test_one_author_two_and_more(authors: str, expected: str) -> None:
    text = f"@misc{{a, author = {{{authors}}}, title = {{T}}, year = {{1948}}}}"
    entry = parse_string(text, "bibtex").entries["a"]
    assert label(entry) == expected
    assert list(AuthorYearLabels().format_labels([entry, entry])) == [expected, expected]
