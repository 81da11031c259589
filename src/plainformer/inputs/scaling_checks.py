"""Checks of the settings with which rotary positions are scaled for longer texts.

They are the ones that a config.json has under `rope_scaling` or `rope_parameters`. A setting that
is misspelt or left out would give a model that works on short texts and fails on long ones, so
every key is accounted for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plainformer.arrays import check_choice, check_flag, check_number

__all__ = ["SCALINGS", "check_scaling"]

LENGTH = "original_max_position_embeddings"
SCALINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "linear": (("factor",), ()),
    "dynamic": (("factor", LENGTH), ()),
    "yarn": (
        ("factor", LENGTH),
        ("beta_fast", "beta_slow", "truncate", "attention_factor", "mscale", "mscale_all_dim"),
    ),
    "longrope": (("factor", "short_factor", "long_factor", LENGTH), ("attention_factor",)),
    "llama3": (("factor", "low_freq_factor", "high_freq_factor", LENGTH), ()),
}
"""The keys that each `rope_type` must have and those that it may have."""


def check_scaling(rope_scaling: object, pairs: int | None = None) -> dict[str, Any]:
    """Return the settings, with "rope_type" first and their numbers as floats.

    >>> check_scaling({"rope_type": "linear", "factor": 0.5})
    Traceback (most recent call last):
    ValueError: rope_scaling['factor'] must be at least 1; got 0.5
    """
    if not isinstance(rope_scaling, Mapping):
        kind = type(rope_scaling).__name__
        raise TypeError(f"rope_scaling must be a dict of options, or None; got {kind}")
    given = dict(rope_scaling)
    kind = given.pop("rope_type", given.pop("type", None))  # "type" in older files
    check_choice(kind, "rope_scaling['rope_type']", list(SCALINGS))
    required, optional = SCALINGS[kind]
    given = {name: value for name, value in given.items()
             if not (value is None and name in optional)}  # fmt: skip
    if not set(required) <= set(given) <= {*required, *optional}:
        got, may = ", ".join(map(str, given)) or "none", ", ".join(optional)
        raise ValueError(
            f"rope_scaling must have a rope_type and {', '.join(required)}"
            f"{f', and may have {may},' if may else ''} for {kind!r}; got {got}"
        )
    found: dict[str, Any] = {"rope_type": kind}
    for name in (*required, *optional):
        if name in given:
            found[name] = _check_one(name, given[name], pairs)
    for low, high in (("low_freq_factor", "high_freq_factor"), ("beta_slow", "beta_fast")):
        if low in found or high in found:
            slow, fast = found.get(low, 1.0), found.get(high, 32.0)
            if slow >= fast:
                raise ValueError(f"rope_scaling must have {low} < {high}; got {slow} and {fast}")
    return found


def _check_one(name: str, value: Any, pairs: int | None) -> Any:
    """One setting: a number, a flag, or a number for each pair."""
    what = f"rope_scaling[{name!r}]"
    if name == "truncate":
        return check_flag(value, what)
    if name in ("short_factor", "long_factor"):
        if isinstance(value, str) or not hasattr(value, "__len__"):
            kind = type(value).__name__
            raise TypeError(f"{what} must be a list of numbers, one for each pair; got {kind}")
        if pairs is not None and len(value) != pairs:
            raise ValueError(
                f"{what} must have {pairs} numbers, one for each pair; got {len(value)}"
            )
        return [_positive(each, f"a number of {what}") for each in value]
    number = _positive(value, what)
    if name == "factor" and number < 1:
        raise ValueError(f"{what} must be at least 1; got {value}")
    if name == LENGTH and number <= 1:
        raise ValueError(f"{what} must be above 1; got {value}")
    return number


def _positive(value: Any, what: str) -> float:
    number = check_number(value, what)
    if number <= 0:
        raise ValueError(f"{what} must be above 0; got {value}")
    return float(number)
