"""Sheets differ from student to student, can be drawn again, and are right; talks are about a
student's own lines; the released folder asks assistants to tutor."""

import json
import re

import pytest
from tests.classroom.test_grade import notebook
from tests.site.axe import axe_problems

from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.judge import Mark
from plainformer.classroom.new import new_course
from plainformer.classroom.papers.oral import questions_for
from plainformer.classroom.papers.page import BREAK, as_html, as_markdown
from plainformer.classroom.papers.sheets import draw_sheets
from plainformer.exercises.compare import Arrays

NAMES = [f"Student {number}" for number in range(10)]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers") / "c"
    new_course(folder)
    return load_course(folder)


@pytest.fixture(scope="module")
def exercises(course):
    return [each for week in course.assignments.values() for each in week.exercises]


@pytest.fixture(scope="module")
def sheets(exercises):
    return draw_sheets(exercises, NAMES, secret=b"s" * 32, seed=3)


def test_the_same_seed_gives_the_same_sheets_and_no_two_are_equal(exercises, sheets):
    again = draw_sheets(exercises, NAMES[:3], secret=b"s" * 32, seed=3)
    assert again == sheets[:3]  # and a sheet does not depend on who comes later
    chosen = [frozenset(task.key for task in sheet.tasks) for sheet in sheets]
    assert len(set(chosen)) == len(NAMES) and all(len(each) == 3 for each in chosen)
    for sheet in sheets:
        assert {task.kind for task in sheet.tasks} == {"trace", "predict", "bug"}
        assert len({task.exercise for task in sheet.tasks}) == 3
    for other in (
        draw_sheets(exercises, NAMES[:2], secret=b"s" * 32, seed=4),
        draw_sheets(exercises, NAMES[:2], secret=b"t" * 32, seed=3),
    ):
        assert all(new != old for new, old in zip(other, sheets, strict=False))


def test_the_key_is_what_the_functions_return_and_tells_nothing_on_the_sheet(exercises, sheets):
    known = {each.id: each for each in exercises}
    for task in (task for sheet in sheets for task in sheet.tasks):
        spec = known[task.exercise]
        names = {**spec.reference.__globals__, spec.entry: spec.reference}
        code = [block.text for block in task.ask if block.code]
        said = task.answer[-1 if task.kind == "trace" else 0].text
        if task.kind == "bug":
            line, mend = re.fullmatch(r"Line (\d+) is wrong. It should be `(.*)`\.", said).groups()
            head, *body = code[0].split("\n")
            start = next(i for i, text in enumerate([head, *body]) if text.startswith(" 1  "))
            lines = [text[4:] for text in [head, *body][start:]]
            wrong = lines[int(line) - 1]
            lines[int(line) - 1] = wrong[: len(wrong) - len(wrong.lstrip())] + mend
            as_it_was = [*lines[: int(line) - 1], wrong, *lines[int(line) :]]
            got = [run(spec, [head, *body][:start], each, code[1]) for each in (lines, as_it_was)]
            assert spec.compare.difference(eval(code[1], names), got[0]) is None, task.key
            assert spec.compare.difference(eval(code[1], names), got[1]) is not None, task.key
            continue
        returned = eval(re.fullmatch(r"It returns `(.*)`\.", said)[1], names)
        near = Arrays(rtol=1e-3, atol=1e-4, dtype=False)
        compare = near if isinstance(spec.compare, Arrays) else spec.compare
        call = code[1] if task.kind == "trace" else code[-1]
        assert compare.difference(eval(call, names), returned) is None, task.key
        assert said not in " ".join(block.text for block in task.ask)


def run(spec, head, lines, call):
    """What a call returns from a function that is printed on a sheet; an exception counts too."""
    source = "\n".join([*head, *(f"    {line}" for line in lines)])
    names = dict(spec.reference.__globals__)
    exec(source, names)
    try:
        return eval(call, names)
    except Exception as error:
        return error


def test_no_sheet_shows_a_function_that_it_asks_to_mend(exercises):
    for sheet in draw_sheets(exercises[3:5], NAMES[:6], secret=b"s" * 32):
        traced = {task.exercise for task in sheet.tasks if task.kind == "trace"}
        assert not traced & {task.exercise for task in sheet.tasks if task.kind == "bug"}
        assert len(sheet.tasks) == 3


def test_too_few_tasks_are_named(exercises):
    with pytest.raises(ValueError, match=r"must give a sheet of 3 tasks"):
        draw_sheets([exercises[0]], NAMES, secret=b"s" * 32)


