"""Who did what to whom: sentences of a small grammar of our own, which no bag of words can read.

    the dog chased the cat          who was chased? the cat
    the cat chased the dog          who was chased? the dog

Both have the same words. So whoever looks at words alone must give both the same answer, and one
of the two is wrong: half of all answers at most are right. Sentences come in such twins, and both
twins stand on the same side of every split.

Longer sentences are in it, too: with a time before or a place behind, with adjectives, and in the
passive ("the cat was chased by the dog"), where the one that is chased comes first. So it is
not enough to know which animal comes last.

But: six verbs, eight animals, no pronouns, one clause. It is a test of word order, not of English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from plainformer.arrays import check_size

__all__ = ["ANIMALS", "Sentence", "who_did_what"]

ANIMALS = ("bear", "cat", "dog", "fox", "goat", "hen", "horse", "mouse")
VERBS = ("chased", "followed", "greeted", "heard", "helped", "watched")
ADJECTIVES = ("brown", "hungry", "lovely", "old", "small", "tired")
TIMES = ("yesterday", "at night", "after the rain")
PLACES = ("in the garden", "behind the old house", "on a hill")


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the animal to which something was done."""

    text: str
    whom: str

    @property
    def animals(self) -> str:
        """The two that are in it, in the order of the alphabet: "cat dog"."""
        return " ".join(each for each in ANIMALS if each in self.text.split())


def who_did_what(n_twins: int, seed: int = 0) -> list[Sentence]:
    """Return so many pairs of sentences, which differ in who does it to whom.

    Args:
        n_twins: how many pairs; all of them are different.
        seed: of the draws.

    Raises:
        ValueError: more than 20,000 pairs; the grammar has not many more.

    >>> for sentence in who_did_what(1, seed=4):
    ...     print(sentence.text, "|", sentence.whom)
    yesterday the old fox was watched by the tired horse | fox
    yesterday the old horse was watched by the tired fox | horse
    """
    if check_size(n_twins, "n_twins", least=0) > 20_000:
        raise ValueError(f"n_twins must be 20,000 or less; got {n_twins}")
    rng = np.random.default_rng(seed)
    seen: set[str] = set()
    found: list[Sentence] = []
    while len(found) < 2 * n_twins:
        twins = [*_twins(rng)]
        if twins[0].text not in seen:
            seen.update(each.text for each in twins)
            found += twins
    return found


def _twins(rng: np.random.Generator) -> Iterator[Sentence]:
    """One sentence, and the same with the two animals in each other's place."""
    pairs = list(combinations(ANIMALS, 2))
    one, other = pairs[rng.integers(len(pairs))]
    verb = rng.choice(VERBS)
    # Of each kind a word or none, drawn as a list of one or none.
    adjectives = [" ".join([*rng.choice(ADJECTIVES, rng.integers(2)), ""]) for _ in range(2)]
    before, behind = ("".join(rng.choice(some, rng.integers(2))) for some in (TIMES, PLACES))
    passive = rng.random() < 0.5
    for first, second in ((one, other), (other, one)):
        middle = f"was {verb} by" if passive else verb
        core = f"the {adjectives[0]}{first} {middle} the {adjectives[1]}{second}"
        yield Sentence(f"{before} {core} {behind}".strip(), first if passive else second)
