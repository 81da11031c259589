"""The loss that training minimises, and two other ways to express it.

Cross-entropy and perplexity are per token, so they cannot compare models with different tokenizers.
Bits per byte can, because a text has the same bytes whatever the tokenizer. The mean over the
tokens of a batch is not the mean over its texts, since longer texts have more weight.
"""

from __future__ import annotations

import math

import array_api_compat

from plainformer.arrays import check_number, check_size
from plainformer.decoding.logits import log_softmax
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Array, Float, Int, checked

__all__ = ["bits_per_byte", "cross_entropy", "perplexity"]


@checked
def cross_entropy(
    logits: Float[Array, "... V"],
    targets: Int[Array, "..."],
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> Float[Array, ""]:
    """The mean of -log p over the targets, in nats, where p is the probability of each target.

    Targets equal to `ignore_index`, such as padding, do not count, and that id need not be in the
    vocabulary. Label smoothing is the fraction of each target's probability, from 0 to 1, that is
    spread evenly over all V tokens. Logits in half precision give a loss in single precision,
    because the sum over a long batch does not fit into float16. At least one target has to count.

    Source: Goodfellow, Bengio and Courville 2016, equation 5.100; for label smoothing, Szegedy et
    al. 2016, section 7.

    >>> import numpy as np
    >>> logits = np.log([[0.5, 0.5], [0.25, 0.75]])
    >>> cross_entropy(logits, [0, 1]).round(4).item()  # of ln 2, ln 4/3
    0.4904
    >>> cross_entropy(logits, [0, 1], ignore_index=1).round(4).item()
    0.6931
    """
    if not 0 <= label_smoothing <= 1:
        got = f"got {label_smoothing}"
        raise ValueError(f"label_smoothing must be from 0 to 1; {got}")
    shape = tuple(logits.shape)
    targets, counts = _which_count(targets, ignore_index, shape)
    xp = array_api_compat.array_namespace(logits)
    if xp.finfo(logits.dtype).bits < 32:
        logits = xp.astype(logits, xp.float32)
    log_p = log_softmax.unchecked(logits)  # (..., V)
    picked = xp.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    if label_smoothing:
        mean_over_vocab = xp.mean(log_p, axis=-1)
        picked = (1 - label_smoothing) * picked
        picked = picked + label_smoothing * mean_over_vocab
    n_targets = xp.sum(xp.astype(counts, picked.dtype))
    return -xp.sum(xp.where(counts, picked, 0.0)) / n_targets


def perplexity(loss: float) -> float:
    """Convert a loss in nats per token to the equivalent number of equally likely tokens.

    >>> round(perplexity(math.log(6)), 6)  # a fair die
    6.0
    """
    nats = _check_loss(loss)
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf


def bits_per_byte(loss: float, n_tokens: int, n_bytes: int) -> float:
    """Convert a loss per token to bits per byte, which can be compared across tokenizers.

    The loss is in nats, and `n_bytes` is the number of UTF-8 bytes that the predicted tokens
    encode. Guessing each byte at random takes 8 bits.

    >>> round(bits_per_byte(math.log(256), 5, 5), 6)  # all bytes equally likely
    8.0
    """
    nats = _check_loss(loss) * check_size(n_tokens, "n_tokens")
    return nats / math.log(2) / check_size(n_bytes, "n_bytes")


def _which_count(
    targets: Array, ignore_index: int | None, shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Return the targets, with 0 in place of the ignored ones, and a mask of those that count."""
    if len(shape) == 0 or shape[:-1] != tuple(targets.shape):
        raise ValueError(
            "logits must be (..., V), with one row for each of the targets (...); "
            f"got {shape} and {tuple(targets.shape)}"
        )
    xp = array_api_compat.array_namespace(targets)
    targets = xp.astype(targets, xp.int64, copy=False)
    counts = xp.ones_like(targets, dtype=xp.bool)
    if ignore_index is not None:
        counts = targets != ignore_index
        targets = xp.where(counts, targets, 0)
    if not xp.any(counts):
        raise ValueError("targets must contain at least one that counts; got none")
    return as_ids(targets, shape[-1], name="targets"), counts


def _check_loss(loss: float) -> float:
    number = check_number(loss, "loss")
    if number < 0:
        raise ValueError(f"loss must be 0 or more; got {loss}")
    return number
