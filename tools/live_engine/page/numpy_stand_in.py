"""What takes NumPy's place in the page where its wheel could not be had.

The package imports NumPy nearly everywhere, also where an answer is a list or a string. This module
lets those imports pass, knows that nothing is an array, and draws random cases for the exercises
with Python's own generator. Whatever needs real arrays raises ModuleNotFoundError.
"""

import math
import random
import sys
import types
from typing import Any

TYPES = (
    "ndarray", "generic", "number", "integer", "inexact", "floating", "complexfloating", "bool_",
    "dtype", "float16", "float32", "float64", "int32", "int64",
)  # fmt: skip


class Drawn(list[Any]):
    """Several random draws at once."""

    def tolist(self) -> list[Any]:
        """Return them as a list."""
        return list(self)


class Generator:
    """As much of NumPy's generator as the exercises on lists and texts use."""

    def __init__(self, seed: object = None) -> None:
        self._random = random.Random(str(seed))

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Draw whole numbers from ``low`` on and below ``high``."""
        low, high = (0, low) if high is None else (low, high)
        return self._draw(size, lambda: self._random.randrange(low, high))

    def random(self, size: Any = None) -> Any:
        """Draw numbers from 0 on and below 1."""
        return self._draw(size, self._random.random)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Draw some of ``a``, or of the numbers below it."""
        items = list(range(a)) if isinstance(a, int) else list(a)
        if not replace:
            return Drawn(self._random.sample(items, size))
        return self._draw(size, lambda: self._random.choices(items, p)[0])

    def permutation(self, x: Any) -> Drawn:
        """Return ``x``, or the numbers below it, in random order."""
        items = Drawn(range(x) if isinstance(x, int) else x)
        self._random.shuffle(items)
        return items

    def _draw(self, size: int | None, one: Any) -> Any:
        return one() if size is None else Drawn(one() for _ in range(size))


class errstate:
    """A context in which nothing is different."""

    def __init__(self, **_: str) -> None:
        pass

    def __enter__(self) -> "errstate":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def install() -> None:
    """Make ``import numpy`` find this."""
    numpy: Any = types.ModuleType("numpy")
    for name in TYPES:
        setattr(numpy, name, type(name, (), {}))
    numpy.inf, numpy.nan, numpy.pi = math.inf, math.nan, math.pi
    numpy.errstate = errstate
    numpy.random = types.ModuleType("numpy.random")
    numpy.random.Generator = numpy.random.default_rng = Generator

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(
            f"numpy.{name} needs NumPy, which this site could not fetch when it was built",
            name="numpy",
        )

    numpy.__getattr__ = missing
    sys.modules["numpy"], sys.modules["numpy.random"] = numpy, numpy.random
