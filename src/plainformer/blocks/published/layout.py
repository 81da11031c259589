"""What a published layout consists of: the names of its weights and the keys of its config.json."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plainformer.arrays import check_length
from plainformer.blocks.config import TransformerConfig

__all__ = [
    "Config",
    "Layout",
    "StoredWeight",
    "linear",
    "norm",
    "read_sizes",
    "refuse_contradiction",
    "refuse_unless",
]

Config = Mapping[str, Any]
"""The contents of a config.json."""


class StoredWeight(NamedTuple):
    """How a published file stores one of our weights.

    name: its name in the file.
    transposed: whether it is (in, out) there, as in GPT-2; ours are (out, in), like torch's.
    part: (i, n) if it is the i-th of n equal parts of a matrix, along the last axis; None if it is
        the whole matrix.
    row: whether it is (1, n) there, while ours is (n,).
    """

    name: str
    transposed: bool = False
    part: tuple[int, int] | None = None
    row: bool = False

    def shape_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape in the file of a weight that has this shape here.

        >>> StoredWeight("h.0.attn.c_attn.weight", transposed=True, part=(0, 3)).shape_of((8, 5))
        (5, 24)
        """
        shape = shape[::-1] if self.transposed else shape
        shape = (1, *shape) if self.row else shape
        return (*shape[:-1], shape[-1] * self.part[1]) if self.part else shape


@dataclass(frozen=True)
class Layout:
    """One published layout.

    Attributes:
        read_config: turns a config.json into a `TransformerConfig`, and refuses options that we do
            not compute.
        write_config: the reverse.
        once: the weights that a model has once, by our names.
        each: the weights that each layer has, by our names, in which {i} is the layer's number.
        prefix: what some files put in front of all names except the head's.
        unused: endings of names that a file may contain although no logit depends on them, such as
            buffers and heads for other tasks.
        renamed: old endings of names, and their current forms.
        untied: weights that are stored differently if the unembedding is not tied.
    """

    read_config: Callable[[Config], TransformerConfig]
    write_config: Callable[[TransformerConfig], dict[str, Any]]
    once: Mapping[str, StoredWeight]
    each: Mapping[str, StoredWeight]
    prefix: str = ""
    unused: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    untied: Mapping[str, StoredWeight] = field(default_factory=dict)

    def written(self, name: str) -> str:
        """A name as files have it, with the prefix unless it is the head's."""
        return name if name.startswith("lm_head") else self.prefix + name

    def weights(self, config: TransformerConfig) -> Iterator[tuple[str, StoredWeight]]:
        """Every weight that such a model may have: our name, and how it is stored."""
        yield from ({**self.once} if config.tied else {**self.once, **self.untied}).items()
        for i in range(config.n_layers):
            for ours, stored in self.each.items():
                yield ours.format(i=i), stored._replace(name=stored.name.format(i=i))


def read_sizes(given: Config, names: Mapping[str, str]) -> dict[str, Any]:
    """Read the sizes of a config.json, given its name for each of our fields.

    >>> read_sizes({"n_embd": 8}, {"d_model": "n_embd"})
    {'d_model': 8}
    >>> read_sizes({}, {"d_model": "n_embd"})
    Traceback (most recent call last):
    ValueError: config.json must have 'n_embd'
    """
    for name in names.values():
        if name not in given:
            raise ValueError(f"config.json must have {name!r}")
        check_length(given[name], f"config.json: {name}")
    return {ours: given[theirs] for ours, theirs in names.items()}


def refuse_contradiction(given: Config, name: str, other: str) -> None:
    """Refuse two keys with different values that should agree; one may be missing or null."""
    one, two = given.get(name), given.get(other)
    if None not in (one, two) and one != two:
        raise ValueError(f"config.json: {name} must be {other}, {two!r}; got {one!r}")


def refuse_unless(given: Config, name: str, allowed: tuple[Any, ...], why: str) -> None:
    """Refuse a value that we do not compute; a missing key has the first of those allowed."""
    value = given.get(name, allowed[0])
    if value not in allowed:
        *others, last = map(repr, allowed)
        which = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"config.json: {name} must be {which}, {why}; got {value!r}")


# The weights of a linear layer and of a norm


def linear(ours: str, theirs: str) -> dict[str, StoredWeight]:
    """The weight and the bias of a linear layer."""
    return {f"{ours}.{kind}": StoredWeight(f"{theirs}.{kind}") for kind in ("weight", "bias")}


def norm(ours: str, theirs: str) -> dict[str, StoredWeight]:
    """The γ and β of a norm, which files call weight and bias."""
    return {
        f"{ours}.gamma": StoredWeight(f"{theirs}.weight"),
        f"{ours}.beta": StoredWeight(f"{theirs}.bias"),
    }
