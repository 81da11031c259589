"""The rooms of an exercise: the package's file, and the stub and the solution on its page."""

from __future__ import annotations

import re

from .names import Refused, check_name, title_of
from .rooms import Rooms
from .unfilled import mark

FOLDER = "src/plainformer/exercises"


def plan_exercise(rooms: Rooms, chapter: str, name: str) -> None:
    """Plan an exercise ``name`` for a chapter such as ``blocks.my_idea``."""
    part, dot, slug = chapter.partition(".")
    page = f"book/{part}/{slug}.md"
    if not dot or not re.fullmatch(r"\w+\.\w+", chapter) or not _there(rooms, page):
        raise Refused(
            f"there is no chapter {chapter!r}; say its part and its name, such as attention.masking"
        )
    check_name(name, "exercise")
    folder = rooms.root / FOLDER / part / slug
    there = [file.read_text(encoding="utf-8") for file in folder.glob("*.py")]
    numbers = [int(n) for text in there for n in re.findall(r'id="[\w.]+\.(\d+)"', text)]
    words = {
        "part": part, "slug": slug, "name": name, "title": title_of(name),
        "number": str(max(numbers, default=0) + 1), "label": slug.replace("_", "-"),
    }  # fmt: skip
    if not folder.exists():
        about = mark("what the exercises of this chapter are about, in one sentence")
        rooms.add(f"{FOLDER}/{part}/{slug}/__init__.py", f'"""{about}"""\n')
        rooms.insert(f"{FOLDER}/order.py", f'    "{part}.{slug}",', behind=rf'^    "{part}\.\w+",$')
    rooms.add_template(f"{FOLDER}/{part}/{slug}/{name}.py", "exercise.txt", words)
    answers = f"tests/exercises/answers/{part}.{slug}.txt"
    answer = rooms.filled("answer.txt", words)
    if (rooms.root / answers).exists():
        rooms.texts[answers] = rooms.text(answers).rstrip("\n") + "\n\n\n" + answer
        rooms.made.append(f"{answers}: an answer")
    else:
        rooms.add(answers, answer)
    rooms.texts[page] = _on_page(
        rooms.text(page), rooms.filled("exercise_on_page.txt", words), page
    )
    rooms.made.append(f"{page}: exercise {words['number']}")


def _there(rooms: Rooms, page: str) -> bool:
    return page in rooms.texts or (rooms.root / page).is_file()


def _on_page(page: str, block: str, name: str) -> str:
    """Return a page with an exercise behind its others: before the box that names the next page."""
    before, box, behind = page.partition("\n:::{next}")
    if not box:
        raise Refused(f"{name} has no {{next}} box, before which its exercises end")
    return f"{before}\n{block.rstrip()}\n{box}{behind}"
