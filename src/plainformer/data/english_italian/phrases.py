"""Phrases in both languages at once: names, pronouns, and nouns with their articles and adjectives.

A phrase is drawn at random, and `Draw`, which picks each word, keeps track of which words it has
combined (`links`), because that decides whether a sentence is for training or for testing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from plainformer.data.english_italian.agreement import (
    definite,
    indefinite,
    indefinite_english,
    joined,
    melt,
    possessive,
)
from plainformer.data.english_italian.lexicon import (
    ADJECTIVES,
    BEAUTIFUL,
    COMPANIONS,
    NAMES,
    NOUNS,
    POSSESSIVES,
    Adjective,
    Gender,
    Noun,
    Number,
)

__all__ = [
    "Draw",
    "Phrase",
    "Words",
    "adjectives_for",
    "around",
    "name",
    "names",
    "noun_phrase",
    "nouns_of",
    "pronoun",
    "somebody",
    "subject",
]

T = TypeVar("T")


class Draw:
    """The random choices of one sentence.

    Args:
        rng: the generator that makes them.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.links: list[tuple[str, str]] = []
        self.you: tuple[Number, Gender] | None = None  # the people addressed, if any
        self.names = list(NAMES)  # without the names of those addressed

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[int(self.rng.random() * len(options))]

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < share)

    def link(self, first: str, second: str) -> None:
        """Record that these two words have been combined."""
        self.links.append((first, second))


@dataclass(frozen=True)
class Words:
    """Part of a sentence in both languages; `+` appends another part.

    >>> Words("your cat", "il tuo gatto") + Words("sees her", "la vede")
    Words(english='your cat sees her', italian='il tuo gatto la vede')
    """

    english: str
    italian: str

    def __add__(self, other: Words) -> Words:
        english, italian = self.english + " " + other.english, self.italian + " " + other.italian
        return Words(english.strip(), italian.strip())  # either may be empty


PERSON = frozenset({"person"})
NUMBERS: tuple[Number, Number] = ("s", "p")


@dataclass(frozen=True)
class Phrase(Words):
    """Something that a sentence talks about; a subject pronoun has no Italian, which drops it.

    Args:
        head: the word that is recorded in combinations, such as "cat"; "" if there is none.
        person, number: what a verb agrees with.
        gender: what an adjective agrees with; None where English does not show it ("I").
        kinds: what it can do and be, as in the lexicon.
    """

    head: str
    person: int
    number: Number
    gender: Gender | None
    kinds: frozenset[str] = PERSON


@cache
def nouns_of(kinds: frozenset[str]) -> tuple[Noun, ...]:
    """The nouns of any of these kinds."""
    return tuple(noun for noun in NOUNS if noun.kinds & kinds)


@cache
def adjectives_for(kinds: frozenset[str], *, one_gender: bool = False) -> tuple[Adjective, ...]:
    """The adjectives that may describe a noun of these kinds, *bello* among them."""
    fitting = (a for a in (*ADJECTIVES, BEAUTIFUL) if a.kinds & kinds)
    return tuple(a for a in fitting if a.one_gender or not one_gender)


def noun_phrase(
    draw: Draw,
    kinds: Iterable[str],
    number: Number | None = None,
    determiners: Sequence[str] | None = None,
) -> Phrase:
    """A noun with its determiner and, at times, adjectives: *your cat*, *those beautiful trees*.

    Args:
        draw: the sentence's picks.
        kinds: the noun must be of one of these kinds.
        number: singular or plural; None leaves it to chance.
        determiners: some of the names in `_determine`; None for all that fit.
    """
    noun = draw.pick(nouns_of(frozenset(kinds)))
    return around(draw, noun, draw.pick(NUMBERS) if number is None else number, determiners)


def around(
    draw: Draw,
    noun: Noun,
    number: Number,
    determiners: Sequence[str] | None = None,
    *,
    described: bool = False,
) -> Phrase:
    """The phrase around a given noun. Relatives get only a possessive: *tua sorella*."""
    plural, family = number == "p", "family" in noun.kinds
    words = Words(noun.english[plural], noun.italian[plural])
    if described or (not family and draw.chance(0.4)):
        words = _describe(draw, noun, number, words)
    if determiners is None:
        some = ("those", "two", "three", "many") if plural else ("a", "that")
        determiners = ("the", *some, "possessive", "owner")
    kind = "possessive" if family else draw.pick(determiners)
    words = _determine(draw, kind, noun, number, words)
    gender, head = noun.gender(number), noun.english[0]
    return Phrase(words.english, words.italian, head, 3, number, gender, noun.kinds)


