"""What is to be known of a published layout: names of weights, and the keys of its config.json."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plainformer.arrays import check_length
from plainformer.blocks.config import TransformerConfig

__all__ = [
    "Config",
    "Layout",
    "Place",
    "linear",
    "norm",
    "read_sizes",
    "refuse_contradiction",
    "refuse_unless",
]

Config = Mapping[str, Any]
"""What stands in a config.json."""


class Place(NamedTuple):
    """Where a weight of ours stands in a published file.

    name: theirs.
    transposed: whether it is (in, out) there, as GPT-2's are; ours, as
        torch's, are (out, in).
    part: (i, n), the i-th of n equal parts of theirs, side by side in the
        last axis; None for all of it.
    row: whether theirs is (1, n) where ours is (n,).
    """

    name: str
    transposed: bool = False
    part: tuple[int, int] | None = None
    row: bool = False

    def shape_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """What shape theirs has, by ours.

        >>> Place("h.0.attn.c_attn.weight", transposed=True, part=(0, 3)).shape_of((8, 5))
        (5, 24)
        """
        shape = shape[::-1] if self.transposed else shape
        shape = (1, *shape) if self.row else shape
        return (*shape[:-1], shape[-1] * self.part[1]) if self.part else shape


@dataclass(frozen=True)
class Layout:
    """One published layout.

    Attributes:
        read_config: config.json to a `TransformerConfig`; refuses by name
            what we do not compute.
        write_config: the other way.
        once: our names of what a model has once, and their places.
        each: the same for what each layer has; {i} is its number.
        prefix: what some files put before every name but the head's.
        unused: endings of names of what a file may hold and no logit
            needs: buffers, and heads for another task.
        renamed: old endings of names, and what they are called now.
        untied: places that differ where the unembedding has a table of its own.
    """

    read_config: Callable[[Config], TransformerConfig]
    write_config: Callable[[TransformerConfig], dict[str, Any]]
    once: Mapping[str, Place]
    each: Mapping[str, Place]
    prefix: str = ""
    unused: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    untied: Mapping[str, Place] = field(default_factory=dict)

    def written(self, name: str) -> str:
        """A name as it stands in a file: all but the head's have the prefix."""
        return name if name.startswith("lm_head") else self.prefix + name

    def places(self, config: TransformerConfig) -> Iterator[tuple[str, Place]]:
        """Our name and their place, of every weight that such a model may have."""
        yield from ({**self.once} if config.tied else {**self.once, **self.untied}).items()
        for i in range(config.n_layers):
            for ours, place in self.each.items():
                yield ours.format(i=i), place._replace(name=place.name.format(i=i))


def read_sizes(given: Config, names: Mapping[str, str]) -> dict[str, Any]:
    """Our fields, by what config.json calls them; one that is missing is named.

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
    """Refuse two keys that should say the same and do not; one of them may be missing or null."""
    one, two = given.get(name), given.get(other)
    if None not in (one, two) and one != two:
        raise ValueError(f"config.json: {name} must be {other}, {two!r}; got {one!r}")


def refuse_unless(given: Config, name: str, allowed: tuple[Any, ...], why: str) -> None:
    """Refuse a choice that we do not compute; a key that is missing has the first value."""
    value = given.get(name, allowed[0])
    if value not in allowed:
        *others, last = map(repr, allowed)
        which = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"config.json: {name} must be {which}, {why}; got {value!r}")


# The weights of one product, and of one norm, by both names


def linear(ours: str, theirs: str) -> dict[str, Place]:
    """The weight and the bias of a product."""
    return {f"{ours}.{kind}": Place(f"{theirs}.{kind}") for kind in ("weight", "bias")}


def norm(ours: str, theirs: str) -> dict[str, Place]:
    """The γ and the β of a norm, which are weight and bias there."""
    return {f"{ours}.gamma": Place(f"{theirs}.weight"), f"{ours}.beta": Place(f"{theirs}.bias")}
