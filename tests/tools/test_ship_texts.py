"""How the package's two texts were collected from CPython's own sources."""

import platform

import pytest

import ship_texts
from plainformer.data.shipped_texts import EDITION, read_shipped_text
from ship_texts import collect, docstrings, main, manual

LONG = "Return all that a caller could want to know."


def library(folder, **sources):
    """A standard library of the test's own: module__inside="source"."""
    for name, source in sources.items():
        path = folder / f"{name.replace('__', '/').replace('start', '__init__')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


@pytest.mark.skipif(platform.python_version() != EDITION, reason=f"needs CPython {EDITION}")
def test_what_is_shipped_is_what_this_edition_says():
    made = collect()
    assert made == {name: read_shipped_text(name) for name in made}


def test_another_python_writes_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(platform, "python_version", lambda: "3.13.0")
    monkeypatch.setattr(ship_texts, "FOLDER", tmp_path / "texts")
    assert main() == 1
    assert f"come from CPython {EDITION}, but this is 3.13.0" in capsys.readouterr().err
    assert not (tmp_path / "texts").exists()


def test_the_right_python_writes_both(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(platform, "python_version", lambda: EDITION)
    monkeypatch.setattr(ship_texts, "FOLDER", tmp_path)
    monkeypatch.setattr(ship_texts, "collect", lambda: {"manual.txt": manual({"a": "A."})})
    assert main() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["manual.txt.gz"]
    assert capsys.readouterr().out.startswith("manual.txt: 3 bytes, sha256 ")


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
    found = docstrings(library(tmp_path, json__decoder=source, nonesuch=source))
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
    assert [each.module for each in docstrings(here)] == ["json", "queue"]
