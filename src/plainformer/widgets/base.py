"""What every widget of the course shares: one front end that lives in three homes.

1. In Jupyter it is an `anywidget <https://anywidget.dev>`_ whose traits are live.
2. In the static page it is HTML: the state as JSON, which ``host.js`` hands to the same front end.
3. Without scripts, and in print, it is a picture of its state, drawn here by Python.

A widget is a subclass of `Widget` with a ``front_end`` (the name of its ``.js`` file in this
folder), traits tagged ``sync=True``, and a ``picture()``.

But: the static page has no Python behind it. A front end must be able to draw from the state alone
and may not count on an answer.
"""

from __future__ import annotations

import difflib
import gzip
import html
import inspect
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import anywidget
import ipywidgets
import traitlets

__all__ = [
    "MAX_STATE_BYTES",
    "Checked",
    "Widget",
    "bundle",
    "imports",
    "modules",
    "source",
    "styles",
]

MAX_STATE_BYTES = 50_000
"""The most that a widget's state may weigh in a page, gzipped.

One class is granted more, by its own `Widget.max_state_bytes`: `GenerateBox`, 300,000 bytes, for it
brings a whole model. A test holds that no other is.
"""

# The one form of import that a front end may use, and the one form of export besides the default.
IMPORT = re.compile(r'^import \* as (\w+) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)

T = TypeVar("T")


def source(name: str) -> str:
    """Return the text of a front-end file of this folder.

    >>> source("kit.css").startswith("/*")
    True

    Raises FileNotFoundError when there is no such file.
    """
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def imports(name: str, read: Callable[[str], str] = source) -> list[str]:
    """Return the names of the modules that a front-end module imports, in its order.

    >>> imports("bpe_merges")
    ['kit', 'bpe']

    Raises ValueError when it has an import of another form than ``import * as x from "./x.js";``.
    """
    text = read(f"{name}.js")
    if odd := re.search(r"^import\b.*", IMPORT.sub("", text), re.MULTILINE):
        raise ValueError(
            f"{name}.js must import as in 'import * as kit from \"./kit.js\";'; got {odd[0]!r}"
        )
    return [match[2] for match in IMPORT.finditer(text)]


def modules(name: str, read: Callable[[str], str] = source) -> list[str]:
    """Return the names of a front-end module and of all that it imports, each after its imports.

    >>> modules("bpe_merges")
    ['kit', 'bpe', 'bpe_merges']

    Raises ValueError when modules import each other in a circle.
    """
    return _modules(name, read, above=())


def _modules(name: str, read: Callable[[str], str], above: tuple[str, ...]) -> list[str]:
    if name in above:
        circle = " -> ".join(f"{each}.js" for each in (*above, name))
        raise ValueError(f"front-end modules must not import each other in a circle; got {circle}")
    found: list[str] = []
    for other in imports(name, read):
        found += [each for each in _modules(other, read, (*above, name)) if each not in found]
    return [*found, name]


def styles(name: str) -> list[str]:
    """Return the names of the style sheets that a front-end module and its imports have.

    >>> styles("bpe_merges")
    ['kit.css', 'bpe_merges.css']
    """
    names = (f"{each}.css" for each in modules(name))
    return [each for each in names if (Path(__file__).parent / each).is_file()]


def bundle(name: str, read: Callable[[str], str] = source) -> str:
    """Return a front-end module as one module without imports, for Jupyter, which serves one file.

    A module imports by ``import * as kit from "./kit.js";`` and exports by ``export`` before the
    declaration of a function, constant or class.

    >>> files = {"a.js": 'import * as b from "./b.js";\\nb.f();', "b.js": "export function f() {}"}
    >>> print(bundle("a", files.__getitem__))
    const module_b = (() => {
    function f() {}
    return { f };
    })();
    const b = module_b;
    b.f();

    Raises ValueError when a module has an import of another form.
    """
    parts = []
    for each in modules(name, read):
        text = IMPORT.sub(r"const \1 = module_\2;", read(f"{each}.js"))
        if each != name:
            names = ", ".join(match[2] for match in EXPORT.finditer(text))
            body = EXPORT.sub(r"\1", text).rstrip()
            text = f"const module_{each} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"
        parts.append(text)
    return "\n".join(parts)


class Checked(traitlets.TraitType[T, Any], Generic[T]):
    """A trait whose value passes through a function that returns it or raises a kind error.

    ``check(widget, value)`` returns the value to keep, or raises a TypeError or ValueError that
    names the trait, what was given and what is expected. (The traits of traitlets raise an error
    of their own, which is neither.)
    """

    def __init__(self, default: T, check: Callable[[Any, Any], T]) -> None:
        super().__init__(default_value=default)
        self._check = check

    def validate(self, obj: Any, value: Any) -> T:
        """Return the value to keep."""
        return self._check(obj, value)


class Widget(anywidget.AnyWidget):
    """A widget of the course; see the module's text for its three homes."""

    front_end: ClassVar[str] = ""
    max_state_bytes: ClassVar[int | None] = None  # None: MAX_STATE_BYTES
    needs_python: bool = False  # whether it can do nothing without: then a page has its picture

    def __init__(self, **options: Any) -> None:
        self._refuse_unknown(options)
        super().__init__(**options)

    def __init_subclass__(cls, **options: Any) -> None:
        if "front_end" in cls.__dict__:  # not in the copies that traitlets makes to add traits
            cls._esm = bundle(cls.front_end)
            cls._css = "".join(map(source, styles(cls.front_end)))
        super().__init_subclass__(**options)

    def _refuse_unknown(self, options: dict[str, Any]) -> None:
        """Complain about an option that is no trait; traitlets would drop it without a word."""
        known = {*self.trait_names(), "model_id"}  # ipywidgets takes a model_id, too
        kinds = inspect.signature(type(self)).parameters.values()
        named = {each.name for each in kinds if each.kind is not each.VAR_KEYWORD}
        own = sorted(named | set(self._own_traits()))
        for name in options:
            if name not in known:
                close = difflib.get_close_matches(name, own, n=1)
                hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(own)}"
                raise TypeError(f"{type(self).__name__} has no option {name}; {hint}")

    def _own_traits(self) -> list[str]:
        """The names of the synced traits that ipywidgets does not have."""
        inherited = set(ipywidgets.DOMWidget.class_trait_names())
        return [n for n in self.trait_names(sync=True) if n not in inherited and n[0] != "_"]

    def state(self) -> dict[str, Any]:
        """Return what the front end needs to draw: every synced trait of the widget's own."""
        return {name: getattr(self, name) for name in self._own_traits()}

    def picture(self) -> str:
        """Return HTML that shows the widget's state without scripts, for `fallback`."""
        raise NotImplementedError

    def description(self) -> str:
        """Return in a sentence or two what the picture shows: its alternative text."""
        raise NotImplementedError

    def fallback(self) -> str:
        """Return the picture as one image with alternative text."""
        alt = html.escape(" ".join(self.description().split()), quote=True)
        return f'<div role="img" aria-label="{alt}">{self.picture()}</div>'

    def html(self) -> str:
        """Return the widget as it stands in a static page.

        A state above the limit (`max_state_bytes`, else `MAX_STATE_BYTES`) is left out, with a
        warning, so that no page grows without anyone noticing: such a page shows the picture only.
        """
        most = MAX_STATE_BYTES if self.max_state_bytes is None else self.max_state_bytes
        data = json.dumps(self.state(), separators=(",", ":")).replace("<", "\\u003c")
        weight = len(gzip.compress(data.encode("ascii")))
        live = weight <= most and not self.needs_python
        if weight > most:
            warnings.warn(
                f"{type(self).__name__} weighs {weight:,} bytes, of {most:,} that a "
                "page may carry for one widget: the page shows its picture, and nothing moves",
                stacklevel=2,
            )
        script = f'<script type="application/json">{data}</script>' if live else ""
        name = f' data-pf-widget="{self.front_end}"' if live else ""
        return (
            f'<div class="pf-widget"{name}>{script}'
            f'<div class="pf-fallback">{self.fallback()}</div></div>'
        )

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Offer the live view to Jupyter, and HTML to whatever has no kernel."""
        bundled = super()._repr_mimebundle_(**options)
        if bundled is None:
            return None
        data, metadata = bundled
        data["text/plain"] = repr(self)
        data["text/html"] = self.html()
        return data, metadata
