"""Exercise 2: split GPT-2's fused, transposed projection."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def split_c_attn(
    weight: np.ndarray,
    bias: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Split GPT-2's c_attn into three layers of nn.Linear.

    GPT-2 computes x @ weight + bias: D numbers of the query, then
    D of the key, then D of the value. nn.Linear computes x @ w.T + b.
    weight: (D, 3 D). bias: (3 D,).
    Returns (w_q, w_k, w_v, b_q, b_k, b_v): each w is (D, D) as
    nn.Linear wants it, each b is (D,).

    >>> weight = np.arange(12.0).reshape(2, 6)
    >>> split_c_attn(weight, np.arange(6.0))[0].tolist()
    [[0.0, 6.0], [1.0, 7.0]]
    """
    D = len(weight)
    parts = [slice(0, D), slice(D, 2 * D), slice(2 * D, 3 * D)]
    weights = [weight[:, part].T for part in parts]
    biases = [bias[part] for part in parts]
    return (*weights, *biases)


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    D = int(rng.integers(2, 4))
    weight, bias = rng.integers(-9, 10, size=(D, 3 * D)), rng.integers(-9, 10, size=3 * D)
    return weight.astype(float), bias.astype(float)


def _arrays(*rows: object) -> tuple[Array, ...]:
    return tuple(np.array(row, dtype=float) for row in rows)


EXERCISE = Exercise(
    id="blocks.published_weights.2",
    title="GPT-2's c_attn",
    reference=split_c_attn,
    points=2,
    compare=Arrays(),
    cases=(
        # One number wide: nothing to transpose.
        Case(
            (np.array([[1.0, 2, 3]]), np.array([4.0, 5, 6])),
            _arrays([[1]], [[2]], [[3]], [4], [5], [6]),
        ),
        Case(
            (np.array([[1.0, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]), np.arange(6.0)),
            _arrays(
                [[1, 7], [2, 8]], [[3, 9], [4, 10]], [[5, 11], [6, 12]], [0, 1], [2, 3], [4, 5]
            ),
        ),
        # GPT-2's file with nothing in it but one query's share of its second number.
        Case(
            (np.array([[0.0] * 6, [1.0, 0, 0, 0, 0, 0]]), np.zeros(6)),
            _arrays([[0, 1], [0, 0]], [[0, 0]] * 2, [[0, 0]] * 2, [0, 0], [0, 0], [0, 0]),
        ),
    ),
    generate=_draw,
    hints=(
        "The 3 D columns belong to the query, the key and the value: D adjacent columns each.",
        "weight[:, :D] makes the query: x @ weight[:, :D]. nn.Linear wants the matrix whose "
        "transpose that is.",
        "Three slices, of the columns of weight and of the numbers of bias. Each matrix is "
        "transposed with .T; a bias needs no transposing.",
    ),
    mutants={
        "The matrices are as GPT-2 has them. nn.Linear wants each transposed: "
        "(out, in).": "weight[:, part].T -> weight[:, part]",
        "You cut the rows of the transposed matrix into thirds that are interleaved. Query, key "
        "and value are D neighbouring columns each.": "parts = [slice(0, D), slice(D, 2 * D), "
        "slice(2 * D, 3 * D)] -> parts = [slice(0, None, 3), slice(1, None, 3), slice(2, None, 3)]",
        "The order is query, key, value. Yours is value, key, "
        "query.": "parts = [slice(0, D), slice(D, 2 * D), slice(2 * D, 3 * D)] -> "
        "parts = [slice(2 * D, 3 * D), slice(D, 2 * D), slice(0, D)]",
        "The order is query, key, value. Yours has key and value the other way "
        "round.": "parts = [slice(0, D), slice(D, 2 * D), slice(2 * D, 3 * D)] -> "
        "parts = [slice(0, D), slice(2 * D, 3 * D), slice(D, 2 * D)]",
        "The biases are those of the query, three times. Each part has its "
        "own.": "biases = [bias[part] for part in parts] -> biases = [bias[:D]] * 3",
        "First the three matrices, then the three biases.": (
            "return (*weights, *biases) -> return tuple(each for pair in zip(weights, biases) "
            "for each in pair)"
        ),
        "The biases are missing: six arrays, three matrices and three "
        "biases.": "return (*weights, *biases) -> return tuple(weights)",
        "You reshape. That changes which numbers belong together: slice the columns and "
        "transpose.": "weights = [weight[:, part].T for part in parts] -> "
        "weights = list(weight.reshape(3, D, D))",
        "You reshape the transposed matrix and then slice its columns. After .T the parts are "
        "rows.": "weights = [weight[:, part].T for part in parts] -> "
        "weights = list(weight.T.reshape(D, 3, D).swapaxes(0, 1))",
    },
    alternates=[
        lambda weight, bias: (*np.split(weight.T, 3), *np.split(bias, 3)),
        lambda weight, bias: (*weight.T.reshape(3, len(weight), -1), *bias.reshape(3, -1)),
        lambda weight, bias: tuple(
            part.T for part in (*np.split(weight, 3, axis=1), *np.split(bias, 3))
        ),
    ],
)


@EXERCISE.alternate
def _number_by_number(weight: Array, bias: Array) -> tuple[Array, ...]:
    D = len(bias) // 3
    out = [np.zeros((D, D)) for _ in range(3)]
    for i in range(D):
        for j in range(3 * D):
            out[j // D][j % D, i] = weight[i, j]
    return (*out, bias[:D], bias[D : 2 * D], bias[2 * D :])
