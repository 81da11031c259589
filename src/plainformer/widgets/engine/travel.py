"""How a packed model gets from Python to the engine in a page, with the engine's own code.

In Jupyter both travel in one trait of the widget, `Weights.trait`. A page of the site only names
two files (`Weights.in_page`), which it loads when the reader asks for them; `files_for`
gives the files themselves to the build of the site. Their names end with the first digits of
their checksums, so that a browser never uses an outdated one.

The weights are there twice: bare, for a page that a server sent, which fetches it and can tell how
much has arrived; and as a script, for a page that was opened from a disk, which may not fetch.

A smaller model, which the engine has no part in, may travel as a text in such a script
(`script_name`), and so may what was found in a model. A widget that trains a model in the page
needs no weights, only the code (`trainer_trait`, `trainer_in_page`). With the code of `GlassModel`
(`glass_trait`, `glass_in_page`) it opens the model that it has trained.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from plainformer.widgets.kit.front_end import bare_sheet, bundle, source, styles

from .pack import Dtype, pack_model

__all__ = [
    "FOLDER",
    "FOUND",
    "SHIPPED",
    "TEXTS",
    "Weights",
    "engine_code",
    "files_for",
    "glass_in_page",
    "glass_trait",
    "script_name",
    "trainer_in_page",
    "trainer_trait",
]

FOLDER = "weights"
"""Where the files are, beside the folders of the widgets' scripts."""

NAMED = re.compile(r'"file":"([a-z0-9-]+)-([0-9a-f]{8})","size":\d+,"code":"engine-([0-9a-f]{8})"')
NAMED_CODE = re.compile(r'"code":"((training|glass)-[0-9a-f]{8})"')
NAMED_TEXT = re.compile(r'"script":"([a-z0-9-]+)-[0-9a-f]{8}"')


def _course_lm(step: int | None = None) -> Any:
    from plainformer.training.tasks import course_lm  # not at the top: it brings torch

    return course_lm(step).model


def _course_translator() -> Any:
    from plainformer.training.tasks.translation import course_translator

    return course_translator().model


EARLIER_STEPS = (0, 8, 21, 58, 154, 414, 1112, 2982)
"""After how many steps of training earlier versions of course-lm were kept."""

SHIPPED: dict[str, Callable[[], Any]] = {
    "course-lm": _course_lm,
    "course-translator": _course_translator,
    **{f"course-lm-{step}": partial(_course_lm, step) for step in EARLIER_STEPS},
}
"""The models that a page of the site may name."""

STORED_AS: dict[str | None, Dtype] = dict.fromkeys(
    (name for name in SHIPPED if name.startswith("course-lm")), "int8"
)
"""In which dtype these travel, if not in float16."""


def _manual_ngram() -> str:
    from plainformer.decoding import example  # not at the top: it counts for a second
    from plainformer.widgets.generate_box.pack import pack_text

    return pack_text(example.model())


def _strongest() -> str:
    from plainformer.training.tasks import course_lm_strongest

    return course_lm_strongest()


TEXTS: dict[str, Callable[[], str]] = {"manual-ngram": _manual_ngram}
"""The models that travel as a text, which a page of the site may name."""

FOUND: dict[str, Callable[[], str]] = {"course-lm-strongest": _strongest}
"""What was found in a model, and travels in the same way."""


def script_name(name: str, text: str) -> str:
    """Return the name, without suffix, of the script that brings a text.

    >>> script_name("manual-ngram", "!#$")
    'manual-ngram-f1decaf7'

    Raises ValueError when no text of that name is shipped.
    """
    if name not in TEXTS | FOUND:
        raise ValueError(f"name must be one of {', '.join(TEXTS)}, or None; got {name!r}")
    return f"{name}-{_digest(text)}"


@dataclass(frozen=True)
class Weights:
    """A packed model on its way to a page.

    Args:
        data: as `pack_model` returns it.
        name: of a model that the course ships; None for any other, which a
            page of the site cannot load, but Jupyter can.
    """

    data: bytes
    name: str | None = None

    @classmethod
    def of(cls, model: Any, *, name: str | None = None, dtype: Dtype | None = None) -> Weights:
        """Pack a model, in the dtype in which the named model is stored, or in float16.

        Raises:
            TypeError, ValueError: as `pack_model`; or no model of that name is shipped.
        """
        if name is not None and name not in SHIPPED:
            raise ValueError(f"name must be one of {', '.join(SHIPPED)}, or None; got {name!r}")
        return cls(pack_model(model, dtype or STORED_AS.get(name, "float16")), name)

    @property
    def file(self) -> str | None:
        """The name of its file on the site, without suffix; None if it has none."""
        return None if self.name is None else f"{self.name}-{self.data[:4].hex()}"

    def trait(self) -> dict[str, Any]:
        """Return what a widget's trait holds in Jupyter: bytes and code."""
        return {"data": self.data, "size": len(self.data), "code": engine_code()}

    def in_page(self) -> dict[str, Any] | None:
        """Return the value of the same trait in a page of the site; None if the files are not
        there."""
        if self.file is None:
            return None
        return {"file": self.file, "size": len(self.data), "code": _code_file()}


