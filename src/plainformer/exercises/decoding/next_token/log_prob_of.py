"""Exercise 2: the log-probability of a text, from a model's logits for it."""

from __future__ import annotations

import math

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def log_prob_of(logits: np.ndarray, ids: np.ndarray) -> float:
    """The log-probability of a text, its first token given.

    logits: (T, V); row t is the model's answer after it has
    read the tokens 0 to t. They are finite, and may be large.
    ids: (T,), the text; T is 1 or more.
    Returns log P(tokens 1 to T - 1 | token 0), in nats.

    >>> logits = np.log(np.array([[1.0, 3.0], [9.0, 1.0]]))
    >>> round(log_prob_of(logits, np.array([0, 1])), 4)  # of 3/4
    -0.2877
    """
    z = logits[:-1] - logits[:-1].max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return float(log_p[np.arange(len(z)), ids[1:]].sum())


def _with_a_loop(logits: np.ndarray, ids: np.ndarray) -> float:
    total = 0.0
    for row, token in zip(logits.tolist(), ids[1:].tolist(), strict=False):
        top = max(row)
        total += row[token] - top - math.log(sum(math.exp(z - top) for z in row))
    return total


def _with_logaddexp(logits: np.ndarray, ids: np.ndarray) -> float:
    each = logits[:-1][np.arange(len(ids) - 1), ids[1:]]
    return float((each - np.logaddexp.reduce(logits[:-1], axis=1)).sum())


def _softmax(z: np.ndarray, axis: int = 1) -> np.ndarray:
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def _log_softmax(z: np.ndarray, axis: int = 1) -> np.ndarray:
    z = z - z.max(axis=axis, keepdims=True)
    return np.asarray(z - np.log(np.exp(z).sum(axis=axis, keepdims=True)))


