"""Greedy search: take the most likely token at every step.

The most likely first token may not lead to a likely text, and greedy search cannot go back.
"""

from __future__ import annotations

from typing import Any

import array_api_compat

from plainformer.arrays import Array, as_numpy
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.state import DecodingState, generation_loop, join_steps
from plainformer.shapes import Count, Size, checked

__all__ = ["greedy_search"]


@checked
def greedy_search(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: Size,
    eos_token_id: Count | None = None,
) -> list[Any]:
    """Continue a prompt, or several, with the most likely token at every step.

    Of equally likely tokens, the one with the lowest id is taken. The arguments and the return
    value are as in `sample`.

    >>> import numpy as np
    >>> def cycle(ids):  # the most likely token after i is i + 1
    ...     return 5.0 * np.eye(4)[(ids[:, -1] + 1) % 4]
    >>> greedy_search(cycle, [0], max_new_tokens=5)
    [0, 1, 2, 3, 0, 1]
    >>> greedy_search(cycle, [[0], [1, 2]], max_new_tokens=5, eos_token_id=3)
    [[0, 1, 2, 3], [1, 2, 3]]
    """
    prompts, single = check_prompts(prompt)
    state = DecodingState(model, prompts, eos_token_id)
    steps = generation_loop(state, most_likely, max_new_tokens)
    texts = join_steps(prompts, steps)
    return texts[0] if single else texts


def most_likely(logits: Array, rows: Array) -> Array:
    """The token with the largest logit in each row, (b,)."""
    xp = array_api_compat.array_namespace(logits)
    return as_numpy(xp.argmax(logits, axis=-1))
