"""An answer cannot fool the check, by accident or otherwise: it is judged by what it returns."""

from tests.exercises.toys import DOUBLE, double

from plainformer.exercises import grade


def test_changing_the_argument_is_told_even_when_the_answer_is_right():
    def in_place(numbers):
        for i, x in enumerate(numbers):
            numbers[i] = 2 * x
        return numbers

    result = grade(DOUBLE, in_place)
    assert result.reason == "changed"
    assert "your function has changed numbers, which belongs to its" in result.message

    def empties(numbers):
        answer = double(numbers)
        numbers.clear()
        return answer

    assert grade(DOUBLE, empties).reason == "changed"


def test_an_answer_is_never_compared_with_itself():
    """An answer that spoils what it gets, or hands it back, changes nothing about the verdict."""
    seen = []

    def echoes(numbers):
        seen.append(numbers)
        return numbers

    def spoils(numbers):
        numbers[:] = [0]
        return [0]

    assert not grade(DOUBLE, echoes) and not grade(DOUBLE, spoils)
    assert all(case is not given for case in DOUBLE.cases[0].args for given in seen)
    assert DOUBLE.cases[0].args == ([1, 2, 3],)
    assert grade(DOUBLE, double).passed


def test_an_answer_that_claims_to_equal_everything_does_not_pass():
    class Chameleon(list):
        def __eq__(self, other):
            return True

        def __ne__(self, other):
            return False

        __hash__ = None

    class AnyNumber(int):
        def __eq__(self, other):
            return True

        __hash__ = int.__hash__

    assert [AnyNumber(7)] == [2]  # else this test shows nothing
    assert not grade(DOUBLE, lambda xs: Chameleon([7] * len(xs)))
    assert not grade(DOUBLE, lambda xs: [AnyNumber(7) for _ in xs])


def test_one_list_returned_again_and_again_is_judged_each_time():
    shared = []

    def reuses(numbers):
        shared[:] = [2 * x for x in numbers]
        return shared

    assert grade(DOUBLE, reuses).passed


def test_a_value_that_cannot_be_shown_or_copied_still_gets_a_message():
    class Shy:
        def __repr__(self):
            raise RuntimeError

        def __deepcopy__(self, memo):
            raise RuntimeError

    assert "<Shy that cannot be shown>" in grade(DOUBLE, lambda xs: Shy()).message


def test_an_answer_that_breaks_the_comparison_still_gets_a_message():
    class Broken(list):
        def __iter__(self):
            raise RuntimeError

    said = grade(DOUBLE, lambda xs: Broken([1])).message
    assert "it cannot be compared: a Broken that raises RuntimeError" in said
