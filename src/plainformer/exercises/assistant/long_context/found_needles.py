"""Exercise 4: how often a needle is found, and how sure that is."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def found_needles(
    logits: np.ndarray,
    nouns: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:
    """Compute how often the right noun wins, and the standard error.

    Compare the logits of the nouns only, whatever other tokens there
    are. A text counts as found if the right noun has the largest of
    them. The standard error of a share p of N texts is
    sqrt(p (1 - p) / N).
    logits: (N, V). nouns: (M,), the ids of the nouns. right: (N,), for
    each text the place of the right noun in `nouns`, from 0 to M - 1.
    Returns the share and its standard error, (2,).

    >>> logits = np.array([[9.0, 2, 1], [9.0, 2, 1]])
    >>> nouns, right = np.array([1, 2]), np.array([0, 1])
    >>> found_needles(logits, nouns, right).round(4).tolist()
    [0.5, 0.3536]
    """
    chosen = logits[:, nouns].argmax(axis=1)
    p = (chosen == right).mean()
    return np.array([p, np.sqrt(p * (1 - p) / len(right))])


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    N, M = 6, 3
    nouns, right = rng.permutation(4)[:M], rng.integers(0, M, size=N)
    logits = rng.standard_normal((N, 4)).round(1)
    logits[np.arange(N), nouns[right]] += 1.5 * (np.arange(N) % 4 > 0)
    return logits, nouns, right


_LOGITS = np.array([[0.0, 3, 1, 9], [0, 1, 2, 9], [0, 5, 4, 9], [0, 7, 2, 9]])

EXERCISE = Exercise(
    id="assistant.long_context.4",
    title="Found needles",
    reference=found_needles,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            (_LOGITS, np.array([2, 1]), np.array([1, 0, 1, 0])),
            np.array([0.75, np.sqrt(0.75 * 0.25 / 4)]),
        ),
        Case((_LOGITS[1:2], np.array([1, 2]), np.array([0])), np.array([0.0, 0.0])),
        # All are found, which leaves no error at all.
        Case((_LOGITS[:2], np.array([1, 2]), np.array([0, 1])), np.array([1.0, 0.0])),
    ),
    generate=_draw,
    hints=(
        "logits[:, nouns] has the logits of the nouns only, (N, M).",
        "argmax along axis 1 gives the place of the largest, which is comparable with `right`.",
        "The mean of a boolean array is a share.",
    ),
    mutants={
        "You compare all tokens. Only the logits of the nouns count.": (
            "logits[:, nouns].argmax(axis=1) -> logits.argmax(axis=1)"
        ),
        "`right` is a place among the nouns, not the id of a token.": (
            "chosen = logits[:, nouns].argmax(axis=1) -> "
            "chosen = nouns[logits[:, nouns].argmax(axis=1)]"
        ),
        "You take the least likely noun.": "argmax(axis=1) -> argmin(axis=1)",
        "That is the variance of a single text's answer: divide by N and take the root.": (
            "np.sqrt(p * (1 - p) / len(right)) -> p * (1 - p)"
        ),
        "That is the standard deviation of a single answer. The standard error divides by the "
        "root of N.": "np.sqrt(p * (1 - p) / len(right)) -> np.sqrt(p * (1 - p))",
        "You have forgotten the root.": (
            "np.sqrt(p * (1 - p) / len(right)) -> p * (1 - p) / len(right)"
        ),
        "That is a number of texts. A share is between 0 and 1.": (
            "return np.array([p, -> return np.array([p * len(right),"
        ),
    },
    alternates=[
        lambda logits, nouns, right: np.array(
            [
                (p := np.mean([row[nouns].argmax() == r for row, r in zip(logits, right)])),  # noqa: B905
                (p * (1 - p) / len(right)) ** 0.5,
            ]
        ),
    ],
)


@EXERCISE.alternate
def _by_counting(logits: Array, nouns: Array, right: Array) -> Array:
    found = np.argmax(np.take(logits, nouns, axis=1), axis=1) == right
    return np.array([found.mean(), found.std() / len(found) ** 0.5])
