"""Greedy search: take the likeliest token, and never look back.

It asks the model once a token, and needs no memory but the text. But: the likeliest first word may
lead to no likely text, and then there is no way back.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import as_numpy, check_size
from plainformer.decoding.logits import LogitsFn, by_length, check_eos, check_prompts, next_logits

__all__ = ["greedy_search"]


def greedy_search(
    logits_fn: LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    eos_id: int | None = None,
) -> Any:
    """Continue a prompt by the likeliest token, again and again.

    Args:
        logits_fn: the model, (B, T) ids to (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
        max_new_tokens: stop after so many.
        eos_id: the id of the end of text; a text stops when it
            comes. None: no token ends a text.

    Returns:
        The prompt and what follows, the end of text included: a
        list of ids; for several prompts, a list of such lists.
        Of tokens equally likely it takes the one of lowest id.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as a `LogitsFn` must.

    >>> def cycle(ids):  # after token i, i + 1 is likeliest
    ...     return 5.0 * np.eye(4)[(ids[:, -1] + 1) % 4]
    >>> greedy_search(cycle, [0], max_new_tokens=5)
    [0, 1, 2, 3, 0, 1]
    >>> two = [[0], [1, 2]]
    >>> greedy_search(cycle, two, max_new_tokens=5, eos_id=3)
    [[0, 1, 2, 3], [1, 2, 3]]
    """
    prompts, single = check_prompts(prompt)
    max_new_tokens = check_size(max_new_tokens, "max_new_tokens")
    if eos_id is not None:
        eos_id = check_size(eos_id, "eos_id", least=0)
    texts: dict[int, list[int]] = {}
    for rows in by_length(prompts):
        ids = np.array([prompts[row] for row in rows])  # (B, T)
        for _ in range(max_new_tokens):
            logits = next_logits(logits_fn, ids)  # (B, V)
            check_eos(eos_id, logits)
            xp = array_api_compat.array_namespace(logits)
            tokens = as_numpy(xp.argmax(logits, axis=-1))  # (B,)
            ids = np.concatenate([ids, tokens[:, None]], axis=1)
            if eos_id is None:
                continue
            ended = tokens == eos_id
            for b in np.flatnonzero(ended):
                texts[rows[b]] = ids[b].tolist()
            rows = [rows[b] for b in np.flatnonzero(~ended)]
            ids = ids[~ended]
            if not rows:
                break
        texts |= zip(rows, ids.tolist(), strict=True)
    in_order = [texts[row] for row in range(len(prompts))]
    return in_order[0] if single else in_order
