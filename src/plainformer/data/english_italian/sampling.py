"""Draw any number of sentence pairs from a seed, split into training and test.

The test requires what anyone who has learned a language can do: combine known words in a way that
they have never heard. About one pair of words in ten is therefore held out, which means that
*lovely* and *cat*, for example, never occur in a training sentence as adjective and noun. Sentences
with such a pair belong to the test and all others to training, in which every single word occurs
many times.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from plainformer.arrays import check_choice, check_size
from plainformer.data.english_italian.phrases import Draw
from plainformer.data.english_italian.sentences import sentence, written

__all__ = ["SentencePair", "is_held_out", "sentence_pairs"]

LONGEST = 12  # words, in either language
HELD_OUT = 10  # one in ten pairs of words
RUNNING_EXAMPLE = ("lovely", "cat")


@dataclass(frozen=True)
class SentencePair:
    """A sentence in both languages, in lower case and without a full stop."""

    english: str
    italian: str
    # The pairs of English words that the sentence combines: adjective and noun, subject and verb,
    # verb and object.
    links: tuple[tuple[str, str], ...] = ()


def is_held_out(first: str, second: str) -> bool:
    """Return whether these two words are combined in test sentences only.

    A checksum decides, so the answer is the same on every machine.

    >>> is_held_out("lovely", "cat"), is_held_out("lovely", "dog")
    (True, False)
    """
    if (first, second) == RUNNING_EXAMPLE:
        return True
    return zlib.crc32(f"{first} {second}".encode()) % HELD_OUT == 0


def sentence_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> list[SentencePair]:
    """Draw sentence pairs, at most a million and all of them different.

    The same seed gives the same pairs, and a longer list begins with the shorter one. The split
    "test" has sentences with combinations of words that training lacks.

    >>> pair = sentence_pairs(3, seed=1, split="test")[-1]
    >>> pair.english, pair.italian
    ('anna sees that apple because it is beautiful', 'anna vede quella mela perché è bella')
    """
    if check_size(count, "count", least=0) > 1_000_000:
        raise ValueError(f"count must be at most 1,000,000; got {count:,}")
    check_size(seed, "seed", least=0)
    check_choice(split, "split", ("train", "test"))
    found: dict[str, SentencePair] = {}
    rng = np.random.default_rng(seed)
    while len(found) < count:
        draw = Draw(rng)
        words = sentence(draw)
        if max(len(words.english.split()), len(words.italian.split())) > LONGEST:
            continue
        if any(is_held_out(*link) for link in draw.links) == (split == "test"):
            pair = SentencePair(written(words.english), written(words.italian), tuple(draw.links))
            found.setdefault(pair.english, pair)
    return list(found.values())
