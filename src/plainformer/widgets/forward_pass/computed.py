"""What `ForwardPass` shows: every stop of one forward pass, and what the model would say there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plainformer.arrays import Array, as_numpy
from plainformer.attention import softmax

__all__ = ["SHOWN", "TOP", "Stop", "read", "stops_of"]

SHOWN = 24
"""How many numbers of a vector are drawn, from its beginning."""

TOP = 3
"""How many of the likeliest tokens are kept at each depth."""

SUBLAYER = ("norm_1", "heads", "add_1", "norm_2", "units", "add_2")


class Stop(NamedTuple):
    """One operation: its kind, its layer, the row of the drawing, and the shape of its result."""

    kind: str
    layer: int
    row: int
    shape: tuple[int, ...]


def stops_of(config: Any, T: int) -> list[Stop]:
    """Return the stops of a pass over T tokens, in the order of computation.

    >>> from plainformer.blocks import PRESETS
    >>> stops = stops_of(PRESETS["gpt2"], 6)
    >>> len(stops), stops[3]
    (77, Stop(kind='heads', layer=0, row=1, shape=(12, 6, 6)))
    """
    config = config.resolved()
    L, D, V = config.n_layers, config.d_model, config.vocab_size
    shapes = {"heads": (config.n_heads, T, T), "units": (T, config.d_ff)}
    stops = [Stop("ids", 0, 0, (T,)), Stop("rows", 0, 0, (T, D))]
    for layer in range(L):
        for i, kind in enumerate(SUBLAYER):
            row = 1 + 2 * layer + i // 3
            stops.append(Stop(kind, layer, row, shapes.get(kind, (T, D))))
    top = 2 * L + 1
    return [
        *stops,
        Stop("norm", L, top, (T, D)),
        Stop("logits", L, top + 1, (T, V)),
        Stop("softmax", L, top + 1, (T, V)),
    ]


def read(model: Any, ids: list[int]) -> dict[str, Any]:
    """Run a `DecoderOnly` once and return what is drawn, mostly a list per stop and token.

    ``vectors`` are what a stop made and ``lengths`` their norms; ``written`` is what an addition
    added. ``weights`` are (L, H, T, T), ``wrote`` (L, H, T) is the norm of what each head writes,
    ``units`` (L, T) the unit with the largest activation, and ``best`` and ``shares`` (2L + 1, T)
    what the last norm and the head say of the stream after the embedding and each sublayer.
    """
    from plainformer.blocks import trace  # not at the top: it brings torch

    L = model.config.n_layers
    batch = next(model.parameters()).new_tensor([ids]).long()
    steps = {name: each.detach()[0] for name, each in trace(model, batch).items()}
    streams = ["embedding", *(f"layers.{i}.residual_{n}" for i in range(L) for n in (1, 2))]
    vectors = [None, "embedding"]
    written: list[str | None] = [None, None]
    for i in range(L):
        at = f"layers.{i}"
        vectors += [f"{at}.norm_1", None, f"{at}.residual_1"]
        vectors += [f"{at}.norm_2", f"{at}.feed_forward.activations", f"{at}.residual_2"]
        written += [None, None, f"{at}.attention.output"]
        written += [None, None, f"{at}.feed_forward.output"]
    vectors += ["norm", None, None]
    written += [None] * 3
    found = {name: as_numpy(each).astype(np.float64) for name, each in steps.items()}
    lens = [as_numpy(model.head(model.norm(steps[name]).detach()).detach()) for name in streams]
    shares = softmax(np.stack(lens).astype(np.float64))  # (2L + 1, T, V)
    best = np.argsort(-shares, axis=-1, kind="stable")[..., :TOP]
    units, wrote = [], []
    for i in range(L):
        active = found[f"layers.{i}.feed_forward.activations"]  # (T, F)
        largest = np.abs(active).argmax(-1)
        values = active[np.arange(len(active)), largest].round(2)
        units.append(list(zip(largest.tolist(), values.tolist(), strict=True)))
        heads = found[f"layers.{i}.attention.heads"]  # (H, T, K)
        w_o = as_numpy(model.layers[i].attention.w_o.weight.detach())  # (D, H K)
        blocks = w_o.reshape(len(w_o), len(heads), -1)  # (D, H, K)
        wrote.append(np.linalg.norm(np.einsum("dhk,htk->htd", blocks, heads), axis=-1))
    weights = [found[f"layers.{i}.attention.weights"] for i in range(L)]
    return {
        "vectors": [_rounded(found, name, SHOWN) for name in vectors],
        "lengths": [_length(found, name) for name in vectors],
        "written": [_rounded(found, name, SHOWN) for name in written],
        "added": [_length(found, name) for name in written],
        "weights": np.stack(weights).round(4).tolist(),
        "wrote": np.stack(wrote).round(2).tolist(),
        "units": units,
        "best": best.tolist(),
        "shares": np.take_along_axis(shares, best, -1).round(6).tolist(),
        "logits": found["logits"].max(-1).round(2).tolist(),
    }


def _rounded(found: dict[str, Array], name: str | None, shown: int) -> Any:
    """The beginning of each token's vector; None where a stop has none."""
    return None if name is None else found[name][:, :shown].round(3).tolist()


def _length(found: dict[str, Array], name: str | None) -> Any:
    return None if name is None else np.linalg.norm(found[name], axis=-1).round(2).tolist()
