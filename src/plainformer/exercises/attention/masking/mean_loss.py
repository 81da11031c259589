"""Exercise 4: the mean loss of a padded batch, to which padding adds nothing."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def mean_loss(
    losses: np.ndarray,
    targets: np.ndarray,
    pad_id: int,
) -> float:
    """The mean loss over all tokens that are no padding.

    losses: (B, T), how bad the guess at each place was. Where the
    target is padding it is nonsense, and may be anything, or NaN.
    targets: (B, T), the id that was to be guessed at each place.
    Each token counts alike, whatever the length of its text. At
    least one target in the batch is no padding.

    >>> losses = np.array([[1.0, 2.0, 3.0], [6.0, 50.0, 70.0]])
    >>> targets = np.array([[4, 5, 6], [7, 0, 0]])
    >>> mean_loss(losses, targets, pad_id=0)
    3.0
    """
    real = targets != pad_id  # (B, T)
    return float(losses[real].mean())


def _with_a_loop(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    total, count = 0.0, 0
    for loss, target in zip(losses.ravel(), targets.ravel(), strict=True):
        if target != pad_id:
            total, count = total + loss, count + 1
    return total / count


def _with_where(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    real = targets != pad_id
    return float(np.where(real, losses, 0.0).sum() / real.sum())


def _with_a_mask(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    return float(np.ma.masked_array(losses, targets == pad_id).mean())


def _of_everything(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    return float(losses.mean())


def _divided_by_all(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    return float(np.where(targets != pad_id, losses, 0.0).mean())


def _times_mask(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    real = targets != pad_id
    return float((losses * real).sum() / real.sum())


def _mean_of_means(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    pairs = zip(losses, targets != pad_id, strict=True)
    return float(np.mean([row[real].mean() for row, real in pairs if real.any()]))


def _sum(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    return float(losses[targets != pad_id].sum())


def _of_padding(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    padding = targets == pad_id
    return float(losses[padding].mean()) if padding.any() else 0.0


def _zero_is_padding(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    real = targets != 0
    return float(losses[real].mean()) if real.any() else 0.0


def _per_text(losses: np.ndarray, targets: np.ndarray, pad_id: int) -> float:
    return float(losses[targets != pad_id].sum() / len(losses))


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    B, T = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    pad_id = int(rng.choice([0, 1, -100]))
    targets = rng.choice([0, 2, 3, 4], size=(B, T))
    targets = np.where(targets == pad_id, 5, targets)
    real = np.arange(T) < rng.integers(0, T + 1, size=(B, 1))
    real[0, 0] = True
    losses = rng.exponential(2.0, size=(B, T)).round(2)
    nonsense = rng.choice([0.0, 40.0, np.nan], p=[0.3, 0.4, 0.3])
    return np.where(real, losses, nonsense), np.where(real, targets, pad_id), pad_id


_NAN = float("nan")

EXERCISE = Exercise(
    id="attention.masking.4",
    title="A mean that looks away",
    reference=mean_loss,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[1.0, 2.0]]), np.array([[5, 6]]), 0), 1.5),
        Case((np.array([[1.0, 2.0, 99.0]]), np.array([[5, 6, 0]]), 0), 1.5),
        Case(
            (np.array([[1.0, 2.0, 3.0], [6.0, 50.0, 70.0]]), np.array([[4, 5, 6], [7, 0, 0]]), 0),
            3.0,
        ),
        Case((np.array([[4.0, _NAN], [_NAN, _NAN]]), np.array([[3, 0], [0, 0]]), 0), 4.0),
        Case((np.array([[1.0, 3.0, 9.0]]), np.array([[0, 2, -100]]), -100), 2.0),
    ),
    generate=_draw,
    hints=(
        "How many losses count? Divide by that number, not by the size of the array.",
        "targets != pad_id is a table of True and False of the same shape as the losses. It can "
        "stand between square brackets.",
        "losses[real] keeps the losses at the places where real is True, in one row. What is "
        "thrown away cannot spoil anything. (NaN times 0 is NaN!)",
    ),
    mutants=(
        Mutant(_of_everything, "Yours is the mean over all places, padding included."),
        Mutant(
            _divided_by_all,
            "You leave padding out of the sum and count it all the same: divide by the number of "
            "real tokens, not by B · T.",
        ),
        Mutant(
            _times_mask,
            "You multiply by 0 what should not count. NaN times 0 is NaN: choose the losses, or "
            "replace the others (np.where).",
        ),
        Mutant(
            _mean_of_means,
            "You average each text, then the texts. A token of a short text then counts for more "
            "than one of a long text; here each token counts alike.",
        ),
        Mutant(_sum, "Yours is the sum. Divide by the number of real tokens."),
        Mutant(_of_padding, "Yours is the mean over the padding: the mask is upside down."),
        Mutant(
            _zero_is_padding,
            "You take 0 for padding. Which id means padding is told by pad_id.",
        ),
        Mutant(
            _per_text,
            "You divide by the number of texts. Asked is the mean over tokens.",
        ),
    ),
    alternates=(_with_a_loop, _with_where, _with_a_mask),
)
