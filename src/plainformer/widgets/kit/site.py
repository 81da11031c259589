"""The files that a static site serves so that its widgets live without a kernel.

Every file is a style sheet or a *classic* script: a page opened as ``file://`` may not load ES
modules from its own folder, so each module travels as a string in a script that registers it, and
``host.js`` turns the string into a module. Comments stay at home.
"""

from __future__ import annotations

import json
import re

from .front_end import bare, imports, modules, source, styles, views

__all__ = ["HOST", "LINKS", "SHEET", "alone", "assets", "assets_for"]

SHEET = "kit/kit.css"
"""The style sheet of whatever a page shows of a widget, be it only its picture."""

HOST = "kit/host.js"
"""The script that makes the widgets of a page live."""

LINKS = "kit/links"
"""The module that lets a link to the page set a widget; every page with widgets has it."""


def assets() -> dict[str, str]:
    """Return every file that a site with widgets serves: its name and its text.

    >>> sorted(name for name in assets() if name.startswith(("kit/h", "kit/k")))
    ['kit/heatmap.css', 'kit/heatmap.js', 'kit/host.js', 'kit/kit.css', 'kit/kit.js']
    """
    files = {SHEET: bare(source(SHEET)), HOST: bare(source(HOST)), f"{LINKS}.js": _script(LINKS)}
    for room in views():
        files |= {name: "".join(texts) for name, texts in _files(f"{room}/view").items()}
    return files


def assets_for(html: str) -> list[str]:
    """Return the names of the files that a page needs, in the order in which they are to be loaded.

    >>> assets_for('<p>No widget here.</p>')
    []
    >>> assets_for('<div class="pf-widget" data-pf-widget="bpe_merges"></div>')
    ['kit/kit.css', 'kit/text_box.css', 'kit/choice.css', 'kit/prompt.css', 'bpe_merges/view.css',
     'kit/host.js', 'kit/state.js', 'kit/kit.js', 'kit/links.js', 'kit/text_box.js',
     'kit/choice.js', 'kit/prompt.js', 'formulas/bpe.js', 'bpe_merges/view.js']

    Raises ValueError when the page names a widget that does not exist.
    """
    wanted = list(dict.fromkeys(re.findall(r'<div class="pf-widget" data-pf-widget="(\w+)"', html)))
    if unknown := sorted(set(wanted) - set(views())):
        known = ", ".join(views())
        raise ValueError(f"html names the widget {unknown[0]!r}; expected one of: {known}")
    if not wanted:
        return []
    shown = [f"{name}/view" for name in wanted]
    files = dict.fromkeys(each for top in [LINKS, *shown] for each in _files(top))
    sheets = [each for each in files if each.endswith(".css") and each != SHEET]
    return [SHEET, *sheets, HOST, *(each for each in files if each.endswith(".js"))]


def alone(html: str) -> str:
    """Return what a page needs beside `html` when it can load no files: one style, one script.

    There may be several on a page: the first host stays, and a module is the same each time.

    >>> alone('<div class="pf-widget" data-pf-widget="bpe_merges"></div>')[:7]
    '<style>'
    """
    names, texts = assets_for(html) or [SHEET], assets()
    sheets = "".join(texts[name] for name in names if name.endswith(".css"))
    # In a string of JavaScript <\/ is </, which would end the script.
    scripts = "".join(texts[name] for name in names if name.endswith(".js"))
    scripts = scripts.replace("</", "<\\/")
    live = f"<script>{scripts}plainformer.scan();</script>" if scripts else ""
    return f"<style>{sheets}</style>{live}"


def _files(top: str) -> dict[str, list[str]]:
    """The files with a module, all that it imports and their styles: each name, and its texts.

    The modules of a widget's own room come in one file, since over a slow network thirty small
    files take a second longer. What rooms share has files of its own, which the browser keeps.
    """
    files: dict[str, list[str]] = {}
    parts = [(each, bare(source(each))) for each in styles(top)]
    parts += [(f"{each}.js", _script(each)) for each in modules(top)]
    for name, text in parts:
        room, kind = name.split("/")[0], name.split(".")[-1]
        file = f"{room}/view.{kind}" if room in views() else name
        files[file] = [*files.pop(file, []), text]  # a room comes after what it shares
    return files


def _script(name: str) -> str:
    """A classic script that registers an ES module with the host: its name, imports and text."""
    module = (name, imports(name), bare(source(f"{name}.js")))
    return f"plainformer.module({', '.join(map(json.dumps, module))});\n"
