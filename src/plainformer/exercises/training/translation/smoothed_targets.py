"""Exercise 2: targets that are a little less than certain."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def smoothed_targets(
    targets: np.ndarray,
    vocab_size: int,
    smoothing: float,
    pad_id: int,
) -> np.ndarray:
    """Make smoothed targets: a row of probabilities for each position.

    The share `smoothing` is divided equally among all words of the
    vocabulary, including the right one, and the rest goes to the right
    word. A padded position has no target: its row is all 0.
    targets: (T,) ids. Returns (T, vocab_size).

    >>> smoothed_targets(np.array([1, 0]), 4, 0.2, pad_id=0)
    array([[0.05, 0.85, 0.05, 0.05],
           [0.  , 0.  , 0.  , 0.  ]])
    """
    right = np.eye(vocab_size)[targets]  # (T, V), one 1 in each row
    smoothed = (1 - smoothing) * right + smoothing / vocab_size
    smoothed[targets == pad_id] = 0
    return smoothed


def _draw(rng: np.random.Generator) -> tuple[Array, int, float, int]:
    V = int(rng.integers(4, 9))
    targets = rng.integers(V, size=rng.integers(3, 8))
    # At least one padded position and one that is not padding.
    pad = int(rng.integers(V))
    targets[-1], targets[0] = pad, (pad + 1) % V
    return targets, V, float(rng.integers(1, 8)) / 10, pad


EXERCISE = Exercise(
    id="training.translation.2",
    title="Smoothed targets",
    reference=smoothed_targets,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([1, 0]), 4, 0.2, 0), np.array([[0.05, 0.85, 0.05, 0.05], [0, 0, 0, 0]])),
        # Nothing smoothed: a single 1.
        Case((np.array([2, 1]), 3, 0.0, 0), np.array([[0, 0, 1.0], [0, 1.0, 0]])),
        # Everything smoothed: all words are equal.
        Case((np.array([3]), 4, 1.0, 0), np.full((1, 4), 0.25)),
        # Padding need not be 0, and 0 may be a word.
        Case(
            (np.array([0, 4]), 5, 0.5, 4),
            np.array([[0.6, 0.1, 0.1, 0.1, 0.1], [0, 0, 0, 0, 0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Begin with the hard targets: np.eye(vocab_size)[targets] has one 1 in each row.",
        "A row should sum to 1: the hard target, times 1 - smoothing, and for each of the V "
        "words the V-th part of smoothing.",
        "Finally, set the rows with targets == pad_id to 0.",
    ),
    mutants={
        "Padding has no target: its whole row is 0.": "smoothed[targets == pad_id] = 0 -> pass",
        "You have cleared the column of padding. The rows of padded "
        "positions should be 0.": "smoothed[targets == pad_id] = 0 -> smoothed[:, pad_id] = 0",
        "You divide the smoothing among only the wrong words. Here the right word gets its "
        "part as well.": "smoothing / vocab_size -> smoothing / (vocab_size - 1) * (1 - right)",
        "Your rows sum to more than 1: the right word must give away what the others "
        "get.": "(1 - smoothing) * right -> right",
        "Each word gets the V-th part of the smoothing, not all of "
        "it.": "smoothing / vocab_size -> smoothing",
        "The right word gets 1 - smoothing, and all words share the smoothing; yours is the other "
        "way round.": "(1 - smoothing) * right + smoothing / vocab_size -> "
        "smoothing * right + (1 - smoothing) / vocab_size",
        "You have smoothed nothing.": "(1 - smoothing) * right + smoothing / vocab_size -> right",
        "You have not spread what you took from the right word: the rows sum to less than "
        "1.": "right + smoothing / vocab_size -> right",
        "You assume that 0 is padding. "
        "Its id is given by pad_id.": "targets == pad_id -> targets == 0",
        "You have dropped the padded positions. "
        "Their rows stay, all 0.": "return smoothed -> return smoothed[targets != pad_id]",
    },
)


@EXERCISE.alternate
def _row_by_row(targets: Array, vocab_size: int, smoothing: float, pad_id: int) -> Array:
    rows = []
    for target in targets.tolist():
        row = [smoothing / vocab_size] * vocab_size
        row[target] += 1 - smoothing
        rows.append([0.0] * vocab_size if target == pad_id else row)
    return np.array(rows)


@EXERCISE.alternate
def _by_where(targets: Array, vocab_size: int, smoothing: float, pad_id: int) -> Array:
    low = smoothing / vocab_size
    hit = np.arange(vocab_size) == targets[:, None]
    return np.where(hit, 1 - smoothing + low, low) * (targets != pad_id)[:, None]
