"""Exercise 3: sentences of several lengths become one rectangle."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def pad(
    sentences: list[list[int]],
    pad_id: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Make a batch with one sentence in each row, padded on the right.

    The longest sentence says how long the rows are.
    sentences: B lists of ids, none of them empty.
    Returns ids, (B, T), integers; and mask, (B, T), booleans: True
    for a word, False for padding.

    >>> ids, mask = pad([[7, 8, 9], [5]], 0)
    >>> ids.tolist()
    [[7, 8, 9], [5, 0, 0]]
    >>> mask.tolist()
    [[True, True, True], [True, False, False]]
    """
    T = max(len(sentence) for sentence in sentences)
    ids = np.full((len(sentences), T), pad_id)
    mask = np.zeros((len(sentences), T), dtype=bool)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        mask[row, : len(sentence)] = True
    return ids, mask


def _draw(rng: np.random.Generator) -> tuple[list[list[int]], int]:
    lengths = rng.integers(1, 7, size=rng.integers(2, 6))
    # The padding id may also occur in a sentence, so the mask is made from the lengths.
    return [rng.integers(0, 9, size=n).tolist() for n in lengths], int(rng.integers(0, 3))


def _batch(rows: list[list[int]], words: list[str]) -> tuple[Array, Array]:
    """The mask is written as text: x for a word, . for padding."""
    return np.array(rows), np.array([[each == "x" for each in row] for row in words])


EXERCISE = Exercise(
    id="training.sequence_pairs.3",
    title="A padded batch",
    reference=pad,
    points=2,
    compare=Arrays(),
    cases=(
        Case(([[7, 8, 9], [5]], 0), _batch([[7, 8, 9], [5, 0, 0]], ["xxx", "x.."])),
        Case(([[4, 5], [6, 7]], 0), _batch([[4, 5], [6, 7]], ["xx", "xx"])),
        # The longest need not come first, and the padding id need not be 0.
        Case(([[3], [4, 5]], 1), _batch([[3, 1], [4, 5]], ["x.", "xx"])),
        # A word that happens to have the padding id is still a word.
        Case(([[6, 0], [5, 6, 0]], 0), _batch([[6, 0, 0], [5, 6, 0]], ["xx.", "xxx"])),
        Case(([[9]], 2), _batch([[9]], ["x"])),
    ),
    generate=_draw,
    hints=(
        "How wide is the rectangle? As wide as the longest sentence.",
        "Begin with a rectangle that holds nothing but pad_id: np.full((B, T), pad_id). Then "
        "write each sentence at the front of its row.",
        "The mask goes the same way: a rectangle of False, np.zeros((B, T), dtype=bool), and True "
        "over the front of each row.",
    ),
    mutants={
        "You fill with 0. The id of padding is given: pad_id.": (
            "np.full((len(sentences), T), pad_id) -> np.full((len(sentences), T), 0)"
        ),
        "You pad on the left. Here the padding is on the right.": (
            "ids[row, : len(sentence)] -> ids[row, T - len(sentence) :]; "
            "mask[row, : len(sentence)] -> mask[row, T - len(sentence) :]"
        ),
        "Your mask is upside down: True is a word, False is padding.": (
            "return ids, mask -> return ids, ~mask"
        ),
        "You recognise padding by its id. A word may have the "
        "same id, so use the lengths.": "return ids, mask -> return ids, ids != pad_id",
        "You cut all sentences to the shortest. The longest says how long the rows "
        "are.": lambda sentences, pad_id: (
            np.array([s[: min(map(len, sentences))] for s in sentences]),
            np.ones((len(sentences), min(map(len, sentences))), dtype=bool),
        ),
        "Your rectangle is one column too wide: T is the longest "
        "length.": "for sentence in sentences) -> for sentence in sentences) + 1",
        "Your sentences are in columns: that is [seq, batch]. "
        "Here a sentence is a row.": "return ids, mask -> return ids.T, mask.T",
        "You have marked one word "
        "too few in each sentence.": "mask[row, : len(sentence)] -> mask[row, : len(sentence) - 1]",
        "Your mask says True everywhere.": "np.zeros( -> np.ones(",
        "You have sorted the sentences by their lengths. Their order "
        "stays.": "enumerate(sentences) -> enumerate(sorted(sentences, key=len))",
        "You have mixed up the two: ids come first, then the "
        "mask.": "return ids, mask -> return mask, ids",
    },
)


@EXERCISE.alternate
def _by_lengths(sentences: list[list[int]], pad_id: int) -> tuple[Array, Array]:
    lengths = np.array([len(sentence) for sentence in sentences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad_id)
    ids[mask] = np.concatenate(sentences)
    return ids, mask


@EXERCISE.alternate
def _row_by_row(sentences: list[list[int]], pad_id: int) -> tuple[Array, Array]:
    T = max(map(len, sentences))
    rows = [[*sentence, *[pad_id] * (T - len(sentence))] for sentence in sentences]
    return np.array(rows), np.array([[t < len(s) for t in range(T)] for s in sentences])
