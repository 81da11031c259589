"""Sheets and their key, for print: as HTML whose PDF has tags, or as Markdown.

Each sheet begins on a page of its own. The key is a document of its own, so that nobody hands it
out by mistake.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from plainformer.classroom.bank.questions import Block
from plainformer.classroom.papers.sheets import Sheet
from plainformer.classroom.papers.tasks import PaperTask

__all__ = ["as_html", "as_markdown"]

ASKED = {"trace": "trace", "predict": "what comes out?", "bug": "find the bug"}
CODE = re.compile(r"`([^`]+)`")
BREAK = '<div style="break-after: page"></div>'  # which Markdown passes on as it is
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #1f2328; background: #fff;
  max-width: 46rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 1.25rem 0 .25rem; break-after: avoid; }
p { margin: .4rem 0; }
pre { white-space: pre-wrap; overflow-wrap: break-word; border: 1px solid #818a94;
  padding: .4rem .6rem; font-size: .9em; break-inside: avoid; }
.room { border: 1px solid #818a94; background: repeating-linear-gradient(#fff 0 1.65rem,
  #c9ced4 1.65rem calc(1.65rem + 1px)); print-color-adjust: exact; break-inside: avoid; }
.sheet + .sheet { border-top: 1px solid #818a94; margin-top: 3rem; padding-top: 1.5rem; }
@page { size: A4; margin: 16mm 18mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; }
  .sheet + .sheet { break-before: page; border: 0; margin: 0; padding: 0; }
}
"""


def as_html(title: str, course: str, sheets: Sequence[Sheet], *, key: bool = False) -> str:
    """The sheets as a page for print, or their key.

    Args:
        title: of the assignment.
        course: its name.
        sheets: everybody's.
        key: the answers instead of the room for them.
    """
    say = html.escape
    what = f"Key: {title}" if key else title
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{say(what)}</title><style>{STYLE}</style></head><body><main>"
    ]
    for number, sheet in enumerate(sheets, 1):
        points = "" if key else " Points: ______"
        parts += [
            f'<article class="sheet" aria-labelledby="sheet-{number}">'
            f'<h1 id="sheet-{number}">{say(what)}: {say(sheet.student)}</h1>'
            f"<p>{say(course)}, sheet {number} of {len(sheets)}.{points}</p>",
            *_tasks(sheet, key),
            "</article>",
        ]
    return "\n".join([*parts, "</main></body></html>\n"])


def _tasks(sheet: Sheet, key: bool) -> Iterator[str]:
    for number, task in enumerate(sheet.tasks, 1):
        yield f"<h2>{html.escape(_heading(number, task))}</h2>"
        yield from (_as_element(block) for block in (task.answer if key else task.ask))
        if not key:
            yield (
                f'<div class="room" role="img" aria-label="Room for the answer" '
                f'style="height: {1.7 * task.room:.1f}rem"></div>'
            )


def _heading(number: int, task: PaperTask) -> str:
    return f"{number}. {task.title}: {ASKED[task.kind]}"


def _as_element(block: Block) -> str:
    if block.code:
        return f"<pre>{html.escape(block.text)}</pre>"
    text = html.escape(block.text, quote=False).replace("\n", "<br>")
    marked = CODE.sub(r"<code>\1</code>", text)
    return f"<p>{marked}</p>"


def as_markdown(title: str, course: str, sheets: Sequence[Sheet], *, key: bool = False) -> str:
    """The same as Markdown, with a page break behind each sheet."""
    what = f"Key: {title}" if key else title
    parts: list[str] = []
    for number, sheet in enumerate(sheets, 1):
        parts += [f"# {what}: {sheet.student}", f"{course}, sheet {number} of {len(sheets)}."]
        for place, task in enumerate(sheet.tasks, 1):
            parts.append(f"## {_heading(place, task)}")
            for block in task.answer if key else task.ask:
                parts.append(f"```python\n{block.text}\n```" if block.code else block.text)
            if not key:
                parts.append("\n".join(["<br>"] * task.room))
        if number < len(sheets):
            parts.append(BREAK)
    return "\n\n".join(parts) + "\n"
