"""The rooms of a widget: the smallest that works, its case in the shared tests, its own test."""

from __future__ import annotations

import re

from .names import check_name, class_of, title_of
from .rooms import Rooms

FOLDER = "src/plainformer/widgets"
CASES = "tests/widgets/cases.py"
FILES = {"widget.py": "widget.txt", "view.js": "widget_view.txt", "view.css": "widget_style.txt"}


def plan_widget(rooms: Rooms, name: str) -> None:
    """Plan a widget ``name``: its folder, its line, its case in the tests, a test of its own."""
    check_name(name, "widget")
    kind, title = class_of(name), title_of(name)
    words = {"name": name, "kind": kind, "title": title, "prefix": name.replace("_", "-")}
    about = f'"""`{kind}`: see `widget.py`."""'
    offered = f'from .widget import {kind}\n\n__all__ = ["{kind}"]\n'
    rooms.add(f"{FOLDER}/{name}/__init__.py", f"{about}\n\n{offered}")
    for file, template in FILES.items():
        rooms.add_template(f"{FOLDER}/{name}/{file}", template, words)
    rooms.append(f"{FOLDER}/__init__.pyi", f"from .{name} import {kind} as {kind}")
    rooms.add_template(f"tests/widgets/test_{name}.py", "widget_test.txt", words)
    imports = "from plainformer.widgets import (\n"  # in whose lines ruff puts the new one in order
    cases = rooms.text(CASES).replace(imports, f"{imports}    {kind},\n", 1)
    keys = re.finditer(r'^    "(\w+)": Case', cases, re.MULTILINE)
    later = [key.start() for key in keys if key[1].lower() > kind.lower()]
    place = later[0] if later else cases.index("\n}\n") + 1
    case = rooms.filled("widget_case.txt", words)
    rooms.texts[CASES] = cases[:place] + case + cases[place:]
    rooms.made.append(f"{CASES}: {kind}")
