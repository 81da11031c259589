"""What every widget of the course shares: one front end that lives in three homes.

1. In Jupyter it is an `anywidget <https://anywidget.dev>`_ whose traits are live.
2. In a static page it is HTML: the state as JSON, which ``host.js`` hands to the same front end.
   The course's site has host and front ends as files; what leaves a notebook in another way, such
   as ``jupyter nbconvert --to html``, takes them along.
3. Without scripts, and in print, it is a picture of its state, drawn here by Python.

A widget is a subclass of `Widget` with a ``front_end`` (the name of its folder, whose ``view.js``
draws it), traits tagged ``sync=True``, a ``picture()``, and a ``description()``, the picture in
words.

The static page has no Python behind it, so a front end must be able to draw from the state alone
and cannot rely on an answer.
"""

from __future__ import annotations

import difflib
import gzip
import html
import inspect
import json
import os
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import anywidget
import ipywidgets
import traitlets

from .front_end import PAGE_HAS_HOST, bare_sheet, bundle, source, styles

__all__ = ["MAX_STATE_BYTES", "ValidatedTrait", "Widget"]

MAX_STATE_BYTES = 50_000
"""The most that a widget's state may weigh in a page, gzipped.

One class is granted more, by its own `Widget.max_state_bytes`: `GenerateBox`, 300,000 bytes, for it
brings a whole model. A test holds that no other is.
"""

T = TypeVar("T")


class ValidatedTrait(traitlets.TraitType[T, Any], Generic[T]):
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
            view = f"{cls.front_end}/view"
            cls._esm = bundle(view)
            cls._css = "\n".join(bare_sheet(source(name)) for name in styles(view))
        super().__init_subclass__(**options)

    def _refuse_unknown(self, options: dict[str, Any]) -> None:
        """Raise for an option that is not a trait, which traitlets would silently drop."""
        known = {*self.trait_names(), "model_id"}  # ipywidgets takes a model_id, too
        # Of __init__, because Pythons differ in whether a class has the signature of __new__.
        _, *kinds = inspect.signature(type(self).__init__).parameters.values()
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
        """Return the widget as it appears in a static page.

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

    def standalone(self) -> str:
        """Return the widget with all that makes it live, for a page that nothing prepares."""
        from . import site  # not at the top: a page of the book shall not depend on its files

        html = self.html()
        return html + site.alone(html)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Offer the live view to Jupyter, and HTML to whatever has no kernel."""
        bundled = super()._repr_mimebundle_(**options)
        if bundled is None:
            return None
        data, metadata = bundled
        data["text/plain"] = repr(self)
        data["text/html"] = self.html() if PAGE_HAS_HOST in os.environ else self.standalone()
        return data, metadata
