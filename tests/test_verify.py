"""A comparison that cannot fail is worth nothing: most of these tests make it fail."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.verify import close, same

NAN = float("nan")  # one object, which a list takes for equal to itself


def test_close_prints_the_largest_difference(capsys):
    close(np.array([[1.0, 2.0]]), [[1.0, 2.25]], tolerance=0.3, what="weights")
    assert capsys.readouterr().out == "weights: off by 0.25 ≤ 0.3 (2 numbers)\n"
    close(1, 1.0, tolerance=0)
    assert capsys.readouterr().out == "off by 0 ≤ 0 (1 number)\n"


def test_close_accepts_torch_on_either_side_in_any_precision(capsys):
    torch = pytest.importorskip("torch")
    values = [0.5, -1.25, 3.0]
    close(torch.tensor(values, requires_grad=True), np.array(values), tolerance=0)
    close(
        np.array(values, dtype=np.float32), torch.tensor(values, dtype=torch.bfloat16), tolerance=0
    )
    close(torch.tensor([True, False]), [1, 0], tolerance=0)
    assert capsys.readouterr().out.count("off by 0 ") == 3


def test_close_takes_equal_infinities_as_equal():
    close([0.0, -np.inf], [0.0, -np.inf], tolerance=0)
    for wrong in ([0.0, np.inf], [0.0, -1e300]):
        with pytest.raises(AssertionError):
            close([0.0, -np.inf], wrong, tolerance=1.0)


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ([1.0, 2.0], [1.0, 2.1], r"(?s)scores.*Max absolute difference.*: 0\.1"),
        (3.0, 4.0, r"(?s)scores.*Max absolute difference.*: 1\."),
        ([1.0, 2.0], [[1.0, 2.0]], r"scores: .* shape \(2,\).* shape \(1, 2\)"),
        ([1.0, 1.0], [1.0], r"shape \(2,\).* shape \(1,\)"),  # would broadcast, and agree
        ([[1.0, np.nan]], [[1.0, np.nan]], "scores"),
        ([1.0], [np.nan], "scores"),
    ],
)
def test_close_says_what_differs(ours, theirs, message):
    with pytest.raises(AssertionError, match=message):
        close(ours, theirs, tolerance=0.01, what="scores")


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_close_refuses_a_tolerance_that_means_nothing(tolerance):
    with pytest.raises(ValueError, match="tolerance must be finite and 0 or more; got"):
        close([1.0], [1.0], tolerance=tolerance)


def test_close_refuses_what_is_not_numbers():
    with pytest.raises(TypeError):
        close([1.0], [1.0], tolerance="small")
    with pytest.raises(TypeError):
        close(1.0, "one", tolerance=0)


@pytest.mark.parametrize("compare", [same, lambda a, b: close(a, b, tolerance=0)])
def test_nothing_and_itself_are_refused(compare):
    with pytest.raises(ValueError, match="nothing to compare"):
        compare([], [])
    values = [1, 2]
    with pytest.raises(ValueError, match="the same object"):
        compare(values, values)


@pytest.mark.parametrize("compare", [same, lambda a, b: close(a, b, tolerance=0)])
def test_two_functions_without_return_do_not_agree(compare):
    with pytest.raises(ValueError, match="both are the same object, None"):
        compare(None, None)
    with pytest.raises((AssertionError, TypeError)):
        compare(None, 1)


def test_same_refuses_a_string_with_itself():
    for text in ("your cat", b"your cat"):
        with pytest.raises(ValueError, match="the same object"):
            same(text, text)
    same("c", "c")  # Python has one of these
    same(7, 7)


def test_same_takes_numpys_kinds_for_pythons():
    same(np.array(["a", "b"]), ["a", "b"])
    same([np.str_("a"), np.int64(1), np.bool_(True)], ["a", 1, True])
    same({np.int64(1): np.float64(0.5)}, {1: 0.5})
    same({np.int64(1), np.str_("ab")}, {1, "ab"})
    same(np.str_("your cat"), "your cat")


def test_same_prints_the_count(capsys):
    same(["a"] * 297_833, ("a",) * 297_833, what="pre-tokens")
    same("abc", "".join("abc"))
    same({"a": (1, 2)}, {"a": [1, 2]}, what="entries")
    same({1, 2}, frozenset([2, 1]), what="ids")
    same(np.array([[1], [2]]), [[1], [2]], what="rows")
    same((i for i in range(3)), range(3), what="numbers")
    same(50257, 50257, what="vocabulary size")
    assert capsys.readouterr().out.splitlines() == [
        "297,833 pre-tokens: identical",
        "3 items: identical",
        "1 entries: identical",
        "2 ids: identical",
        "2 rows: identical",
        "3 numbers: identical",
        "vocabulary size: identical (50257)",
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ([1, 2, 3], [1, 5, 3], "differ at item 1: 2 and 5"),
        ([1, 2], [1, 2, 9], "differ at item 2: 'nothing' and 9"),
        ("a cat", "a bat", "differ at item 2: 'c' and 'b'"),
        (b"ab", b"abc", "differ at item 2: 'nothing' and 99"),
        ("ab", ["a", "b"], "differ: 'ab' and ('a', 'b')"),
        ("ab", b"ab", "differ: 'ab' and b'ab'"),
        ({"a": 1}, {"a": 2}, "differ at item 'a': 1 and 2"),
        ({"a": 1, "b": 1}, {"a": 1}, "differ at item 'b': 1 and 'nothing'"),
        ({1, 2}, {1}, "only ours has {2}, only theirs has set()"),
        (3, 4, "differ: 3 and 4"),
        ([float("nan")], [float("nan")], "differ at item 0"),
        ([NAN], [NAN], "differ at item 0"),
        ([1, 0], [True, False], "differ at item 0: 1 and True"),
        ([1.0], [1], "differ at item 0: 1.0 and 1"),
        (1, True, "differ: 1 and True"),
        ([[1, 2], [3.0]], [[1, 2], [3]], "differ at item 1: (3.0,) and (3,)"),
        (np.array([1, 2]), [1, 2.0], "differ at item 1"),
        ({"a": 1}, {"a": True}, "differ at item 'a': 1 and True"),
        ({1: "a"}, {True: "a"}, "differ: {1: 'a'} and {True: 'a'}"),
        ({1, 2}, {True, 2}, "ours and theirs differ"),
    ],
)
def test_same_says_where_they_part(ours, theirs, message):
    with pytest.raises(AssertionError, match=re.escape(message)):
        same(ours, theirs, what="things")


@given(st.lists(st.integers(0, 3), min_size=1), st.lists(st.integers(0, 3), min_size=1))
def test_same_agrees_exactly_when_the_lists_are_equal(ours, theirs):
    if ours == theirs:
        same(ours, list(theirs))
    else:
        with pytest.raises(AssertionError):
            same(ours, theirs)


def test_the_keys_of_a_dictionary_and_the_items_of_a_set_may_be_tuples(capsys):
    same({("a", np.int64(3)): [1]}, {("a", 3): [1]}, what="pairs")
    same({("a", "b")}, {("a", "b")})
    assert capsys.readouterr().out == "1 pairs: identical\n1 items: identical\n"
    with pytest.raises(AssertionError, match="only ours has"):
        same({("a", "b")}, {("a", "c")})
