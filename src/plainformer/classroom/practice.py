"""What a student's notebook calls: the public cases of a graded exercise, which come as data.

The notebook has no reference and no generator, so it can say that the public cases are right, and
not that the answer is. Hidden cases decide the mark.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plainformer.exercises.compare import Arrays, Exact
from plainformer.exercises.grading import grade
from plainformer.exercises.spec import Args, Case, Exercise

__all__ = ["as_source", "practice"]


def practice(
    function: Callable[..., Any],
    cases: Sequence[tuple[Args, Any]],
    *,
    rtol: float | None = None,
    atol: float = 1e-9,
    dtype: bool = True,
) -> None:
    """Try a function on public cases, and print what came of it.

    Args:
        function: the student's.
        cases: pairs of arguments and the right answer.
        rtol, atol, dtype: how far numbers may be off, as in `Arrays`; without rtol, not at all.

    >>> practice(lambda x: 3 * x, [((2,), 6), ((0,), 0)])
    All 2 public cases are right. Hidden cases decide the mark.
    """
    parameters = [f"x{i}" for i in range(len(cases[0][0]))]
    exercise = Exercise(
        id="practice",
        title="",
        reference=_named(getattr(function, "__name__", "your function"), parameters),
        cases=tuple(Case(args, expected) for args, expected in cases),
        generate=lambda rng: (),
        hints=(),
        compare=Exact() if rtol is None else Arrays(rtol, atol, dtype=dtype),
        n_generated=0,
        seconds=10.0,
    )
    result = grade(exercise, function)
    if result.passed:
        print(f"All {len(cases)} public cases are right. Hidden cases decide the mark.")
        return
    said = result.message.partition("\n")[2].replace("For a hint: hint('practice')", "")
    print(
        f"Not yet.\n{said}".replace("Hint: hint('practice')", "There is nothing here yet.").strip()
    )


def _named(name: str, parameters: Sequence[str]) -> Callable[..., Any]:
    """A function that stands for the reference: a name, and how many arguments."""

    def reference(*args: Any) -> None:
        """Take the place of a reference that is missing."""

    kinds = [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in parameters]
    reference.__signature__ = inspect.Signature(kinds)  # type: ignore[attr-defined]
    reference.__name__ = name
    return reference


def as_source(value: Any) -> str:
    """A value as Python text that makes it again, to the last digit.

    >>> print(as_source((np.array([[0.1, np.nan]]), {"a": [1, None]})))
    (np.array([[0.1, float('nan')]], dtype='float64'), {'a': [1, None]})

    Raises:
        TypeError: a value that no text makes.
    """
    if isinstance(value, tuple):
        inside = ", ".join(map(as_source, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return f"[{', '.join(map(as_source, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_source(k)}: {as_source(v)}' for k, v in value.items())}}}"
    if isinstance(value, set | frozenset):
        items = ", ".join(sorted(map(as_source, value)))
        return f"{type(value).__name__}([{items}])"
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({as_source(value.item())})"
    if isinstance(value, float):
        return repr(float(value)) if np.isfinite(value) else f"float('{float(value)}')"
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    torch = type(value).__module__.partition(".")[0] == "torch"
    if torch or isinstance(value, np.ndarray):
        make = "torch.tensor" if torch else "np.array"
        dtype = str(value.dtype) if torch else repr(str(value.dtype))
        shape = f".reshape{tuple(value.shape)}" if 0 in value.shape else ""
        return f"{make}({as_source(value.tolist())}, dtype={dtype}){shape}"
    raise TypeError(f"a public case must be plain data; got a {type(value).__name__}")
