"""An assignment is shown to mark as it should; one that does not is caught."""

from tests.classroom.test_course import course
from tests.classroom.test_grade import SETTINGS
from tests.classroom.test_release import OWN

from plainformer.classroom.course import load_course
from plainformer.classroom.sandbox import choose
from plainformer.classroom.validate import validate
from plainformer.exercises import exercise


def findings(spec):
    return list(validate(spec, choose("unsafe"), secret=b"s", seconds=60.0))


def test_an_exercise_of_the_book_holds():
    spec = exercise("inputs.tokenization.2")
    found = findings(spec)
    assert len(found) == 2 + len(spec.alternates) + len(spec.mutants)
    assert [str(each) for each in found if not each.holds] == []


def test_a_courses_own_exercise_holds_and_a_bad_one_is_caught(tmp_path):
    own = load_course(course(tmp_path, SETTINGS, OWN)).assignment("week-1").exercises[0]
    assert [str(each) for each in findings(own) if not each.holds] == []
    bad = OWN.replace("return wrongly_squared", "return 3 * x").replace("(x << 1) + x", "x << 2")
    own = load_course(course(tmp_path, SETTINGS, bad)).assignment("week-1").exercises[0]
    failed = [each for each in findings(own) if not each.holds]
    assert [each.answer for each in failed] == ["alternate 0", "mutant: You square."]
    assert "full marks expected; got wrong" in str(failed[0])
    assert "less than full marks expected; got ok" in str(failed[1])
