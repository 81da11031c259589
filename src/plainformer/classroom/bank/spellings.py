"""How a result may be typed, for systems that compare letter by letter.

The page compares numbers with a tolerance, and takes tuples and NumPy's arrays as well. A question
bank can do this only for a single number. For a list, it has to name every text that counts, so
these are the usual ones: with and without spaces, `1`, `1.0` and `1.00`, and two to four decimals.
A student who types something else is wrong here, and would be right on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

__all__ = ["is_number", "spellings"]

Write = Callable[[float], str]


def is_number(value: Any) -> bool:
    """Whether a result is a single number, which a system can compare with a tolerance.

    >>> is_number(0.5), is_number(True), is_number([1])
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def spellings(value: Any, *, all_of_them: bool = True) -> list[str]:
    """The texts that count as a value, the most usual one first.

    Args:
        value: numbers, texts and lists, as `plainformer.exercises.practice` has them.
        all_of_them: without, only the most usual ones, which is enough to recognise a mistake.

    >>> spellings([0.5, 1.0], all_of_them=False)
    ['[0.5, 1.0]', '[0.5,1.0]', '[0.5, 1]', '[0.5,1]']
    >>> spellings(True), spellings("both")
    (['True'], ['both', "'both'", '"both"'])
    """
    if isinstance(value, str):
        return [value, f"'{value}'", f'"{value}"']
    styles: list[Write] = [_python(2), _bare(2)]
    if all_of_them:
        styles += [lambda x: f"{x:.2f}", _half_up, _python(3), _bare(3), _python(4), _bare(4)]
    found = [_spelled(value, style, comma) for style in styles for comma in (", ", ",")]
    return list(dict.fromkeys(found))


def _spelled(value: Any, style: Write, comma: str) -> str:
    if isinstance(value, list):
        return f"[{comma.join(_spelled(each, style, comma) for each in value)}]"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, bool | int):
        return str(value)
    return style(value)


def _python(digits: int) -> Write:
    """As Python writes a rounded number; no zero is negative."""
    return lambda x: str(round(x, digits) + 0.0)


def _bare(digits: int) -> Write:
    """As a person writes it, without a decimal point at the end."""
    return lambda x: _python(digits)(x).removesuffix(".0")


def _half_up(x: float) -> str:
    """Rounded as in school: 0.125 is 0.13, and not 0.12."""
    return str(float(Decimal(str(x)).quantize(Decimal("0.01"), ROUND_HALF_UP)) + 0.0)
