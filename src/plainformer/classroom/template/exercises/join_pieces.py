"""Back from pieces to text, where a mark says that a piece goes on with the word before."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Group


def join_pieces(pieces: list[str]) -> str:
    """The text that WordPiece's pieces came from, with one space between words.

    pieces: "##" in front of a piece says that it belongs to the word
    before. A first piece has no word before it: its mark is dropped.
    A piece that is nothing but "##" adds nothing.

    >>> join_pieces(["un", "##lov", "##ed", "cats"])
    'unloved cats'
    """
    text = ""
    for piece in pieces:
        if piece.startswith("##"):
            text += piece[2:]
        elif text:
            text += " " + piece
        else:
            text = piece
    return text


def _draw(rng: np.random.Generator) -> tuple[list[str]]:
    parts = ["cat", "##s", "un", "##lov", "##ed", "#", "a", "##a", "##"]
    return (rng.choice(parts, size=rng.integers(0, 9)).tolist(),)


EXERCISE = Exercise(
    id="course.join_pieces",
    title="From pieces to text",
    reference=join_pieces,
    points=2,
    cases=(
        Case((["your", "cat"],), "your cat"),
        Case((["cat", "##s"],), "cats"),
        Case((["un", "##lov", "##ed", "cats"],), "unloved cats"),
        Case((["##s", "##s", "a"],), "ss a"),
        Case((["a", "####", "b"],), "a## b"),
        Case((["c", "#", "1"],), "c # 1"),
        Case((["cat", "##a#"],), "cata#"),
        Case((["a", "##", "b"],), "a b"),
        Case((["##", "cat"],), "cat"),
        Case(([],), ""),
    ),
    groups=(
        Group("pieces of words", 3, lambda pieces: pieces != [] and "##" not in pieces),
        Group('no piece at all, or one that is nothing but "##"'),
    ),
    generate=_draw,
    hints=(
        "Go through the pieces and let a text grow. What stands between the text and the next "
        "piece: a space, or nothing?",
        "piece.startswith('##') tells the two apart; piece[2:] is the piece without its mark.",
    ),
    mutants={
        "The marks are still there. They are no part of the text.": "piece[2:] -> piece",
        "Pieces of one word stand apart in yours: no space before a marked piece.": (
            "text += piece[2:] -> text += (' ' if text else '') + piece[2:]"
        ),
        "There is a space in front of your text: the first word has none before it.": (
            "elif text: -> elif True:"
        ),
        "You take '#' off wherever it stands. Only the two in front are the mark.": (
            "piece[2:] -> piece.replace('#', '')"
        ),
        "lstrip takes every '#' in front, and a piece may begin with one. Two are the mark.": (
            "piece[2:] -> piece.lstrip('#')"
        ),
        "All of it is one word in yours. Unmarked pieces begin a new one.": '" " + piece -> piece',
    },
    alternates=[
        lambda pieces: "".join(
            piece[2:]
            if piece[:2] == "##"
            else (" " if i and any(p != "##" for p in pieces[:i]) else "") + piece
            for i, piece in enumerate(pieces)
        ),
    ],
)
