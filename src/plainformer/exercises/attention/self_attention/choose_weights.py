"""Exercise 3: choose the matrices so that every token attends where it is told to."""

from typing import Any

import numpy as np

from plainformer.exercises.compare import describe_size, safe_repr, shorten
from plainformer.exercises.spec import Case, Exercise


def choose_weights(
    wanted: list[int],
) -> tuple[np.ndarray, np.ndarray]:
    """Choose W_q and W_k so that token i looks at token wanted[i].

    The tokens are one-hot: token i is row i of np.eye(D), where D
    is len(wanted), at least 2. So X = np.eye(D).
    Returns (W_q, W_k), each (D, K); you choose the width K.
    They will be used as in the chapter: the scores are X W_q
    times the transpose of X W_k, divided by √K; softmax turns them into
    weights. Each token must give 0.9 or more of its attention to the
    token it should look at. There are many right answers.

    >>> w_q, w_k = choose_weights([1, 0, 0])
    >>> weights = np.exp(w_q @ w_k.T / np.sqrt(w_q.shape[1]))
    >>> weights /= weights.sum(axis=1, keepdims=True)
    >>> weights.round(1).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    d_model = len(wanted)
    w_k = np.eye(d_model)  # each token's key is its own index
    w_q = np.eye(d_model)[wanted]  # row i asks for the wanted one
    return 10 * np.sqrt(d_model) * w_q, w_k  # scores 10 and 0


class _One(tuple[Any, Any]):
    """One of many right answers."""

    __slots__ = ()


class _Looks:
    """Compare where tokens look and how strongly, not the matrices that make them look there."""

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if not isinstance(got, tuple | list) or len(got) != 2:
            return f"it should be two arrays, (W_q, W_k), not {describe_size(got)}"
        d_model = len(expected[0])
        for name, w in zip(("W_q", "W_k"), got, strict=True):
            if not isinstance(w, np.ndarray) or w.ndim != 2 or w.dtype.kind not in "iuf":
                return f"{name} should be a NumPy array (D, K) of numbers, not {describe_size(w)}"
            if len(w) != d_model or not w.shape[1]:
                return (
                    f"{name} should have {d_model} rows, one for each token, and 1 column or "
                    f"more; its shape is {w.shape}"
                )
            if not np.isfinite(w).all():
                return f"{name} holds a NaN or an infinity"
        if got[0].shape != got[1].shape:
            return (
                f"W_q and W_k should be equally wide; their shapes are {got[0].shape} and "
                f"{got[1].shape}"
            )
        want, have = _weights(*expected), _weights(*got)
        if not np.isfinite(have).all():
            return "the scores are too large for a computer's numbers: make the matrices smaller"
        for i, (right, row) in enumerate(zip(want, have, strict=True)):
            first, at = _first(row), int(right.argmax())
            if right.max() < 0.9 and row.max() < 0.9 and np.array_equal(first, _first(right)):
                continue  # a mutant with weak attention, and an answer that is weak in the same way
            if at not in first:
                aim = f", not at token {at}" if reveal else ", which is not the wanted one"
                return f"token {i} looks at token {int(first[0])} most{aim}"
            if row[at] < 0.9 or right.max() < 0.9:
                share = np.floor(1000 * row[at]) / 1000  # so that 0.8997 is shown as less than 0.9
                return f"token {i} gives token {at} {share:.3f} of its attention, less than 0.9"
        return None

    def show(self, value: Any) -> str:
        if not isinstance(value, tuple) or not all(isinstance(w, np.ndarray) for w in value):
            return shorten(safe_repr(value))
        names = (f"W_{'qk'[i]}" for i in range(len(value)))
        shown = (np.array2string(w, precision=2, threshold=36) for w in value)
        text = "".join(f"\n{name} =\n{numbers}" for name, numbers in zip(names, shown, strict=True))
        return "one of many right answers" + text if isinstance(value, _One) else text


def _first(row: Any) -> Any:
    """The tokens with the largest weight: one, or several with equal weights."""
    return np.flatnonzero(np.isclose(row, row.max()))


def _weights(w_q: Any, w_k: Any) -> Any:
    """The weights that one-hot tokens get: X is the identity."""
    with np.errstate(all="ignore"):
        scores = np.asarray(w_q, float) @ np.asarray(w_k, float).T / np.sqrt(w_q.shape[1])
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def _draw(rng: np.random.Generator) -> tuple[list[int]]:
    n = int(rng.integers(2, 8))
    return (rng.integers(n, size=n).tolist(),)


EXERCISE = Exercise(
    id="attention.self_attention.3",
    title="Make them look",
    reference=choose_weights,
    points=3,
    compare=_Looks(),
    cases=(
        # Both want token 0. By hand: scores 8 and 0; exp(-8) is small.
        Case(([0, 0],), _One((np.array([[8.0], [8.0]]), np.array([[1.0], [0.0]])))),
        # Each wants the other, and opposite signs are enough: scores 9 and -9.
        Case(([1, 0],), _One((np.array([[-9.0], [9.0]]), np.array([[1.0], [-1.0]])))),
        # In a ring: width 3, scores 20 / √3 and 0.
        Case(([1, 2, 0],), _One((np.array([[0.0, 20, 0], [0, 0, 20], [20, 0, 0]]), np.eye(3)))),
        # Three look at one token, which looks back at the first of them.
        Case(
            ([3, 3, 3, 0],),
            _One(
                (np.array([[9.0], [9.0], [9.0], [-9.0]]), np.array([[-2.0], [0.0], [0.0], [2.0]]))
            ),
        ),
        # Every token looks at itself, as in version 1 but with larger scores.
        Case(([0, 1, 2],), _One((30 * np.eye(3), np.eye(3)))),
    ),
    generate=_draw,
    hints=(
        "X is the identity, so row i of W_q is the query of token i, and row j of W_k is the key "
        "of token j. You may write each of them down as you like.",
        "Give every token a key that resembles no other key, such as a row of the identity. "
        "Which query resembles the key of token wanted[i] and no other?",
        "Then the score of the wanted token is 1 / √K and all others are 0: far from 0.9. Longer "
        "queries make the softmax sharper.",
    ),
    mutants={
        "Queries and keys are swapped, or one of the matrices is transposed: token i should "
        "look at wanted[i], and yours is looked at by it.": (
            "10 * np.sqrt(d_model) * w_q, w_k -> w_k, 10 * np.sqrt(d_model) * w_q"
        ),
        "A sign is wrong: your tokens look away from the one they "
        "should look at.": "return 10 -> return -10",
        "Queries and keys are the same, as in version 1, so tokens look at similar tokens. A "
        "token's key says what it is, its query says what it wants.": (
            "return 10 * np.sqrt(d_model) * w_q, w_k -> return (w_q := 10 * np.sqrt(d_model) * "
            "w_q), w_q"
        ),
        "Yours never uses wanted: every token asks for itself.": "* w_q, w_k -> * w_k, w_k",
        "Your tokens look the right way, but not strongly enough: the scores are too close "
        "together. What happens to a softmax "
        "when the queries are longer?": "10 * np.sqrt(d_model) * w_q -> w_q",
        "Your answer is sharp enough for a few tokens. But your keys grow wider with every "
        "token, and √K makes the scores smaller, so make the queries "
        "longer by the same factor.": "np.sqrt(d_model) * -> ",
        "All your tokens look at the same one. Row i of W_q is for token i alone: it must "
        "depend on wanted[i].": lambda wanted: choose_weights([wanted[0]] * len(wanted)),
        "Your tokens look one too far back: tokens are counted from 0.": lambda wanted: (
            choose_weights([at - 1 for at in wanted])
        ),
    },
)


@EXERCISE.alternate
def _on_a_circle(wanted: list[int]) -> tuple[Any, Any]:
    """Two columns are enough: keys on a circle, and a long query that points at its key."""
    angle = 2 * np.pi * np.arange(len(wanted)) / len(wanted)
    w_k = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return 100 * w_k[wanted], w_k


@EXERCISE.alternate
def _all_in_the_keys(wanted: list[int]) -> tuple[Any, Any]:
    """All queries are plain indices; the keys encode which tokens should look at them."""
    w_k = np.zeros((len(wanted), len(wanted)))
    for asker, found in enumerate(wanted):
        w_k[found, asker] = 50
    return np.eye(len(wanted)), w_k


@EXERCISE.alternate
def _by_factors(wanted: list[int]) -> tuple[Any, Any]:
    u, size, v = np.linalg.svd(40 * np.eye(len(wanted))[np.array(wanted)])
    return u * np.sqrt(size), v.T * np.sqrt(size)
