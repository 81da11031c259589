"""An assignment is shown to mark as it should; one that does not is caught."""

from tests.classroom.test_course import course
from tests.classroom.test_grade import SETTINGS
from tests.classroom.test_release import OWN

from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.new import new_course
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
    assert "Your answer: 8\n    Expected:    6" in str(failed[0])  # a teacher sees the values
    assert "less than full marks expected; got ok" in str(failed[1])


def test_of_a_right_answer_that_fails_in_hidden_cases_alone_the_teacher_sees_one(tmp_path):
    bad = OWN.replace("return (x << 1) + x", "return 3 * x + (x > 1000)")
    own = load_course(course(tmp_path, SETTINGS, bad)).assignment("week-1").exercises[0]
    (failed,) = [each for each in findings(own) if not each.holds]
    call = failed.hidden.partition("A hidden call: triple(")[2].partition(")")[0]
    assert f"Its answer:  {3 * int(call) + 1}" in str(failed)
    assert f"Expected:    {3 * int(call)}" in str(failed)
    assert "hidden call" not in failed.mark.text  # which is what students read


def test_one_exercise_can_be_validated_alone(tmp_path, capsys):
    new_course(tmp_path / "c")
    line = ["--course", str(tmp_path / "c"), "validate", "week-2", "--unsafe", "--exercise"]
    assert main([*line, "course.mended_norm"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("course.mended_norm: ") and said.out.count("\n") == 1
    assert main([*line, "course.mended_form"]) == 1
    assert "did you mean 'course.mended_norm'?" in capsys.readouterr().err
