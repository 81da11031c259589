"""A forward pass under the experiments of `GlassModel`: parts off, tokens hidden, streams taken in.

| experiment | what happens |
|---|---|
| head "1.2" off | what this head found is 0, before W_O |
| layer "1" off | attention and feed-forward network write 0: the stream passes through |
| token 3 hidden | no other token may look at it: its column of scores is masked, in all layers |
| positions off | all tokens are at position 0 | | stream taken in | after a layer, a token goes on
with the stream that another text's token has |

A hidden token still sees itself, so its own column of the stream stays as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["check_off", "run"]

HIDDEN = -1e9  # a score that softmax turns into 0


def check_off(value: Any, n_layers: int, n_heads: int) -> list[str]:
    """Return what is off, each once and in order: "1" is layers[1], and "1.2" its heads[2].

    >>> check_off(["1.0", "0", "1.0"], 2, 2)
    ['0', '1.0']
    """
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f'off must be a list such as ["1", "2.3"]; got {value!r}')
    found = set()
    for each in value:
        if not isinstance(each, str):
            raise TypeError(f'each of off must be a string such as "2.3"; got {each!r}')
        parts = re.fullmatch(r"(\d{1,3})(?:\.(\d{1,3}))?", each, re.ASCII)
        if not parts or int(parts[1]) >= n_layers or int(parts[2] or 0) >= n_heads:
            raise ValueError(
                f'each of off must be a layer from "0" to "{n_layers - 1}", or its head, from '
                f'"0.0" to "{n_layers - 1}.{n_heads - 1}"; got {each!r}'
            )
        found.add(tuple(int(part) for part in each.split(".")))
    return [".".join(map(str, each)) for each in sorted(found)]


def run(
    model: Any,
    ids: Sequence[int],
    off: Sequence[str] = (),
    hidden: Sequence[int] = (),
    positions: bool = True,
    taken: tuple[int, int, Any] | None = None,
) -> Mapping[str, Any]:
    """Return every step of a forward pass of one text, under these experiments.

    Args:
        model: a `DecoderOnly`.
        ids: (T,).
        off: as `check_off` returns it.
        hidden: places of tokens that no other token may look at.
        positions: False puts all tokens at position 0.
        taken: a layer, a token, and the (D,) with which its stream goes on after this layer.
    """
    from plainformer.blocks import ablate, patch  # not at the top: it brings torch

    replacements: dict[str, Any] = {}
    for each in off:
        if "." not in each:
            for part in ("attention", "feed_forward"):
                replacements[f"layers.{each}.{part}.output"] = _nothing
    for layer in sorted({each.split(".")[0] for each in off if "." in each}):
        heads = [int(each.split(".")[1]) for each in off if each.startswith(f"{layer}.")]
        replacements[f"layers.{layer}.attention.heads"] = ablate(*heads)
    if hidden:
        for number in range(model.config.n_layers):
            replacements[f"layers.{number}.attention.scores"] = _hide(hidden)
    if taken:
        depth, token, stream = taken
        replacements[f"layers.{depth}.residual_2"] = _put(token, stream)
    batch = next(model.parameters()).new_tensor([list(ids)]).long()  # (1, T)
    options = {} if positions else {"positions": _nothing(batch)}
    steps = patch(model, batch, replacements, **options)
    return {name: step.detach() for name, step in steps.items()}


def _nothing(value: Any) -> Any:
    return value.new_zeros(value.shape)


def _put(token: int, stream: Any) -> Callable[[Any], Any]:
    """A stream in which one token's row is another's."""

    def mixed(there: Any) -> Any:
        found = there.clone()
        found[:, token] = stream
        return found

    return mixed


def _hide(places: Sequence[int]) -> Callable[[Any], Any]:
    """Scores in which these keys are out of reach, but for the token's own query."""

    def masked(scores: Any) -> Any:
        T = scores.shape[-1]
        out = scores.new_zeros(T, T).bool()
        out[:, list(places)] = True
        return scores.masked_fill(out.fill_diagonal_(False), HIDDEN)

    return masked
