"""Nouns, adjectives and verbs, from the tables in `words/`, with English on the left of Italian.

Every form of every word is written out, so no rule has to guess any. The last columns say which
words go together, so that a person reads a letter and eats a pear, and not the other way round.
A "_" is a space inside an English verb ("look_for").
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from plainformer.files import shipped

__all__ = [
    "ADJECTIVES", "BE", "BEAUTIFUL", "COMPANIONS", "MOVES", "NAMES", "NOUNS", "PLAYS_WITH",
    "POSSESSIVES", "VERBS", "Adjective", "Gender", "Noun", "Number", "Verb",
]  # fmt: skip

Gender = Literal["m", "f"]
Number = Literal["s", "p"]  # singular, plural


@dataclass(frozen=True)
class Noun:
    """A noun in its two numbers, each with its gender: *l'uovo* (m), but *le uova* (f)."""

    english: tuple[str, str]
    italian: tuple[str, str]
    genders: tuple[Gender, Gender]
    kinds: frozenset[str]

    def gender(self, number: Number) -> Gender:
        return self.genders[number == "p"]


@dataclass(frozen=True)
class Adjective:
    """An adjective; its Italian forms are masculine and feminine singular, then both plurals."""

    english: str
    italian: tuple[str, str, str, str]
    kinds: frozenset[str]  # of the nouns that it may describe

    def form(self, gender: Gender, number: Number) -> str:
        return self.italian[2 * (number == "p") + (gender == "f")]

    @property
    def one_gender(self) -> bool:
        """Whether it is the same for men and women, as *felice*, *felici*."""
        return self.italian[0] == self.italian[1] and self.italian[2] == self.italian[3]


@dataclass(frozen=True)
class Verb:
    """A verb in the present: English base and third person; Italian io, tu, lei, noi, voi, loro."""

    english: tuple[str, str]
    italian: tuple[str, ...]
    subjects: frozenset[str]
    objects: frozenset[str]

    def form(self, person: int, number: Number) -> str:
        return self.italian[3 * (number == "p") + person - 1]


def _words(name: str) -> str:
    return shipped(Path(__file__).parent / "words" / f"{name}.txt").read_text(encoding="utf-8")


def _rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def _nouns(table: str) -> tuple[Noun, ...]:
    return tuple(
        Noun((one, many), (uno, molti), (g[0], g[-1]), frozenset(kinds))  # type: ignore[arg-type]
        for one, many, uno, molti, g, *kinds in _rows(table)
    )


def _adjectives(table: str) -> tuple[Adjective, ...]:
    return tuple(
        Adjective(english, (ms, fs, mp, fp), frozenset(kinds))
        for english, ms, fs, mp, fp, *kinds in _rows(table)
    )


def _verbs(table: str) -> tuple[Verb, ...]:
    verbs = []
    for base, third, *rest in _rows(table):
        bar = rest.index("|")
        english = (base.replace("_", " "), third.replace("_", " "))
        subjects, objects = frozenset(rest[6:bar]), frozenset(rest[bar + 1 :])
        verbs.append(Verb(english, tuple(rest[:6]), subjects, objects))
    return tuple(verbs)


# Singular and plural, gender (of the singular and of the plural where they differ), kinds.
NOUNS = _nouns(_words("nouns"))

# English; masculine and feminine singular, masculine and feminine plural; the nouns it goes with.
ADJECTIVES = _adjectives(_words("adjectives"))

# The only adjective here that precedes its noun. There its ending depends on the noun's first
# sound (`agreement.joined`): *un bel gatto*. These are its forms after *è*: *il gatto è bello*.
(BEAUTIFUL,) = _adjectives("""
beautiful     bello   bella   belli   belle   person family animal thing food place sight
""")

# English base and third person; Italian io, tu, lei, noi, voi, loro; subjects | objects.
VERBS = _verbs(_words("verbs"))

# To play an instrument is *suonare*, to play with someone is *giocare*: what follows decides.
(PLAYS_WITH,) = _verbs("""
play      plays      gioco    giochi   gioca    giochiamo  giocate   giocano    person family animal | family animal
""")  # noqa: E501

# Verbs without an object; they take a place instead.
MOVES = _verbs(_words("moves"))

(BE,) = _verbs("be is sono sei è siamo siete sono |")

# Owner: English; Italian masculine and feminine singular, masculine and feminine plural.
POSSESSIVES = {
    (1, "s"): ("my", ("mio", "mia", "miei", "mie")),
    (2, "s"): ("your", ("tuo", "tua", "tuoi", "tue")),
    (2, "p"): ("your", ("vostro", "vostra", "vostri", "vostre")),
    (3, "m"): ("his", ("suo", "sua", "suoi", "sue")),
    (3, "f"): ("her", ("suo", "sua", "suoi", "sue")),
    (1, "p"): ("our", ("nostro", "nostra", "nostri", "nostre")),
    (3, "p"): ("their", ("loro", "loro", "loro", "loro")),
}

NAMES: tuple[tuple[str, Gender], ...] = (
    ("marco", "m"), ("luca", "m"), ("paolo", "m"), ("pietro", "m"),
    ("anna", "f"), ("maria", "f"), ("giulia", "f"), ("sara", "f"),
)  # fmt: skip

# English has one word for both genders; the name after it decides: *la mia amica anna*.
COMPANIONS = _adjectives("""
friend        amico        amica        amici        amiche
neighbour     vicino       vicina       vicini       vicine
student       studente     studentessa  studenti     studentesse
colleague     collega      collega      colleghi     colleghe
""")
