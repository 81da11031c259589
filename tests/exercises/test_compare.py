"""What differs is said in words, and the answer is given away only where it may be."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from plainformer.exercises.compare import Arrays, Exact, as_code, describe_type, shorten


@pytest.mark.parametrize(
    ("want", "have"),
    [
        ({"a": 1, "b": 2}, Counter({"b": 2, "a": 1})),
        ({"a": 1}, defaultdict(int, a=1)),
        ({"a": [1, (2, "x")]}, OrderedDict(a=[1, (2, "x")])),
        ([1, 2], [np.int64(1), np.int32(2)]),
        (0.5, np.float64(0.5)),
        (float("nan"), float("nan")),
        (True, np.bool_(True)),
        ("é", "é"),
        ({1, 2}, frozenset([2, 1])),
        (None, None),
    ],
)
def test_equal_values_of_kindred_types_agree(want, have):
    if isinstance(want, set):
        want = frozenset(want)
    assert Exact().difference(want, have) is None


@pytest.mark.parametrize(
    ("want", "have", "said"),
    [
        ([1, 2], (1, 2), "it should be a list, not a tuple"),
        ([], None, "it should be a list, not None"),
        ("ab", b"ab", "it should be a string (str), not a bytes object"),
        (1, True, "it should be a whole number (int), not a bool"),
        (True, 1, "it should be a bool, not a whole number (int)"),
        ([1, 2], [1, 3], "at index 1, yours is 3 but should be 2"),
        ([1, 2], [1], "it stops too soon: 1 item, and it should be 2"),
        ([1], [1, 2], "it goes on too long: 2 items, and it should be 1"),
        ("cat", "cart", "it is wrong from index 2 on, where yours goes on with 'rt'"),
        ("cat", "ca", "it stops too soon: 2 characters, and it should be 3"),
        (b"\xe2\x82", b"\xe2", "it stops too soon: 1 byte, and it should be 2"),
        ({"a": 1}, {"a": 2}, "at key 'a', yours is 2 but should be 1"),
        ({"a": 1}, {}, "a key is missing: 'a'"),
        ({}, {"a": 1}, "it has a key that should not be there: 'a'"),
        (
            {("a", "b"): 1},
            {"ab": 1},
            "its keys should each be a tuple; 'ab' is a string (str)",
        ),
        ({"a": [1, 2]}, {"a": [1, 9]}, "at key 'a', at index 1, yours is 9 but should be 2"),
        ([[1], [2]], [[1], []], "at index 1, it stops too soon: 0 items, and it should be 1"),
        ([("a", "b")], [["a", "b"]], "at index 0, it should be a tuple, not a list"),
        ([("a", "b")], [("a", "c")], "at index 0, yours is ('a', 'c') but should be ('a', 'b')"),
        (3, 4, "yours is 4 but should be 3"),
        (0.5, float("nan"), "yours is nan but should be 0.5"),
        ({1, 2}, {1, 3}, "it has an item that should not be there: 3"),
        ({1, 2}, {1}, "items are missing (1 of 2)"),
    ],
)
def test_exact_differences(want, have, said):
    assert Exact().difference(want, have) == said


@pytest.mark.parametrize(
    ("want", "have"),
    [
        ("SECRET", "other"),
        (["SECRET"], ["x"]),
        ({"k": "SECRET"}, {"k": "x"}),
        ({"SECRET": 1}, {}),
        ([("SECRET", "b")], [("x", "b")]),
        ({"SECRET"}, set()),
        ([["SECRET"]], [["x"]]),
    ],
)
def test_hidden_answers_stay_hidden(want, have):
    said = Exact().difference(want, have, reveal=False)
    assert said and "SECRET" not in said


def test_hidden_numbers_stay_hidden_too():
    said = Arrays().difference(np.array([0.125, 0.5]), np.array([0.25, 0.5]), reveal=False)
    assert said == "at index [0], yours is 0.25 which is not right; 1 of 2 differ"


@pytest.mark.parametrize(
    ("want", "have", "said"),
    [
        (np.zeros((2, 3)), [[0.0] * 3] * 2, "it should be a NumPy array, not a list"),
        (np.zeros((2, 3)), np.zeros(6), "its shape is (6,) but should be (2, 3)"),
        (np.zeros(2), np.zeros(2, np.float32), "its dtype is float32 but should be float64"),
        (np.zeros(2), np.array([0.0, np.nan]), "it has 1 NaN, the first at index [1]"),
        (
            np.array([[1.0, 2.0], [3.0, 4.0]]),
            np.array([[1.0, 2.0], [3.0, 5.0]]),
            "at index [1, 1], yours is 5 but should be 4; 1 of 4 differ",
        ),
        (
            np.array([[1.0, 2.0], [3.0, 4.0]]),
            np.array([[1.0, 3.0], [2.0, 4.0]]),
            "at index [0, 1], yours is 3 but should be 2; 2 of 4 differ: yours is right except "
            "that it is transposed (rows and columns swapped)",
        ),
        (
            np.tril(np.ones((3, 3), bool)),
            np.tril(np.ones((3, 3), bool))[::-1],
            "yours is right except that it is upside down (rows in reverse order)",
        ),
        (0.5, "0.5", "it should be a number, not a string (str)"),
        (0.5, np.zeros(3), "it should be a number, not a NumPy array"),
        (0.5, 0.75, "yours is 0.75 but should be 0.5"),
        ((np.zeros(1), np.ones(1)), np.zeros(1), "it should be a tuple of 2 arrays, not a NumPy"),
        (
            (np.zeros(1), np.ones(1)),
            (np.zeros(1), np.zeros(1)),
            "in part 1 of the tuple, at index [0], yours is 0 but should be 1",
        ),
        ((2, 3, 0.5), 7, "it should be a tuple of 3 numbers, not a whole number (int)"),
        ((2, 3, 0.5), (2, 3), "it should be a tuple of 3 numbers, not a tuple of 2 items"),
        ((1, 0.5), (True, 0.5), "in part 0 of the tuple, it should be a number, not a bool"),
        ((True, 0.5), (1, 0.5), "in part 0 of the tuple, it should be a bool, not a whole number"),
        ((True, 0.5), (False, 0.5), "in part 0 of the tuple, yours is False but should be True"),
        ((2, 3, 0.5), (3, 2, 0.5), "in part 0 of the tuple, yours is 3 but should be 2"),
        ((2, 3, 0.5), (2, 3, None), "in part 2 of the tuple, it should be a number, not None"),
    ],
)
def test_differences_of_arrays(want, have, said):
    assert said in (Arrays().difference(want, have) or "")


def test_arrays_agree_within_the_tolerance_only():
    want = np.array([1.0, -np.inf, np.nan])
    assert Arrays().difference(want, want + np.array([1e-9, 0, 0])) is None
    assert Arrays().difference(want, want + np.array([1e-3, 0, 0])) is not None
    assert Arrays(rtol=1e-2).difference(want, want + np.array([1e-3, 0, 0])) is None
    assert Arrays(dtype=False).difference(np.ones(2), np.ones(2, np.float32)) is None


def test_a_tuple_of_places_and_values_is_compared_part_by_part():
    compare = Arrays(rtol=0, atol=0.006)
    assert compare.difference((2, 3, 0.5403), (2, 3, 0.54)) is None
    where = tuple(np.unravel_index(11, (3, 4)))
    theirs = (*where, np.float64(0.5403))  # NumPy's numbers
    assert compare.difference((2, 3, 0.5403), theirs) is None
    assert compare.difference(theirs, (2, 3, 0.5403)) is None
    assert compare.difference((2, 3, 0.5403), (2, 3, 0.6)) is not None


def test_arrays_are_written_as_code_that_gives_them_back():
    for array in (np.arange(6).reshape(2, 3), np.array([0.5, -0.25]), np.zeros((2, 0))):
        again = eval(as_code(array) or "", {"np": np})
        assert again.shape == array.shape and (again == array).all()
    torch = pytest.importorskip("torch")
    assert as_code(torch.tensor([1, 2])) == "torch.tensor([1, 2])"
    assert as_code(np.float64(0.5)) is None
    assert as_code(np.arange(10), limit=3) == "np.array([0, 1, 2] …)"  # and no more is looked at


def test_torch_tensors_are_compared_as_tensors():
    torch = pytest.importorskip("torch")
    want = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    compare = Arrays()
    assert compare.difference(want, want.clone().requires_grad_()) is None
    assert compare.difference(want.bfloat16(), want.bfloat16()) is None
    assert compare.difference(want, want.numpy()) == (
        "it should be a torch tensor, not a NumPy array"
    )
    assert compare.difference(want, want.double()) == (
        "its dtype is torch.float64 but should be torch.float32"
    )
    assert "transposed" in (compare.difference(want, want.T) or "")
    assert compare.difference(want, want[0]) == "its shape is (2,) but should be (2, 2)"
    assert compare.show(want).startswith("array of shape (2, 2):\n[[1., 2.],")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        (3, "a whole number (int)"),
        ((x for x in "ab"), "a generator (did you mean to collect what it yields in a list?)"),
        (range(3), "a range object (did you mean to collect it in a list?)"),
        (iter([1]), "a list_iterator object (did you mean to collect it in a list?)"),
        (dict, "the type dict itself"),
        (np.zeros(1), "a NumPy array"),
        (ValueError(), "a ValueError"),
        (OrderedDict(), "an OrderedDict"),
    ],
)
def test_types_are_named_as_one_would_say_them(value, said):
    assert describe_type(value) == said


def test_long_values_are_cut_in_the_middle():
    assert shorten("abc") == "abc"
    cut = shorten("x" * 500 + "y" * 500)
    assert len(cut) <= 200 and cut.startswith("xxx") and cut.endswith("yyy") and " … " in cut


def test_of_an_array_with_many_short_axes_few_numbers_are_written():
    shown = Arrays().show(np.zeros((2,) * 20))
    assert shown.startswith(f"array of shape {(2,) * 20}:\n[0., 0., 0.,") and len(shown) < 200
    kept = Arrays().show(np.zeros((6, 6, 6)))
    assert kept.count("0.") == 216
