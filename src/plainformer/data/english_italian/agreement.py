"""How Italian words agree with the gender, the number, and the first sound of the next word.

Most of it follows from one table of endings. The definite article has seven forms, which depend on
gender, number and the next sound, and *bello*, *quello* and the prepositions that merge with the
article have the same endings:

    il      lo      l'      la      i       gli     le
    bel     bello   bell'   bella   bei     begli   belle
    quel    quello  quell'  quella  quei    quegli  quelle
    nel     nello   nell'   nella   nei     negli   nelle
"""

from __future__ import annotations

from plainformer.data.english_italian.lexicon import POSSESSIVES, Gender, Number

__all__ = [
    "ENDINGS", "definite", "english_be", "indefinite", "indefinite_english", "joined", "melt",
    "object_pronoun", "possessive", "sound",
]  # fmt: skip

# The ending that a stem (be-, que-, ne-, su-, de-) takes wherever the article would be used.
ENDINGS = {"il": "l", "lo": "llo", "l'": "ll'", "la": "lla", "i": "i", "gli": "gli", "le": "lle"}

_MELTS = {"in": "ne", "su": "su", "di": "de"}  # but not con, sotto, dietro


def sound(word: str) -> str:
    """Classify the first sound of a word, on which the article depends: "vowel", "hard" or "plain".

    The hard sounds are z, gn, ps, and s before a consonant: *lo zio, lo gnomo, lo specchio*.

    >>> [sound(word) for word in ("albero", "zaino", "scoiattolo", "sedia", "gnomo", "gatto")]
    ['vowel', 'hard', 'hard', 'plain', 'hard', 'plain']
    """
    if word[0] in "aeiouàèéìòùh":
        return "vowel"
    s_and_consonant = word[0] == "s" and word[1] not in "aeiouàèéìòù"
    if word[0] in "zxy" or word.startswith(("gn", "ps", "pn")) or s_and_consonant:
        return "hard"
    return "plain"


def definite(gender: Gender, number: Number, following: str) -> str:
    """The article "the" before the word `following`.

    >>> definite("m", "s", "amico"), definite("m", "p", "amici"), definite("f", "p", "amiche")
    ("l'", 'gli', 'le')
    """
    heard = sound(following)
    if gender == "f":
        return "le" if number == "p" else "l'" if heard == "vowel" else "la"
    if number == "p":
        return "i" if heard == "plain" else "gli"
    return {"plain": "il", "hard": "lo", "vowel": "l'"}[heard]


def indefinite(gender: Gender, following: str) -> str:
    """The article "a" before the word `following`; there is none in the plural.

    >>> [indefinite("m", "amico"), indefinite("f", "amica"), indefinite("m", "specchio")]
    ['un', "un'", 'uno']
    """
    heard = sound(following)
    if gender == "f":
        return "un'" if heard == "vowel" else "una"
    return "uno" if heard == "hard" else "un"


def joined(stem: str, gender: Gender, number: Number, following: str) -> str:
    """*bello* (stem "be") or *quello* (stem "que") before the word `following`.

    >>> joined("be", "m", "s", "gatto"), joined("be", "m", "p", "alberi")
    ('bel', 'begli')
    """
    return stem + ENDINGS[definite(gender, number, following)]


def melt(preposition: str, phrase: str) -> str:
    """A preposition before a phrase: one word with the phrase's definite article, if it has one.

    >>> melt("in", "il tuo giardino"), melt("in", "un giardino")
    ('nel tuo giardino', 'in un giardino')
    """
    article, _, rest = phrase.partition(" ")
    if preposition in _MELTS and article in ENDINGS:
        return f"{_MELTS[preposition]}{ENDINGS[article]} {rest}"
    return f"{preposition} {phrase}"


def possessive(
    owner: tuple[int, str], gender: Gender, number: Number, *, family: bool = False
) -> str:
    """A possessive with its article: *il tuo*; without it for one member of the family: *tua*.

    But *loro* keeps the article even there: *la loro sorella*.

    >>> possessive((2, "s"), "m", "s"), possessive((2, "s"), "f", "s", family=True)
    ('il tuo', 'tua')
    """
    word = POSSESSIVES[owner][1][2 * (number == "p") + (gender == "f")]
    if family and number == "s" and owner != (3, "p"):
        return word
    return f"{definite(gender, number, word)} {word}"


def object_pronoun(gender: Gender, number: Number) -> str:
    """ "it" or "them" as an object; it precedes the verb: *lo vedo*."""
    return {"ms": "lo", "fs": "la", "mp": "li", "fp": "le"}[gender + number]


def english_be(person: int, number: Number) -> str:
    """ "to be" in the present."""
    if number == "p" or person == 2:
        return "are"
    return "am" if person == 1 else "is"


def indefinite_english(following: str) -> str:
    """ "a" or "an" before the word `following`. (No word here needs "an hour" or "a uniform".)"""
    return "an" if following[0] in "aeiou" else "a"
