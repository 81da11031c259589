"""From token ids to vectors: a table with one row for each token.

An id is a name, not a quantity: token 7 is not "more" than token 3. So a model never computes with
ids. It owns a table of V rows, one for each token of the vocabulary, and an id says which row to
read. Training changes what stands in the rows.

Two ways to say the same thing stand here side by side: multiply a one-hot vector by the table
(`one_hot`), or read the row (`embed`). The first explains the gradient, the second is what runs.

But: every id is looked at, so that a wrong one can be named. On a GPU the program waits for that,
once a call; and torch's "meta" device, which holds no numbers, and `vmap` cannot run this.
"""

from __future__ import annotations

from typing import Any

import array_api_compat

from plainformer.arrays import Array, check_length, default_float
from plainformer.inputs.checks import as_ids, as_table

__all__ = ["embed", "one_hot"]


def one_hot(ids: Any, vocab_size: int) -> Array:
    """A vector for each id: 1 at the id's place, 0 elsewhere.

    Args:
        ids: (...,) whole numbers from 0 to V - 1, an array or a list.
        vocab_size: the number V of tokens in the vocabulary.

    Returns:
        (..., V), of the ids' library and its default float.

    Raises:
        TypeError: the ids or `vocab_size` are no whole numbers.
        ValueError: an id outside the vocabulary, named with its place.

    Source: Bengio et al. 2003, section 2: a row of the table C for
    each word.

    >>> one_hot([2, 0], vocab_size=3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    vocab_size = check_length(vocab_size, "vocab_size", least=1)
    ids = as_ids(ids, vocab_size)
    xp = array_api_compat.array_namespace(ids)
    tokens = xp.arange(vocab_size, device=array_api_compat.device(ids))
    return xp.astype(ids[..., None] == tokens, default_float(ids))


def embed(ids: Any, table: Array) -> Array:
    """The table's row for each id.

    The same as `one_hot(ids, V) @ table`, without the product: V times
    less work. Gradients flow to the rows that were read.

    Args:
        ids: (...,) whole numbers from 0 to V - 1, an array or a list.
        table: (V, D), one row for each token of the vocabulary.

    Returns:
        (..., D), of the table's library, dtype and device.

    Raises:
        TypeError: the ids are no whole numbers.
        ValueError: `table` is no matrix, or an id has no row in it.

    Source: Bengio et al. 2003, section 2.

    >>> import numpy as np
    >>> table = np.array([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> embed([2, 0, 2], table).tolist()
    [[2.0, 2.5], [0.0, 0.5], [2.0, 2.5]]
    """
    table = as_table(table)
    return table[as_ids(ids, table.shape[0], like=table)]
