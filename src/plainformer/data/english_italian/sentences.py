"""The rules, each of which writes one kind of sentence in English and in Italian.

A rule takes a `Draw` and returns `Words`. `sentence` picks a rule and sometimes
addresses someone: *boys, your cat is a lovely cat* is *ragazzi, il vostro gatto è un gatto
adorabile*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plainformer.data.english_italian.agreement import english_be, melt, object_pronoun, sound
from plainformer.data.english_italian.lexicon import BE, MOVES, PLAYS_WITH, VERBS, Number, Verb
from plainformer.data.english_italian.phrases import (
    NUMBERS,
    Draw,
    Phrase,
    Words,
    adjectives_for,
    around,
    name,
    names,
    noun_phrase,
    nouns_of,
    pronoun,
    somebody,
    subject,
)

__all__ = ["RULES", "sentence", "written"]

# English, Italian, the kinds of noun that may follow.
PLACES = (
    ("in", "in", ("place",)),
    ("on", "su", ("top",)),
    ("under", "sotto", ("top", "sight")),
    ("behind", "dietro", ("place", "sight", "opens")),
)

# What there may be, and where.
CONTENTS = (
    (("person", "animal"), PLACES[0]),
    (("thing", "food"), ("in", "in", ("holds",))),
    (("animal", "thing", "food"), PLACES[1]),
    (("animal", "thing"), PLACES[2]),
    (("animal",), PLACES[3]),
)


def sentence(draw: Draw) -> Words:
    """Return a sentence of any kind, which may begin or end by addressing someone."""
    if not draw.chance(0.3):
        return draw.pick(RULES)(draw)
    called = _call(draw)
    first = draw.chance(0.5)
    words, comma = draw.pick(RULES)(draw), Words(",", ",")
    return called + comma + words if first else words + comma + called


def _call(draw: Draw) -> Words:
    """Return who is addressed, which decides whether "you" is *tu* or *voi*, and its gender."""
    kind = draw.pick(("name", "names", "boys", "girls"))
    if kind in ("boys", "girls"):
        draw.you = ("p", "m" if kind == "boys" else "f")
        return Words(kind, "ragazzi" if kind == "boys" else "ragazze")
    who = name(draw) if kind == "name" else names(draw)
    assert who.gender is not None  # a name has one
    draw.you = (who.number, who.gender)
    draw.names = [known for known in draw.names if known[0] not in who.english.split()]
    return who


def is_same(draw: Draw) -> Words:
    """*your cat is a lovely cat*: the noun comes twice, with an adjective the second time."""
    noun = draw.pick(nouns_of(frozenset({"person", "animal", "thing", "place"})))
    number = draw.pick(NUMBERS)
    who = around(draw, noun, number)
    what = around(draw, noun, number, ("a" if number == "s" else "bare",), described=True)
    return who + _is(who, no=draw.chance(0.2)) + what


def is_so(draw: Draw) -> Words:
    """*the trees are not very big*."""
    who = subject(draw, ("person", "family", "animal", "thing", "place", "food", "sight"))
    return who + _so(draw, who)


def does(draw: Draw) -> Words:
    """*my sister does not play the guitar*."""
    verb = draw.pick((*VERBS, PLAYS_WITH))
    who = subject(draw, verb.subjects)
    act = _act(draw, who, verb, no=draw.chance(0.2))
    if verb is PLAYS_WITH:
        act += Words("with", "con")
    return who + act + _object(draw, verb)


def moves(draw: Draw) -> Words:
    """*the geese sleep behind the castle*, *le oche dormono dietro il castello*."""
    verb = draw.pick(MOVES)
    who = subject(draw, verb.subjects)
    act = _act(draw, who, verb, no=draw.chance(0.2))
    return who + act + _place(draw, draw.pick(PLACES))


def there_is(draw: Draw) -> Words:
    """*there are two eggs in the box*, *ci sono due uova nella scatola*."""
    what_kinds, place = draw.pick(CONTENTS)
    number = draw.pick(NUMBERS)
    some = ("a",) if number == "s" else ("two", "three", "many")
    what = noun_phrase(draw, what_kinds, number, some)
    there = Words("there is", "c' è") if number == "s" else Words("there are", "ci sono")
    return there + what + _place(draw, place)


def because_of_oneself(draw: Draw) -> Words:
    """*the girls laugh because they are happy*: "they" are the girls, so *felici*, *stanche*."""
    verb = draw.pick(MOVES)
    who = subject(draw, verb.subjects)
    act = _act(draw, who, verb, no=draw.chance(0.2))
    again = who.english if who.person < 3 else _pronoun(who)
    return who + act + Words(f"because {again}", "perché") + _so(draw, who)


def because_of_it(draw: Draw) -> Words:
    """*anna buys the shirt because it is red*: "it" is the shirt, so *rossa*."""
    verb = draw.pick([verb for verb in VERBS if verb.objects & {"thing", "food", "text", "place"}])
    who = draw.pick((somebody, pronoun))(draw)
    act = _act(draw, who, verb, no=False)
    # If both subject and object are "they", the sentence would be ambiguous.
    what = _object(draw, verb, "s" if (who.person, who.number) == (3, "p") else None, people=False)
    so = _so(draw, what)
    word, parola = draw.pick((("because", "perché"), ("but", "ma")))
    return who + act + what + Words(f"{word} {_pronoun(what)}", parola) + so


def and_does_it(draw: Draw) -> Words:
    """*luca finds the key and cleans it*, *luca trova la chiave e la pulisce*."""
    first = draw.pick(VERBS)
    who = subject(draw, first.subjects & {"person", "family"})
    act = _act(draw, who, first, no=False)
    what = _object(draw, first)
    # *lo* and *la* lose their vowel before another vowel, so we leave out verbs like *apre*.
    second = draw.pick(
        [
            verb
            for verb in VERBS
            if verb is not first
            and verb.objects & what.kinds
            and sound(verb.form(who.person, who.number)) != "vowel"
        ]
    )
    draw.link(second.english[0], what.head)
    it = {"they": "them", "it": "it", "he": "him", "she": "her"}[_pronoun(what)]
    lo = object_pronoun(what.gender or "m", what.number)
    verb_italian = second.form(who.person, who.number)
    then = Words(f"and {second.english[_third(who)]} {it}", f"e {lo} {verb_italian}")
    return who + act + what + then


RULES: tuple[Callable[[Draw], Words], ...] = (
    is_same, is_so, does, moves, there_is, because_of_oneself, because_of_it, and_does_it,
)  # fmt: skip


# What the rules share


def _is(who: Phrase, *, no: bool) -> Words:
    """*is*, *are not*."""
    english, italian = english_be(who.person, who.number), BE.form(who.person, who.number)
    return Words(f"{english} not", f"non {italian}") if no else Words(english, italian)


def _so(draw: Draw, who: Phrase) -> Words:
    """*is not very big*, of someone or something."""
    adjective = draw.pick(adjectives_for(who.kinds, one_gender=who.gender is None))
    if who.head:
        draw.link(adjective.english, who.head)
    words = _is(who, no=draw.chance(0.2))
    if draw.chance(0.2):
        words += Words("very", "molto")
    return words + Words(adjective.english, adjective.form(who.gender or "m", who.number))


def _third(who: Phrase) -> bool:
    """Return whether an English verb takes an s."""
    return who.person == 3 and who.number == "s"


def _act(draw: Draw, who: Phrase, verb: Verb, *, no: bool) -> Words:
    """*sleeps*, *does not sleep*, *do not sleep*."""
    if who.head:
        draw.link(who.head, verb.english[0])
    form = verb.form(who.person, who.number)
    if no:
        do = "does" if _third(who) else "do"
        return Words(f"{do} not {verb.english[0]}", f"non {form}")
    return Words(verb.english[_third(who)], form)


def _object(draw: Draw, verb: Verb, number: Number | None = None, people: bool = True) -> Phrase:
    """Return the object: what is seen, bought or eaten."""
    kinds = verb.objects if people else verb.objects - {"person", "family", "animal"}
    what = noun_phrase(draw, kinds, number)
    draw.link(verb.english[0], what.head)
    return what


def _place(draw: Draw, place: tuple[str, str, Sequence[str]]) -> Words:
    """*in the garden*, *nel giardino*."""
    english, italian, kinds = place
    where = noun_phrase(draw, kinds, determiners=("the", "possessive"))
    return Words(f"{english} {where.english}", melt(italian, where.italian))


def _pronoun(who: Phrase) -> str:
    """Return the pronoun that refers back to a subject."""
    if who.number == "p":
        return "they"
    if not who.kinds & {"person", "family"}:
        return "it"
    return "he" if who.gender == "m" else "she"


def written(words: str) -> str:
    """Words as they are written, without a space after *l'* or before a comma or 's.

    >>> written("un' oca è nell' acqua , marco")
    "un'oca è nell'acqua, marco"
    """
    return words.replace(" ,", ",").replace(" 's", "'s").replace("' ", "'")
