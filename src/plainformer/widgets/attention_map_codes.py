"""Attention weights as text for a page: exact where they are few, rounded where they are many.

A page may carry 50 KB for a widget, gzipped. As long as the weights fit, they travel as floats of
eight bytes, or of four. Beyond that they become whole numbers of steps. Most weights of a large map
are less than half a step; so the text holds, for every other one, how many zeros come before it and
how many steps it is. What the row then lacks to 1 is shared out among its zeros. The step is the
finest that fits. The front end (``attention_map_weights.js``) reads the same text.

But: a rounded weight is off by up to a step. Whoever encodes must say by how much; `encode` returns
what the page will show, to be compared.
"""

from __future__ import annotations

import base64
import bisect
import gzip
import json
from typing import Any

import numpy as np

from plainformer.arrays import Array

__all__ = ["decode", "encode", "weight_of"]

ALPHABET = np.array([c for c in range(35, 127) if chr(c) not in "<\\"], dtype=np.uint8)
BASE = len(ALPHABET)  # one character holds one digit; none of them is written as two in JSON
JUMP = BASE - 1  # among the gaps: so many zeros, and no weight after them
GRID = 2.0 ** (np.arange(1, 161) / 8)  # steps in a weight of 1, from coarse to fine
TRIED = {"f8": 40_000, "f4": 80_000}  # with more numbers than this, do not even try these floats


def weight_of(data: Any) -> int:
    """Return how many bytes data weighs as gzipped JSON, the way a page holds it."""
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return len(gzip.compress(text.encode("ascii")))


def encode(weights: Array, budget: int, beside: Any = None) -> tuple[dict[str, Any], Array]:
    """Write weights as text that weighs, gzipped, at most ``budget`` bytes.

    Args:
        weights: (L, H, T, S), rows that sum to 1 or hold nothing but 0.
        budget: bytes of gzipped JSON.
        beside: what else must fit into them.

    Returns:
        What `decode` reads, ready for JSON; and (L, H, T, S) what it will read there.

    Raises:
        ValueError: they do not fit, however coarse the step.
    """
    for kind, most in TRIED.items():
        if weights.size <= most:
            raw = np.ascontiguousarray(weights, dtype=f"<{kind}").tobytes()
            code: dict[str, Any] = {"kind": kind, "text": base64.b64encode(raw).decode("ascii")}
            if weight_of([code, beside]) <= budget:
                return code, decode(code, weights.shape)
    support = (weights > 0).any((0, 1))  # (T, S): where any map has a weight
    places = weights[:, :, support].ravel()
    empty = np.flatnonzero((weights == 0).all(-1).ravel())

    def bits(steps: float) -> float:
        return float(places.size * _entropy(np.rint(places * steps).astype(np.int64)))

    start = bisect.bisect(GRID, 8.3 * budget, key=bits)  # a little too fine, if anything
    for steps in GRID[start::-1]:
        code = {
            "kind": "steps",
            "steps": float(steps),
            "support": _digits(_runs(support)),
            "empty": empty.tolist(),
            **_sparse(np.rint(places * steps).astype(np.int64)),
        }
        if weight_of([code, beside]) <= budget:
            return code, decode(code, weights.shape)
    raise ValueError(f"weights must fit into {budget:,} bytes; these {weights.size:,} do not")


def decode(code: dict[str, Any], shape: tuple[int, ...]) -> Array:
    """Return the weights, (L, H, T, S), that a page reads from what `encode` wrote."""
    if code["kind"] != "steps":
        raw = base64.b64decode(code["text"])
        return np.frombuffer(raw, dtype=f"<{code['kind']}").reshape(shape).astype(np.float64)
    layers, heads, rows, columns = shape
    support = np.zeros(rows * columns, dtype=bool)
    ends = np.cumsum(_numbers(code["support"]))
    for start, end in zip(ends[::2], ends[1::2], strict=False):
        support[start:end] = True
    gaps = _numbers(code["gaps"])
    level = gaps != JUMP  # a weight stands after this gap
    at = (np.cumsum(gaps) + np.cumsum(level) - 1)[level]
    places = np.zeros(layers * heads * int(support.sum()))
    digits = [_numbers(text) for text in code["levels"]]
    places[at] = 1 + sum(digit * BASE**power for power, digit in enumerate(digits))
    weights = np.zeros((layers * heads, rows * columns))
    weights[:, support] = places.reshape(layers * heads, -1) / code["steps"]
    weights = weights.reshape(-1, columns)
    allowed = np.tile(support.reshape(rows, columns), (layers * heads, 1))
    allowed[code["empty"]] = False
    return _fill(weights, allowed, 1 / code["steps"]).reshape(shape)


def _fill(weights: Array, allowed: Array, step: float) -> Array:
    """Make each row sum to 1: what it lacks goes to its zeros, half a step at most to each.

    What is left then, or is too much, the others share. So no weight is off by more than a step.
    """
    zeros, others = allowed & (weights == 0), weights > 0
    lack = 1 - weights.sum(-1, keepdims=True)
    count = zeros.sum(-1, keepdims=True)
    each = np.clip(lack / np.maximum(count, 1), 0, step / 2)
    rest = (lack - count * each) / np.maximum(others.sum(-1, keepdims=True), 1)
    return np.where(zeros, each, np.where(others, weights + rest, 0))


def _sparse(levels: Array) -> dict[str, Any]:
    """Levels as gaps between those that are not 0, and their digits, the low ones first."""
    at = np.flatnonzero(levels)
    gaps = np.diff(at, prepend=-1) - 1
    jumps = gaps // JUMP
    codes = np.full(int((jumps + 1).sum()), JUMP)
    codes[np.cumsum(jumps + 1) - 1] = gaps % JUMP
    left = levels[at] - 1
    digits: list[str] = []
    while not digits or left.any():
        digits.append(_digits(left % BASE))
        left = left // BASE
    return {"gaps": _digits(codes), "levels": digits}


def _runs(flags: Array) -> Array:
    """Lengths of the runs of False, True, False ... in turn, none above what a digit holds."""
    flags = np.append(flags.ravel(), not flags.ravel()[-1])
    ends = np.flatnonzero(np.diff(flags, prepend=False))
    found: list[int] = []
    for length in np.diff(ends, prepend=0).tolist():
        while length > JUMP:
            found += [JUMP, 0]
            length -= JUMP
        found.append(length)
    return np.array(found)


def _digits(numbers: Array) -> str:
    return ALPHABET[numbers].tobytes().decode("ascii")


def _numbers(text: str) -> Array:
    back = np.zeros(128, dtype=np.int64)
    back[ALPHABET] = np.arange(BASE)
    return back[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]


def _entropy(levels: Array) -> float:
    """Bits a level."""
    shares = np.bincount(levels) / levels.size
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())
