"""Attention where tokens are columns, as some texts write it."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def attention_in_columns(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Scaled dot-product attention; a token is a column, not a row.

    q: (K, T), one column for each query. k: (K, S). v: (D, S).
    Returns (D, T): column t is what query t finds.

    >>> one = np.ones((1, 1))
    >>> attention_in_columns(one, one, 3 * one)
    array([[3.]])
    """
    scores = k.T @ q / np.sqrt(len(q))  # (S, T)
    e = np.exp(scores - scores.max(axis=0))
    weights = e / e.sum(axis=0)  # (S, T), each column sums to 1
    return v @ weights


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    K, T, S, D = rng.integers(1, 5, size=4)
    size = rng.choice([1.0, 30.0])
    return (
        (size * rng.normal(size=(K, T))).round(2),
        (size * rng.normal(size=(K, S))).round(2),
        rng.normal(size=(D, S)).round(2),
    )


EXERCISE = Exercise(
    id="course.attention_in_columns",
    title="Attention in columns",
    reference=attention_in_columns,
    points=4,
    compare=Arrays(),
    cases=(
        # One key: whatever is asked, its value comes out.
        Case(
            (np.array([[1.0, 5.0]]), np.array([[2.0]]), np.array([[3.0], [4.0]])),
            np.array([[3.0, 3.0], [4.0, 4.0]]),
        ),
        # Scores 0 and ln 3: weights 1/4 and 3/4.
        Case(
            (np.array([[1.0]]), np.array([[0.0, np.log(3)]]), np.array([[0.0, 4.0]])),
            np.array([[3.0]]),
        ),
        # K = 4: the score is 4 / 2.
        Case(
            (np.ones((4, 1)), np.array([[1.0, 0.0]] * 4), np.array([[1.0, 0.0]])),
            np.array([[np.exp(2.0) / (np.exp(2.0) + 1)]]),
        ),
        # Scores of 0 and 3,000: no overflow.
        Case(
            (np.array([[3000.0]]), np.array([[0.0, 1.0]]), np.array([[5.0, 7.0]])),
            np.array([[7.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Write the shapes beside each line. Which product of q and k has a score for each key and "
        "each query?",
        "With scores (S, T), the weights of one query are a column: softmax runs over axis 0.",
        "v is (D, S), the weights are (S, T): v @ weights is (D, T).",
    ),
    mutants={
        "Your weights sum to 1 over the queries. Those of one query sum to 1 over the keys.": (
            "scores.max(axis=0)) -> scores.max(axis=1, keepdims=True)); "
            "e.sum(axis=0) -> e.sum(axis=1, keepdims=True)"
        ),
        "Your scores are not scaled: divide by the root of K.": "/ np.sqrt(len(q)) -> ",
        "You divide by K. It is its root.": "np.sqrt(len(q)) -> len(q)",
        "You scale by the root of the number of queries. K is the number of rows here.": (
            "len(q) -> q.shape[1]"
        ),
        "Large scores overflow in yours: take the largest off first.": (
            "scores - scores.max(axis=0) -> scores"
        ),
        "Queries and keys have changed places.": (
            "k.T @ q / np.sqrt(len(q)) -> (q.T @ k / np.sqrt(len(q)))"
        ),
        "You take the value of the best key alone. Attention is a weighted mean of all.": (
            "return v @ weights -> return v @ (weights == weights.max(axis=0)).astype(float)"
        ),
    },
)


@EXERCISE.alternate
def _in_rows_and_back(q: Array, k: Array, v: Array) -> Array:
    scores = q.T @ k / q.shape[0] ** 0.5
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True) @ v.T).T
