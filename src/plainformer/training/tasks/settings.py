"""The settings that all tasks have, and how they are read from a TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from plainformer.arrays import check_number, check_size

__all__ = ["Settings", "read_settings", "with_current_names"]

KINDS = {"int": int, "float": int | float, "str": str, "bool": bool}
RENAMED = {"length": "context_length"}  # names in files that older versions wrote


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the trained model of any task depends on, except its data.

    Attributes:
        name: the name of the run.
        n_layers, n_heads, d_model: the sizes of the model.
        dropout: the probability of dropout in training.
        steps: the number of updates.
        batch_size: B, the number of texts in a step.
        peak: the highest learning rate.
        bfloat16: whether to compute in bfloat16 (mixed precision).
        seed: fixes the initial weights, the dropout, and the order of the data.
    """

    name: str
    n_layers: int
    n_heads: int
    d_model: int
    dropout: float
    steps: int
    batch_size: int
    peak: float
    bfloat16: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "int":
                least = 0 if field.name in ("seed", "warmup", "moments") else 1
                check_size(getattr(self, field.name), field.name, least=least)
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")


T = TypeVar("T", bound=Settings)


def read_settings(kind: type[T], path: str | os.PathLike[str], **changes: Any) -> T:
    """Read the settings of a task from a TOML file, with changes, of which None changes nothing.

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
    given |= {name: value for name, value in changes.items() if value is not None}
    wanted = {field.name: str(field.type) for field in fields(kind)}
    for name, value in given.items():
        if name not in wanted:
            raise ValueError(f"{file} must hold settings of {sorted(wanted)}; got {name!r}")
        is_flag = isinstance(value, bool)
        if not isinstance(value, KINDS[wanted[name]]) or is_flag != (wanted[name] == "bool"):
            raise TypeError(f"{file}: {name} must be of type {wanted[name]}; got {value!r}")
    return kind(**given)


def with_current_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings from a file, such as a card, with the names that they have today.

    >>> with_current_names({"length": 64, "steps": 5})
    {'context_length': 64, 'steps': 5}
    """
    return {RENAMED.get(name, name): value for name, value in settings.items()}