def test_print_begins_each_sheet_on_a_new_page_and_axe_finds_nothing(sheets, browser, tmp_path):
    shown = sheets[:3]
    for key in (False, True):
        path = tmp_path / "sheet.html"
        path.write_text(as_html("Masks <1>", "A & B", shown, key=key), "utf-8")
        view = browser.new_page(viewport={"width": 360, "height": 800})
        view.goto(path.as_uri())
        assert axe_problems(view) == []
        assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert view.locator("h1").count() == len(shown)
        view.emulate_media(media="print")
        breaks = view.eval_on_selector_all(
            ".sheet", "all => all.map(each => getComputedStyle(each).breakBefore)"
        )
        assert breaks == ["auto", "page", "page"]
        printed = view.pdf(tagged=True, prefer_css_page_size=True)
        assert b"/StructTreeRoot" in printed and printed.count(b"/Type /Page\n") >= len(shown)
        view.close()
    text = as_markdown("Masks", "A", shown)
    assert text.count(BREAK) == 2 and text.count("\n# ") == 2 and text.startswith("# Masks: ")


def test_the_command_writes_sheets_and_a_key_apart(course, tmp_path, capsys):
    names = tmp_path / "names.txt"
    names.write_text("Ann\nBob\n\n")
    line = ["--course", str(course.folder), "paper", "week-2", "--names", str(names)]
    assert main(line) == 0
    assert "week-2.html: 2 sheets of 3 tasks" in capsys.readouterr().out
    sheet = (course.folder / "papers" / "week-2.html").read_text("utf-8")
    key = (course.folder / "papers" / "week-2-key.html").read_text("utf-8")
    assert "Ann" in sheet and "Ann" in key and "Key: " not in sheet and "is wrong. It" in key
    assert main([*line, "--format", "md", "--chapter", "attention.masking", "--tasks", "1"]) == 0
    assert "# Key: Heads" in (course.folder / "papers" / "week-2-key.md").read_text("utf-8")
    names.write_text("Ann\nAnn\n")
    assert main(line) == 1 and "'Ann' is there twice" in capsys.readouterr().err


ANSWER = """\
def window_mask(T, window):
    back = np.arange(T)[:, None] - np.arange(T)
    return (back >= 0) & (back <= window)
"""
LOOP = """\
def join_pieces(pieces):
    text = ""
    for piece in pieces:
        text += piece.removeprefix("##") if piece.startswith("##") else f" {piece}"
    return text.strip()
"""


def test_questions_are_about_the_students_own_lines(course):
    week = course.assignment("week-1")
    answers = {"course.window_mask": ANSWER, "course.join_pieces": LOOP}
    text = "The call:    window_mask(3, 2)\nYour answer: …"
    marks = {"course.window_mask": Mark("course.window_mask", "wrong", 0, 3, text=text, hint="A.")}
    asked = questions_for(week.exercises, answers, marks, "import numpy as np")
    assert len(asked) == 3 and len({each.kind for each in asked}) == 3
    assert "not right for the call `window_mask(3, 2)`" in asked[0].ask and asked[0].listen == "A."
    assert {each.exercise for each in asked} == {"course.window_mask", "course.join_pieces"}
    every = questions_for(week.exercises[4:], answers, {}, "import numpy as np")
    said = " ".join(each.ask for each in every)
    assert "In line 3 of `window_mask` you write `(back >= 0)`. What would be different" in said
    nothing = questions_for(week.exercises, {"course.window_mask": "def f(:"}, {})
    assert [each.kind for each in nothing] == ["begin"] * 3
    for hostile in ("x = 1" + " + 1" * 3000, "x = 0x" + "f" * 9000, "x = " + "(" * 5000):
        body = f"def window_mask(T, window):\n    {hostile}"
        assert len(questions_for(week.exercises, {"course.window_mask": body}, {})) == 3


def test_the_command_asks_everybody_or_one(course, capsys):
    work = course.folder / "submissions" / "week-1"
    work.mkdir(parents=True, exist_ok=True)
    for name in ("Ann", "Bob"):
        (work / f"{name}.ipynb").write_text(notebook({"course.window_mask": ANSWER}))
    at = ["--course", str(course.folder), "questions-for", "week-1"]
    assert main([*at, "Ann"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("## Ann: ") and said.count("*Listen for:*") == 3 and "Bob" not in said
    assert main([*at, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["Ann", "Bob"]
    assert main([*at, "Zoe"]) == 1
    assert "there are Ann, Bob" in capsys.readouterr().err


def test_the_released_folder_asks_assistants_to_tutor(course, capsys):
    at = ["--course", str(course.folder), "release"]
    assert main([*at, "week-1"]) == 0 and main([*at, "week-2"]) == 0
    assert "asks coding assistants to tutor, and not to solve" in capsys.readouterr().out
    path = course.folder / "release" / "AGENTS.md"
    text = path.read_text("utf-8")
    assert "do not solve the exercises" in text and "`week-1.ipynb`, `week-2.ipynb`" in text
    path.write_text("# Mine\n")
    assert main([*at, "week-1"]) == 0 and path.read_text("utf-8") == "# Mine\n"
