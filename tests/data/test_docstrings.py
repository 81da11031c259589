"""Docstrings by field: read from sources alone, cleaned, each once, and split without a leak."""

import subprocess
import sys
from collections import Counter
from operator import attrgetter

import pytest

from plainformer.data import FIELDS, Docstring, fingerprint, python_docstrings, split_by

LONG = "Return all that a caller could want to know."


def library(folder, **sources):
    """A standard library of the test's own: module__inside="source"."""
    for name, source in sources.items():
        path = folder / f"{name.replace('__', '/').replace('start', '__init__')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


def test_there_are_thousands_and_every_field_has_its_share():
    found = python_docstrings()
    assert 3_500 < len(found) < 8_000
    counts = Counter(each.field for each in found)
    assert counts.keys() == FIELDS.keys()
    assert min(counts.values()) > 300
    assert len({each.module for each in found}) > 250


def test_no_text_stands_there_twice_and_all_are_plain():
    found = python_docstrings()
    assert len({each.text.lower() for each in found}) == len(found)
    for each in found:
        assert each.text == " ".join(each.text.split())
        assert ">>>" not in each.text


def test_a_module_is_in_one_field():
    names = [name for names in FIELDS.values() for name in names.split()]
    assert len(names) == len(set(names))


def test_the_same_text_in_every_process_and_nothing_is_imported():
    code = (
        "import sys; from plainformer.data import fingerprint, python_docstrings;"
        "print(fingerprint(python_docstrings()));"
        "print({'ftplib', 'imaplib', 'turtle', 'antigravity', 'wsgiref'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [fingerprint(python_docstrings()), "set()"]


def test_modules_classes_functions_and_what_is_in_them(tmp_path):
    source = f'''"""A module of some five words."""
if True:
    class A:
        """A class of some five words."""
        async def f(self):
            """A method of some five words."""
            def g():
                """A function, inside one, of words.

                >>> g()  # an example, which is no prose
                """
def short():
    """Only four words here."""
def twice():
    """A MODULE of some five words."""
raise SystemExit({LONG!r})
'''
    found = python_docstrings(library(tmp_path, json__decoder=source, nonesuch=source))
    assert [each.text.partition(" ")[2].partition(" ")[0] for each in found] == [
        "module", "class", "method", "function,"
    ]  # fmt: skip
    assert {(each.module, each.package, each.field) for each in found} == {
        ("json.decoder", "json", "formats")
    }
    assert found[-1].text == "A function, inside one, of words."


def test_what_two_fields_say_is_left_out_and_tests_and_broken_files_are_passed_over(tmp_path):
    here = library(
        tmp_path,
        glob=f'"""{LONG}"""',
        heapq=f'"""{LONG.upper()}"""',
        queue='"""A queue of some five words."""',
        json__start='"""A package of some five words."""',
        json__tests__inner='"""A test of some five words."""',
        stat='"""No end',
        csv='"""\0 of some more than five words."""',
    )
    assert [each.module for each in python_docstrings(here)] == ["json", "queue"]


def test_a_python_without_sources_is_told_what_to_install(tmp_path):
    with pytest.raises(FileNotFoundError, match="install the full Python"):
        python_docstrings(tmp_path)


@pytest.mark.parametrize("group", ["text", "module", "package"])
def test_a_group_stays_together_and_every_field_gives_its_share(group):
    found, of = python_docstrings(), attrgetter(group)
    for seed in range(3):
        read, held_out = split_by(of, found, 0.25, seed)
        assert Counter(read) + Counter(held_out) == Counter(found)
        assert not {of(each) for each in read} & {of(each) for each in held_out}
        share = Counter(each.field for each in held_out)
        for field, total in Counter(each.field for each in found).items():
            assert 0.15 < share[field] / total <= 0.25
    assert split_by(of, found, 0.25, 1) == split_by(of, found, 0.25, 1)
    assert split_by(of, found, 0.25, 1) != split_by(of, found, 0.25, 2)


def test_shares_and_what_is_no_share():
    texts = [Docstring(str(i), "m", "files") for i in range(4)]
    assert split_by(attrgetter("text"), texts, 0) == (texts, [])
    assert split_by(attrgetter("text"), texts, 1.0) == ([], texts)
    assert split_by(attrgetter("module"), texts, 0.9) == (texts, [])  # groups are not cut
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="held_out must be from 0 to 1"):
            split_by(attrgetter("text"), texts, wrong)
    for wrong in (True, "half", None):
        with pytest.raises(TypeError, match="held_out must be a number"):
            split_by(attrgetter("text"), texts, wrong)


def test_a_fingerprint_sees_everything():
    one = Docstring("a b", "m", "files")
    others = [
        [], [one, one], [Docstring("a c", "m", "files")], [Docstring("a b", "n", "files")],
        [Docstring("a b", "m", "numbers")], [Docstring("b", "m", "files")],
    ]  # fmt: skip
    assert len({fingerprint(each) for each in [[one], *others]}) == 7
    assert len(fingerprint([one])) == 12
