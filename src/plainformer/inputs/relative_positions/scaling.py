"""Rotary positions beyond the length of training: five ways to change the frequencies.

Beyond that length a model meets angles between queries and keys that it has never seen. Each
function takes the frequencies ω of a head's pairs, (K/2,), in radians per position, and returns
slower ones. Their names are those of `rope_type` in a config.json:

- "linear" slows down every pair alike, as if the positions had been squeezed together;
- "dynamic" raises the base, the more the longer the text is;
- "yarn" and "llama3" slow down only those pairs that complete few rotations during training, so
  that neighbours can be told apart as before;
- "longrope" divides each pair's frequency by a number of its own, found by a search.

"yarn" and "longrope" also lengthen queries and keys by the attention factor, which sharpens the
weights, because a softmax over more keys is flatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from plainformer.shapes import Array

__all__ = [
    "BY_LENGTH",
    "attention_factor",
    "interpolate_frequencies",
    "longrope_frequencies",
    "raise_base",
    "scale_frequencies",
    "scaled_frequencies",
    "yarn_frequencies",
]

BY_LENGTH = ("dynamic", "longrope")
"""The types whose frequencies depend on the length of the text."""


def scaled_frequencies(omega: Array, scaling: Mapping[str, Any], length: int = 0) -> Array:
    """Slow down frequencies, (K/2,), by the settings that `check_rope` returns.

    `length` is that of the text, on which only "dynamic" and "longrope" depend.

    >>> omega = np.array([1.0, 0.1])
    >>> scaled_frequencies(omega, {"rope_type": "linear", "factor": 2.0}).tolist()
    [0.5, 0.05]
    """
    options, kind = dict(scaling), scaling["rope_type"]
    for name in ("rope_type", "attention_factor", "mscale", "mscale_all_dim"):
        options.pop(name, None)
    if kind in BY_LENGTH:
        options["length"] = length
    if kind == "longrope":
        options.pop("factor")  # it only changes the attention factor
    slower: Array = RULES[kind](omega, **options)
    return slower


def interpolate_frequencies(omega: Array, factor: float) -> Array:
    """Position interpolation: every pair rotates more slowly by the factor.

    A text of `factor` times the trained length then has the angles of the trained length, but the
    angles between neighbours are smaller than any in training.

    Source: Chen et al. 2023, section 2.3, equation 4.

    >>> interpolate_frequencies(np.array([1.0, 0.5]), 4).tolist()
    [0.25, 0.125]
    """
    return omega / factor


def raise_base(
    omega: Array,
    factor: float,
    original_max_position_embeddings: float,
    length: int,
) -> Array:
    """A larger base, the more so the longer the text: dynamic NTK scaling.

    With the base multiplied by s^(K / (K - 2)), the first pair keeps its
    frequency, and the last one is slowed down by s. Here s grows with the
    length T of the text, from 1 at the trained length L: it is
    factor · T / L - (factor - 1).

    Source: Peng et al. 2024 (YaRN), definition 1 and section 3.3;
    transformers, whose s this is.

    >>> omega = np.array([1.0, 0.1, 0.01])
    >>> raise_base(omega, 2, 256, length=512).round(5).tolist()  # s = 3
    [1.0, 0.05774, 0.00333]
    >>> raise_base(omega, 2, 256, length=100).tolist()
    [1.0, 0.1, 0.01]
    """
    pairs = omega.shape[0]
    if pairs == 1:  # the only pair is the first
        return omega
    L = original_max_position_embeddings
    s = factor * max(length, L) / L - (factor - 1)
    # base^(-i/P) times (s^(P / (P-1)))^(-i/P)
    return omega * s ** (-np.arange(pairs) / (pairs - 1))


def yarn_frequencies(
    omega: Array,
    factor: float,
    original_max_position_embeddings: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> Array:
    """Slow down the pairs that rotate rarely, and leave the fast ones: YaRN.

    A pair that completes at least `beta_fast` rotations within the trained
    length keeps its frequency, one that completes at most `beta_slow` is
    slowed down by the factor, and those in between get a mixture that
    changes evenly from pair to pair. With `truncate`, the range in between
    is widened to whole pairs, as in the authors' code.

    Source: Peng et al. 2024 (YaRN), section 3.2, equations 18 to 20, and
    the authors' code, which goes evenly from pair to pair, and not from
    one number of rotations to another as the equations do.

    >>> omega = 2 * np.pi * 4.0 ** -np.arange(6)  # rotations per position
    >>> slow = yarn_frequencies(omega, 8, 64, beta_fast=10, beta_slow=2)
    >>> (slow / omega).round(3).tolist()  # in 64: 64, 16, 4, 1, …
    [1.0, 1.0, 0.562, 0.125, 0.125, 0.125]
    """
    pairs = omega.shape[0]
    if pairs == 1 or omega[0] == omega[1]:
        return omega
    L = original_max_position_embeddings
    rotations = L * omega / (2 * math.pi)  # within L, (K/2,)

    def pair_with(turns: float) -> float:  # a fraction: between two pairs
        ratio = math.log(omega[0] / omega[1])
        return math.log(rotations[0] / turns) / ratio

    first, last = pair_with(beta_fast), pair_with(beta_slow)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * pairs - 1)
    last += 0.001 * (first == last)
    ramp = np.clip((np.arange(pairs) - first) / (last - first), 0, 1)
    return (1 - ramp) * omega + ramp * omega / factor


def scale_frequencies(
    omega: Array,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: float,
) -> Array:
    """Slow down the pairs that do not complete enough rotations, as in Llama 3.1 and later.

    Beyond the length L of its original training, a model meets angles that it has never seen. A
    pair that completes at least `high_freq_factor` rotations within L has passed through all angles
    and is left unchanged. One that completes at most `low_freq_factor` is slowed down by `factor`,
    so that it rotates no further in a text of length `factor` · L than it used to in L. Pairs in
    between get a mixture of the two. The settings were found by experiment, and the model was
    trained further with them.

    Source: Meta 2024, the code of Llama 3.1 (`apply_scaling`); Grattafiori et al. 2024, section
    3.4.2, on training with longer texts.

    >>> omega = 2 * np.pi * np.array([0.4, 0.1, 0.01])  # rotations per position
    >>> slowed = scale_frequencies(omega, 8, 1, 4, 20)  # in 20: 8, 2 and 0.2
    >>> (slowed / omega).round(4).tolist()  # unchanged, mixed, an eighth
    [1.0, 0.4167, 0.125]
    """
    rotations = original_max_position_embeddings * omega / (2 * np.pi)  # within L
    keep = np.clip((rotations - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
    return keep * omega + (1 - keep) * omega / factor


def longrope_frequencies(
    omega: Array,
    short_factor: Sequence[float],
    long_factor: Sequence[float],
    original_max_position_embeddings: float,
    length: int,
) -> Array:
    """Divide each pair's frequency by a number of its own: LongRoPE.

    There is a list for texts within the trained length and another for longer ones.

    Source: Ding et al. 2024, section 3; Abdin et al. 2024 (Phi-3) use it.

    >>> omega = np.array([1.0, 0.1])
    >>> longrope_frequencies(omega, [1, 1], [1, 4], 64, length=65).tolist()
    [1.0, 0.025]
    """
    longer = length > original_max_position_embeddings
    return omega / np.asarray(long_factor if longer else short_factor)


def attention_factor(scaling: Mapping[str, Any] | None) -> float:
    """By what queries and keys are multiplied after they have been rotated.

    For "yarn" it is 0.1 · ln(factor) + 1, with an `mscale` in place of 1 in 0.1 · 1 if the settings
    have one; for "longrope" it is √(1 + ln(factor) / ln(L)), where L is the trained length. Scores
    are multiplied by its square. An `attention_factor` in the settings takes its place.

    Source: Peng et al. 2024 (YaRN), section 3.4, equation 22; Ding et al. 2024, in their code.

    >>> yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256}
    >>> round(attention_factor(yarn), 4)
    1.1386
    >>> attention_factor({"rope_type": "linear", "factor": 4.0})
    1.0
    """
    if scaling is None or scaling["rope_type"] not in ("yarn", "longrope"):
        return 1.0
    if scaling.get("attention_factor") is not None:
        return float(scaling["attention_factor"])
    factor = scaling["factor"]
    if scaling["rope_type"] == "longrope":
        return math.sqrt(
            1 + math.log(factor) / math.log(scaling["original_max_position_embeddings"])
        )
    log, over, under = 0.1 * math.log(factor), scaling.get("mscale"), scaling.get("mscale_all_dim")
    return (over * log + 1) / (under * log + 1) if over and under else log + 1


RULES: dict[str, Callable[..., Array]] = {
    "linear": interpolate_frequencies,
    "dynamic": raise_base,
    "yarn": yarn_frequencies,
    "longrope": longrope_frequencies,
    "llama3": scale_frequencies,
}
"""The function of each `rope_type`."""
