"""Which view a reader of `GlassModel` has open: the model, two texts, a layer, a head, or one
number.

A number is in a trace, between two of its steps, or is a parameter.

``selection.js`` reads the same names. What they say of places in the text may be beyond the text
that is there: the page then shows the nearest.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["BETWEEN", "NUMBERS", "PARAMETERS", "check_selected"]

NUMBERS = {
    "embedding": "TD",
    "norm": "TD",
    "logits": "TV",
    "layers.norm_1": "TD",
    "layers.attention.queries": "HTK",
    "layers.attention.keys": "GTK",
    "layers.attention.values": "GTK",
    "layers.attention.scores": "HTT",
    "layers.attention.weights": "HTT",
    "layers.attention.heads": "HTK",
    "layers.attention.output": "TD",
    "layers.residual_1": "TD",
    "layers.norm_2": "TD",
    "layers.feed_forward.activations": "TF",
    "layers.feed_forward.output": "TD",
    "layers.residual_2": "TD",
}
"""Each step of a trace, and the letters of its shape; "layers." is for "layers.0." and so on."""

BETWEEN = {
    "embedding.sum": "TD",
    "embedding.norm.mean": "T",
    "embedding.norm.variance": "T",
    "norm.mean": "T",
    "norm.variance": "T",
    "angles": "TP",
    "embedding.attributions": "TV",
    "logits.difference": "TVV",
    "logits.products": "TV",
    "probabilities": "TV",
    "layers.attention.attributions": "HTV",
    "layers.feed_forward.attributions": "TV",
    "layers.norm_1.sum": "TD",
    "layers.norm_1.mean": "T",
    "layers.norm_1.variance": "T",
    "layers.attention.queries.unturned": "HTK",
    "layers.attention.keys.unturned": "GTK",
    "layers.norm_2.sum": "TD",
    "layers.norm_2.mean": "T",
    "layers.norm_2.variance": "T",
    "layers.feed_forward.up": "TF",
    "layers.feed_forward.gate": "TF",
}
"""What stands between two steps, and is asked on the way from one to the other."""

PARAMETERS = {
    "embedding.tokens": "VD",
    "embedding.positions": "LD",
    "embedding.segments": "SD",
    "embedding.norm.gamma": "D",
    "embedding.norm.beta": "D",
    "layers.norm_1.gamma": "D",
    "layers.norm_1.beta": "D",
    "layers.attention.w_q.weight": "QD",
    "layers.attention.w_q.bias": "Q",
    "layers.attention.w_k.weight": "RD",
    "layers.attention.w_k.bias": "R",
    "layers.attention.w_v.weight": "RD",
    "layers.attention.w_v.bias": "R",
    "layers.attention.w_o.weight": "DQ",
    "layers.attention.w_o.bias": "D",
    "layers.norm_2.gamma": "D",
    "layers.norm_2.beta": "D",
    "layers.feed_forward.w_up.weight": "FD",
    "layers.feed_forward.w_up.bias": "F",
    "layers.feed_forward.w_gate.weight": "FD",
    "layers.feed_forward.w_gate.bias": "F",
    "layers.feed_forward.w_down.weight": "DF",
    "layers.feed_forward.w_down.bias": "D",
    "norm.gamma": "D",
    "norm.beta": "D",
    "head.table": "VD",
    "head.bias": "V",
}
"""The parameters that a model may have, by their names in it."""

ALL = {**NUMBERS, **BETWEEN, **PARAMETERS}

PLACE = re.compile(
    r"(?:compare|layers\.(?P<layer>\d{1,3})(?:\.heads\.(?P<head>\d{1,3}))?)?"
    r"|(?P<name>[a-z_0-9.]+)\[(?P<index>\d{1,6}(?:, \d{1,6}){0,2})\]",
    re.ASCII,
)


def check_selected(value: Any, config: Any) -> str:
    """Return the place, or say what it must be.

    >>> from plainformer.blocks import TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> check_selected("layers.1.attention.weights[0, 3, 2]", config)
    'layers.1.attention.weights[0, 3, 2]'
    """
    if not isinstance(value, str):
        raise TypeError(f"selected must be a str; got {type(value).__name__}")
    found = PLACE.fullmatch(value)
    if not found or not (_is_number(found, config) if found["name"] else _is_part(found, config)):
        raise ValueError(
            'selected must be "", "compare", a layer as "layers.0", a head as "layers.0.heads.1", '
            f'or a number as "layers.0.attention.weights[1, 2, 0]"; got {value!r}'
        )
    return value


def _is_part(found: re.Match[str], config: Any) -> bool:
    layer, head = int(found["layer"] or 0), int(found["head"] or 0)
    return bool(layer < config.n_layers and head < config.n_heads)


def _is_number(found: re.Match[str], config: Any) -> bool:
    layer = re.fullmatch(r"layers\.(\d{1,3})\.(.+)", found["name"], re.ASCII)
    letters = ALL.get(f"layers.{layer[2]}" if layer else found["name"])
    if letters is None or (layer and int(layer[1]) >= config.n_layers):
        return False
    if found["name"] == "norm" and config.norm_place == "post":
        return False
    is_sum = config.norm == "rms" and config.norm_place == "pre"
    if not is_sum and found["name"].endswith(("attributions", "difference")):
        return False  # origin_attribution.js says why
    sizes = {
        "T": 128,
        "D": config.d_model,
        "H": config.n_heads,
        "G": config.n_kv_heads or config.n_heads,
        "K": config.d_head or config.d_model // config.n_heads,
        "F": config.d_ff,
        "V": config.vocab_size,
    }
    heads = {"Q": sizes["H"], "R": sizes["G"]}
    sizes |= {name: count * sizes["K"] for name, count in heads.items()}
    sizes |= {"P": sizes["K"] // 2, "L": config.max_length or 128, "S": config.n_segments}
    index = [int(each) for each in found["index"].split(", ")]
    return len(index) == len(letters) and all(
        each < sizes[letter] for each, letter in zip(index, letters, strict=True)
    )
