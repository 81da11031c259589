"""Exercise 1: read a map of weights, and say which mask produced it."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


def which_mask(weights: np.ndarray) -> str:
    """Say which mask produced these attention weights.

    weights: (T, T), T of 2 or more; row i shows what token i looks at.
    A weight is 0 where the mask forbids it and nowhere else, though it
    may be tiny. Key 0 and at least one other key are not padding.
    Returns "none", "causal", "padding" or "both".

    >>> which_mask(np.array([[1.0, 0.0], [0.3, 0.7]]))
    'causal'
    """
    T = len(weights)
    later = np.arange(T)[None, :] > np.arange(T)[:, None]  # (T, T)
    causal = (weights[later] == 0).all()
    padding = (weights == 0).all(axis=0).any()  # an unseen key
    if causal:
        return "both" if padding else "causal"
    return "padding" if padding else "none"


def _draw(rng: np.random.Generator) -> tuple[Array]:
    T = int(rng.integers(2, 7))
    allowed = np.ones((T, T), dtype=bool)
    if rng.random() < 0.5 and T > 2:
        first = int(rng.integers(1, T - 1))  # with key 0 real, no row is empty
        padding = 1 + rng.permutation(T - 1)[:first]
        allowed[:, padding] = False
    if rng.random() < 0.5:
        allowed &= np.tri(T, dtype=bool)
    e = np.where(allowed, np.exp(rng.normal(size=(T, T)) * rng.choice([1.0, 4.0])), 0.0)
    return (e / e.sum(axis=1, keepdims=True),)


EXERCISE = Exercise(
    id="attention.masking.1",
    title="Which mask was it?",
    reference=which_mask,
    compare=Exact(),
    cases=(
        Case((np.array([[0.4, 0.6], [0.3, 0.7]]),), "none"),
        Case((np.array([[1.0, 0.0], [0.3, 0.7]]),), "causal"),
        Case((np.array([[0.4, 0.6, 0.0], [0.9, 0.1, 0.0], [0.5, 0.5, 0.0]]),), "padding"),
        Case((np.array([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.5, 0.5, 0.0]]),), "both"),
        Case((np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]),), "both"),
        Case((np.array([[0.999, 0.001], [0.5, 0.5]]),), "none"),
        Case((np.array([[1 - 1e-12, 1e-12], [0.5, 0.5]]),), "none"),
    ),
    generate=_draw,
    hints=(
        "A causal mask leaves zeros in one corner. A padding mask leaves zeros in whole columns. "
        "Draw both on paper.",
        "Answer two yes-or-no questions: are all weights above the diagonal 0? Is there a "
        "column in which every weight is 0?",
        "np.triu(weights, 1) keeps what is strictly above the diagonal. (weights == "
        "0).all(axis=0) asks each column. The two answers together choose one of four words.",
    ),
    mutants={
        "You count a small weight as zero. Here only a forbidden key has a weight of exactly "
        "0, so test for == 0.": lambda weights: which_mask(np.where(weights < 0.01, 0.0, weights)),
        "You do not look for padding where there is a causal "
        "mask. There may be both.": '"both" if padding else "causal" -> "causal"',
        "You mistake one column of zeros above the diagonal for a causal mask. A padding key "
        "is not seen by any query either; with a causal mask the whole corner is 0.": (
            "(weights[later] == 0).all() -> (np.triu(weights, 1).sum(axis=0) == 0)[1:].any()"
        ),
        "You look for a row of zeros. Padding hides a *key*, and keys are columns; a row of "
        "zeros would be a query that sees nothing.": ".all(axis=0).any() -> .all(axis=1).any()",
        "You never find a causal mask. The future is strictly above the diagonal. Below it is "
        "the past, and on it every token sees itself.": (
            "np.arange(T)[None, :] > np.arange(T)[:, None] -> np.arange(T)[None, :] < "
            "np.arange(T)[:, None]"
        ),
        "You look for padding only in the last column. "
        "It may be anywhere.": "(weights == 0).all(axis=0).any() -> (weights[:, -1] == 0).all()",
    },
)


@EXERCISE.alternate
def _by_counting(weights: Array) -> str:
    T, hidden = len(weights), np.count_nonzero(weights == 0)
    unseen = sum(not any(column) for column in weights.T)
    causal = all(weights[i, j] == 0 for i in range(T) for j in range(i + 1, T))
    return {(0, 0): "none", (0, 1): "padding", (1, 0): "causal", (1, 1): "both"}[
        (int(causal and hidden > 0), int(unseen > 0))
    ]


@EXERCISE.alternate
def _by_two_rows(weights: Array) -> str:
    # The last row sees everything except padding; the first sees only itself if there is a causal
    # mask.
    padding = bool((weights[-1] == 0).any())
    causal = np.count_nonzero(weights[0]) == 1
    return ("padding" if padding else "none") if not causal else ("both" if padding else "causal")


@EXERCISE.alternate
def _by_comparing(weights: Array) -> str:
    allowed = weights > 0
    real = np.broadcast_to(allowed.any(axis=0), allowed.shape)
    name = {True: "causal", False: "none"} if real.all() else {True: "both", False: "padding"}
    return name[bool((allowed == np.tril(real)).all())]
