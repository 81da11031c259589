"""Exercise 5: turn byte tokens back into text, although a character may be split between two
tokens."""

import codecs
from itertools import pairwise

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def decode(ids: list[int], vocab: dict[int, bytes]) -> str:
    r"""Turn token ids back into text; every token is a piece of UTF-8.

    A piece need not hold whole characters: the three bytes of "€" may
    be split between two tokens. Bytes that are not valid UTF-8 become
    U+FFFD, the replacement character, as in bytes.decode with
    errors="replace".

    >>> decode([0, 1, 2], {0: b"5 ", 1: b"\xe2\x82", 2: b"\xac"})
    '5 €'
    """
    pieces = [vocab[i] for i in ids]
    # Join first, then decode.
    return b"".join(pieces).decode("utf-8", errors="replace")


def _draw(rng: np.random.Generator) -> tuple[list[int], dict[int, bytes]]:
    characters = "ab é€日🐈"
    text = "".join(characters[i] for i in rng.integers(7, size=rng.integers(1, 9))).encode()
    if rng.random() < 0.3:  # what a model writes may stop in the middle of a character
        text = text[:-1]
    cuts = sorted({0, len(text), *rng.integers(len(text) + 1, size=4).tolist()})
    pieces = [text[i:j] for i, j in pairwise(cuts)]
    names = [int(i) for i in rng.permutation(20)[: len(pieces) + 1]]
    vocab = dict(zip(names, [*pieces, b"unused"], strict=True))
    order = [int(i) for i in rng.permutation(len(names))]
    return names[: len(pieces)], {names[i]: vocab[names[i]] for i in order}


_CAT = {0: b"a", 1: b" cat", 2: b"\xf0\x9f", 3: b"\x90\x88"}

EXERCISE = Exercise(
    id="inputs.tokenization.5",
    title="Decode bytes",
    reference=decode,
    points=2,
    cases=(
        Case(([0, 1], _CAT), "a cat"),
        Case(([1, 1, 0], _CAT), " cat cata"),
        Case(([0, 1, 2], {0: b"5 ", 1: b"\xe2\x82", 2: b"\xac"}), "5 €"),
        Case(([0, 2, 3], _CAT), "a🐈"),
        Case(([0, 2], _CAT), "a\ufffd"),
        Case(([3, 0], _CAT), "\ufffd\ufffda"),
        Case(([7], {7: "é".encode()}), "é"),
        Case(([], _CAT), ""),
    ),
    generate=_draw,
    hints=(
        "What is whole, a token or the text? Half a character makes no sense on its own, and "
        "its other half comes with the next token.",
        "Two steps, and their order is the point: from ids to bytes, and from bytes to text.",
        "Bytes are joined like strings, with an empty bytes object in front of the dot. The "
        "method decode takes an argument that says what to do with broken bytes.",
    ),
    mutants={
        "You decode every token on its own, and a character that is split between two tokens "
        "breaks. Put the bytes together first.": lambda ids, vocab: "".join(
            vocab[i].decode("utf-8", errors="replace") for i in ids
        ),
        "A token alone need not be valid UTF-8, so it cannot be decoded alone. Put the bytes "
        "together first.": lambda ids, vocab: "".join(vocab[i].decode("utf-8") for i in ids),
        "Whole characters come out right, but a model may stop in the middle of a character: "
        "broken bytes should become U+FFFD, not an exception.": ', errors="replace" -> ',
        "You silently drop broken bytes. A reader should see that something is missing: put "
        "U+FFFD in its place.": '"replace" -> "ignore"',
        "You turn every byte into a character. In UTF-8 that works only for the first 128; 'é' "
        "takes two bytes and '€' three.": lambda ids, vocab: "".join(
            chr(byte) for i in ids for byte in vocab[i]
        ),
        "str of a bytes object is the way Python shows it, with b and quotes. To read the "
        "bytes as text they must be decoded.": lambda ids, vocab: "".join(
            str(vocab[i]) for i in ids
        ),
        "The bytes are all there and in order, but they are "
        "still bytes and not text.": '.decode("utf-8", errors="replace") -> ',
        "The pieces are bytes, but the empty string that you join them with is text. Python "
        "does not mix the two: join bytes with empty bytes, b''.": (
            'b"".join(pieces).decode("utf-8", errors="replace") -> "".join(pieces)'
        ),
        "There are spaces between the tokens that the text does not have. A token contains its "
        "own space, as b' cat' does.": 'b"".join -> b" ".join',
        "An id is a key of the vocabulary, not a position in it: look "
        "each one up.": 'b"".join(pieces) -> b"".join(list(vocab.values())[: len(ids)])',
    },
)


@EXERCISE.alternate
def _in_a_bytearray(ids: list[int], vocab: dict[int, bytes]) -> str:
    text = bytearray()
    for i in ids:
        text += vocab[i]
    return str(text, "utf-8", "replace")


@EXERCISE.alternate
def _with_a_stream(ids: list[int], vocab: dict[int, bytes]) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return "".join(decoder.decode(vocab[i]) for i in ids) + decoder.decode(b"", final=True)
