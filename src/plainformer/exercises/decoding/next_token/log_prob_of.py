"""Exercise 2: the log-probability of a text, from a model's logits for it."""

import math

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def log_prob_of(logits: np.ndarray, ids: np.ndarray) -> float:
    """The log-probability of a text, given its first token.

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


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
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
        Case((np.array([[0.0, 2000.0], [0.0, 0.0]]), np.array([0, 1])), 0.0),
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
    mutants={
        "You multiply probabilities and take the logarithm at the end. Over a long text the "
        "product becomes 0, and its logarithm -inf: add logarithms instead.": (
            "log_p[np.arange(len(z)), ids[1:]].sum() -> np.log(np.exp(log_p[np.arange(len(z)), "
            "ids[1:]]).prod())"
        ),
        "You take the logarithm of softmax. A probability too small for a float is 0 there, "
        "and its logarithm -inf. z - log(sum(exp(z))) keeps it.": (
            "z - np.log(np.exp(z).sum(axis=1, keepdims=True)) -> np.log(np.exp(z) / "
            "np.exp(z).sum(axis=1, keepdims=True))"
        ),
        "exp of a large logit is infinite in yours. Subtract the largest of each row first: it "
        "changes no probability.": (
            "logits[:-1] - logits[:-1].max(axis=1, keepdims=True) -> logits[:-1]"
        ),
        "You subtract one number, the largest of the whole table, from all rows. Where a row "
        "is far below, every exp becomes 0 and its logarithm -inf: each row has its own "
        "largest (axis=1, keepdims=True).": (
            "logits[:-1].max(axis=1, keepdims=True) -> logits.max()"
        ),
        "You score token t with row t, but the model has already read that token. Row t "
        "predicts the token after it, ids[t + 1]; the first token is given, and the last row "
        "is unused.": (
            "logits[:-1] - logits[:-1].max(axis=1, keepdims=True) -> logits - logits.max(axis=1, "
            "keepdims=True); "
            "ids[1:] -> ids"
        ),
        "You leave the first token out, as asked, but then score token t with row t. Its "
        "probability is one row earlier, before it was read.": (
            "logits[:-1] - logits[:-1].max(axis=1, keepdims=True) -> logits[1:] - "
            "logits[1:].max(axis=1, keepdims=True)"
        ),
        "You add raw logits. They become log-probabilities only after log softmax, because a "
        "row may contain any constant.": "log_p[np -> logits[np",
        "Yours is the mean over the tokens. The logarithm of a product is the sum.": (
            "log_p[np.arange(len(z)), ids[1:]].sum() -> log_p[np.arange(len(z)), ids[1:]].mean() "
            "if len(z) else 0.0"
        ),
        "You take logarithms to base 2. The task asks for the natural one.": lambda logits, ids: (
            log_prob_of(logits, ids) / math.log(2)
        ),
        "Yours is the probability itself. The task asks for its "
        "logarithm, which is 0 or below.": lambda logits, ids: math.exp(log_prob_of(logits, ids)),
        "The sign is wrong. Training minimises -log P; the task asks for log P, which is 0 or "
        "below.": lambda logits, ids: -log_prob_of(logits, ids),
        "Your softmax runs over the positions of the text. The competing tokens are in one "
        "row: axis 1, of length V.": (
            "logits[:-1] - logits[:-1].max(axis=1, keepdims=True) -> logits - logits.max(axis=0); "
            "np.exp(z).sum(axis=1, keepdims=True) -> np.exp(z).sum(axis=0); len(z) -> len(z) - 1"
        ),
        "You add up the largest log-probability of each row. That scores the tokens that the "
        "model likes best, not those of the text.": (
            "log_p[np.arange(len(z)), ids[1:]].sum() -> log_p.max(axis=1).sum()"
        ),
    },
)


@EXERCISE.alternate
def _with_a_loop(logits: Array, ids: Array) -> float:
    total = 0.0
    for row, token in zip(logits.tolist(), ids[1:].tolist(), strict=False):
        top = max(row)
        total += row[token] - top - math.log(sum(math.exp(z - top) for z in row))
    return total


@EXERCISE.alternate
def _with_logaddexp(logits: Array, ids: Array) -> float:
    each = logits[:-1][np.arange(len(ids) - 1), ids[1:]]
    return float((each - np.logaddexp.reduce(logits[:-1], axis=1)).sum())
