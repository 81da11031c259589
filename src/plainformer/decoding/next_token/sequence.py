"""The probability of a text: the product over its tokens, computed as a sum of logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.decoding.ids import check_prompts
from plainformer.decoding.logits import log_softmax
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.state import DecodingState
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Size, checked

__all__ = ["sequence_log_prob"]


@checked
def sequence_log_prob(
    model: CausalModel | LogitsFn,
    ids: Any,
    start: Size = 1,
) -> float:
    """log P of a text's tokens, each given those before it, in nats; at most 0.

    It is the sum of log P(ids[t] | ids[:t]) over t from `start` on, which is at least 1, because a
    model needs a token to start from. A model with a cache reads the text once, and any other is
    called once for each token.

    >>> def coin(ids):  # heads 3 times in 4
    ...     return np.log([[0.75, 0.25]])
    >>> round(sequence_log_prob(coin, [0, 0, 1]), 4)
    -1.674
    >>> round(float(np.log(0.75 * 0.25)), 4)
    -1.674
    """
    prompts, single = check_prompts(ids, "ids")
    if not single:
        got = f"got {len(prompts)} rows"
        raise ValueError(f"ids must be one text, (T,); {got}")
    text = prompts[0]
    if start > len(text):
        most = f"at most {len(text)}, the length of ids"
        raise ValueError(f"start must be {most}; got {start}")
    if start == len(text):
        return 0.0
    state = DecodingState(model, [text[:start]])
    first = state.logits()[:, -1, :]
    log_probs = [log_softmax.unchecked(first)]  # (1, V) each
    # Before the model reads the rest.
    as_ids(text, log_probs[0].shape[-1])
    if start + 1 < len(text):
        state.append(np.array(text[start:-1]))
        rest = state.logits_after_last(len(text) - start - 1)
        log_probs += [log_softmax.unchecked(logits) for logits in rest]
    pairs = zip(log_probs, text[start:], strict=True)
    return sum(float(log_p[0, token]) for log_p, token in pairs)