def _each(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return np.asarray(_log_softmax(logits)[np.arange(len(ids) - 1), ids[1:]])


def _multiplied(logits: np.ndarray, ids: np.ndarray) -> float:
    product = 1.0
    for t in range(len(ids) - 1):
        product *= math.exp(_log_softmax(logits)[t, ids[t + 1]])
    return math.log(product) if product > 0 else -math.inf


def _log_of_softmax(logits: np.ndarray, ids: np.ndarray) -> float:
    p = _softmax(logits)[np.arange(len(ids) - 1), ids[1:]]
    with np.errstate(divide="ignore"):
        return float(np.log(p).sum())


def _overflows(logits: np.ndarray, ids: np.ndarray) -> float:
    with np.errstate(over="ignore"):
        log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return float(log_p[np.arange(len(ids) - 1), ids[1:]].sum())


def _one_largest_for_all(logits: np.ndarray, ids: np.ndarray) -> float:
    with np.errstate(divide="ignore"):
        return _overflows(logits - logits.max(), ids)


def _itself(logits: np.ndarray, ids: np.ndarray) -> float:
    return float(_log_softmax(logits)[np.arange(len(ids)), ids].sum())


def _row_of_its_own(logits: np.ndarray, ids: np.ndarray) -> float:
    return float(_log_softmax(logits)[np.arange(1, len(ids)), ids[1:]].sum())


def _bare_logits(logits: np.ndarray, ids: np.ndarray) -> float:
    return float(logits[np.arange(len(ids) - 1), ids[1:]].sum())


def _mean(logits: np.ndarray, ids: np.ndarray) -> float:
    return float(_each(logits, ids).mean()) if len(ids) > 1 else 0.0


def _bits(logits: np.ndarray, ids: np.ndarray) -> float:
    return log_prob_of(logits, ids) / math.log(2)


def _probability(logits: np.ndarray, ids: np.ndarray) -> float:
    return math.exp(log_prob_of(logits, ids))


def _loss(logits: np.ndarray, ids: np.ndarray) -> float:
    return -log_prob_of(logits, ids)


def _over_places(logits: np.ndarray, ids: np.ndarray) -> float:
    log_p = _log_softmax(logits, axis=0)
    return float(log_p[np.arange(len(ids) - 1), ids[1:]].sum())


def _likeliest(logits: np.ndarray, ids: np.ndarray) -> float:
    return float(_log_softmax(logits)[:-1].max(axis=1).sum())


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    T, V = int(rng.integers(1, 7)), int(rng.integers(2, 6))
    logits = (rng.normal(size=(T, V)) * rng.choice([1.0, 3.0])).round(2)
    return logits, rng.integers(0, V, size=T)


EXERCISE = Exercise(
    id="decoding.next_token.2",
    title="How probable is a text?",
    reference=log_prob_of,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.log([[1.0, 3.0], [9.0, 1.0]]), np.array([0, 1])), math.log(3 / 4)),
        Case((np.log([[1.0, 3.0], [9.0, 1.0]]), np.array([1, 0])), math.log(1 / 4)),
        Case(
            (np.log([[1.0, 3.0], [9.0, 1.0], [1.0, 1.0]]), np.array([0, 1, 1])),
            math.log(3 / 4 * 1 / 10),
        ),
        Case((np.array([[5.0, 2.0, 1.0]]), np.array([2])), 0.0),
        Case((np.array([[0.0, -1000.0], [0.0, 0.0]]), np.array([0, 1])), -1000.0),
        Case((np.zeros((401, 8)), np.zeros(401, dtype=int)), -400 * math.log(8)),
        Case(  # large, and rows far apart: log 1/2, twice
            (np.array([[0.0, 0.0], [2000.0, 2000.0], [7.0, 9.0]]), np.array([0, 1, 0])),
            -2 * math.log(2),
        ),
    ),
    generate=_draw,
    hints=(
        "Row t is the answer after the tokens 0 to t. So which token does row t say something "
        "about? And which row is not needed at all?",
        "A product of probabilities is a sum of logarithms. Take the log softmax of each row, "
        "pick one number from each, add them.",
        "log softmax: z - log(sum(exp(z))), with the largest z of the row subtracted first. To "
        "pick: log_p[np.arange(T - 1), ids[1:]].",
    ),
    mutants=(
        Mutant(
            _multiplied,
            "You multiply probabilities and take the logarithm at the end. Over a long text the "
            "product becomes 0, and its logarithm -inf: add logarithms instead.",
        ),
        Mutant(
            _log_of_softmax,
            "You take the logarithm of softmax. A probability too small for a float is 0 there, "
            "and its logarithm -inf. z - log(sum(exp(z))) keeps it.",
        ),
        Mutant(
            _overflows,
            "exp of a large logit is infinite in yours. Subtract the largest of each row first: it "
            "changes no probability.",
        ),
        Mutant(
            _one_largest_for_all,
            "You subtract one number, the largest of the whole table, from all rows. Where a row "
            "lies far below, every exp becomes 0 and its logarithm -inf: each row has its own "
            "largest (axis=1, keepdims=True).",
        ),
        Mutant(
            _itself,
            "Row t scores token t in yours, which the model has just read. It speaks about the "
            "token after it, ids[t + 1]; the first token is given, and the last row unused.",
        ),
        Mutant(
            _row_of_its_own,
            "You leave the first token out, as asked, but then score token t with row t. Its "
            "probability stands one row earlier, before it was read.",
        ),
        Mutant(
            _bare_logits,
            "You add bare logits. They are no log-probabilities before log softmax: a row may "
            "have any constant in it.",
        ),
        Mutant(
            _mean,
            "Yours is the mean over the tokens. The logarithm of a product is the sum.",
        ),
        Mutant(_bits, "You take logarithms to the base 2. Asked is the natural one."),
        Mutant(
            _probability,
            "Yours is the probability itself. Asked is its logarithm, which is 0 or below.",
        ),
        Mutant(
            _loss,
            "The sign is wrong. What one minimises in training is -log P; asked is log P, which "
            "is 0 or below.",
        ),
        Mutant(
            _over_places,
            "Your softmax runs over the places of the text. The tokens that compete stand in one "
            "row: axis 1, of length V.",
        ),
        Mutant(
            _likeliest,
            "You add up the largest log-probability of each row. That scores the tokens that the "
            "model likes best, not those of the text.",
        ),
    ),
    alternates=(_with_a_loop, _with_logaddexp),
)