def _describe(draw: Draw, noun: Noun, number: Number, words: Words) -> Words:
    """Add an adjective after the noun, or *bello* before it, which depends on its first sound."""
    gender = noun.gender(number)
    if noun.kinds & BEAUTIFUL.kinds and draw.chance(0.25):
        draw.link(BEAUTIFUL.english, noun.english[0])
        return Words(BEAUTIFUL.english, joined("be", gender, number, words.italian)) + words
    adjective = draw.pick([a for a in adjectives_for(noun.kinds) if a is not BEAUTIFUL])
    draw.link(adjective.english, noun.english[0])
    return Words(adjective.english, "") + words + Words("", adjective.form(gender, number))


def _determine(draw: Draw, kind: str, noun: Noun, number: Number, words: Words) -> Words:
    """Put a determiner before a noun and its adjectives. It agrees with the noun, and its last
    sound with whatever word comes next: *l'amico*, but *il bell'amico*."""
    gender, following = noun.gender(number), words.italian
    if kind == "the":
        return Words("the", definite(gender, number, following)) + words
    if kind == "bare":
        return words
    if kind == "a":
        return Words(indefinite_english(words.english), indefinite(gender, following)) + words
    if kind in ("that", "those"):
        return Words(kind, joined("que", gender, number, following)) + words
    if kind in ("two", "three"):
        return Words(kind, {"two": "due", "three": "tre"}[kind]) + words
    if kind == "many":
        return Words(kind, "molti" if gender == "m" else "molte") + words
    if kind == "possessive":
        return _possessive(draw, gender, number, family="family" in noun.kinds) + words
    if kind == "owner":  # marco's cat, il gatto di marco: the order is reversed
        if draw.chance(0.5):
            person = name(draw)
        else:
            person = noun_phrase(draw, ("person", "family"), "s", determiners=("the",))
        article = definite(gender, number, following)
        owner = Words(f"{person.english} 's", article)
        return owner + words + Words("", melt("di", person.italian))
    raise ValueError(f"kind must be a known determiner; got {kind!r}")


def _possessive(draw: Draw, gender: Gender, number: Number, *, family: bool = False) -> Words:
    """*your, il tuo*. "your" means those addressed, or one person if nobody is."""
    owner: tuple[int, str]
    if draw.you and draw.chance(0.5):
        owner = (2, draw.you[0])
    else:
        others = [owner for owner in POSSESSIVES if owner[0] != 2]
        owner = draw.pick(others if draw.you else [*others, (2, "s")])
    return Words(POSSESSIVES[owner][0], possessive(owner, gender, number, family=family))


def name(draw: Draw) -> Phrase:
    """*marco*, *anna*."""
    word, gender = draw.pick(draw.names)
    return Phrase(word, word, word, 3, "s", gender)


def names(draw: Draw) -> Phrase:
    """*anna and maria*; masculine if either of them is."""
    first = draw.pick(draw.names)
    second = draw.pick([other for other in draw.names if other != first])
    gender: Gender = "f" if first[1] == second[1] == "f" else "m"
    return Phrase(f"{first[0]} and {second[0]}", f"{first[0]} e {second[0]}", "", 3, "p", gender)


def companion(draw: Draw) -> Phrase:
    """*my friend anna, la mia amica anna*: the name decides what English leaves open."""
    who, word = name(draw), draw.pick(COMPANIONS)
    assert who.gender is not None  # a name has one
    friend = Words(word.english, word.form(who.gender, "s"))
    words = _possessive(draw, who.gender, "s") + friend + who
    return Phrase(words.english, words.italian, word.english, 3, "s", who.gender)


def pronoun(draw: Draw) -> Phrase:
    """A subject pronoun. Italian drops it: the verb's ending says who is meant.

    "you" is said only to someone who is named, so that *tu* and *voi* can be told apart.
    """
    if draw.you and draw.chance(0.8):
        number, gender = draw.you
        return Phrase("you", "", "", 2, number, gender)
    some: tuple[tuple[str, int, Number, Gender | None], ...] = (
        ("i", 1, "s", None), ("we", 1, "p", None), ("he", 3, "s", "m"), ("she", 3, "s", "f"),
    )  # fmt: skip
    word, person, number, known = draw.pick(some)
    return Phrase(word, "", "", person, number, known)


def subject(draw: Draw, kinds: Iterable[str]) -> Phrase:
    """Someone who does something."""
    if draw.chance(0.6 if draw.you else 0.2):
        return pronoun(draw)
    if draw.chance(0.5):
        return noun_phrase(draw, kinds)
    return somebody(draw)


def somebody(draw: Draw) -> Phrase:
    """Someone with a name.

    But not two if someone is addressed: *anna, luca and sara* would look like three.
    """
    return draw.pick((name, companion) if draw.you else (name, names, companion))(draw)
