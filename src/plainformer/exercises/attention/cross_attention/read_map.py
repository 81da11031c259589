"""Exercise 1: read an alignment off a map."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def read_map(
    weights: np.ndarray,
    target: list[str],
    source: list[str],
) -> list[tuple[str, str]]:
    """Pair every target word with the source word it looks at most.

    weights: (T, S), from cross-attention.
    target: T words; source: S words.
    Returns T pairs (target word, source word), in target order.
    No row has two largest weights.

    >>> weights = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    >>> read_map(weights, ["il", "gatto", "tuo"], ["your", "cat"])
    [('il', 'your'), ('gatto', 'cat'), ('tuo', 'your')]
    """
    most = weights.argmax(axis=1)  # (T,)
    return [(word, source[most[i]]) for i, word in enumerate(target)]


Pairs = list[tuple[str, str]]


def _draw(rng: np.random.Generator) -> tuple[Array, list[str], list[str]]:
    T, S = rng.integers(2, 6), rng.integers(2, 5)
    parts = np.stack([rng.permutation(S) + 1 for _ in range(T)])  # no two alike in a row
    weights = parts / parts.sum(axis=1, keepdims=True)
    words = ["il", "tuo", "gatto", "un", "adorabile"], ["your", "cat", "a", "lovely"]
    return weights, list(words[0][:T]), list(words[1][:S])


_CROSSED = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7], [0.0, 0.9, 0.1]])

EXERCISE = Exercise(
    id="attention.cross_attention.1",
    title="Read the map",
    reference=read_map,
    cases=(
        Case((np.array([[0.9, 0.1]]), ["gatto"], ["cat", "is"]), [("gatto", "cat")]),
        Case(
            (_CROSSED, ["un", "gatto", "adorabile"], ["a", "lovely", "cat"]),
            [("un", "a"), ("gatto", "cat"), ("adorabile", "lovely")],
        ),
        Case(
            (
                np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]),
                ["il", "tuo", "gatto"],
                ["your", "cat"],
            ),
            [("il", "your"), ("tuo", "your"), ("gatto", "cat")],
        ),
        Case(
            (np.array([[0.3, 0.4, 0.2, 0.1]]), ["gatto"], ["a", "cat", "is", "your"]),
            [("gatto", "cat")],
        ),
    ),
    generate=_draw,
    hints=(
        "Who asks, the rows or the columns? The map has T rows.",
        "For every row, find the position of its largest weight. argmax with an axis does it "
        "for all rows at once; which axis disappears?",
        "axis=1 goes along the row, over the S source words, and leaves T numbers: the index of a "
        "source word for each target word.",
    ),
    mutants={
        "You go through the source words, and say who looks at each of them most. The target "
        "asks, so there should be one pair for each target word.": lambda weights, target, source: [
            (target[i], word) for i, word in zip(weights.argmax(axis=0), source, strict=True)
        ],
        "That is the source word with the smallest weight.": "argmax -> argmin",
        "You pair the words in order, without looking at the weights. A translation keeps "
        "neither the order nor the number of words.": lambda weights, target, source: list(
            zip(target, source, strict=False)
        ),
        "Your pairs are the wrong way round: the "
        "target word comes first.": "(word, source[most[i]]) -> (source[most[i]], word)",
        "You return indices, but the task asks for the words.": (
            "(word, source[most[i]]) -> (i, int(most[i]))"
        ),
    },
)


@EXERCISE.mutant(
    "Your largest weight is that of a column. The question is where each row, each target word, "
    "has its largest."
)
def _columns(weights: Array, target: list[str], source: list[str]) -> Pairs:
    best = weights.argmax(axis=0)
    return [(word, source[int(j)]) for word, j in zip(target, best, strict=False)]


@EXERCISE.mutant(
    "You leave out rows whose largest weight is not above 0.5. Every target word gets a pair, "
    "however small its largest weight is."
)
def _only_the_sure(weights: Array, target: list[str], source: list[str]) -> Pairs:
    pairs = read_map(weights, target, source)
    return [pair for pair, row in zip(pairs, weights, strict=True) if row.max() > 0.5]


@EXERCISE.mutant(
    "You use every source word only once. Two target words may look at the same one, as il and "
    "tuo both look at your."
)
def _each_word_once(weights: Array, target: list[str], source: list[str]) -> Pairs:
    left, pairs = weights.copy(), []
    for word, row in zip(target, left, strict=True):
        j = int(row.argmax())
        pairs.append((word, source[j]))
        left[:, j] = -1.0  # gone
    return pairs


@EXERCISE.alternate
def _row_by_row(weights: Array, target: list[str], source: list[str]) -> Pairs:
    pairs = []
    for i, word in enumerate(target):
        best = 0
        for j in range(len(source)):
            if weights[i, j] > weights[i, best]:
                best = j
        pairs.append((word, source[best]))
    return pairs


@EXERCISE.alternate
def _by_sorting(weights: Array, target: list[str], source: list[str]) -> Pairs:
    best = np.argsort(weights, axis=-1)[:, -1]
    return list(zip(target, np.array(source)[best].tolist(), strict=True))
