"""The digits of a printed equation: as many as it takes for both sides to agree as printed.

What ``equations.js`` does in a page, for pictures; a test compares the two. Where every number is
rounded by itself, a page may say 4 / 1.41 = 2.83, which is 2.84. Here the numbers on the left get
more digits until the result that a reader computes from them rounds to the number on the right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

__all__ = ["Digits", "equation", "fixed", "text"]

FEW, MOST = 2, 9  # decimals
HUGE = 1e9  # from here on, and below TINY, a number is written with a power of ten
TINY = 5e-7
EXACT, CLOSE = 1e-12, 5e-7  # from a whole number: as good as it, and hardly to be told
FINE = 7  # with fewer decimals than these, what is tiny is 0


class Digits(NamedTuple):
    """The decimals of the left and of the right side of an equation, and its sign."""

    left: int
    right: int
    sign: str


def text(value: float, decimals: int = FEW) -> str:
    """Return a number with at most so many decimals, as a person would write it.

    >>> text(2.0), text(-0.5), text(1177.41), text(-math.inf)
    ('2', '−0.5', '1,177', '−∞')
    """
    found = fixed(value, decimals)
    return found.rstrip("0").rstrip(".") if "." in found and "e" not in found else found


def fixed(value: float, decimals: int = FEW) -> str:
    """Return the same number with all of its decimals.

    >>> fixed(-0.5), fixed(1177.41), fixed(0.001)
    ('−0.50', '1,177', '0.00')
    """
    if not math.isfinite(value):
        return "−∞" if value < 0 else "∞"
    near = _read(value, decimals)
    if _powers(near, decimals):
        mantissa, power = f"{near:.15e}".split("e")
        number = f"{float(mantissa):.12g}e{int(power):+d}"
    else:
        number = f"{near:,.{_places(near, decimals)}f}"
    return number.replace("-", "−")


def equation(
    left: Sequence[float],
    right: Sequence[float],
    of: Callable[[Sequence[float]], Sequence[float]],
    least: int = FEW,
) -> Digits:
    """Return the decimals with which an equation is true as it is printed.

    Args:
        left: the numbers on its left.
        right: those that it really has on its right.
        of: the function that makes the right ones from the left ones.
        least: the fewest decimals of either.

    >>> equation([4, 2**0.5], [2 * 2**0.5], lambda x: [x[0] / x[1]])  # 4 / 1.414 = 2.83
    Digits(left=3, right=2, sign='=')
    """
    listed = len(right) > 1
    need = max(_decimals_of(value, least, listed) for value in right)
    for decimals in range(need, MOST + 1):
        shown = [_read(value, decimals) for value in right]
        for others in range(least, MOST + 1):
            found = of([_read(value, others) for value in left])
            pairs = list(zip(found, shown, strict=True))
            if all(_agrees(value, near, decimals) for value, near in pairs):
                exact = zip(right, shown, strict=True)
                whole = any(
                    _falsely_whole(value, near) and not (listed and near == 0)
                    for value, near in exact
                )
                return Digits(others, decimals, "≈" if whole else "=")
    return Digits(need + 2, need, "≈")


def _powers(value: float, decimals: int) -> int:
    """How many decimals come before the power of ten; 0 for a number without an exponent."""
    if abs(value) >= HUGE:
        return decimals
    return decimals - FINE + 1 if value != 0 and abs(value) < TINY and decimals >= FINE else 0


def _places(value: float, decimals: int) -> int:
    """The decimals of any other number: fewer where it is large."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return decimals if size < 2 else max(0, decimals + 1 - size)


def _read(value: float, decimals: int) -> float:
    """The number that a reader reads where `text` has written one."""
    if not math.isfinite(value) or value == 0:
        return value + 0.0
    exact = Decimal(value)
    digits = _powers(value, decimals)
    last = digits - exact.adjusted() if digits else _places(value, decimals)
    return float(exact.quantize(Decimal(1).scaleb(-last), rounding=ROUND_HALF_UP)) + 0.0


def _falsely_whole(value: float, near: float) -> bool:
    """Whether a number would be printed as a whole one that it is not."""
    return math.isfinite(near) and near % 1 == 0 and abs(near) < 1000 and abs(value - near) > EXACT


def _decimals_of(value: float, least: int, listed: bool) -> int:
    """The fewest decimals that leave a number what it is: 0.996 is not printed as 1.

    In a list, where each number is one of several, what is small may be 0.00.
    """
    if not math.isfinite(value) or abs(value - math.floor(value + 0.5)) < CLOSE:
        return least
    if listed and abs(value) < 0.5:
        return least
    for decimals in range(least, MOST):
        near = _read(value, decimals)
        if abs(value - near) <= 0.05 * abs(value) and not _falsely_whole(value, near):
            return decimals
    return MOST


def _agrees(value: float, near: float, decimals: int) -> bool:
    """Whether a number, to so many decimals, is the printed one."""
    if value == near:
        return True
    power = _powers(near, decimals)
    digits = power - math.floor(math.log10(abs(near))) if power else _places(near, decimals)
    return abs(value - near) <= 10.0**-digits / 2 + 1e-12 * abs(near)
