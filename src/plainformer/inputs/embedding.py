"""From token ids to vectors: a table with one row for every token.

An id is a name and not a quantity: token 7 is not "more" than token 3. It selects a row, which can
be written as multiplying a one-hot vector by the table (`one_hot`), which explains the gradient, or
as reading the row (`embed`), which is what models run. Every id is checked, which makes a
program on a GPU wait once per call.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import default_float
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Array, Float, Int, Size, checked

__all__ = ["embed", "one_hot"]


@checked
def one_hot(
    ids: Int[Array, "..."],
    vocab_size: Size,
) -> Float[Array, "... V"]:
    """One vector per id: 1 at the id's position and 0 everywhere else.

    An id outside the range 0 to V - 1 raises an error that says where it is.

    Source: Bengio et al. 2003, section 2: a row of the table C for each
    word.

    >>> one_hot([2, 0], vocab_size=3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    ids = as_ids(ids, vocab_size)
    xp = array_api_compat.array_namespace(ids)
    tokens = xp.arange(vocab_size, device=array_api_compat.device(ids))
    return xp.astype(ids[..., None] == tokens, default_float(ids))


@checked
def embed(
    ids: Int[Array, "..."],
    table: Float[Array, "V D"],
) -> Float[Array, "... D"]:
    """The row of the table for every id, which is `one_hot(ids, V) @ table`
    with V times less work.

    Gradients flow to the rows that were read. An id that has no row raises
    an error that says where it is.

    Source: Bengio et al. 2003, section 2.

    >>> embed([2, 0, 2], [[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]]).tolist()
    [[2.0, 2.5], [0.0, 0.5], [2.0, 2.5]]
    """
    xp = array_api_compat.array_namespace(table)
    ids = as_ids(ids, table.shape[0])
    rows = xp.take(table, xp.reshape(ids, (-1,)), axis=0)  # (N, D)
    return xp.reshape(rows, (*ids.shape, table.shape[-1]))
