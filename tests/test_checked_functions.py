"""What every checked function refuses, read off its own signature.

`test_shapes.py` tries each kind of mistake, and its words, on one function. Here every function of
the package that is `checked` is found, and each of its arguments gets what its annotation forbids,
while the others fit. So the tests of a formula need not repeat it, and no argument is forgotten.

An annotation that asks for less than before would make these tests ask for less, too. So what each
argument must be is also written down, in `checked_functions.txt`.
"""

import importlib
import math
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import plainformer
from plainformer.shapes import AtLeast, Axes

OUTSIDE = ("plainformer.exercises", "plainformer.classroom", "plainformer.widgets")
KINDS: dict[str, Any] = {"float": float, "int": int, "bool": bool}
# Of what dtype an array may not be, by its kind: what fits nearly.
NEAR: dict[str, list[Any]] = {"float": [complex, bool], "int": [float, bool], "bool": [float, int]}


def checked_functions() -> Iterator[tuple[str, Any]]:
    for found in pkgutil.walk_packages(plainformer.__path__, "plainformer."):
        if not found.name.startswith(OUTSIDE):
            for name, value in vars(importlib.import_module(found.name)).items():
                if hasattr(value, "unchecked") and value.__module__ == found.name:
                    yield name, value


def annotations(function: Any) -> dict[str, tuple[Any, bool]]:
    """What is asked of each argument, and whether it may be None; other unions are left out."""
    found = {}
    for name, hint in get_type_hints(function.unchecked, include_extras=True).items():
        whole = getattr(hint, "__metadata__", None) or get_origin(hint) is Literal
        kinds = (hint,) if whole else get_args(hint) or (hint,)
        several = [kind for kind in kinds if kind is not type(None)]
        if name != "return" and len(several) == 1:
            extras = getattr(several[0], "__metadata__", ())
            asked = next((each for each in extras if isinstance(each, Axes | AtLeast)), several[0])
            found[name] = asked, type(None) in kinds
    return found


def fitting(asked: Any) -> Any:
    """An argument that fits: every axis has 2 entries, or 4 where it is a product."""
    if isinstance(asked, Axes):
        return np.ones([4 if "*" in axis else 2 for axis in asked.names], KINDS[asked.kind])
    if get_origin(asked) is Literal:
        return get_args(asked)[0]
    return {float: 0.5, bool: True}.get(asked, 2)


def wrong(asked: Any) -> Iterator[tuple[Any, type[Exception], str]]:
    """What an argument may not be, the error, and what the message says after its name."""
    if isinstance(asked, Axes):
        right = fitting(asked)
        yield "cat", TypeError, "must be "
        for dtype in NEAR[asked.kind][asked.broadcasts and asked.kind == "float" :]:
            yield right.astype(dtype), TypeError, ".*must be "
        if asked.broadcasts and asked.names:
            yield np.ones((*right.shape[:-1], 7), right.dtype), ValueError, "must broadcast to"
        elif not asked.leading:
            yield np.ones((1, *right.shape), right.dtype), ValueError, r"must be \(.*got shape"
        elif asked.names:
            yield right[(0,) * right.ndim], ValueError, r"must be \(.*got shape \(\)"
    elif isinstance(asked, AtLeast):
        yield asked.least - 1, ValueError, f"must be {asked.least} or more; got"
    elif asked is float:
        yield "1/8", TypeError, "must be a number; got str"
        for number in (math.nan, math.inf):
            yield number, ValueError, "must be finite; got"
    elif asked is bool:
        yield "no", TypeError, "must be True or False; got 'no'"
    elif get_origin(asked) is Literal:
        yield "zzz", ValueError, "must be .*; got 'zzz'"
    if isinstance(asked, AtLeast) or asked is int:
        for number in (1.5, True, "2"):
            yield number, TypeError, "must be a whole number; got"


FUNCTIONS = dict(checked_functions())
every = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))


def arguments(function: Any) -> dict[str, Any]:
    """All that must be given, and of what is not checked here, such as a model, nothing at all."""
    needed = {name: asked for name, (asked, none) in annotations(function).items() if not none}
    code = function.unchecked.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return dict.fromkeys(names) | {name: fitting(asked) for name, asked in needed.items()}


def in_words(asked: Any, none: bool) -> str:
    """What an argument must be, in one line's part: its kind, its axes, its least number."""
    if isinstance(asked, Axes):
        said = f"{asked.kind} {'#' * asked.broadcasts}{asked}"
    elif isinstance(asked, AtLeast):
        said = f"int >= {asked.least}"
    else:
        said = asked.__name__ if isinstance(asked, type) else str(asked).replace("typing.", "")
    return said + " or None" * none


def test_no_annotation_asks_for_less_than_is_written_down() -> None:
    """Where a signature was meant to change, change its line."""
    asked = {
        f"{name}({argument}: {in_words(*each)})"
        for name, function in FUNCTIONS.items()
        for argument, each in annotations(function).items()
        if each[0] in (int, float, bool) or isinstance(each[0], Axes | AtLeast)
        or get_origin(each[0]) is Literal
    }  # fmt: skip
    written = Path(__file__).with_name("checked_functions.txt").read_text("utf-8").splitlines()
    assert sorted(asked.symmetric_difference(written)) == []


@every
def test_each_argument_is_refused_by_name(function: Any) -> None:
    given = arguments(function)
    for name, (asked, _) in annotations(function).items():
        for value, error, said in wrong(asked):
            with pytest.raises(error, match=rf"\b{name}\b.*{said}"):
                function(**given | {name: value})


@every
def test_axes_of_one_name_are_of_one_size(function: Any) -> None:
    """The array that comes later is the one that does not fit."""
    given, seen = arguments(function), set()
    for name, (asked, none) in annotations(function).items():
        if none or not isinstance(asked, Axes):
            continue
        for number, axis in enumerate(asked.names):
            if axis in seen and "*" not in axis:
                shape = list(given[name].shape)
                shape[number] += 1
                with pytest.raises(ValueError, match=rf"^{name} must be \(.* with {axis} = 2"):
                    function(**given | {name: np.ones(shape, given[name].dtype)})
        seen |= set(asked.names)
