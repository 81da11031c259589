"""Exercise 2: one step of beam search."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Mutant

Pairs = list[tuple[int, int]]


def best_pairs(
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
    k is B * V at most. (There are no ties.)

    >>> log_probs = np.log(np.array([[0.4, 0.6], [0.9, 0.1]]))
    >>> best_pairs(np.log(np.array([0.5, 0.4])), log_probs, 2)
    [(1, 0), (0, 1)]
    """
    totals = scores[:, None] + log_probs  # (B, V)
    order = np.argsort(-totals, axis=None)[:k]  # as one long row
    beams, tokens = np.unravel_index(order, totals.shape)
    return list(zip(beams.tolist(), tokens.tolist(), strict=True))


def _with_lists(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    B, V = log_probs.shape
    pairs = [(b, v) for b in range(B) for v in range(V)]
    return sorted(pairs, key=lambda pair: -(scores[pair[0]] + log_probs[pair]))[:k]


def _by_products(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    chances = (np.exp(scores)[:, None] * np.exp(log_probs)).ravel()
    V = log_probs.shape[1]
    return [divmod(int(i), V) for i in chances.argsort()[::-1][:k]]


def _scores_forgotten(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    return best_pairs(0 * scores, log_probs, k)


def _swapped(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    return [(token, beam) for beam, token in best_pairs(scores, log_probs, k)]


def _one_each(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    totals = scores[:, None] + log_probs
    best = totals.argmax(axis=1)
    order = np.argsort(-totals.max(axis=1))[:k]
    return [(int(b), int(best[b])) for b in order]


def _best_beam_only(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    beam = int(np.argmax(scores))
    return [(beam, int(token)) for token in np.argsort(-log_probs[beam])[:k]]


def _worst(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    return best_pairs(-scores, -log_probs, k)


def _reversed(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    return best_pairs(scores, log_probs, k)[::-1]


def _flat(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    B = log_probs.shape[0]
    return [(i % B, i // B) for i in _places(scores, log_probs, k)]


def _places(scores: np.ndarray, log_probs: np.ndarray, k: int) -> list[int]:
    V = log_probs.shape[1]
    return [beam * V + token for beam, token in best_pairs(scores, log_probs, k)]


def _multiplied(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    totals = scores[:, None] * log_probs
    order = np.argsort(-totals, axis=None, kind="stable")[:k]
    beams, tokens = np.unravel_index(order, totals.shape)
    return list(zip(beams.tolist(), tokens.tolist(), strict=True))


def _k_each(scores: np.ndarray, log_probs: np.ndarray, k: int) -> Pairs:
    return [
        (b, int(token))
        for b in np.argsort(-scores).tolist()
        for token in np.argsort(-log_probs[b])[:k]
    ]


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    B, V = int(rng.integers(1, 5)), int(rng.integers(2, 6))
    scores = -rng.exponential(1.5, size=B)
    p = rng.dirichlet(np.ones(V), size=B)
    return scores, np.log(p), int(rng.integers(1, min(B * V, 6) + 1))


TWO = np.log(np.array([0.5, 0.4]))
WORDS = np.log(np.array([[0.36, 0.33, 0.31], [0.55, 0.15, 0.3]]))

EXERCISE = Exercise(
    id="decoding.search.2",
    title="One step of a beam",
    reference=best_pairs,
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
        "scores[:, None] + log_probs is that table. Which k of its numbers are the largest, "
        "whatever their rows?",
        "np.argsort(-totals, axis=None) sorts the table as one long row. Place i of the row is "
        "beam i // V and token i % V; np.unravel_index does both.",
    ),
    mutants=(
        Mutant(
            _scores_forgotten,
            "You compare the last tokens alone. A text's score is that of its beam plus the log "
            "probability of the token.",
        ),
        Mutant(_swapped, "Your pairs are (token, beam). Give the beam first."),
        Mutant(
            _one_each,
            "You keep one continuation for each beam. Put all of them into one list: a beam may "
            "have several children, or none.",
        ),
        Mutant(
            _best_beam_only,
            "You continue the best beam only. The others may have the better continuation.",
        ),
        Mutant(_worst, "You return the worst. The best has the largest score, the nearest to 0."),
        Mutant(_reversed, "The right pairs, the wrong way round: the best comes first."),
        Mutant(
            _flat,
            "You found the right places of the long row, and read them wrongly. With rows of V "
            "numbers, place i is row i // V and column i % V.",
        ),
        Mutant(
            _multiplied,
            "You multiply logarithms. Probabilities are multiplied, their logarithms are added.",
        ),
        Mutant(
            _k_each,
            "You return k continuations of each beam. Of all together only the k best go on.",
        ),
    ),
    alternates=(_with_lists, _by_products),
)
