"""Exercise 2: the repetition penalty, for a batch of texts."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def shrink_said(
    logits: np.ndarray,
    ids: np.ndarray,
    rho: float,
) -> np.ndarray:
    """The repetition penalty, for a batch of texts.

    logits: (B, V); may hold -inf.
    ids: (B, T), what was read and written, T of 1 or more; row b
    of the logits belongs to row b of the ids.
    Where a token occurs in its text, divide its logit by rho if it
    is above 0, multiply it by rho if it is below. Returns (B, V);
    what you were given stays as it was.

    >>> z = np.array([[3.0, -1.0, 5.0]])
    >>> shrink_said(z, np.array([[0, 1, 0]]), 2.0).tolist()
    [[1.5, -2.0, 5.0]]
    """
    said = (ids[:, :, None] == np.arange(logits.shape[1])).any(axis=1)
    lower = np.where(logits > 0, logits / rho, logits * rho)
    return np.where(said, lower, logits)  # (B, V)


def _with_loops(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    out = logits.copy()
    for b, text in enumerate(ids.tolist()):
        for token in set(text):
            z = logits[b, token]
            out[b, token] = z / rho if z > 0 else z * rho
    return out


def _gathered(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    out = logits.copy()
    z = np.take_along_axis(logits, ids, axis=1)  # (B, T)
    np.put_along_axis(out, ids, np.where(z < 0, z * rho, z / rho), axis=1)
    return out


def _by_a_power(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    said = np.zeros(logits.shape, dtype=bool)
    said[np.arange(len(ids))[:, None], ids] = True
    return logits * rho ** np.where(said, -np.sign(logits), 0.0)


def _said(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    said = np.zeros(logits.shape, dtype=bool)
    said[np.arange(len(ids))[:, None], ids] = True
    return said


def _divides(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return np.where(_said(logits, ids), logits / rho, logits)


def _multiplies(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return np.where(_said(logits, ids), logits * rho, logits)


def _turned(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return shrink_said(logits, ids, 1 / rho)


def _each_time(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    out = logits.copy()
    for b, text in enumerate(ids.tolist()):
        for token in text:
            out[b, token] = out[b, token] / rho if out[b, token] > 0 else out[b, token] * rho
    return out


def _unsaid(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    lower = np.where(logits > 0, logits / rho, logits * rho)
    return np.where(_said(logits, ids), logits, lower)


def _everything(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return np.where(logits > 0, logits / rho, logits * rho)


def _one_pot(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    said = np.isin(np.arange(logits.shape[1]), ids)
    return np.where(said, _everything(logits, ids, rho), logits)


def _subtracts(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return logits - rho * _said(logits, ids)


def _last_only(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return shrink_said(logits, ids[:, -1:], rho)


def _positive_only(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    return np.where(_said(logits, ids) & (logits > 0), logits / rho, logits)


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    B, V, T = (int(n) for n in rng.integers([1, 3, 1], [4, 7, 6]))
    logits = rng.normal(scale=3, size=(B, V)).round(2)
    logits[rng.random((B, V)) < 0.1] = 0.0
    logits[rng.random((B, V)) < 0.1] = -np.inf
    return logits, rng.integers(0, V, size=(B, T)), float(rng.choice([0.8, 1.2, 1.5, 2.0]))


EXERCISE = Exercise(
    id="decoding.penalties.2",
    title="Divide or multiply",
    reference=shrink_said,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[4.0, 4.0]]), np.array([[0]]), 2.0), np.array([[2.0, 4.0]])),
        Case((np.array([[-4.0, -4.0]]), np.array([[1]]), 2.0), np.array([[-4.0, -8.0]])),
        Case(
            (np.array([[3.0, -1.0, 5.0]]), np.array([[0, 1, 0]]), 2.0),
            np.array([[1.5, -2.0, 5.0]]),
        ),
        Case(
            (np.array([[6.0, 6.0], [6.0, 6.0]]), np.array([[0], [1]]), 3.0),
            np.array([[2.0, 6.0], [6.0, 2.0]]),
        ),
        Case(
            (np.array([[0.0, -np.inf, 1.0]]), np.array([[1, 0]]), 2.0),
            np.array([[0.0, -np.inf, 1.0]]),
        ),
        Case((np.array([[4.0, -4.0]]), np.array([[0, 1]]), 0.5), np.array([[8.0, -2.0]])),
    ),
    generate=_draw,
    hints=(
        "Two questions for each logit: does its token occur in the text of this row? Is the "
        "logit above or below 0?",
        "Make a table (B, V) of True and False: does token i occur in text b? Compare the ids, "
        "with an axis of length 1 at the end, with np.arange(V), and ask .any over the axis T.",
        "np.where(question, a, b) takes a where the answer is yes. You need it twice: once for "
        "the sign, once for what was said.",
    ),
    mutants=(
        Mutant(
            _divides,
            "You divide everywhere. A logit below 0 becomes *larger* by that: a reward for "
            "repeating.",
        ),
        Mutant(
            _multiplies,
            "You multiply everywhere. A logit above 0 becomes larger by that: a reward for "
            "repeating.",
        ),
        Mutant(
            _turned,
            "Yours is upside down: above 0 divide, below 0 multiply. So both become smaller.",
        ),
        Mutant(
            _each_time,
            "You charge a token for each time it occurs. Here once is enough: it occurs, or not.",
        ),
        Mutant(_unsaid, "You change the tokens that did *not* occur, and keep those that did."),
        Mutant(_everything, "You change every token. Only those that occur in the text pay."),
        Mutant(
            _one_pot,
            "You put the ids of all texts into one pot. A token that occurs in one text must not "
            "pay in another.",
        ),
        Mutant(_subtracts, "You subtract rho. This penalty divides and multiplies."),
        Mutant(_last_only, "You look at the last id of each text. All of its ids count."),
        Mutant(
            _positive_only,
            "You leave the logits below 0 as they are. They are multiplied by rho.",
        ),
    ),
    alternates=(_with_loops, _gathered, _by_a_power),
)
