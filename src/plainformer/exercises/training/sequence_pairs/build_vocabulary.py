"""Exercise 1: a vocabulary, with an id for words that are not in it."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def build_vocabulary(
    sentences: list[str],
    minimum_count: int,
) -> dict[str, int]:
    """Give every word that is frequent enough an id.

    "<pad>", "<unk>", "<sos>" and "<eos>" have the ids 0 to 3. They are
    followed by the words that occur at least minimum_count times in all
    sentences together: the most frequent first, and equally frequent
    words in alphabetical order. sentences: words separated by single
    spaces.

    >>> build_vocabulary(["a cat", "a dog", "a cat is a cat"], 2)
    {'<pad>': 0, '<unk>': 1, '<sos>': 2, '<eos>': 3, 'a': 4, 'cat': 5}
    """
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence.split():
            counts[word] = counts.get(word, 0) + 1
    kept = [word for word in counts if counts[word] >= minimum_count]
    kept.sort(key=lambda word: (-counts[word], word))
    tokens = ["<pad>", "<unk>", "<sos>", "<eos>", *kept]
    return {token: i for i, token in enumerate(tokens)}


_WORDS = ["il", "la", "un", "gatto", "oca", "cane", "zio", "albero"]
_SPECIAL = {"<pad>": 0, "<unk>": 1, "<sos>": 2, "<eos>": 3}


def _draw(rng: np.random.Generator) -> tuple[list[str], int]:
    count = int(rng.integers(2, 6))
    sentences = [
        " ".join(_WORDS[i] for i in rng.integers(len(_WORDS), size=rng.integers(2, 7)))
        for _ in range(count)
    ]
    return sentences, int(rng.integers(1, 4))


EXERCISE = Exercise(
    id="training.sequence_pairs.1",
    title="A vocabulary",
    reference=build_vocabulary,
    points=2,
    cases=(
        Case(
            (["a cat", "a dog", "a cat is a cat"], 2),
            {**_SPECIAL, "a": 4, "cat": 5},
        ),
        # Equally frequent words are in alphabetical order.
        Case((["oca il gatto"], 1), {**_SPECIAL, "gatto": 4, "il": 5, "oca": 6}),
        # "un" twice in one sentence, "il" once in each of two: both occur twice.
        Case((["un un cane il", "il gatto"], 2), {**_SPECIAL, "il": 4, "un": 5}),
        Case((["la oca", "la oca la"], 3), {**_SPECIAL, "la": 4}),
        # Nothing is frequent enough: every word will be <unk>.
        Case((["il gatto"], 2), dict(_SPECIAL)),
    ),
    generate=_draw,
    hints=(
        "Three steps: count the words, drop the rare ones, sort the rest.",
        "sorted takes a key. A key that is a pair sorts by its first part, and where that is "
        "equal, by its second.",
        "The key (-count, word) puts high counts first and keeps the alphabetical order. Ids "
        "come from enumerate over the four special tokens and then the sorted words.",
    ),
    mutants={
        "You drop words that occur exactly minimum_count times. They are frequent "
        "enough.": ">= minimum_count -> > minimum_count",
        "You keep the words of every count. Those below minimum_count are left out: they will be "
        "<unk>.": " if counts[word] >= minimum_count -> ",
        "The rarest words come first in yours.": "(-counts[word], word) -> (counts[word], word)",
        "You sort only by the alphabet. The most "
        "frequent come first.": "key=lambda word: (-counts[word], word) -> key=lambda word: word",
        "You sort only by the count, so words that are equally frequent stay in the order of "
        "the text.": "(-counts[word], word) -> -counts[word]",
        "You sort everything "
        "backwards, including the alphabet.": "key=lambda word: (-counts[word], word) -> "
        "key=lambda word: (counts[word], word), reverse=True",
        "You have left the words in the order of the text: the most frequent come "
        "first.": "kept.sort(key=lambda word: (-counts[word], word)) -> pass",
        "<unk> is missing: it has the id 1.": '"<pad>", "<unk>", "<sos>" -> "<pad>", "<sos>"',
        "The four special tokens are missing.": '["<pad>", "<unk>", "<sos>", "<eos>", *kept] '
        "-> kept",
        "The special tokens should be in this order: <pad>, <unk>, <sos>, <eos>.": (
            '"<pad>", "<unk>", "<sos>", "<eos>" -> "<pad>", "<sos>", "<eos>", "<unk>"'
        ),
        "The special tokens are at the end. They "
        "should have the ids 0 to 3.": '["<pad>", "<unk>", "<sos>", "<eos>", *kept] -> '
        '[*kept, "<pad>", "<unk>", "<sos>", "<eos>"]',
        "Your ids begin at 1. <pad> has the id 0.": "enumerate(tokens) -> enumerate(tokens, 1)",
        "You count in how many sentences a word occurs. Count every time that it "
        "occurs.": "in sentence.split() -> in set(sentence.split())",
        "You count characters. A sentence has to be split at its spaces "
        "first.": "in sentence.split() -> in sentence",
    },
)


@EXERCISE.alternate
def _with_a_counter(sentences: list[str], minimum_count: int) -> dict[str, int]:
    from collections import Counter

    counts = Counter(" ".join(sentences).split(" "))
    ids = dict(_SPECIAL)
    for word, count in sorted(sorted(counts.items()), key=lambda item: item[1], reverse=True):
        if count >= minimum_count:
            ids[word] = len(ids)
    return ids


@EXERCISE.alternate
def _by_pairs(sentences: list[str], minimum_count: int) -> dict[str, int]:
    words = [word for sentence in sentences for word in sentence.split()]
    frequent = sorted((-words.count(word), word) for word in set(words))
    kept = [word for count, word in frequent if -count >= minimum_count]
    return {**_SPECIAL, **{word: 4 + i for i, word in enumerate(kept)}}
