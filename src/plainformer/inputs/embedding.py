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
import numpy as np

from plainformer.arrays import Array, as_array, beside, check_size, default_float, is_integer

__all__ = ["as_ids", "embed", "one_hot"]


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
    vocab_size = check_size(vocab_size, "vocab_size")
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

    >>> table = np.array([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> embed([2, 0, 2], table).tolist()
    [[2.0, 2.5], [0.0, 0.5], [2.0, 2.5]]
    """
    table = _as_table(table)
    return table[as_ids(ids, table.shape[0], like=table)]


def as_ids(ids: Any, size: int, *, name: str = "ids", like: Array = None) -> Array:
    """Return ids as an int64 array, each from 0 to `size` - 1.

    NumPy reads -1 as the last row, and torch reads bytes as a mask. A token has no such second
    name: whatever is outside the table is a mistake, and is named.

    Args:
        ids: (...,) whole numbers, an array of any library or a list.
        size: how many rows there are.
        name: what the caller's argument is called.
        like: an array; the result is of its library and device. Without it, the ids' own.

    Raises:
        TypeError: `ids` are no whole numbers.
        ValueError: an id is below 0 or not below `size`.

    >>> as_ids([[1, 2], [3, 7]], 5)
    Traceback (most recent call last):
    ValueError: ids must be from 0 to 4, as there are 5 rows; got 7 at index [1, 1]
    """
    array = as_array(ids, name)
    if isinstance(ids, list | tuple) and 0 in array.shape:
        array = np.zeros(array.shape, dtype=np.int64)  # an empty list says nothing about its type
    if not is_integer(array):
        raise TypeError(f"{name} must be whole numbers; got an array of {array.dtype}")
    if like is not None:
        array = beside(array, like)
    given, xp = array, array_api_compat.array_namespace(array)
    array = xp.astype(array, xp.int64)  # a number too large for it is negative now, which is wrong
    wrong = (array < 0) | (array >= size)
    if bool(xp.any(wrong)):
        place = [int(axis[0]) for axis in xp.nonzero(xp.reshape(wrong, wrong.shape or (1,)))]
        found = int(array[tuple(place)] if array.ndim else array)
        if xp.isdtype(given.dtype, "unsigned integer"):
            found %= 2**64
        where = f" at index {place}" if array.ndim else ""
        rows = f"as there are {size} rows" if size != 1 else "as there is 1 row"
        raise ValueError(f"{name} must be from 0 to {size - 1}, {rows}; got {found}{where}")
    return array


def _as_table(table: Any) -> Array:
    table = as_array(table, "table")
    if table.ndim != 2 or table.shape[0] == 0:
        raise ValueError(f"table must be (V, D) with V of 1 or more; got {tuple(table.shape)}")
    return table
