"""Shapes in signatures, and the decorator that enforces them.

The formulas of this course say in their signatures what they compute with, in the notation of
jaxtyping, which many papers' code uses as well::

    @checked
    def attention(
        q: Float[Array, "... T K"],
        k: Float[Array, "... S K"],
        v: Float[Array, "... S Dv"],
        *,
        mask: Bool[Array, "... #T #S"] | None = None,
    ) -> tuple[Float[Array, "... T Dv"], Float[Array, "... T S"]]:

A name stands for the same size wherever it occurs, so queries and keys must agree in K. The dots
stand for any number of leading axes (batch, heads), which broadcast together as in a matrix
product. An axis marked with ``#`` may also be 1 or missing: the array broadcasts to the shape that
the others imply and never enlarges it. ``n_heads*K`` is an axis whose size is a multiple of the
argument `n_heads`, or of an axis of that name.

`checked` reads the signature once. At every call it turns lists into arrays, gives all float
arrays one dtype, and compares the shapes. Plain annotations count too: a `Size` is a whole number
from 1 on, a `float` must be finite, and a `Literal` lists the choices. A mistake becomes an error
that names the argument, what it was given, and what it should have been. A call in which everything
fits is remembered by its shapes, dtypes and options, and the next one like it goes straight to the
formula. Code that calls a formula
many times with arrays that are known to fit, such as a model's layers, uses the same function
without the checks: ``attention.unchecked(q, k, v)``.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_floats,
    as_integers,
    asarray_like,
    broadcasts,
    check_choice,
    check_flag,
    check_number,
    check_size,
)

__all__ = ["Array", "Bool", "Checked", "Count", "Float", "Int", "Size", "checked"]

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Shape = tuple[int, ...]

# What a call is remembered by, and how many calls of one function are.
PLAIN = {bool, float, int, str, types.NoneType}
MOST_ACCEPTED = 1000


class AtLeast(NamedTuple):
    """The smallest number that an argument may be."""

    least: int


Size = Annotated[int, AtLeast(1)]
"""A whole number of at least 1, such as a number of heads."""

Count = Annotated[int, AtLeast(0)]
"""A whole number that may be 0."""


class Axes(NamedTuple):
    """What a signature says about one array: its kind of numbers and its axes."""

    kind: str
    leading: bool  # whether it may have any number of axes before those that are named
    names: tuple[str, ...]
    broadcasts: bool  # whether it follows the shapes of the others instead of setting them

    def __str__(self) -> str:
        names = [name.replace("*", " · ") for name in self.names]
        inner = ", ".join(["..."] * self.leading + names)
        return f"({inner},)" if len(self.names) + self.leading == 1 else f"({inner})"


if TYPE_CHECKING:  # for a type checker, the shape is only a comment on the type
    from typing import Annotated as Bool
    from typing import Annotated as Float
    from typing import Annotated as Int
else:

    class _Kind:
        """`Float`, `Int` and `Bool`: ``Float[Array, "... T K"]`` describes an array."""

        def __init__(self, kind: str) -> None:
            self.kind = kind

        def __getitem__(self, item: tuple[Any, str]) -> Any:
            array, text = item
            names = text.split()
            leading = text.startswith(("...", "#..."))
            axes = tuple(name.lstrip("#") for name in names[leading:])
            return Annotated[array, Axes(self.kind, leading, axes, "#" in text)]

    Float, Int, Bool = _Kind("float"), _Kind("int"), _Kind("bool")


class Checked(Generic[P, R_co]):
    """What `checked` returns, for type checkers: a function that also exists without its checks."""

    unchecked: Callable[P, R_co]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        raise NotImplementedError


def checked(function: Callable[P, R_co]) -> Checked[P, R_co]:
    """Check every call of a function against the shapes in its signature.

    The result converts and checks its arguments, as the text of this module explains, and calls the
    original, which is its attribute `unchecked`. An argument whose default is None may be left out.

    >>> @checked
    ... def scores(q: Float[Array, "... T K"], k: Float[Array, "... S K"]) -> Array:
    ...     return q @ k.mT
    >>> scores([[1, 2]], [[3, 4]])
    array([[11.]])
    >>> scores([[1, 2]], [[3, 4, 5]])
    Traceback (most recent call last):
    ValueError: k must be (..., S, K) with K = 2, as in q; got shape (1, 3)
    """
    signature = inspect.signature(function)
    rules = [
        rule
        for name, hint in get_type_hints(function, include_extras=True).items()
        if name != "return" and (rule := _rule(name, hint, signature)) is not None
    ]
    scalars = [(name, check) for name, check in rules if not isinstance(check, Axes)]
    arrays = [(name, axes) for name, axes in rules if isinstance(axes, Axes)]
    optional = {name for name, value in signature.parameters.items() if value.default is None}

    accepted: set[Any] = set()  # calls in which nothing was converted or refused

    @functools.wraps(function)
    def check_and_call(*args: P.args, **kwargs: P.kwargs) -> R_co:
        call: list[Any] = list(kwargs)
        value: Any
        for value in (*args, *kwargs.values()):
            if type(value) in PLAIN:
                call += type(value), value  # both, because 1 and True are equal
            elif getattr(value, "ndim", 0) and hasattr(value, "dtype"):
                device = array_api_compat.device(value)
                call += type(value), value.dtype, device, tuple(value.shape)
            else:  # a list, for example, which may contain other numbers the next time
                key = None
                break
        else:
            key = tuple(call)
            if key in accepted:
                return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        before = dict(given)
        for name, check in scalars:
            if given[name] is not None or name not in optional:
                given[name] = check(given[name], name)
        there = [rule for rule in arrays if given[rule[0]] is not None or rule[0] not in optional]
        if there:
            check_arrays(there, given)
        same = all(given[name] is before[name] for name in before)
        if key is not None and same and len(accepted) < MOST_ACCEPTED:
            accepted.add(key)
        return function(*bound.args, **bound.kwargs)

    wrapper = cast(Checked[P, R_co], check_and_call)
    wrapper.unchecked = function
    return wrapper


def _rule(name: str, hint: Any, signature: inspect.Signature) -> tuple[str, Any] | None:
    """What the annotation of one argument asks for: axes, a check of a single value, or nothing."""
    given = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    kinds = [kind for kind in given if kind is not types.NoneType]
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    optional = signature.parameters[name].default is None
    if get_origin(kind) is Literal:
        choices = [*get_args(kind), *([None] if optional else [])]
        return name, lambda value, name: check_choice(value, name, choices)
    for extra in getattr(kind, "__metadata__", ()):
        if isinstance(extra, Axes):
            return name, extra
        if isinstance(extra, AtLeast):
            return name, functools.partial(check_size, least=extra.least)
    if kind is int:
        return name, functools.partial(check_size, least=-(2**63))
    checks: dict[Any, Any] = {float: check_number, bool: check_flag}
    return (name, checks[kind]) if kind in checks else None


# Arrays


def check_arrays(rules: list[tuple[str, Axes]], given: dict[str, Any]) -> None:
    """Convert the arrays among the arguments, in place, and compare their shapes.

    Whole numbers among the arguments may occur in the axes.
    """
    floats = {n: given[n] for n, axes in rules if axes.kind == "float" and not axes.broadcasts}
    if floats:
        given.update(zip(floats, as_floats(**floats), strict=True))
    like = given[next(iter(floats))] if floats else None
    for name, axes in rules:
        if name in floats:
            continue
        given[name] = AS_KIND[axes.kind](given[name], name)
        if like is not None:  # where the numbers are computed with
            given[name] = asarray_like(given[name], like)
            if axes.kind == "float":
                xp = array_api_compat.array_namespace(like)
                given[name] = xp.astype(given[name], like.dtype, copy=False)
    numbers = {name: value for name, value in given.items() if type(value) is int}
    compare_shapes({name: (axes, tuple(given[name].shape)) for name, axes in rules}, numbers)


def as_mask(mask: Any, name: str = "mask") -> Array:
    """Return a boolean array as it is; nested lists of booleans become NumPy arrays.

    Numbers to be added to the scores, which some libraries call a mask, are an `attn_bias` here.

    >>> as_mask([[0.0, -np.inf]])
    Traceback (most recent call last):
    TypeError: mask must be boolean, True where attention is allowed; got float64
    """
    array = mask if array_api_compat.is_array_api_obj(mask) else np.asarray(mask)
    xp = array_api_compat.array_namespace(array)
    if not xp.isdtype(array.dtype, "bool"):
        wanted = "boolean, True where attention is allowed"
        raise TypeError(f"{name} must be {wanted}; got {array.dtype}")
    return array


AS_KIND: dict[str, Callable[[Any, str], Array]] = {
    "bool": as_mask, "int": as_integers, "float": as_array,
}  # fmt: skip


def compare_shapes(arrays: dict[str, tuple[Axes, Shape]], numbers: dict[str, int]) -> None:
    """Compare the shapes of arrays with their axes, and so with one another.

    `numbers` are whole numbers that may occur in the axes. The error names the argument that does
    not fit, and where the size that it should have had comes from.

    >>> matrix = Axes("float", False, ("n_heads*K", "D"), False)
    >>> compare_shapes({"w": (matrix, (7, 8))}, {"n_heads": 2})
    Traceback (most recent call last):
    ValueError: w must be (n_heads · K, D) with n_heads = 2; got shape (7, 8)
    """
    sizes, lead = dict(numbers), ()
    origins: dict[str, str] = {}  # which array a size came from
    products, guests = [], []
    for name, (axes, shape) in arrays.items():
        if axes.broadcasts:
            guests.append(name)
            continue
        n = len(axes.names)
        if len(shape) != n and not (axes.leading and len(shape) > n):
            raise ValueError(f"{name} must be {axes}; got shape {shape}")
        split = len(shape) - n
        for axis, size in zip(axes.names, shape[split:], strict=True):
            if "*" in axis:
                products.append((name, axis, size))
            elif sizes.setdefault(axis, size) != size:
                source = f", as in {origins[axis]}" if axis in origins else ""
                wanted = f"{axes} with {axis} = {sizes[axis]}{source}"
                raise ValueError(f"{name} must be {wanted}; got shape {shape}")
            origins.setdefault(axis, name)
        if shape[:split] != lead:
            try:
                lead = np.broadcast_shapes(lead, shape[:split])
            except ValueError:
                listed = " and ".join(
                    f"{other} of shape {seen}"
                    for other, (kind, seen) in arrays.items()
                    if kind.leading and not kind.broadcasts
                )
                what = f"the axes before the last {n}" if n else "shapes"
                raise ValueError(f"{what} must broadcast together; got {listed}") from None
    for name, axis, size in products:  # what is not known yet follows from the rest
        known = [part for part in axis.split("*") if part in sizes]
        unknown = [part for part in axis.split("*") if part not in sizes]
        product = math.prod(sizes[part] for part in known)
        if size % product if unknown and product else size != product:
            listed = " and ".join(f"{part} = {sizes[part]}" for part in known)
            axes, shape = arrays[name]
            raise ValueError(f"{name} must be {axes} with {listed}; got shape {shape}")
        for part in unknown[:1]:
            sizes[part] = size // product if product else 0
    for name in guests:
        axes, shape = arrays[name]
        own = (math.prod(sizes[part] for part in axis.split("*")) for axis in axes.names)
        target = (*lead, *own) if axes.leading else tuple(own)
        check_broadcasts(name, shape, target, str(axes))


def check_broadcasts(name: str, shape: Shape, to: Shape, axes: str) -> None:
    """Refuse an array that does not broadcast to a shape, or would enlarge it.

    >>> check_broadcasts("mask", (2, 5, 5), (2, 4, 5, 5), "(B, H, T, S)")
    Traceback (most recent call last):
    ValueError: mask must broadcast to (B, H, T, S) = (2, 4, 5, 5); got shape (2, 5, 5), \
which would have to be (2, 1, 5, 5)
    """
    if broadcasts(shape, to):
        return
    message = f"{name} must broadcast to {axes} = {to}; got shape {shape}"
    per_text = (*shape[:-2], 1, *shape[-2:])  # the mask of each text, without the axis of heads
    if len(shape) > 2 and broadcasts(per_text, to):
        message += f", which would have to be {per_text}"
    raise ValueError(message)
