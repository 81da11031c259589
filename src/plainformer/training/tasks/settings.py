"""Read the settings of a task from a TOML file into its frozen dataclass, and name any mistake."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from plainformer.arrays import check_size

__all__ = ["check_sizes", "read_settings", "with_current_names"]

T = TypeVar("T")

KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
}

RENAMED = {"length": "context_length"}  # names in files that older versions wrote


def read_settings(kind: type[T], path: str | os.PathLike[str], **changes: Any) -> T:
    """Read the settings of a task from a TOML file.

    Args:
        kind: the task's dataclass, which checks the values.
        path: the file.
        changes: settings that replace those of the file; None leaves one as it is.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not TOML, or contains a setting that the task does not have.
        TypeError: a setting has the wrong type.
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"config must be a file of settings; {file} is a folder")
    try:
        given = with_current_names(tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise FileNotFoundError(f"config must be a file of settings; there is no {file}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} must be TOML; {error}") from None
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    given |= {name: value for name, value in changes.items() if value is not None}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"{file} must hold settings of {sorted(known)}; got {name!r}")
        wanted = str(known[name].type)
        if not isinstance(value, KINDS[wanted]) or (isinstance(value, bool) and wanted != "bool"):
            raise TypeError(f"{file}: {name} must be of type {wanted}; got {value!r}")
    return kind(**given)


def with_current_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings from a file, such as a card, with the names that they have today.

    >>> with_current_names({"length": 64, "steps": 5})
    {'context_length': 64, 'steps': 5}
    """
    return {RENAMED.get(name, name): value for name, value in settings.items()}


def check_sizes(settings: Any, names: str) -> None:
    """Check that the settings with these names are 1 or more, and the seed 0 or more."""
    for name in names.split():
        check_size(getattr(settings, name), name)
    check_size(settings.seed, "seed", least=0)
