"""Witten-Bell smoothing: how far to trust counts, by how often they surprised.

A history that was followed by something new nearly every time will surprise again. One that was
always followed by the same will not. So the number of *different* tokens that followed is taken for
the number of surprises, and that share of the probability goes to a model with a shorter history.
"""

from __future__ import annotations

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.checks import check_followers, checked

__all__ = ["witten_bell"]


@checked(check_followers)
def witten_bell(
    shorter: Array,
    ids: Array,
    counts: Array,
) -> Array:
    """Probabilities of the next token: counts, mixed with a row.

    P(w) = (count of w + kinds · shorter(w)) / (total + kinds)

    where total is the sum of the counts and kinds how many
    different tokens were counted.

    Args:
        shorter: (V,) probabilities after a history that is one
            token shorter; before the shortest, 1 / V each.
        ids: (kinds,) the different tokens that followed.
        counts: (kinds,) how often each followed, 1 or more. With
            none at all, the result is `shorter`.

    Returns:
        (V,) probabilities, which sum to 1 if `shorter` does; none
        is 0 where `shorter` is not.

    Raises:
        TypeError, ValueError: `shorter` holds no probabilities;
            `ids` are not its tokens, each once; or `counts` are
            not one whole number for each, 1 or more.

    Source: Bell, Cleary and Witten 1990; as an interpolation,
    Chen and Goodman 1999 (named Witten-Bell).

    >>> import numpy as np
    >>> ids, counts = np.array([0, 2]), np.array([5, 1])
    >>> witten_bell(np.full(4, 1 / 4), ids, counts).tolist()
    [0.6875, 0.0625, 0.1875, 0.0625]
    """
    total, kinds = counts.sum(), len(ids)
    if kinds == 0:
        return shorter
    row = shorter * (kinds / (total + kinds))
    row[ids] += counts / (total + kinds)
    return np.asarray(row)
