"""What `BlockFlow` shows: two encoder layers on the running sentence, sublayer by sublayer.

Attention has the two heads of the course's example side by side; the feed-forward network has three
units, which read and write two features. Both layers have the same weights: a trained model's would
differ, and take twice as long to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plainformer.arrays import Array
from plainformer.attention import multi_head_attention
from plainformer.attention.example import W_K, W_K1, W_O, W_Q, W_Q1, W_V, W_V1, X
from plainformer.blocks.feed_forward_network import feed_forward
from plainformer.blocks.normalization import layer_norm

__all__ = ["EPS", "NORMS", "SUBLAYERS", "WEIGHTS", "Step", "flow"]

SUBLAYERS = ("attention", "feed-forward") * 2
"""The four sublayers of two layers, in the order in which they write."""

NORMS = ("pre", "post", "none")
"""Where the norms stand: before what a sublayer reads, behind the sum, or nowhere."""

N_HEADS, EPS = 2, 1e-5

WEIGHTS: dict[str, Array] = {
    "w_q": np.hstack([W_Q, W_Q1]),
    "w_k": np.hstack([W_K, W_K1]),
    "w_v": np.hstack([W_V, W_V1]),
    "w_o": W_O,
    "w_up": np.array([[1.0, 1, -2], [1, -2, 1], [0, 0, 0], [0, 0, 0]]),
    "b_up": np.array([-1.0, -1, 0]),
    "w_down": np.array([[1.0, 1, 0, 0], [-1, 0, 0, 0], [0, -1, 0, 0]]),
}
"""The weights of either layer, by name."""


class Step(NamedTuple):
    """One sublayer's turn, (T, D) each: what it read, what it wrote, and the stream after it."""

    read: Array
    written: Array
    stream: Array


def flow(on: Sequence[bool], norms: str) -> list[Step]:
    """Return the turn of each sublayer; one that is not on writes zeros.

    >>> flow([True, False, False, False], "pre")[3].stream[1].round(2).tolist()
    [1.26, 2.08, 1.56, -0.53]
    """
    w_q, w_k, w_v, w_o, w_up, b_up, w_down = WEIGHTS.values()
    stream, steps = X, []
    for kind, is_on in zip(SUBLAYERS, on, strict=True):
        read = layer_norm(stream, eps=EPS) if norms == "pre" else stream
        written = np.zeros_like(X)
        if is_on and kind == "attention":
            written, _ = multi_head_attention(read, read, w_q, w_k, w_v, w_o, n_heads=N_HEADS)
        elif is_on:
            written = feed_forward(read, w_up, w_down, b_up=b_up)
        stream = stream + written
        if norms == "post":
            stream = layer_norm(stream, eps=EPS)
        steps.append(Step(read, written, stream))
    return steps
