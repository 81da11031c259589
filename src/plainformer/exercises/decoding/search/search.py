"""Exercise 4: beam search, with texts that end."""

import math

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def search(
    log_probs: np.ndarray,
    first: int,
    end: int,
    steps: int,
    k: int,
) -> list[int]:
    """Beam search, on a model that looks at the last token.

    log_probs: (V, V); row i holds the log probability of each token
    after token i; -inf for what is impossible. first: the prompt, one
    token. end: the end of text. k: the size of the beam.
    At each step sort all continuations of all beams by their
    score, the sum of log probabilities, the best first.
    - Those of the first k that take `end` are finished: set aside.
    - The first k that do not take `end` are the next beams.
    At step number `steps` every text is finished, so the first k are
    set aside. Return the finished text with the highest score, from
    `first` on, `end` included. (No two scores are equal.)

    >>> P = [[0.1, 0.5, 0.4], [0.4, 0.3, 0.3], [0.9, 0.06, 0.04]]
    >>> one, two = (search(np.log(P), 0, 0, 2, k) for k in (1, 2))
    >>> one, two
    ([0, 1, 0], [0, 2, 0])
    """
    beams, whole = [(0.0, [first])], []
    for step in range(1, steps + 1):
        candidates = []
        for score, text in beams:
            for token, log_prob in enumerate(log_probs[text[-1]]):
                if log_prob > -np.inf:
                    longer = (score + float(log_prob), [*text, token])
                    candidates.append(longer)
        candidates.sort(reverse=True)
        ends = [step == steps or c[1][-1] == end for c in candidates]
        pairs = list(zip(candidates, ends, strict=True))
        whole += [c for c, ended in pairs[:k] if ended]
        beams = [c for c, ended in pairs if not ended][:k]
    return max(whole)[1]


def _draw(rng: np.random.Generator) -> tuple[Array, int, int, int, int]:
    while True:
        V = int(rng.integers(3, 5))
        p = rng.dirichlet(np.full(V, 0.7), size=V)
        p[rng.random((V, V)) < 0.15] = 0
        p[np.arange(V), rng.integers(0, V, V)] += 0.05
        first, end = (int(token) for token in rng.integers(0, V, 2))
        with np.errstate(divide="ignore"):
            log_probs = np.log(p / p.sum(axis=1, keepdims=True)).round(3)
        steps, k = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        if not _has_ties(log_probs, first, end, steps):
            return log_probs, first, end, steps, k


def _has_ties(log_probs: Array, first: int, end: int, steps: int) -> bool:
    """Whether two texts of any length, finished or not, have the same
    score.

    This is not rare, because a text with the same pairs in another
    order has the same score.
    """
    beams, scores = [(0.0, [first])], []
    for _ in range(steps):
        beams = [
            (score + float(x), [*text, token])
            for score, text in beams
            for token, x in enumerate(log_probs[text[-1]])
            if x > -np.inf and (text[-1] != end or len(text) == 1)
        ]
        beams = sorted(beams, reverse=True)[:24]  # more than a search of three beams sees
        scores += [score for score, _ in beams]
    return bool((np.diff(np.sort(scores)) < 1e-6).any())


def _log(rows: list[list[float]]) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(np.array(rows))


# 0 and then 1 (.5) or 2 (.4); 1 leads to no likely text, 2 to 3 (.9). 3 is the end.
CORNER = _log([[0.0, 0.5, 0.4, 0.1], [0.4, 0.3, 0.3, 0.0], [0.1, 0.0, 0.0, 0.9], [1, 0, 0, 0]])

# From 0: 1 (.6), 2 (.4). From 1: 3 (.4) or 4 (.6), from 2 always 4. 4 ends.
FORK = _log(
    [
        [0, 0.6, 0.4, 0, 0],
        [0, 0, 0, 0.4, 0.6],
        [0, 0, 0, 0, 1.0],
        [0, 0, 0, 0, 1.0],
        [1.0, 0, 0, 0, 0],
    ]
)

# From 0 always 1, from 1: 2 (.6) or 3 (.4), from 3 always 4, the end.
LATER = _log(
    [
        [0, 1.0, 0, 0, 0],
        [0, 0, 0.6, 0.4, 0],
        [0, 0.45, 0, 0.35, 0.2],
        [0, 0, 0, 0, 1.0],
        [1.0, 0, 0, 0, 0],
    ]
)

