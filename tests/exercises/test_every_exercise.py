"""What must hold for every exercise of the course, found by walking the package.

A new chapter's exercises are covered by being there: nothing is listed here.
"""

import ast
import copy
import inspect
import random
import re
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
import torch

from plainformer.exercises import exercise, exercise_ids, grade, hint
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.spec import changed
from plainformer.inputs import BPETokenizer

BOOK = Path(__file__).parents[2] / "book"
IDS = exercise_ids()

every_exercise = pytest.mark.parametrize("spec", [exercise(id_) for id_ in IDS], ids=IDS)


def solution_lines(spec) -> list[str]:
    """The lines of the reference's body that say something: no docstring, no lone `else:`."""
    source = textwrap.dedent(inspect.getsource(spec.reference))
    body = ast.parse(source).body[0].body[1:]
    lines = [line.split("#")[0].strip() for line in source.splitlines()[body[0].lineno - 1 :]]
    return [line for line in lines if len(line) > 8]


def stub_of(spec):
    """The function that a reader has who ran the stub as it is."""
    # For annotations: what the page imports.
    namespace: dict[str, object] = {"np": np, "torch": torch, "BPETokenizer": BPETokenizer}
    namespace |= {"Callable": Callable, "Iterable": Iterable}
    exec(compile(spec.stub, "<stub>", "exec", dont_inherit=True), namespace)
    return namespace[spec.entry]


def test_the_exercises_are_those_that_the_book_checks():
    pages = [page.read_text(encoding="utf-8") for page in BOOK.rglob("*.md")]
    checked = [id_ for page in pages for id_ in re.findall(r'^check\("(.+)", \w+\)$', page, re.M)]
    assert sorted(IDS) == sorted(checked)


@every_exercise
def test_the_untouched_stub_is_met_with_a_friendly_message(spec):
    result = grade(spec, stub_of(spec))
    assert (result.passed, result.reason, result.points) == (False, "stub", 0)
    assert result.message == f"Exercise {spec.number}: nothing here yet.\nHint: hint({spec.id!r})"


@every_exercise
def test_the_reference_passes(spec):
    result = grade(spec, spec.reference)
    assert result.passed, result.message
    assert result.points == result.possible == spec.points


@every_exercise
def test_every_mutant_is_rejected_with_its_own_hint_and_no_line_of_the_solution(spec):
    for told, mutant in spec.wrong_answers():
        with np.errstate(all="ignore"):
            result = grade(spec, mutant)
        assert not result.passed and result.points == 0, told
        assert result.hint == told, result.message
        assert told in result.message
        assert "Perhaps" not in result.message  # the mistake is recognised for sure
        assert result.message.startswith(f"{spec.id} ({spec.entry}): not yet.\n")
        assert "Traceback" not in result.message and "plainformer/" not in result.message
        assert "\x1b" not in result.message  # no colour codes
        # A line of the reader's own code may be shown, and may happen to be right.
        assert leaked(spec, re.sub(r"(?m)^In line .*$", "", result.message)) == [], told


@every_exercise
def test_every_alternate_passes(spec):
    for answer in spec.right_answers():
        result = grade(spec, answer)
        assert result.passed, result.message


@every_exercise
def test_there_is_enough_of_everything(spec):
    assert spec.points >= 1 and spec.title and spec.n_generated >= 20
    assert len(spec.cases) >= 3
    assert len(spec.hints) >= 2
    assert len(spec.mutants) >= 4
    assert len(spec.alternates) >= 2
    for texts in (spec.hints, list(spec.mutants)):
        assert len(set(texts)) == len(texts)
        assert all(text.strip() == text and text[-1] in ".?!)" for text in texts), texts


@every_exercise
def test_the_answers_worked_out_by_hand_are_those_of_the_reference(spec):
    for case in spec.cases:
        given = copy.deepcopy(case.args)
        answer = spec.reference(*given)
        assert spec.compare.difference(case.expected, answer) is None, case
        assert repr(given) == repr(case.args)  # the reference itself changes nothing


@every_exercise
def test_random_inputs_are_shown_whole_and_the_same_for_every_reader(spec):
    def draw() -> list[str]:
        rng = np.random.default_rng(spec.seed)
        return [repr(spec.generate(rng)) for _ in range(spec.n_generated)]

    first = draw()
    random.seed(1)
    np.random.seed(1)
    assert draw() == first
    assert len(set(first)) > len(first) / 2  # and they are not all alike
    rng = np.random.default_rng(spec.seed)
    for _ in range(spec.n_generated):  # shown whole, even where the answer stays hidden
        assert "…" not in spec.call_text(spec.generate(rng))


