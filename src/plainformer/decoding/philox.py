"""Random numbers that Python and a browser draw alike: Philox, a generator that only counts.

Most generators carry a state from number to number. A counter-based one has none: the n-th number
is a scrambled n. So it needs no more than a seed and a counter, any number can be computed without
those before it, and two programs in two languages agree bit for bit. Philox scrambles by ten rounds
of multiplication, in which the high half of each product meets the key.

But: it is for pictures and tests that must repeat, not for secrets.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from plainformer.arrays import Array, check_size

__all__ = ["CounterRNG", "philox4x32"]

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)  # the golden ratio, and √3 - 1, as 32-bit fractions
WORD = 2**32


def philox4x32(
    counter: tuple[int, int, int, int],
    key: tuple[int, int],
) -> tuple[int, int, int, int]:
    """Scramble four 32-bit words under a key of two: ten rounds.

    Source: Salmon et al. 2011, section 3.4 (Philox-4x32-10).

    >>> [f"{word:08x}" for word in philox4x32((0, 0, 0, 0), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    for i in range(ROUNDS):
        high_a, low_a = divmod(MULTIPLIERS[0] * a, WORD)
        high_c, low_c = divmod(MULTIPLIERS[1] * c, WORD)
        k0, k1 = ((key[j] + i * KEY_STEPS[j]) % WORD for j in (0, 1))
        a, b, c, d = high_c ^ b ^ k0, low_c, high_a ^ d ^ k1, low_a
    return a, b, c, d


class CounterRNG:
    """Uniform numbers in [0, 1), the same in Python and in the page.

    It has `numpy.random.Generator`'s method `random`, and stands
    wherever this package asks for an `rng`.

    Args:
        seed: 0 or more, below 2⁶⁴.
        counter: how many numbers were drawn before.

    Number n takes the words 0 and 1 of `philox4x32((n mod 2³²,
    n div 2³², 0, 0), key)`, the seed's low and high half being the
    key, and makes of their first 27 and 26 bits a float of 53.

    >>> rng = CounterRNG(7)
    >>> first, second = rng.random(), rng.random()
    >>> CounterRNG(7, counter=1).random() == second
    True
    >>> rng.counter
    2
    """

    def __init__(self, seed: int, counter: int = 0) -> None:
        self.seed = check_size(seed, "seed", least=0)
        if self.seed >= WORD**2:
            raise ValueError(f"seed must be below 2**64; got {seed}")
        self.counter = check_size(counter, "counter", least=0)

    @overload
    def random(self, size: None = None) -> float: ...
    @overload
    def random(self, size: int | tuple[int, ...]) -> Array: ...
    def random(self, size: int | tuple[int, ...] | None = None) -> float | Array:
        """Draw the next number, or an array of the next ones, filled row by row.

        Raises:
            TypeError, ValueError: `size` is no whole number of 0 or
                more, nor a tuple of such.
        """
        if size is None:
            return self._next()
        shape = size if isinstance(size, tuple) else (size,)
        shape = tuple(check_size(each, "size", least=0) for each in shape)
        values = np.empty(shape)  # no memory is found out before any number is drawn
        values[...] = np.reshape([self._next() for _ in range(values.size)], shape)
        return values

    def _next(self) -> float:
        high, low = divmod(self.counter, WORD)
        self.counter += 1
        a, b, _, _ = philox4x32((low, high, 0, 0), (self.seed % WORD, self.seed // WORD))
        return ((a >> 5) * 2**26 + (b >> 6)) / 2**53
