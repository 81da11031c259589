"""The rooms of a widget: a copy of the smallest one, which works, under a name of its own."""

from __future__ import annotations

import re

from .names import check_name, class_of, title_of
from .rooms import Rooms
from .unfilled import mark

SMALLEST, CLASS, PREFIX = "embedding_lookup", "EmbeddingLookup", "look-"
FOLDER = "src/plainformer/widgets"
CASES = "tests/widgets/cases.py"
COMMENT = {".py": "# {}\n", ".js": "// {}\n", ".css": "/* {} */\n"}


def plan_widget(rooms: Rooms, name: str) -> None:
    """Plan a widget ``name``: its folder, its line, its case in the tests, a test of its own."""
    check_name(name, "widget")
    kind = class_of(name)
    source = rooms.root / FOLDER / SMALLEST
    what = f"what makes it {kind}; this is still a copy of {CLASS}, line by line"
    for file in sorted(source.glob("*.*")):
        text = _renamed(file.read_text(encoding="utf-8"), name)
        note = COMMENT[file.suffix].format(mark(what))
        rooms.add(f"{FOLDER}/{name}/{file.name}", _with_note(text, note))
    rooms.insert_sorted(f"{FOLDER}/__init__.pyi", f"from .{name} import {kind} as {kind}")
    rooms.add_template(
        f"tests/widgets/test_{name}.py",
        "widget_test.txt",
        {"name": name, "kind": kind, "title": title_of(name)},
    )
    cases = rooms.text(CASES)
    case = re.search(rf'^    "{CLASS}": Case\(\n(?:.*\n)*?    \),\n', cases, re.MULTILINE)
    assert case is not None, f"{CASES} has a case of {CLASS}"
    note = f"    # {mark('its own usual and hard states')}\n"
    cases = cases[: case.end()] + note + _renamed(case[0], name) + cases[case.end() :]
    rooms.texts[CASES] = cases.replace(f"    {CLASS},\n", f"    {CLASS},\n    {kind},\n", 1)
    rooms.made.append(f"{CASES}: {kind}")


def _renamed(text: str, name: str) -> str:
    """Return the smallest widget's text under another name, its classes of style as well."""
    prefix = name.replace("_", "-") + "-"
    text = text.replace(CLASS, class_of(name)).replace(SMALLEST, name)
    return re.sub(rf"\b{PREFIX}", prefix, text)


def _with_note(text: str, note: str) -> str:
    """Return a file with a note at its end, where no docstring and no first line is in the way."""
    return f"{text.rstrip()}\n\n{note}"
