"""Exercise 1: the frequency and the presence penalty, from the ids of prompt and output."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def frequency_and_presence_penalty(
    logits: np.ndarray,
    ids: np.ndarray,
    start: int,
    alpha: float,
    beta: float,
) -> np.ndarray:
    """Subtract alpha for each time a token was generated, and beta
    once.

    logits: (V,), one for each token; may hold -inf.
    ids: (T,), T of 0 or more: the prompt, then what was written.
    start: where that begins, 0 to T. Only ids[start:] was generated. A
    token that was generated n times loses alpha * n, and beta as well
    if n > 0. Returns (V,); the arguments stay unchanged.

    >>> z = np.array([1.0, 2.0, 3.0])
    >>> ids = np.array([1, 2, 0, 2])
    >>> frequency_and_presence_penalty(z, ids, 1, 0.5, 0.1).tolist()
    [0.4, 2.0, 1.9]
    """
    output = ids[start:].astype(int)
    n = np.bincount(output, minlength=len(logits))
    return logits - alpha * n - beta * (n > 0)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, int, float, float]:
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
    title="Frequency and presence penalty",
    reference=frequency_and_presence_penalty,
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
        "First make a table: how often does each of the V tokens occur in ids[start:]? The "
        "rest is one line.",
        "np.bincount counts whole numbers; with minlength it also covers the tokens that did "
        "not occur. An empty array of ids may need astype(int).",
        "n > 0 is a table of True and False, which count as 1 and 0 in a product. Beware of "
        "z[ids] -= a: where an id comes twice, NumPy subtracts once.",
    ),
    mutants={
        "You count the prompt as well. These two penalties count what was *written*, from "
        "ids[start] on.": "ids[start:] -> ids",
        "You count what comes before start: that is the prompt. "
        "The output is ids[start:].": "ids[start:] -> ids[:start]",
        "You subtract beta as often as the token occurred. The "
        "presence penalty applies once.": "beta * (n > 0) -> beta * n",
        "You have swapped the two: alpha is multiplied by the "
        "count, beta applies once.": "alpha * n - beta * (n > 0) -> beta * n - alpha * (n > 0)",
        "You add. A penalty above 0 must lower the logits of "
        "tokens that were generated.": "logits - alpha * n - beta -> logits + alpha * n + beta",
        "You subtract beta from every token, even those "
        "that were never generated.": "beta * (n > 0) -> beta",
        "The presence penalty is missing.": "- beta * (n > 0) -> ",
        "The frequency penalty is missing.": "- alpha * n -> ",
        "You apply beta from the second time on. One "
        "occurrence is enough: n > 0.": "(n > 0) -> (n > 1)",
        "You divide the counts by the length of the text. Each time costs alpha, however long "
        "the text is.": "alpha * n -> alpha * n / max(len(output), 1)",
        "You apply beta to tokens that occurred once and alpha to those that occurred more "
        "often. Both apply to every token that was generated.": (
            "alpha * n - beta * (n > 0) -> np.where(n > 1, alpha * n, beta * n)"
        ),
    },
)


@EXERCISE.mutant(
    "A token that occurred several times lost alpha only once. logits[output] -= alpha reads "
    "all the old values first, so the same id is written twice with the same number. Count "
    "first."
)
def _written_once(logits: Array, ids: Array, start: int, alpha: float, beta: float) -> Array:
    fined, output = logits.copy(), ids[start:]
    fined[output] -= alpha  # NumPy writes once at an id that comes twice
    fined[np.unique(output)] -= beta
    return fined


@EXERCISE.alternate
def _with_a_loop(logits: Array, ids: Array, start: int, alpha: float, beta: float) -> Array:
    fined, said = logits.copy(), set()
    for token in ids[start:].tolist():
        fined[token] -= alpha
        if token not in said:
            fined[token] -= beta
        said.add(token)
    return fined


@EXERCISE.alternate
def _at_each_place(logits: Array, ids: Array, start: int, alpha: float, beta: float) -> Array:
    fined, output = np.array(logits), ids[start:]
    np.subtract.at(fined, output, alpha)
    fined[np.unique(output)] -= beta  # each id once
    return fined


@EXERCISE.alternate
def _with_a_table(logits: Array, ids: Array, start: int, alpha: float, beta: float) -> Array:
    n = (ids[start:, None] == np.arange(len(logits))).sum(axis=0)
    return logits - np.where(n > 0, alpha * n + beta, 0.0)