EXERCISE = Exercise(
    id="decoding.search.4",
    title="Beam search",
    reference=search,
    points=4,
    n_generated=120,
    cases=(
        Case((CORNER, 0, 3, 2, 1), [0, 1, 0]),  # 0.5 * 0.4
        Case((CORNER, 0, 3, 2, 2), [0, 2, 3]),  # 0.4 * 0.9
        Case((CORNER, 0, 3, 1, 2), [0, 1]),
        Case((FORK, 0, 4, 3, 2), [0, 2, 4]),  # 0.4, before 0.36 and 0.24
        Case((FORK, 0, 4, 3, 1), [0, 1, 4]),
        Case((FORK, 1, 4, 3, 1), [1, 4]),
        Case((LATER, 0, 4, 3, 2), [0, 1, 3, 4]),  # 0.4, before 0.27
    ),
    generate=_draw,
    hints=(
        "Keep a list of beams, each a score and a text. One step makes a new list from it: every "
        "beam, continued by every token.",
        "Sort that list by score. Go through it from the top: a text that takes `end` (or any, "
        "at the last step) is finished if it is among the first k; of the others the first k "
        "continue.",
        "Begin with one beam, the pair (0.0, [first]), and an empty list of finished texts. "
        "Tuples sort by their first part, so sort(reverse=True) puts the best on top, and max "
        "finds it.",
    ),
    mutants={
        "You follow one text only. Keep k beams, but begin with one, because k copies of the "
        "prompt would stay copies.": lambda log_probs, first, end, steps, k: search(
            log_probs, first, end, steps, 1
        ),
        "You keep the best continuation of each beam. Sort the continuations of all beams in "
        "one list; several may come from one beam.": (
            "candidates.sort(reverse=True) -> candidates = sorted(candidates if step == 1 else "
            "{str(c[1][:-1]): c for c in sorted(candidates)}.values(), reverse=True)"
        ),
        "Your score is the last token's alone. Add it to the score of the beam "
        "it continues.": "score + float(log_prob) -> float(log_prob)",
        "You set aside every text that takes `end`. It must be among the first k of the sorted "
        "list.": "pairs[:k] -> pairs",
        "You continue texts that have ended. A text that took `end` is finished and has no "
        "next token.": ("[c for c, ended in pairs if not ended][:k] -> [c for c, _ in pairs[:k]]"),
        "You stop when the first text is finished. A beam that continues may still score "
        "higher.": "in beams: -> in beams if not whole else []:",
        "You stop when k texts are finished. A beam that continues may still score higher: go "
        "on to the last step.": "in beams: -> in beams if len(whole) < k else []:",
        "You return the best of the texts that took `end`. Those that reached the last step "
        "without it count as well.": (
            "max(whole)[1] -> max([c for c in whole if c[1][-1] == end] or whole)[1]"
        ),
        "You return the best of the texts that reached the last step. Those that ended before "
        "count as well.": (
            "max(whole)[1] -> max([c for c in whole if len(c[1]) > steps] or whole)[1]"
        ),
        "You divide by the length. Here the sum itself decides.": (
            "max(whole)[1] -> max(whole, key=lambda c: c[0] / (len(c[1]) - 1))[1]"
        ),
        "You leave out the prompt. Begin with `first`.": lambda log_probs, first, end, steps, k: (
            search(log_probs, first, end, steps, k)[1:]
        ),
    },
    alternates=[
        "[c for c, ended in pairs if not ended][:k] -> [c for c, ended in pairs[:k] if not ended]",
    ],
)


@EXERCISE.alternate
def _with_arrays(log_probs: Array, first: int, end: int, steps: int, k: int) -> list[int]:
    texts, scores = [[first]], np.zeros(1)
    best, found = -math.inf, [first]
    V = len(log_probs)
    for step in range(1, steps + 1):
        if not texts:
            break
        totals = (scores[:, None] + log_probs[[text[-1] for text in texts]]).ravel()
        order = np.argsort(-totals, kind="stable")
        going: list[int] = []
        for rank, i in enumerate(order.tolist()):
            if totals[i] == -np.inf:
                break
            if i % V != end and step < steps:
                going.append(i)
            elif rank < k and totals[i] > best:
                best, found = float(totals[i]), [*texts[i // V], i % V]
        going = going[:k]
        texts, scores = [[*texts[i // V], i % V] for i in going], totals[going]
    return found
