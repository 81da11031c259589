"""Reading an equation as it is printed: what its sides are, and whether they agree.

A side is computed from the printed numbers alone. It must round to the last side, whose unit is
that of its last printed decimal: two decimals at least, for 0.5 claims 0.50, and fewer only where a
number is large.
"""

import math
import re
from typing import Any

import numpy as np

NAMES = {"exp": np.exp, "log": np.log, "sqrt": math.sqrt, "inf": math.inf, "array": np.array}
PLAIN = [
    ("\u00a0", " "), ("−", "-"), ("·", "*"), ("×", "*"), ("^", "**"), ("∞", "inf"),
]  # fmt: skip


def value(side: str) -> Any:
    """What a side comes to: a number, or an array where it has brackets."""
    for printed, python in PLAIN:
        side = side.replace(printed, python)
    side = re.sub(r"(?<=\d),(?=\d{3})", "", side)
    side = re.sub(r"√(\d+)", r"sqrt(\1)", side)
    side = re.sub(r"log ([\d.e+-]+)", r"log(\1)", side)
    side = side.replace("[", "array([").replace("]", "])")
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return eval(side, {"__builtins__": {}}, NAMES)


def unit(number: str) -> float:
    """The unit of a printed number's last place, zeros at its end counted that may be left out."""
    digits = number.strip("[]() ").replace(",", "").replace("−", "-")
    mantissa, _, power = digits.partition("e")
    places = len(mantissa.partition(".")[2])
    if power:
        return float(10.0 ** (int(power) - places))
    size = abs(float(mantissa))
    return float(10.0 ** -max(places, 2 if size < 100 else 1 if size < 1000 else 0))


def disagreements(equation: str, exact: Any = None) -> list[str]:
    """What is false in a printed equation; and in its result, where it is known exactly."""
    sides = [side.strip() for side in re.split("[=≈]", equation)]
    *lefts, result = sides
    shown = np.atleast_1d(value(result))
    parts = re.split(r",\s+", result)
    units = np.array([unit(each) for each in parts])
    found = []
    if "≈" not in equation:
        for left in lefts:
            off = np.abs(np.atleast_1d(value(left)) - shown)
            if not (off <= units / 2 + 1e-9 * (1 + np.abs(shown))).all():
                found.append(f"{left} is {value(left)}, not {result}")
    if exact is not None:
        real = np.atleast_1d(exact)
        if not (np.abs(real - shown) <= units / 2 + 1e-9 * (1 + np.abs(real))).all():
            found.append(f"{result} is printed for {real}")
        small = np.array(["." in each for each in parts]) & (shown == 0)  # 0.00, of two decimals
        near = (shown % 1 == 0) & (np.abs(shown) < 1000)
        whole = near & ~small & (np.abs(real - shown) > 1e-6)
        if whole.any():
            found.append(f"{result} is printed as whole for {real}")
    return found
