"""The settings that all tasks have, and how they are read from a TOML file."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from plainformer.arrays import check_number, check_size
from plainformer.files import readable_file

__all__ = ["Settings", "read_settings"]

KINDS = {"int": int, "float": int | float, "str": str, "bool": bool}
MAY_BE_ZERO = ("seed", "warmup", "intermediate_checkpoints")
SHARES = ("held_out", "dropout", "word_dropout", "label_smoothing", "repetitions")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the trained model of any task depends on, except its data."""

    name: str  # of the run
    n_layers: int
    n_heads: int
    d_model: int
    dropout: float
    steps: int
    batch_size: int  # B, the number of texts in a step
    peak: float  # the highest learning rate
    bfloat16: bool = False  # whether to compute in bfloat16 (mixed precision)
    seed: int = 0  # fixes the initial weights, the dropout, and the order of the data

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if field.type == "int":
                check_size(value, name, least=0 if name in MAY_BE_ZERO else 1)
            elif name in SHARES and not 0 <= check_number(value, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1; got {value}")
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")


T = TypeVar("T", bound=Settings)


def read_settings(kind: type[T], path: str | os.PathLike[str], **changes: Any) -> T:
    """Read the settings of a task from a TOML file, and apply the changes that are not None.

    A setting that the task does not have, or a value of the wrong type, is refused.
    """
    file = readable_file(path)
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
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
