"""Greedy search: take the likeliest token, and never look back.

It asks the model once a token, and needs no memory but the text. But: the likeliest first word may
lead to no likely text, and then there is no way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import array_api_compat

from plainformer.arrays import Array, as_numpy, check_size
from plainformer.decoding.checks import check_eos_token_id
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.stepping import continue_texts, whole_texts

__all__ = ["greedy_search"]


@overload
def greedy_search(
    model: CausalModel | LogitsFn,
    prompt: Sequence[int],
    *,
    max_new_tokens: int,
    eos_token_id: int | None = None,
) -> list[int]: ...


@overload
def greedy_search(
    model: CausalModel | LogitsFn,
    prompt: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    eos_token_id: int | None = None,
) -> list[list[int]]: ...


@overload  # an array may be one prompt or several
def greedy_search(
    model: CausalModel | LogitsFn,
    prompt: Array,
    *,
    max_new_tokens: int,
    eos_token_id: int | None = None,
) -> Any: ...


def greedy_search(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    eos_token_id: int | None = None,
) -> Any:
    """Continue a prompt by the likeliest token, again and again.

    Args:
        model: any `CausalModel`, as a transformer with a cache, or
            any function of (B, T) ids that returns (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
        max_new_tokens: stop after so many, 1 or more.
        eos_token_id: the id of the end of text; a text stops when it
            comes. None: no token ends a text.

    Returns:
        The prompt and what follows, the end of text included: a
        list of ids; for several prompts, a list of such lists.
        Of tokens equally likely it takes the one of lowest id.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as it must, see `CausalModel`.

    >>> import numpy as np
    >>> def cycle(ids):  # after token i, i + 1 is likeliest
    ...     return 5.0 * np.eye(4)[(ids[:, -1] + 1) % 4]
    >>> greedy_search(cycle, [0], max_new_tokens=5)
    [0, 1, 2, 3, 0, 1]
    >>> two = [[0], [1, 2]]
    >>> greedy_search(cycle, two, max_new_tokens=5, eos_token_id=3)
    [[0, 1, 2, 3], [1, 2, 3]]
    """
    prompts, single = check_prompts(prompt)
    steps = continue_texts(
        model,
        prompts,
        _likeliest,
        max_new_tokens=check_size(max_new_tokens, "max_new_tokens"),
        eos_token_id=check_eos_token_id(eos_token_id),
    )
    texts = whole_texts(prompts, steps)
    return texts[0] if single else texts


def _likeliest(logits: Array, rows: Array) -> Array:
    xp = array_api_compat.array_namespace(logits)
    return as_numpy(xp.argmax(logits, axis=-1))  # (b,)
