"""Who did what to whom: sentences in which only the order of the words gives the answer.

    the dog chased the cat          who was chased? the cat
    the cat chased the dog          who was chased? the dog

Both sentences contain the same words, so a model that ignores their order must give both the same
answer. One of the two is then wrong, which is why such a model cannot be right more than half of
the time. The sentences come in minimal pairs like this one, and both sentences of a pair belong
on the same side of every split.

Some sentences are longer: they begin with a time or end with a place, have adjectives, or are in
the passive ("the cat was chased by the dog"), where the chased animal comes first. A model
therefore cannot succeed by learning which animal comes last.

The grammar is tiny. It has six verbs and eight animals, and every sentence is a single clause
without pronouns, so the task tests the use of word order and not an understanding of English.
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
    """A sentence, and the animal that something is done to."""

    text: str
    whom: str

    @property
    def animals(self) -> str:
        """The two animals in the sentence, in alphabetical order: "cat dog"."""
        return " ".join(each for each in ANIMALS if each in self.text.split())


def who_did_what(n_pairs: int, seed: int = 0) -> list[Sentence]:
    """Return `n_pairs` minimal pairs of sentences, which differ only in who does it to whom.

    All pairs are different. The limit of 20,000 is close to all that the grammar has.

    >>> for sentence in who_did_what(1, seed=4):
    ...     print(sentence.text, "|", sentence.whom)
    yesterday the old fox was watched by the tired horse | fox
    yesterday the old horse was watched by the tired fox | horse
    """
    if check_size(n_pairs, "n_pairs", least=0) > 20_000:
        raise ValueError(f"n_pairs must be 20,000 or less; got {n_pairs}")
    rng = np.random.default_rng(seed)
    seen: set[str] = set()
    found: list[Sentence] = []
    while len(found) < 2 * n_pairs:
        pair = [*_minimal_pair(rng)]
        if pair[0].text not in seen:
            seen.update(each.text for each in pair)
            found += pair
    return found


def _minimal_pair(rng: np.random.Generator) -> Iterator[Sentence]:
    """Yield a sentence, and then the same sentence with its two animals swapped."""
    pairs = list(combinations(ANIMALS, 2))
    one, other = pairs[rng.integers(len(pairs))]
    verb = rng.choice(VERBS)
    # Each of these is optional: a list of one word or none.
    adjectives = [" ".join([*rng.choice(ADJECTIVES, rng.integers(2)), ""]) for _ in range(2)]
    before, behind = ("".join(rng.choice(some, rng.integers(2))) for some in (TIMES, PLACES))
    passive = rng.random() < 0.5
    for first, second in ((one, other), (other, one)):
        middle = f"was {verb} by" if passive else verb
        core = f"the {adjectives[0]}{first} {middle} the {adjectives[1]}{second}"
        yield Sentence(f"{before} {core} {behind}".strip(), first if passive else second)
