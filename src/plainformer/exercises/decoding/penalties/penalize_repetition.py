"""Exercise 2: the repetition penalty, for a batch of texts."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def penalize_repetition(
    logits: np.ndarray,
    ids: np.ndarray,
    rho: float,
) -> np.ndarray:
    """The repetition penalty, for a batch of texts.

    logits: (B, V); may hold -inf.
    ids: (B, T), what was read and written, T of 1 or more; row b
    of the logits belongs to row b of the ids.
    Where a token occurs in its text, divide its logit by rho if it
    is above 0, multiply it by rho if it is below. Returns (B, V); the
    arguments stay unchanged.

    >>> z = np.array([[3.0, -1.0, 5.0]])
    >>> penalize_repetition(z, np.array([[0, 1, 0]]), 2.0).tolist()
    [[1.5, -2.0, 5.0]]
    """
    said = (ids[:, :, None] == np.arange(logits.shape[1])).any(axis=1)
    lower = np.where(logits > 0, logits / rho, logits * rho)
    return np.where(said, lower, logits)  # (B, V)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, float]:
    B, V, T = (int(n) for n in rng.integers([1, 3, 1], [4, 7, 6]))
    logits = rng.normal(scale=3, size=(B, V)).round(2)
    logits[rng.random((B, V)) < 0.1] = 0.0
    logits[rng.random((B, V)) < 0.1] = -np.inf
    return logits, rng.integers(0, V, size=(B, T)), float(rng.choice([0.8, 1.2, 1.5, 2.0]))


EXERCISE = Exercise(
    id="decoding.penalties.2",
    title="Divide or multiply",
    reference=penalize_repetition,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[4.0, 4.0]]), np.array([[0]]), 2.0), np.array([[2.0, 4.0]])),
        Case((np.array([[-4.0, -4.0]]), np.array([[1]]), 2.0), np.array([[-4.0, -8.0]])),
        Case(
            (np.array([[3.0, -1.0, 5.0]]), np.array([[0, 1, 0]]), 2.0), np.array([[1.5, -2.0, 5.0]])
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
        "the sign, once for the tokens that occur.",
    ),
    mutants={
        "You divide everywhere. A logit below 0 becomes *larger* by that: a reward for "
        "repeating.": "np.where(logits > 0, logits / rho, logits * rho) -> logits / rho",
        "You multiply everywhere. A logit above 0 becomes larger by that: a reward for "
        "repeating.": "np.where(logits > 0, logits / rho, logits * rho) -> logits * rho",
        "Yours is the wrong way round: divide above 0 and multiply below 0, so that both "
        "become smaller.": lambda logits, ids, rho: penalize_repetition(logits, ids, 1 / rho),
        "You change the tokens that did *not* occur, and keep "
        "those that did.": "np.where(said, lower, logits) -> np.where(said, logits, lower)",
        "You change every token. Only those that occur "
        "in the text are penalised.": "np.where(said, lower, logits) -> lower",
        "You combine the ids of all texts. A token that occurs in one text must not be "
        "penalised in another.": (
            "(ids[:, :, None] == np.arange(logits.shape[1])).any(axis=1) -> "
            "np.isin(np.arange(logits.shape[1]), ids)"
        ),
        "You subtract rho. This penalty divides "
        "and multiplies.": "np.where(said, lower, logits) -> logits - rho * said",
        "You look at the last id of each text. All of "
        "its ids count.": "(ids[:, :, None] -> (ids[:, -1:, None]",
        "You leave the logits below 0 as they are. They are "
        "multiplied by rho.": "logits * rho -> logits",
    },
)


@EXERCISE.mutant(
    "You penalise a token for each time it occurs. Here it matters only whether it occurs."
)
def _each_time(logits: Array, ids: Array, rho: float) -> Array:
    out = logits.copy()
    for b, text in enumerate(ids.tolist()):
        for token in text:
            out[b, token] = out[b, token] / rho if out[b, token] > 0 else out[b, token] * rho
    return out


@EXERCISE.alternate
def _with_loops(logits: Array, ids: Array, rho: float) -> Array:
    out = logits.copy()
    for b, text in enumerate(ids.tolist()):
        for token in set(text):
            z = logits[b, token]
            out[b, token] = z / rho if z > 0 else z * rho
    return out


@EXERCISE.alternate
def _gathered(logits: Array, ids: Array, rho: float) -> Array:
    out = logits.copy()
    z = np.take_along_axis(logits, ids, axis=1)  # (B, T)
    np.put_along_axis(out, ids, np.where(z < 0, z * rho, z / rho), axis=1)
    return out


@EXERCISE.alternate
def _by_a_power(logits: Array, ids: Array, rho: float) -> Array:
    said = np.zeros(logits.shape, dtype=bool)
    said[np.arange(len(ids))[:, None], ids] = True
    return logits * rho ** np.where(said, -np.sign(logits), 0.0)
