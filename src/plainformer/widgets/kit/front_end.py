"""The front-end files of the widgets: which there are, what they import, and all of it as one file.

A front end is an ES module, named by its path below this folder's parent without ``.js``:
``bpe_merges/view`` is the view of a widget, ``kit/kit`` what all share, ``formulas/bpe`` a formula.
A module imports whole modules, by a path that starts at its own folder::

    import * as kit from "../kit/kit.js";
    import * as words from "./words.js";

The page (``host.js``) and Jupyter (`bundle`) both rewrite that one line and no other form of it, so
no build step and no parser of JavaScript is needed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from plainformer.files import shipped

__all__ = [
    "PAGE_HAS_HOST",
    "bare",
    "bare_sheet",
    "bundle",
    "imports",
    "modules",
    "source",
    "styles",
    "views",
]

ROOT = Path(__file__).parents[1]

PAGE_HAS_HOST = "PLAINFORMER_PAGE_HAS_HOST"
"""The build of the book sets this variable: its pages load the host and the front ends as files."""

# The one form of import that a front end may use, and the one form of export besides the default.
IMPORT = re.compile(r'^import \* as (\w+) from "(\.\.?/[\w/]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)

# What no reader need load: comments, a third of a front end, and how its lines are laid out.
COMMENT = re.compile(r"^ *(?://.*|/\*(?:.|\n)*?\*/)\n", re.MULTILINE)  # on lines of its own
WHOLE = r"""(?:[^"'`\n]|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)"""  # a letter of code, or a whole string
AFTER = re.compile(rf"^({WHOLE}*?) +// .*$", re.MULTILINE)  # a comment behind code
LAYOUT = re.compile(r"^ +|\n+(?=\n)|(?<=[{(\[,;])\n", re.MULTILINE)

# Spaces that code can do without. They are left in a line that may have another kind of string: a
# pattern, or a template within a template.
STRING = r"""("[^"\n]*"|'[^'\n]*'|`(?:[^`$\n]|\$(?!\{)|\$\{[^`{}"'\n]*\})*`)"""
SPACED = re.compile(
    STRING + r"| (=>|[!=]==?|=|&&|\|\||\?\??|:|[<>*]=?|[+-]=) |(?<![+-]) ([+-]) (?![+-])"
    r"|(,) | ?([{}()]) ?"
)

# The same of a style sheet: a string, a comment, and what may be without spaces around it.
SHEET_LAYOUT = re.compile(
    r"""("[^"\n]*"|'[^'\n]*')|/\*(?:.|\n)*?\*/|\s*([{};,])\s*|(?<=[\w-])(:)\s+|\s+"""
)


def source(name: str) -> str:
    """Return the text of a front-end file.

    >>> source("kit/kit.css").startswith("/*")
    True

    Raises FileNotFoundError when the file does not exist.
    """
    return shipped(ROOT / name).read_text(encoding="utf-8")


def bare(text: str) -> str:
    """Return a front-end file without comments and indentation, as readers load it.

    A string ends on its line, which a test holds: then nothing inside of one is touched.

    >>> bare("// Why.\\nif (x === y) {\\n  f('a, b', c); // at once\\n}\\n")
    "if(x===y){f('a, b',c);}\\n"
    """

    lines = AFTER.sub(r"\1", COMMENT.sub("", text)).split("\n")
    return LAYOUT.sub("", "\n".join(map(_tight, lines)))


def _tight(line: str) -> str:
    if re.search("[`/]", re.sub(STRING, "", line)):
        return line
    return SPACED.sub(lambda found: next(filter(None, found.groups())), line)


def bare_sheet(text: str) -> str:
    """Return a style sheet without comments and layout, as readers load it.

    >>> bare_sheet("/* Why. */\\na > b::after {\\n  margin: 0 1px;\\n}\\n")
    'a > b::after{margin:0 1px}'
    """

    def shortest(found: re.Match[str]) -> str:
        return found[1] or found[2] or found[3] or (" " if found[0].isspace() else "")

    return SHEET_LAYOUT.sub(shortest, text).replace(";}", "}").strip()


def views() -> list[str]:
    """Return the names of the widgets that a page can show: the rooms that have a view.

    >>> views()[:2]
    ['attention_map', 'attention_stepper']
    """
    return sorted(path.parent.name for path in ROOT.glob("*/view.js"))


def imports(name: str, read: Callable[[str], str] = source) -> dict[str, str]:
    """Return what a front-end module imports, in its order: each path as written, and the module.

    >>> imports("bpe_merges/view")
    {'../kit/kit.js': 'kit/kit', '../kit/text_box.js': 'kit/text_box',
     '../kit/choice.js': 'kit/choice', '../kit/prompt.js': 'kit/prompt',
     '../formulas/bpe.js': 'formulas/bpe'}

    Raises ValueError when it has an import of another form than ``import * as x from "./x.js";``.
    """
    text = read(f"{name}.js")
    if odd := re.search(r"^import\b.*", IMPORT.sub("", text), re.MULTILINE):
        raise ValueError(
            f"{name}.js must import as in 'import * as kit from \"../kit/kit.js\";'; got {odd[0]!r}"
        )
    return {f"{path}.js": _beside(name, path) for _, path in IMPORT.findall(text)}


def modules(name: str, read: Callable[[str], str] = source) -> list[str]:
    """Return the names of a front-end module and of all that it imports, each after its imports.

    >>> modules("bpe_merges/view")
    ['kit/state', 'kit/kit', 'kit/text_box', 'kit/choice', 'kit/prompt', 'formulas/bpe',
     'bpe_merges/view']

    Raises ValueError when modules import each other in a circle.
    """
    return _modules(name, read, above=())


def styles(name: str) -> list[str]:
    """Return the names of the style sheets that a front-end module and its imports have.

    >>> styles("bpe_merges/view")
    ['kit/kit.css', 'kit/text_box.css', 'kit/choice.css', 'kit/prompt.css', 'bpe_merges/view.css']
    """
    names = (f"{each}.css" for each in modules(name))
    return [each for each in names if (ROOT / each).is_file()]


def bundle(name: str, read: Callable[[str], str] = source) -> str:
    """Return a front-end module as one module without imports, for Jupyter, which serves one file.

    A module exports by ``export`` before the declaration of a function, constant or class. Its
    comments are left out, see `bare`.

    >>> files = {
    ...     "a/view.js": 'import * as b from "../b.js";\\nb.f();',
    ...     "b.js": "export function f() {}",
    ... }
    >>> print(bundle("a/view", files.__getitem__))
    const $0=(()=>{function f(){}
    return{f};})();const b=$0;b.f();

    Raises ValueError when a module has an import of another form.
    """
    parts = []
    order = modules(name, read)
    variables = {each: f"${i}" for i, each in enumerate(order)}  # $ is a letter to JavaScript
    for each in order:
        text = IMPORT.sub(_constant(each, variables), read(f"{each}.js"))
        if each != name:
            names = ", ".join(match[2] for match in EXPORT.finditer(text))
            body = EXPORT.sub(r"\1", text).rstrip()
            text = f"const {variables[each]} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"
        parts.append(text)
    return bare("\n".join(parts))


def _beside(name: str, path: str) -> str:
    """The module that a path refers to when it appears in the module `name`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _modules(name: str, read: Callable[[str], str], above: tuple[str, ...]) -> list[str]:
    if name in above:
        circle = " -> ".join(f"{each}.js" for each in (*above, name))
        raise ValueError(f"front-end modules must not import each other in a circle; got {circle}")
    found: list[str] = []
    for other in imports(name, read).values():
        found += [each for each in _modules(other, read, (*above, name)) if each not in found]
    return [*found, name]


def _constant(name: str, variables: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """What an import in the module `name` becomes in a bundle, in which modules are variables."""
    return lambda match: f"const {match[1]} = {variables[_beside(name, match[2])]};"
