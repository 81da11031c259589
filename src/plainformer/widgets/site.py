"""The files that a static site serves so that its widgets live without a kernel.

Every file is a style sheet or a *classic* script: a page opened as ``file://`` may not load ES
modules from its own folder, so each module travels as a string in a script that registers it, and
``host.js`` turns the string into a module.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from .base import imports, modules, source, styles

__all__ = ["assets", "assets_for"]


def assets() -> dict[str, str]:
    """Return every file that a site with widgets serves: its name and its text.

    >>> sorted(name for name in assets() if name.startswith(("host", "kit")))
    ['host.js', 'kit.css', 'kit.js']
    """
    files = {"kit.css": source("kit.css"), "host.js": source("host.js")}
    for name in _front_ends():
        files |= {each: source(each) for each in styles(name)}
        files |= {f"{each}.js": _script(each) for each in modules(name)}
    return files


def assets_for(html: str) -> list[str]:
    """Return the names of the files that a page needs, in the order in which they are to be loaded.

    >>> assets_for('<p>No widget here.</p>')
    []
    >>> assets_for('<div class="pf-widget" data-pf-widget="bpe_merges"></div>')
    ['kit.css', 'bpe_merges.css', 'host.js', 'kit.js', 'bpe.js', 'bpe_merges.js']

    Raises ValueError when the page names a widget that does not exist.
    """
    wanted = list(dict.fromkeys(re.findall(r'<div class="pf-widget" data-pf-widget="(\w+)"', html)))
    unknown = sorted(set(wanted) - set(_front_ends()))
    if unknown:
        known = ", ".join(_front_ends())
        raise ValueError(f"html names the widget {unknown[0]!r}; expected one of: {known}")
    if not wanted:
        return []
    sheets = dict.fromkeys(["kit.css", *(each for name in wanted for each in styles(name))])
    scripts = dict.fromkeys(each for name in wanted for each in modules(name))
    return [*sheets, "host.js", *(f"{each}.js" for each in scripts)]


def _front_ends() -> list[str]:
    """The names of the widgets: the modules of this folder that export something to render."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.js"))
    return [name for name in names if "\nexport default " in source(f"{name}.js")]


def _script(name: str) -> str:
    """A classic script that registers an ES module with the host: its name, imports and text."""
    module = (name, imports(name), source(f"{name}.js"))
    return f"plainformer.module({', '.join(map(json.dumps, module))});\n"
