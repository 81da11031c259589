"""Random numbers that are the same in Python and in a browser: Philox, a counter-based generator.

Its n-th number is n, scrambled, so two programs in two languages agree bit for bit. It is meant for
pictures and tests that must be repeatable, and not for secrets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.arrays import check_size

__all__ = ["CounterRNG", "philox4x32"]

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)  # the golden ratio, and √3 - 1, as 32-bit fractions
WORD = 2**32


def philox4x32(
    counter: tuple[int, int, int, int],
    key: tuple[int, int],
) -> tuple[int, int, int, int]:
    """Scramble four 32-bit words with a key of two words, in ten rounds.

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
    """Uniform numbers in [0, 1), the same in Python and in the browser.

    It can be used wherever this package takes an `rng`. The seed is below 2⁶⁴, and `counter` is how
    many numbers were drawn before. Number n comes from words 0 and 1 of `philox4x32((n mod 2³², n
    div 2³², 0, 0), key)`, where the key is the low and the high half of the seed. The first 27 bits
    of word 0 and the first 26 of word 1 form a float of 53 bits.

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

    def random(self, size: int | tuple[int, ...] | None = None) -> Any:
        """Draw the next number, or an array of the next ones, row by row."""
        if size is None:
            return self._next()
        shape = size if isinstance(size, tuple) else (size,)
        values = np.empty(shape)  # before drawing, in case memory runs out
        values[...] = np.reshape([self._next() for _ in range(values.size)], shape)
        return values

    def _next(self) -> float:
        high, low = divmod(self.counter, WORD)
        self.counter += 1
        a, b, _, _ = philox4x32((low, high, 0, 0), (self.seed % WORD, self.seed // WORD))
        return ((a >> 5) * 2**26 + (b >> 6)) / 2**53
