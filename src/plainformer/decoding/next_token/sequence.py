"""The probability of a whole text: the product over its tokens, as a sum of logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.arrays import Array, check_size
from plainformer.decoding.logits import LogitsFn, check_prompts, log_softmax, next_logits

__all__ = ["sequence_log_prob"]


def sequence_log_prob(
    logits_fn: LogitsFn,
    ids: Any,
    start: int = 1,
) -> float:
    """log P of a text's tokens, each given those before it.

    The sum over t from `start` on of log P(ids[t] | ids[:t]).

    Args:
        logits_fn: the model; asked once for each token.
        ids: (T,) the text.
        start: the first token that counts; those before it are
            given. 1 or more, for a model needs a token to start
            from; T or less.

    Returns:
        A number of nats, 0 or below; -∞ if a token is impossible.

    Raises:
        TypeError: `ids` are no whole numbers, or `start` is none.
        ValueError: `ids` is empty, `start` does not lie in the
            text, or an id is none of the model's.

    >>> import numpy as np
    >>> def coin(ids):  # heads 3 times in 4
    ...     return np.log([[0.75, 0.25]])
    >>> round(sequence_log_prob(coin, [0, 0, 1]), 4)
    -1.674
    >>> round(float(np.log(0.75 * 0.25)), 4)
    -1.674
    """
    text = _check_text(ids, start)  # (T,)
    total = 0.0
    for t in range(start, len(text)):
        logits = next_logits(logits_fn, text[None, :t])  # (1, V)
        log_p = log_softmax(logits)[0]  # (V,)
        _check_known(text, t, len(log_p))
        total += float(log_p[int(text[t])])
    return total


def _check_text(ids: Any, start: Any) -> Array:
    prompts, single = check_prompts(ids, "ids")
    if not single:
        raise ValueError(f"ids must be one text, (T,); got {len(prompts)} rows")
    text = np.array(prompts[0])
    if check_size(start, "start") > len(text):
        raise ValueError(f"start must be {len(text)} or less, the length of ids; got {start}")
    return text


def _check_known(text: Array, t: int, size: int) -> None:
    if text[t] >= size:
        raise ValueError(f"ids[{t}] must be below {size}, the model's V; got {text[t]}")
