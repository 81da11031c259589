"""The probability of a whole text: the product over its tokens, as a sum of logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.decoding.ids import check_known, check_text
from plainformer.decoding.logits import log_softmax
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.stepping import Texts

__all__ = ["sequence_log_prob"]


def sequence_log_prob(
    model: CausalModel | LogitsFn,
    ids: Any,
    start: int = 1,
) -> float:
    """log P of a text's tokens, each given those before it.

    The sum over t from `start` on of log P(ids[t] | ids[:t]).

    Args:
        model: any `CausalModel`, which reads the text once; or a
            function of (B, T) ids that returns (B, V) logits,
            which is asked once for each token.
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
    text = check_text(ids, start)
    if start == len(text):
        return 0.0
    texts = Texts(model, [text[:start]])
    first = texts.next_logits()  # (1, V)
    # Before the model reads the rest:
    check_known(text, start, first.shape[-1])
    rows = [log_softmax.formula(first)[0]]
    if start + 1 < len(text):
        texts.append(np.array(text[start:-1]))
        rest = texts.each_of_last(len(text) - start - 1)
        rows.extend(log_softmax.formula(logits)[0] for logits in rest)
    total = 0.0
    for log_p, token in zip(rows, text[start:], strict=True):
        total += float(log_p[token])
    return total
