"""Exercise 2: one step of beam search."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def top_k_continuations(
    scores: np.ndarray,
    log_probs: np.ndarray,
    k: int,
) -> list[tuple[int, int]]:
    """One step of beam search: the k best continuations.

    scores: (B,), the score of each beam, a sum of log
    probabilities, in no order.
    log_probs: (B, V); row b holds the log probability of each
    token after beam b.
    Returns k pairs (beam, token), the best first, of all B * V.
    k is B * V at most. (No two scores are equal.)

    >>> log_probs = np.log(np.array([[0.4, 0.6], [0.9, 0.1]]))
    >>> top_k_continuations(np.log(np.array([0.5, 0.4])), log_probs, 2)
    [(1, 0), (0, 1)]
    """
    totals = scores[:, None] + log_probs  # (B, V)
    order = np.argsort(-totals, axis=None)[:k]  # as one long row
    beams, tokens = np.unravel_index(order, totals.shape)
    return list(zip(beams.tolist(), tokens.tolist(), strict=True))


Pairs = list[tuple[int, int]]


def _places(scores: Array, log_probs: Array, k: int) -> list[int]:
    V = log_probs.shape[1]
    return [beam * V + token for beam, token in top_k_continuations(scores, log_probs, k)]


def _draw(rng: np.random.Generator) -> tuple[Array, Array, int]:
    B, V = int(rng.integers(1, 5)), int(rng.integers(2, 6))
    scores = -rng.exponential(1.5, size=B)
    p = rng.dirichlet(np.ones(V), size=B)
    return scores, np.log(p), int(rng.integers(1, min(B * V, 6) + 1))


TWO = np.log(np.array([0.5, 0.4]))

WORDS = np.log(np.array([[0.36, 0.33, 0.31], [0.55, 0.15, 0.3]]))

EXERCISE = Exercise(
    id="decoding.search.2",
    title="One step of a beam",
    reference=top_k_continuations,
    points=2,
    cases=(
        Case((np.array([0.0]), np.log(np.array([[0.2, 0.5, 0.3]])), 2), [(0, 1), (0, 2)]),
        Case((TWO, np.log(np.array([[0.4, 0.6], [0.9, 0.1]])), 2), [(1, 0), (0, 1)]),
        Case((TWO, WORDS, 3), [(1, 0), (0, 0), (0, 1)]),  # .22, .18, .165
        Case(
            (np.log(np.array([0.01, 0.9])), np.log(np.array([[0.99, 0.01], [0.6, 0.4]])), 2),
            [(1, 0), (1, 1)],
        ),
        Case(
            (TWO, np.log(np.array([[0.3, 0.7], [0.8, 0.2]])), 4), [(0, 1), (1, 0), (0, 0), (1, 1)]
        ),
    ),
    generate=_draw,
    hints=(
        "Make one table, (B, V): the score of beam b, continued by token v. What is added to what?",
        "scores[:, None] + log_probs is that table. Which k of its numbers are the largest, in "
        "any row?",
        "np.argsort(-totals, axis=None) sorts the table as one long row. Index i of the row is "
        "beam i // V and token i % V; np.unravel_index does both.",
    ),
    mutants={
        "You compare only the last tokens. A text's score is that of its beam plus the log "
        "probability of the token.": lambda scores, log_probs, k: top_k_continuations(
            0 * scores, log_probs, k
        ),
        "Your pairs are (token, beam). Give the beam first.": lambda scores, log_probs, k: [
            (token, beam) for beam, token in top_k_continuations(scores, log_probs, k)
        ],
        "You continue only the best beam. The others may have "
        "the better continuation.": lambda scores, log_probs, k: [
            (int(scores.argmax()), token)
            for token in np.argsort(-log_probs[scores.argmax()])[:k].tolist()
        ],
        "You return the worst. The best has the largest score, the "
        "nearest to 0.": lambda scores, log_probs, k: top_k_continuations(-scores, -log_probs, k),
        "The pairs are right, but in reverse order: the "
        "best comes first.": lambda scores, log_probs, k: top_k_continuations(scores, log_probs, k)[
            ::-1
        ],
        "You multiply logarithms. Probabilities are multiplied, their logarithms are added.": (
            "scores[:, None] + log_probs -> scores[:, None] * log_probs; "
            'axis=None) -> axis=None, kind="stable")'
        ),
        "You return k continuations of each beam. Of all of them together only the k best "
        "continue.": lambda scores, log_probs, k: [
            (b, int(token))
            for b in np.argsort(-scores).tolist()
            for token in np.argsort(-log_probs[b])[:k]
        ],
    },
)


@EXERCISE.mutant(
    "You keep one continuation for each beam. Put all of them into one list: a beam may have "
    "several children, or none."
)
def _one_each(scores: Array, log_probs: Array, k: int) -> Pairs:
    totals = scores[:, None] + log_probs
    best = totals.argmax(axis=1)
    order = np.argsort(-totals.max(axis=1))[:k]
    return [(int(b), int(best[b])) for b in order]


@EXERCISE.mutant(
    "You found the right indices of the long row but converted them wrongly. With rows of V "
    "numbers, index i is row i // V and column i % V."
)
def _flat(scores: Array, log_probs: Array, k: int) -> Pairs:
    B = log_probs.shape[0]
    return [(i % B, i // B) for i in _places(scores, log_probs, k)]


@EXERCISE.alternate
def _with_lists(scores: Array, log_probs: Array, k: int) -> Pairs:
    B, V = log_probs.shape
    pairs = [(b, v) for b in range(B) for v in range(V)]
    return sorted(pairs, key=lambda pair: -(scores[pair[0]] + log_probs[pair]))[:k]


@EXERCISE.alternate
def _by_products(scores: Array, log_probs: Array, k: int) -> Pairs:
    probabilities = (np.exp(scores)[:, None] * np.exp(log_probs)).ravel()
    V = log_probs.shape[1]
    return [divmod(int(i), V) for i in probabilities.argsort()[::-1][:k]]
