"""Exercise 1: the frequency and the presence penalty, from the ids of prompt and output."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def fine_said(
    logits: np.ndarray,
    ids: np.ndarray,
    start: int,
    alpha: float,
    beta: float,
) -> np.ndarray:
    """Subtract alpha for each time a token was said, beta once.

    logits: (V,), one for each token; may hold -inf.
    ids: (T,), T of 0 or more: the prompt, then what was written.
    start: where that begins, 0 to T. Only ids[start:] was said.
    A token that was said n times loses alpha * n, and beta as well
    if n > 0. Returns (V,); what you were given stays as it was.

    >>> z = np.array([1.0, 2.0, 3.0])
    >>> fine_said(z, np.array([1, 2, 0, 2]), 1, 0.5, 0.1).tolist()
    [0.4, 2.0, 1.9]
    """
    output = ids[start:].astype(int)
    n = np.bincount(output, minlength=len(logits))
    return logits - alpha * n - beta * (n > 0)


def _with_a_loop(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    fined, said = logits.copy(), set()
    for token in ids[start:].tolist():
        fined[token] -= alpha
        if token not in said:
            fined[token] -= beta
        said.add(token)
    return fined


def _at_each_place(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    fined, output = np.array(logits), ids[start:]
    np.subtract.at(fined, output, alpha)
    fined[np.unique(output)] -= beta  # each id once
    return fined


def _with_a_table(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    n = (ids[start:, None] == np.arange(len(logits))).sum(axis=0)
    return logits - np.where(n > 0, alpha * n + beta, 0.0)


def _counts(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return np.bincount(ids, minlength=len(logits))


def _prompt_too(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids, 0, alpha, beta)


def _prompt_only(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids[:start], 0, alpha, beta)


def _written_once(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    fined, output = logits.copy(), ids[start:]
    fined[output] -= alpha  # NumPy writes once at an id that comes twice
    fined[np.unique(output)] -= beta
    return fined


def _presence_each(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    n = _counts(logits, ids[start:])
    return logits - alpha * n - beta * n


def _swapped(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids, start, beta, alpha)


def _rewarded(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids, start, -alpha, -beta)


def _all_fined(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return logits - alpha * _counts(logits, ids[start:]) - beta


def _no_presence(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids, start, alpha, 0.0)


def _no_frequency(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    return fine_said(logits, ids, start, 0.0, beta)


def _from_the_second(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    n = _counts(logits, ids[start:])
    return logits - alpha * n - beta * (n > 1)


def _share(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    n = _counts(logits, ids[start:])
    return logits - alpha * n / max(len(ids) - start, 1) - beta * (n > 0)


def _either(
    logits: np.ndarray, ids: np.ndarray, start: int, alpha: float, beta: float
) -> np.ndarray:
    n = _counts(logits, ids[start:])
    return logits - np.where(n > 1, alpha * n, beta * n)


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int, float, float]:
    V = int(rng.integers(2, 7))
    logits = rng.normal(scale=3, size=V).round(2)
    logits[rng.random(V) < 0.1] = -np.inf
    start, written = rng.integers(0, 4), rng.choice([0, 1, 3, 6, 9])
    ids = rng.integers(0, V, size=int(start + written))
    alpha, beta = rng.choice([-0.5, 0.1, 0.3, 0.7, 1.0, 2.0], size=2, replace=False)
    return logits, ids, int(start), float(alpha), float(beta)


_NONE = np.array([], dtype=int)

EXERCISE = Exercise(
    id="decoding.penalties.1",
    title="Fine what was said",
    reference=fine_said,
    points=1,
    compare=Arrays(),
    cases=(
        Case((np.array([1.0, 2.0]), _NONE, 0, 0.5, 0.25), np.array([1.0, 2.0])),
        Case((np.array([1.0, 2.0]), np.array([1]), 0, 0.5, 0.25), np.array([1.0, 1.25])),
        Case((np.array([1.0, 2.0]), np.array([1, 1]), 2, 0.5, 0.25), np.array([1.0, 2.0])),
        Case(
            (np.array([1.0, 2.0, 3.0]), np.array([1, 2, 0, 2]), 1, 0.5, 0.25),
            np.array([0.25, 2.0, 1.75]),
        ),
        Case((np.array([0.0, 0.0]), np.array([0, 0, 0]), 0, 2.0, 1.0), np.array([-7.0, 0.0])),
        Case(
            (np.array([-np.inf, 1.0]), np.array([0, 0, 1, 1]), 1, 1.0, 0.0),
            np.array([-np.inf, -1.0]),
        ),
        Case((np.array([1.0, 1.0]), np.array([1, 0, 0]), 1, -0.5, 0.0), np.array([2.0, 1.0])),
    ),
    generate=_draw,
    hints=(
        "First make a table: how often does each of the V tokens stand in ids[start:]? The rest "
        "is one line.",
        "np.bincount counts whole numbers; with minlength it counts the tokens that did not come, "
        "too. An empty array of ids may need astype(int).",
        "n > 0 is a table of True and False, which count as 1 and 0 in a product. Beware of "
        "z[ids] -= a: where an id comes twice, NumPy subtracts once.",
    ),
    mutants=(
        Mutant(
            _prompt_too,
            "You count the prompt as well. These two penalties count what was *written*, from "
            "ids[start] on.",
        ),
        Mutant(
            _prompt_only,
            "You count what stands before start: that is the prompt. The output is ids[start:].",
        ),
        Mutant(
            _written_once,
            "A token that came several times lost alpha once. logits[output] -= alpha reads all "
            "the old values first, so the same id is written twice with the same number. Count "
            "first.",
        ),
        Mutant(
            _presence_each,
            "You subtract beta as often as the token came. The presence penalty is paid once.",
        ),
        Mutant(_swapped, "You have swapped the two: alpha goes with the count, beta is paid once."),
        Mutant(_rewarded, "You add. A penalty above 0 must lower the logits of what was said."),
        Mutant(_all_fined, "Every token pays beta with you, also those that were never said."),
        Mutant(_no_presence, "The presence penalty is missing."),
        Mutant(_no_frequency, "The frequency penalty is missing."),
        Mutant(
            _from_the_second,
            "You charge beta from the second time on. To have been said once is enough: n > 0.",
        ),
        Mutant(
            _share,
            "You divide the counts by the length of the text. Each time costs alpha, however "
            "long the text is.",
        ),
        Mutant(
            _either,
            "You charge beta for what came once and alpha for what came more often. Both hold for "
            "every token that was said.",
        ),
    ),
    alternates=(_with_a_loop, _at_each_place, _with_a_table),
)