def trainer_trait() -> dict[str, Any]:
    """Return what the trait of a widget that trains holds in Jupyter: the code itself."""
    return {"data": True, "code": _trainer_code()}


def trainer_in_page() -> dict[str, Any]:
    """Return the value of the same trait in a page of the site: the name of a file."""
    return {"code": f"training-{_digest(_trainer_code())}"}


def glass_trait() -> dict[str, Any]:
    """Return what the trait of a widget that opens `GlassModel` holds in Jupyter: its code."""
    return {"data": True, "code": _glass_code(kit=True)}


def glass_in_page() -> dict[str, Any]:
    """Return the value of the same trait in a page of the site: the name of a file."""
    return {"code": f"glass-{_digest(_glass_code())}"}


@cache
def engine_code() -> str:
    """Return the engine as one script, for a worker or a page."""
    return bundle("engine/worker")


def files_for(html: str) -> dict[str, bytes]:
    """Return the files that a page's widgets load on demand, by their names in `FOLDER`.

    >>> files_for("<p>No model here.</p>")
    {}

    Raises ValueError when the page names a model that is not shipped, or one of another version.
    """
    files: dict[str, bytes] = {}
    for name, digest, code in set(NAMED.findall(html)):
        weights = _shipped(name)
        if (weights.file, _code_file()) != (f"{name}-{digest}", f"engine-{code}"):
            raise ValueError(
                f"html names {name}-{digest} and engine-{code}; this version has {weights.file} "
                f"and {_code_file()}: execute the page anew"
            )
        files[f"{weights.file}.bin"] = weights.data
        files[f"{weights.file}.js"] = _script(base64.b64encode(weights.data).decode("ascii"))
        files[f"{_code_file()}.js"] = _script(engine_code())
    for file, name in set(NAMED_CODE.findall(html)):
        code = {"training": _trainer_code, "glass": _glass_code}[name]()
        if file != f"{name}-{_digest(code)}":
            raise ValueError(
                f"html names {file}; this version has {name}-{_digest(code)}: execute the page anew"
            )
        files[f"{file}.js"] = _script(code)
    for found in set(NAMED_TEXT.finditer(html)):
        text = _text(found[1])
        name = script_name(found[1], text)
        if found[0] != f'"script":"{name}"':
            raise ValueError(f"html has {found[0]}; this version has {name}: execute the page anew")
        files[f"{name}.js"] = _script(text)
    return files


@cache
def _text(name: str) -> str:
    known = TEXTS | FOUND
    if name not in known:
        raise ValueError(f"html names the model {name!r}; shipped are {', '.join(TEXTS)}")
    return known[name]()


@cache
def _shipped(name: str) -> Weights:
    if name not in SHIPPED:
        raise ValueError(f"html names the model {name!r}; shipped are {', '.join(SHIPPED)}")
    return Weights.of(SHIPPED[name](), name=name)


@cache
def _trainer_code() -> str:
    """The engine that trains, as one script."""
    return bundle("engine/training_worker")


@cache
def _glass_code(*, kit: bool = False) -> str:
    """The engine, and the view of `GlassModel` with its style sheet, in one text of JSON.

    ``kit`` says whether the kit's sheets are in it as well, which every page of the site has.
    """
    view = "glass_model/view"
    sheets = [name for name in styles(view) if kit or not name.startswith("kit/")]
    sheet = "\n".join(bare_sheet(source(name)) for name in sheets)
    return json.dumps({"engine": engine_code(), "view": bundle(view), "sheet": sheet})


def _code_file() -> str:
    return f"engine-{_digest(engine_code())}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]


def _script(text: str) -> bytes:
    """A classic script that lays a text on its own element, where `arrival.js` takes it."""
    return f"document.currentScript.plainformer = {json.dumps(text)};\n".encode("ascii")
