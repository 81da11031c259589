"""The files that a static site serves so that its widgets live without a kernel.

Every file is a style sheet or a *classic* script: a page opened as ``file://`` may not load ES
modules from its own folder, so each module travels as a string in a script that registers it, and
``host.js`` turns the string into a module. Comments stay at home.

All modules of a folder come in one file, be it the room of a widget or what the rooms share. Over a
slow network fifty small files take a second longer, and what is shared weighs 32 KB in all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from .front_end import bare, bare_sheet, imports, modules, source, styles, views

__all__ = ["SHEET", "alone", "assets", "assets_for"]

SHEET = "kit/kit.css"
"""The style sheet of whatever a page shows of a widget, be it only its picture."""

HOST = "kit/host.js"  # the script that makes the widgets of a page live
LINKS = "kit/links"  # lets a link to the page set a widget; every page with widgets has it


def assets() -> dict[str, str]:
    """Return every file that a site with widgets serves: its name and its text.

    >>> [name for name in assets() if not name.startswith(tuple(views()))]
    ['kit/kit.css', 'kit/kit.js', 'formulas/formulas.js', 'engine/engine.js']
    """
    tops = [LINKS, *(f"{room}/view" for room in views())]
    files: dict[str, str] = {}
    for name in [*_sheets(tops), HOST, *_scripts(tops)]:
        files[_file(name)] = files.get(_file(name), "") + _text(name)
    return files


def assets_for(html: str) -> list[str]:
    """Return the names of the files that a page needs, in the order in which they are to be loaded.

    >>> assets_for('<p>No widget here.</p>')
    []
    >>> assets_for('<div class="pf-widget" data-pf-widget="bpe_merges"></div>')
    ['kit/kit.css', 'bpe_merges/view.css', 'kit/kit.js', 'formulas/formulas.js',
     'bpe_merges/view.js']

    Raises ValueError when the page names a widget that does not exist.
    """
    tops = _tops(html)
    files = dict.fromkeys(map(_file, [*_sheets(tops), *_scripts(tops)])) if tops else {}
    return sorted(files, key=lambda name: (name.endswith(".js"), _is_in_room(name)))


def alone(html: str) -> str:
    """Return what a page needs beside `html` when it can load no files: one style, one script.

    There may be several on a page: the first host stays, and a module is the same each time.

    >>> alone('<div class="pf-widget" data-pf-widget="bpe_merges"></div>')[:7]
    '<style>'
    """
    tops = _tops(html)
    style = f"<style>{''.join(map(_text, _sheets(tops)))}</style>"
    if not tops:
        return style
    # In a string of JavaScript <\/ is </, which would end the script.
    scripts = "".join(map(_text, [HOST, *_scripts(tops)])).replace("</", "<\\/")
    return f"{style}<script>{scripts}plainformer.scan();</script>"


def _tops(html: str) -> list[str]:
    """The modules that a page asks for itself: those of its widgets, and that of links to them."""
    wanted = list(dict.fromkeys(re.findall(r'<div class="pf-widget" data-pf-widget="(\w+)"', html)))
    if unknown := sorted(set(wanted) - set(views())):
        known = ", ".join(views())
        raise ValueError(f"html names the widget {unknown[0]!r}; expected one of: {known}")
    return [LINKS, *(f"{name}/view" for name in wanted)] if wanted else []


def _sheets(tops: Iterable[str]) -> list[str]:
    """The style sheets of some modules and of what they import; rooms come after the kit."""
    names = dict.fromkeys([SHEET, *(each for top in tops for each in styles(top))])
    return sorted(names, key=_is_in_room)


def _scripts(tops: Iterable[str]) -> list[str]:
    """The scripts of some modules and of what they import, each after its imports."""
    return [f"{each}.js" for each in dict.fromkeys(each for top in tops for each in modules(top))]


def _file(name: str) -> str:
    """The file in which the site serves a front-end file."""
    folder, kind = name.split("/")[0], name.split(".")[-1]
    return f"{folder}/{'view' if _is_in_room(name) else folder}.{kind}"


def _is_in_room(name: str) -> bool:
    return name.split("/")[0] in views()


def _text(name: str) -> str:
    """What the site serves of a file: a module as a script that registers its imports and text."""
    if name.endswith(".css"):
        return bare_sheet(source(name)) + "\n"
    text = bare(source(name))
    if name == HOST:
        return text
    module = (name.removesuffix(".js"), imports(name.removesuffix(".js")), text)
    return f"plainformer.module({', '.join(map(json.dumps, module))});\n"
