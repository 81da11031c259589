"""``practice``: short tasks that a reader does in the page, derived from a chapter's exercises.

::

    :::{practice}
    :::

The page holds a box with a button, and ``practice.js`` fetches the chapter's tasks when a reader
presses it. They are written to a script of their own, one for each chapter, because a page that was
opened from a disk may load scripts and nothing else. On the page called *Practice*, ``:bank:``
offers the tasks of all chapters.

Where the solutions are left out of the pages, so are the tasks that show the lines of one.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from plainformer.exercises import compare, exercise, exercise_ids, spec
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.practice import Task, chapter_tasks, items, page_tasks

from .assets import made_folder, write_if_new
from .boxes import box, box_title
from .chapters import load_chapters, pages_in_order
from .folds import SETTING

FOLDER = "practice"
NUMBERS = ("No", "One or more", "Two", "Three", "Four", "Five", "Six")


def shown(tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks that may be shown: without solutions, only those without code."""
    hidden = os.environ.get(SETTING) == "no"
    return [task for task in tasks if not (hidden and task.kind in ("bug", "order"))]


def write_tasks(made: Path, chapter: str) -> None:
    """Write all tasks of a chapter as a script that hands them to ``practice.js``."""
    folder = made / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [task.as_json() for task in shown(chapter_tasks(chapter))]
    data = json.dumps(tasks, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    write_if_new(folder / f"{chapter}.js", f'pfPractice("{chapter}",{data});\n')


def sources(chapter: str) -> set[str]:
    """Return the files that a chapter's tasks are made from."""
    references = [exercise(id).reference for id in exercise_ids(chapter)]
    files = {inspect.getsourcefile(inspect.unwrap(each)) for each in references}
    folder = Path(items.__file__).parent
    return {
        *filter(None, files), str(spec.__file__), str(compare.__file__),
        *map(str, folder.glob("*.py")),
    }  # fmt: skip


class Practice(SphinxDirective):
    """The directive."""

    has_content = True
    option_spec: ClassVar[Any] = {"bank": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the box, which a script fills when it is asked to."""
        return [self.bank() if "bank" in self.options else self.chapter()]

    def chapter(self) -> box:
        """Return the box of a chapter's page, which names the few tasks that it shows."""
        chapter = self.env.docname.removeprefix("book/").replace("/", ".")
        if chapter not in CHAPTERS:
            raise self.error(f"a chapter with exercises has practice; {chapter} has none")
        write_tasks(made_folder(self.env.app), chapter)
        for file in sources(chapter):
            self.env.note_dependency(file)
        tasks = shown(page_tasks(chapter))
        line = f"{NUMBERS[len(tasks)]} short task{'s' if len(tasks) > 1 else ''} to do right here."
        return self.made(line, {"chapter": chapter, "tasks": " ".join(each.id for each in tasks)})

    def bank(self) -> box:
        """Return the box of the page *Practice*, which lists the chapters by part."""
        root = Path(self.env.srcdir)
        written = pages_in_order(root / "_toc.yml")
        listed = [
            [f"{each.part}.{each.slug}", each.part_title, each.title]
            for each in load_chapters(root / "book" / "map" / "chapters.yml", written)
            if f"{each.part}.{each.slug}" in CHAPTERS and each.page in written
        ]
        line = "Choose a chapter, or let the book choose for you."
        return self.made(line, {"bank": json.dumps(listed, ensure_ascii=False)})

    def made(self, line: str, data: dict[str, str]) -> box:
        """Return a box with one line of text and with data for the script."""
        number = self.env.new_serialno("pf-box")
        made = box("", kind="practice", folded=False, title_id=f"pf-box-{number}")
        made["data"] = {name: escape(value) for name, value in data.items()}
        self.set_source_info(made)
        made += box_title("", "", label="Practice", title_id=made["title_id"], folded=False)
        made += nodes.paragraph(line, line, classes=["pf-practice-what"])
        return made


def write_counts(app: Sphinx, env: BuildEnvironment) -> None:
    """Write how many tasks each chapter has, for the page that offers them all."""
    folder = made_folder(app) / FOLDER
    counts = {}
    for chapter in CHAPTERS:
        file = folder / f"{chapter}.js"
        if file.is_file():
            counts[chapter] = file.read_text(encoding="utf-8").count('{"kind":')
    if counts:
        write_if_new(folder / "counts.js", f"pfPracticeCounts = {json.dumps(counts)};\n")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("practice", Practice)
    app.connect("env-updated", write_counts)