def leaked(spec, text: str) -> list[str]:
    """The lines of the solution that a text gives away, however it is spaced or broken."""
    squeezed = re.sub(r"\s+", "", text)
    return [line for line in solution_lines(spec) if re.sub(r"\s+", "", line) in squeezed]


@every_exercise
def test_no_hint_gives_a_line_of_the_solution_away_and_one_that_did_would_be_found(spec):
    assert leaked(spec, " ".join(spec.hints)) == []
    assert leaked(spec, grade(spec, stub_of(spec)).message) == []
    for line in solution_lines(spec):
        assert line in leaked(spec, f"Try this:\n{line.replace(' ', '  ')} and see.")


@every_exercise
def test_hints_can_be_asked_for_one_by_one(spec, capsys):
    for n in range(1, len(spec.hints) + 1):
        hint(spec.id, n)
        printed = capsys.readouterr().out
        assert printed.startswith(f"Hint {n} of {len(spec.hints)}: ")
        assert (f"hint({spec.id!r}, {n + 1})" in printed) == (n < len(spec.hints))


@every_exercise
def test_the_stub_is_the_reference_without_its_body(spec):
    stub = stub_of(spec)
    assert stub.__doc__ == spec.reference.__doc__
    assert tuple(inspect.signature(stub).parameters) == spec.parameters
    assert not any(line in spec.stub for line in solution_lines(spec))


@every_exercise
def test_the_page_shows_the_stub_the_check_and_the_reference(spec):
    part, concept, _ = spec.id.split(".")
    page = (BOOK / part / f"{concept}.md").read_text(encoding="utf-8")
    cell = f'{spec.stub}\n\ncheck("{spec.id}", {spec.entry})\n```'
    assert cell in page, f"copy the signature and docstring of the exercise to its page:\n{cell}"
    source = Path(inspect.getsourcefile(spec.reference))
    shown = f"/src/plainformer/{source.as_posix().rpartition('/plainformer/')[2]}"
    assert f"```{{literalinclude}} {shown}\n:pyobject: {spec.entry}\n```" in page
    solution = textwrap.dedent(inspect.getsource(spec.reference))
    assert max(map(len, solution.splitlines())) <= 72  # as wide as its box on the page


@every_exercise
def test_the_readers_function_takes_no_name_that_the_page_uses(spec):
    """Whoever runs the page again after the exercises finds it working as before."""
    part, concept, _ = spec.id.split(".")
    page = (BOOK / part / f"{concept}.md").read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\}.*\n((?:.*\n)*?)```$", page, re.MULTILINE)
    code = [re.sub(r"\A(?::.*\n)+", "", cell) for cell in cells if "tags: [exercise]" not in cell]
    assert len(code) >= 3
    used: set[str] = set()
    for node in ast.walk(ast.parse("\n".join(code))):
        match node:
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                used.add(name)
            case ast.alias(name=name, asname=asname):
                used.add(asname or name)
    assert "check" in used
    assert spec.entry not in used


def test_chapters_come_in_the_books_order():
    toc = (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    pages = [page.replace("/", ".") for page in re.findall(r"(?m)file: book/(\w+/\w+)$", toc)]
    chapters = list(dict.fromkeys(id_.rpartition(".")[0] for id_ in IDS))
    assert chapters == list(CHAPTERS)
    assert chapters == [page for page in pages if page in chapters]


def test_ids_are_numbered_in_order_and_named_after_their_place():
    chapters: dict[str, list[int]] = {}
    for id_ in IDS:
        chapter, _, number = id_.rpartition(".")
        assert re.fullmatch(r"[a-z_]+\.[a-z_]+", chapter)
        assert exercise(id_).reference.__module__.startswith(f"plainformer.exercises.{chapter}")
        chapters.setdefault(chapter, []).append(int(number))
    for numbers in chapters.values():
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_change_names_what_is_wrong_with_it():
    reference = exercise("attention.masking.2").reference
    assert changed(reference, "<= -> <")(2, 0).tolist() == [[False, False], [True, False]]
    for change, said in (("offset -> 0", "stands there"), ("keys", "has no arrow")):
        with pytest.raises(ValueError, match=said):
            changed(reference, change)
