"""What a published layout consists of: the names of its weights and the keys of its config.json."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plainformer.arrays import check_size
from plainformer.blocks.config import TransformerConfig

__all__ = [
    "Config", "Layout", "StoredWeight", "attention", "linear", "norm", "refuse_contradiction",
    "refuse_unless",
]  # fmt: skip

Config = Mapping[str, Any]
"""The contents of a config.json."""

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Our name for each activation of a config.json. Where several match, the first one is written."""


class StoredWeight(NamedTuple):
    """How a published file stores one of our weights."""

    name: str
    transposed: bool = False  # (in, out), as in GPT-2; ours are (out, in), like torch's
    part: tuple[int, int] | None = None  # (i, n): the i-th of n equal parts along the last axis
    row: bool = False  # (1, n), while ours is (n,)

    def shape_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape in the file of a weight that has this shape here.

        >>> StoredWeight("h.0.attn.c_attn.weight", transposed=True, part=(0, 3)).shape_of((8, 5))
        (5, 24)
        """
        shape = shape[::-1] if self.transposed else shape
        shape = (1, *shape) if self.row else shape
        return (*shape[:-1], shape[-1] * self.part[1]) if self.part else shape


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One published layout, described by tables as far as possible.

    Attributes:
        model_type, architecture: what config.json calls the model.
        fields: the fields of a `TransformerConfig` that all such models share.
        sizes: the keys that a config.json must have, by the names of our fields.
        options: the keys that it may have, by the names of our fields, with their default values.
        must_be: for each key of which we support only some values, these values and the reason. A
            missing key counts as the first of them.
        read_more, write_more: functions for what does not fit into a table. Both also receive the
            model_type; `read_more` returns fields, and `write_more` returns keys.
        once: the weights that a model has once, by our names for them.
        each: the weights of each layer, by our names for them, where {i} is the layer's number.
        prefix: what some files put in front of all names except the head's.
        unused: endings of names that a file may contain although no logit depends on them, such as
            buffers and heads for other tasks.
        renamed: old endings of names, and their current forms.
        untied: weights that are stored differently if the unembedding is not tied.
    """

    model_type: str
    architecture: str
    fields: Mapping[str, Any]
    sizes: Mapping[str, str]
    options: Mapping[str, tuple[str, Any]]
    must_be: Mapping[str, tuple[tuple[Any, ...], str]]
    read_more: Callable[[Config, str], dict[str, Any]] = lambda given, model_type: {}
    write_more: Callable[[TransformerConfig, str], dict[str, Any]] = lambda config, model_type: {}
    once: Mapping[str, StoredWeight]
    each: Mapping[str, StoredWeight]
    prefix: str = ""
    unused: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    untied: Mapping[str, StoredWeight] = field(default_factory=dict)

    def read_config(self, given: Config) -> TransformerConfig:
        """Turn a config.json into a `TransformerConfig`, and refuse what we do not support."""
        for name, (allowed, why) in self.must_be.items():
            refuse_unless(given, name, allowed, why)
        for name in self.sizes.values():
            if name not in given:
                raise ValueError(f"config.json must have {name!r}")
            check_size(given[name], f"config.json: {name}", least=0)
        read = {ours: given[theirs] for ours, theirs in self.sizes.items()}
        read |= {ours: given.get(theirs, other) for ours, (theirs, other) in self.options.items()}
        if "activation" in read:
            theirs, used = self.options["activation"][0], read["activation"]
            why = "the activations that we support"
            refuse_unless({theirs: used}, theirs, tuple(ACTIVATIONS), why)
            read["activation"] = ACTIVATIONS[used]
        more = self.read_more(given, self.model_type)
        return TransformerConfig(**{**self.fields, **read, **more})

    def write_config(self, config: TransformerConfig) -> dict[str, Any]:
        """The config.json of a model; an activation that has no name there raises a KeyError."""
        keys = {**self.sizes, **{ours: theirs for ours, (theirs, _) in self.options.items()}}
        written = {theirs: getattr(config, ours) for ours, theirs in keys.items()}
        if "activation" in keys:
            names = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
            written[keys["activation"]] = names[config.activation]
        return {
            "model_type": self.model_type,
            "architectures": [self.architecture],
            **{name: allowed[0] for name, (allowed, _) in self.must_be.items()},
            **written,
            **self.write_more(config, self.model_type),
        }

    def written(self, name: str) -> str:
        """A name as it appears in files: with the prefix, unless it is the head's."""
        return name if name.startswith("lm_head") else self.prefix + name

    def weights(self, config: TransformerConfig) -> Iterator[tuple[str, StoredWeight]]:
        """Every weight that such a model may have: our name, and how it is stored."""
        yield from ({**self.once} if config.tied else {**self.once, **self.untied}).items()
        for i in range(config.n_layers):
            for ours, stored in self.each.items():
                yield ours.format(i=i), stored._replace(name=stored.name.format(i=i))


def refuse_contradiction(given: Config, name: str, other: str) -> None:
    """Refuse two keys with different values that should agree; one may be missing or null."""
    one, two = given.get(name), given.get(other)
    if None not in (one, two) and one != two:
        raise ValueError(f"config.json: {name} must be {other}, {two!r}; got {one!r}")


def refuse_unless(given: Config, name: str, allowed: tuple[Any, ...], why: str) -> None:
    """Refuse a value that is not allowed; a missing key counts as the first allowed value."""
    value = given.get(name, allowed[0])
    if value not in allowed:
        *others, last = map(repr, allowed)
        which = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"config.json: {name} must be {which}, {why}; got {value!r}")


def linear(
    ours: str, theirs: str, transposed: bool = False, part: tuple[int, int] | None = None
) -> dict[str, StoredWeight]:
    """The weight and the bias of a linear layer."""
    return {
        f"{ours}.weight": StoredWeight(f"{theirs}.weight", transposed, part),
        f"{ours}.bias": StoredWeight(f"{theirs}.bias", part=part),
    }


def attention(ours: str, theirs: str, names: str) -> dict[str, StoredWeight]:
    """The four linear layers of an attention, with their names for Q, K, V and O."""
    pairs = zip(("w_q", "w_k", "w_v", "w_o"), names.split(), strict=True)
    found = [linear(f"{ours}.{mine}", f"{theirs}.{yours}") for mine, yours in pairs]
    return {name: stored for each in found for name, stored in each.items()}


def norm(ours: str, theirs: str) -> dict[str, StoredWeight]:
    """The γ and β of a norm, which files call weight and bias."""
    return {
        f"{ours}.gamma": StoredWeight(f"{theirs}.weight"),
        f"{ours}.beta": StoredWeight(f"{theirs}.bias"),
    }
