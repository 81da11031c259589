"""What decoding asks of a model: a function from ids so far to logits for the next token.

Nothing here knows what made the logits. A table of counted words will do, a transformer will do, a
person who writes down eight numbers will do. So each way to choose a token is written once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, as_floats, is_integer

__all__ = [
    "LogitsFn",
    "by_length",
    "check_eos",
    "check_logits",
    "check_prompts",
    "log_softmax",
    "next_logits",
]


@runtime_checkable
class LogitsFn(Protocol):
    """Anything that maps ids so far to logits for the next token.

    Called with ids, (B, T) whole numbers: B texts of T tokens each, 1 or more, none of them
    padding. Texts of several lengths come in several calls. Returns (B, V) logits: row b belongs
    to the token after text b. A token with logit -∞ is impossible. A row must not be -∞ all over,
    and must hold no NaN and no +∞.

    The same ids must give the same logits, or a search compares what cannot be compared.

    >>> def always_the_second(ids):
    ...     return np.tile([0.0, 5.0, 0.0], (len(ids), 1))
    >>> isinstance(always_the_second, LogitsFn)
    True
    """

    def __call__(self, ids: Array, /) -> Array:
        """Return (B, V) logits for the token after each row of (B, T) ids."""
        ...


def log_softmax(logits: Array) -> Array:
    """The logarithm of each token's probability: z - log Σ exp z.

    To take the logarithm of a softmax would lose the tokens whose
    probability is too small for a float; this does not.

    Args:
        logits: (..., V); -∞ for what is impossible.

    Returns:
        (..., V), none above 0.

    Raises:
        TypeError, ValueError: see `check_logits`.

    >>> import numpy as np
    >>> log_softmax(np.log([1.0, 3.0])).round(4).tolist()  # log of 1/4, 3/4
    [-1.3863, -0.2877]
    >>> log_softmax(np.array([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    logits = check_logits(logits)
    xp = array_api_compat.array_namespace(logits)
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)  # the largest is 0: nothing overflows
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))


def check_logits(logits: Any, name: str = "logits") -> Array:
    """Return logits as an array of floats, or say what is wrong with them.

    Args:
        logits: (..., V) real numbers; -∞ for what is impossible.
        name: what the caller's argument is called.

    Returns:
        (..., V), of the same library; whole numbers become its default float.

    Raises:
        TypeError: no real numbers.
        ValueError: no axis, no token, NaN or +∞, or a row in which every token is impossible. The
            message names the first such place.

    >>> check_logits([[1.0, 2.0], [float("-inf"), float("-inf")]])
    Traceback (most recent call last):
    ValueError: logits[1, :] must leave a token possible; all 2 are -inf
    """
    (logits,) = as_floats(**{name: logits})
    if logits.ndim == 0 or logits.shape[-1] == 0:
        shape = tuple(logits.shape)
        raise ValueError(f"{name} must be (..., V) with V = 1 or more; got shape {shape}")
    xp = array_api_compat.array_namespace(logits)
    top = xp.max(logits, axis=-1)  # NaN and +∞ both come out on top
    if bool(xp.all(xp.isfinite(top))):
        return logits
    bad = xp.isnan(logits) | (logits == math.inf)
    if bool(xp.any(bad)):
        place = _first(bad)
        where = ", ".join(map(str, place))
        raise ValueError(f"{name}[{where}] must be finite or -inf; got {float(logits[place])}")
    where = ", ".join([*map(str, _first(top == -math.inf)), ":"])
    width = logits.shape[-1]
    raise ValueError(f"{name}[{where}] must leave a token possible; all {width} are -inf")


def next_logits(logits_fn: LogitsFn, ids: Array) -> Array:
    """Call a model, and see that it answers as a `LogitsFn` must.

    Args:
        logits_fn: the model.
        ids: (B, T) whole numbers.

    Returns:
        (B, V) logits.

    Raises:
        TypeError: `logits_fn` cannot be called.
        ValueError: the answer has another shape, or logits that `check_logits` refuses.

    >>> next_logits(lambda ids: np.zeros(3), np.array([[1, 2]]))
    Traceback (most recent call last):
    ValueError: logits_fn must return (B, V) logits, with B = 1 here; got shape (3,)
    """
    if not callable(logits_fn):
        kind = type(logits_fn).__name__
        raise TypeError(f"logits_fn must be a function of (B, T) ids; got {kind}")
    logits = check_logits(logits_fn(ids), "what logits_fn returns")
    if logits.ndim != 2 or logits.shape[0] != ids.shape[0]:
        raise ValueError(
            f"logits_fn must return (B, V) logits, with B = {ids.shape[0]} here; "
            f"got shape {tuple(logits.shape)}"
        )
    return logits


def check_eos(eos_id: int | None, logits: Array) -> None:
    """Say so if the end of text is no token of this model.

    >>> check_eos(8, np.zeros((1, 8)))
    Traceback (most recent call last):
    ValueError: eos_id must be below the vocabulary's size, 8; got 8
    """
    width = logits.shape[-1]
    if eos_id is not None and eos_id >= width:
        raise ValueError(f"eos_id must be below the vocabulary's size, {width}; got {eos_id}")


def check_prompts(prompt: Any, name: str = "prompt") -> tuple[list[list[int]], bool]:
    """Return one prompt, or several, as lists of ids; and whether there was only one.

    Args:
        prompt: (T,) ids, or a sequence of such, each of its own length. None may be empty: a model
            needs a token to start from.
        name: what the caller's argument is called.

    Returns:
        The prompts, and whether `prompt` was a single one.

    Raises:
        TypeError: no whole numbers.
        ValueError: nothing there, an empty prompt, or a negative id.

    >>> check_prompts([5, 7])
    ([[5, 7]], True)
    >>> check_prompts([[5, 7], [2]])
    ([[5, 7], [2]], False)
    """
    if isinstance(prompt, str):
        raise TypeError(f"{name} must be token ids; got a str: encode it first")
    if not hasattr(prompt, "__iter__"):
        raise TypeError(f"{name} must be (T,) whole numbers; got {prompt!r}")
    rows = list(prompt)
    single = not any(hasattr(row, "__len__") and np.ndim(row) > 0 for row in rows)
    prompts = [_check_ids(row, name, i, single) for i, row in enumerate([rows] if single else rows)]
    return prompts, single


def by_length(prompts: list[list[int]]) -> Iterator[list[int]]:
    """The indices of the prompts, those of one length together: they can share a call.

    >>> list(by_length([[5, 7], [2], [3, 4]]))
    [[1], [0, 2]]
    """
    lengths = [len(each) for each in prompts]
    for length in sorted(set(lengths)):
        yield [row for row, other in enumerate(lengths) if other == length]


def _check_ids(row: Any, name: str, index: int, single: bool) -> list[int]:
    where = name if single else f"{name}[{index}]"
    if len(row) == 0:
        raise ValueError(f"{where} must hold a token or more; it is empty")
    ids = as_array(row, where)
    if ids.ndim != 1 or not is_integer(ids):
        raise TypeError(
            f"{where} must be (T,) whole numbers; got shape {tuple(ids.shape)} of {ids.dtype}"
        )
    values = [int(each) for each in ids]
    if min(values) < 0:
        raise ValueError(f"{where} must hold ids of 0 or more; got {min(values)}")
    return values


def _first(where: Array) -> tuple[int, ...]:
    """The place of the first True."""
    xp = array_api_compat.array_namespace(where)
    return tuple(int(indices[0]) for indices in xp.nonzero(where)) if where.ndim else ()
