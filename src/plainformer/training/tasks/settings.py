"""Settings of a task: a frozen record, written in TOML, in which a mistake is named."""

from __future__ import annotations

import os
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["read_settings"]

T = TypeVar("T")

KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
}


def read_settings(kind: type[T], path: str | os.PathLike[str], **changes: Any) -> T:
    """Read the settings of a task from a TOML file.

    Args:
        kind: the task's dataclass; it checks the values itself.
        path: the file.
        changes: settings that are not as in the file; None leaves one as it is.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no TOML, or holds a setting that the task does not have.
        TypeError: a setting of another kind.
    """
    file = Path(path)
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
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
