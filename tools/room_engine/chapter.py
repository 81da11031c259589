"""The rooms of a chapter: page, code, test, an exercise, and a line in each list of chapters."""

from __future__ import annotations

import re

from .exercise import plan_exercise
from .names import Refused, check_name, check_part, title_of
from .rooms import Rooms
from .unfilled import mark

MAP = "book/map/chapters.yml"


def plan_chapter(rooms: Rooms, part: str, slug: str) -> None:
    """Plan a chapter ``slug`` at the end of a part such as ``blocks``."""
    known = check_part(rooms.root, part)
    check_name(slug, "chapter")
    # A module has no name that a function of its package has: lookup is in soft_lookup.py.
    words = {"part": part, "slug": slug, "title": title_of(slug), "function": f"compute_{slug}"}
    code = f"src/plainformer/{part}"
    if (rooms.root / code / slug).exists():
        raise Refused(f"{code}/{slug} is there already: choose another name, or work on that one")
    rooms.add_template(f"book/{part}/{slug}.md", "page.txt", words)
    rooms.add_template(f"{code}/{slug}.py", "code.txt", words)
    rooms.add_template(f"tests/{part}/test_{slug}.py", "test.txt", words)
    function = words["function"]
    rooms.append(f"{code}/__init__.pyi", f"from .{slug} import {function} as {function}")
    line = f"      - file: book/{part}/{slug}"
    rooms.insert("_toc.yml", line, behind=rf"^      - file: book/{part}/\w+$")
    if slug not in [chapter["slug"] for chapter in known["chapters"]]:
        _plan_line_of_map(rooms, part, slug)
    plan_exercise(rooms, f"{part}.{slug}", f"first_of_{slug}")


def _plan_line_of_map(rooms: Rooms, part: str, slug: str) -> None:
    """Plan what the map says of the chapter, behind the last chapter of its part."""
    text = rooms.text(MAP)
    entry = (
        f"    - slug: {slug}\n      title: {title_of(slug)}\n"
        f'      line: "{mark("what the chapter shows, in one line")}."\n'
    )
    found = re.search(rf"^- part: {part}\n(?:(?!- part: ).*\n?)*", text, re.MULTILINE)
    if found is None:
        raise Refused(f"{MAP} has no part {part!r}")
    whole = found[0].rstrip("\n")
    rooms.texts[MAP] = (
        f"{text[: found.start()]}{whole}\n{entry}{found[0][len(whole) + 1 :]}"
        + (text[found.end() :])
    )
    rooms.made.append(f"{MAP}: {slug}")
