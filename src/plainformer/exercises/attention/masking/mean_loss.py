"""Exercise 4: the mean loss of a padded batch, to which padding adds nothing."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def mean_loss(
    losses: np.ndarray,
    targets: np.ndarray,
    pad_token_id: int,
) -> float:
    """The mean loss over all tokens that are not padding.

    losses: (B, T), how bad the guess at each position was. Where the
    target is padding, the loss is meaningless: any number, or NaN.
    targets: (B, T), the id that was to be guessed at each position.
    Each token counts equally, however long its text is. At least one
    target in the batch is not padding.

    >>> losses = np.array([[1.0, 2.0, 3.0], [6.0, 50.0, 70.0]])
    >>> targets = np.array([[4, 5, 6], [7, 0, 0]])
    >>> mean_loss(losses, targets, pad_token_id=0)
    3.0
    """
    real = targets != pad_token_id  # (B, T)
    return float(losses[real].mean())


def _draw(rng: np.random.Generator) -> tuple[Array, Array, int]:
    B, T = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    pad_token_id = int(rng.choice([0, 1, -100]))
    targets = rng.choice([0, 2, 3, 4], size=(B, T))
    targets = np.where(targets == pad_token_id, 5, targets)
    real = np.arange(T) < rng.integers(0, T + 1, size=(B, 1))
    real[0, 0] = True
    side = rng.random()
    if side < 0.4:
        real = real[:, ::-1]
    elif side < 0.6:
        real = rng.permuted(real, axis=1)
    losses = rng.exponential(2.0, size=(B, T)).round(2)
    nonsense = rng.choice([0.0, 40.0, np.nan], p=[0.3, 0.4, 0.3])
    return np.where(real, losses, nonsense), np.where(real, targets, pad_token_id), pad_token_id


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
        Case((np.array([[_NAN, 2.0, 50.0, 4.0]]), np.array([[0, 5, 0, 6]]), 0), 3.0),
    ),
    generate=_draw,
    hints=(
        "How many losses count? Divide by that number, not by the size of the array.",
        "targets != pad_token_id is a table of True and False of the same shape as the losses. "
        "It can be used as an index, between square brackets.",
        "losses[real] keeps the losses at the positions where real is True, in one row. What "
        "has been left out cannot spoil anything. (NaN times 0 is NaN!)",
    ),
    mutants={
        "You stop at the first padding of a text. Some texts are padded on the left, and their "
        "tokens come after it: check each position for padding.": (
            "targets != pad_token_id -> np.logical_and.accumulate(targets != pad_token_id, axis=1)"
        ),
        "Yours is the mean over all positions, including padding.": "losses[real] -> losses",
        "You leave padding out of the sum but still count it: divide by the number of real "
        "tokens, not by B · T.": "losses[real].mean() -> np.where(real, losses, 0.0).mean()",
        "You multiply by 0 what should not count. NaN times 0 is NaN, so select the losses "
        "that count, or replace the others (np.where).": (
            "losses[real].mean() -> (losses * real).sum() / real.sum()"
        ),
        "You average each text, then the texts. A token of a short text then counts for more "
        "than one of a long text; here each token counts equally.": (
            "losses[real].mean() -> np.mean([row[own].mean() for row, own in zip(losses, real, "
            "strict=True) if own.any()])"
        ),
        "Yours is the sum. Divide by the number of "
        "real tokens.": "losses[real].mean() -> losses[real].sum()",
        "Yours is the mean over the padding: the mask is upside down.": (
            "targets != pad_token_id -> targets == pad_token_id; "
            "losses[real].mean() -> losses[real].mean() if real.any() else 0.0"
        ),
        "You assume that 0 is padding. The id of padding is given by pad_token_id.": (
            "targets != pad_token_id -> targets != 0; "
            "losses[real].mean() -> losses[real].mean() if real.any() else 0.0"
        ),
        "You divide by the number of texts. The task asks "
        "for the mean over tokens.": "losses[real].mean() -> losses[real].sum() / len(losses)",
    },
    alternates=[
        lambda losses, targets, pad_token_id: float(
            np.ma.masked_array(losses, targets == pad_token_id).mean()
        ),
    ],
)


@EXERCISE.alternate
def _with_a_loop(losses: Array, targets: Array, pad_token_id: int) -> float:
    total, count = 0.0, 0
    for loss, target in zip(losses.ravel(), targets.ravel(), strict=True):
        if target != pad_token_id:
            total, count = total + loss, count + 1
    return total / count


@EXERCISE.alternate
def _with_where(losses: Array, targets: Array, pad_token_id: int) -> float:
    real = targets != pad_token_id
    return float(np.where(real, losses, 0.0).sum() / real.sum())
