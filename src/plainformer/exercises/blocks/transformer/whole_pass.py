"""Exercise 2: a whole decoder-only model, from IDs to logits."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def forward_pass(
    ids: list[int],
    table: np.ndarray,
    networks: list[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Compute the logits of a small decoder-only transformer.

    The stream begins with the IDs' rows of the table. Each layer adds
    causal attention of the stream to itself, in which queries, keys
    and values are the vectors themselves and scores are divided by
    the root of D; then relu(x @ w_up) @ w_down, for every token.
    There are no norms and no positions, and the head is tied: a logit
    is the dot product of a vector with a row of the table.
    ids: T numbers. table: (V, D). networks: for each layer its w_up,
    (D, F), and its w_down, (F, D). Returns (T, V).

    >>> no = (np.zeros((1, 1)), np.zeros((1, 1)))
    >>> forward_pass([1], np.array([[1.0], [2.0]]), [no])
    array([[4., 8.]])
    """
    x = table[ids]
    future = np.triu(np.ones((len(ids), len(ids)), dtype=bool), 1)
    for w_up, w_down in networks:
        scores = x @ x.T / np.sqrt(x.shape[1])
        e = np.exp(np.where(future, -np.inf, scores))
        x = x + e / e.sum(axis=1, keepdims=True) @ x
        x = x + np.maximum(x @ w_up, 0) @ w_down
    return x @ table.T


_Given = tuple[list[int], Array, list[tuple[Array, Array]]]


def _draw(rng: np.random.Generator) -> _Given:
    V, D, F, L, T = 3, 2, int(rng.integers(1, 3)), int(rng.integers(1, 3)), 3
    table = rng.integers(-2, 3, size=(V, D)) / 2
    networks = [
        (rng.integers(-2, 3, size=(D, F)) / 2, rng.integers(-2, 3, size=(F, D)) / 2)
        for _ in range(L)
    ]
    return [int(i) for i in rng.integers(0, V, size=T)], table, networks


def _network(up: object, down: object) -> tuple[Array, Array]:
    return np.array(up, dtype=float), np.array(down, dtype=float)


_NO = _network([[0]], [[0]])
_TWO = np.array([[1.0], [2.0]])

EXERCISE = Exercise(
    id="blocks.transformer.2",
    title="A whole forward pass",
    reference=forward_pass,
    points=3,
    compare=Arrays(),
    cases=(
        # No layers: the rows of the table, compared with all rows.
        Case(([0, 1], _TWO, []), np.array([[1.0, 2.0], [2.0, 4.0]])),
        # A token that is alone finds itself: 2 + 2.
        Case(([1], _TWO, [_NO]), np.array([[4.0, 8.0]])),
        # The network doubles the 4 and adds it: 12.
        Case(([1], _TWO, [_network([[1]], [[2]])]), np.array([[12.0, 24.0]])),
        # relu cuts the -4 off.
        Case(([1], _TWO, [_network([[-1]], [[2]])]), np.array([[4.0, 8.0]])),
        # Two layers: 2, 4, 8.
        Case(([1], _TWO, [_NO, _NO]), np.array([[8.0, 16.0]])),
        # The first token does not see the second; the second finds itself, for e⁻³⁶ is tiny.
        Case(
            ([0, 1], np.array([[1.0], [7.0]]), [_network([[0]], [[0]])]),
            np.array([[2.0, 14.0], [14.0, 98.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "table[ids] is the stream. Each layer changes it twice, by x = x + something.",
        "Attention is a softmax over x @ x.T / √D, times x. np.triu(..., 1) marks the future.",
        "The logits of all tokens are one product of x with the transposed table.",
    ),
    mutants={
        "Your tokens see the future: hide what comes later.": "np.where(future, -np.inf, scores) "
        "-> scores",
        "The residual around attention is missing: add what it finds to x.": "x = x + e / e.sum -> "
        "x = e / e.sum",
        "The residual around the network is missing.": "x = x + np.maximum -> x = np.maximum",
        "The scores are not scaled: divide them by √D.": " / np.sqrt(x.shape[1]) -> ",
        "The network's activation is missing: relu.": "np.maximum(x @ w_up, 0) -> (x @ w_up)",
        "Your network reads the stream before attention. It should read the sum.": (
            "x = x + e / e.sum -> old = x\n        x = x + e / e.sum; np.maximum(x @ w_up -> "
            "np.maximum(old @ w_up"
        ),
        "You return vectors. The logits are dot products with the rows of the table.": (
            "return x @ table.T -> return x"
        ),
        "You compute the last token only. Every token has a row of logits.": (
            "return x @ table.T -> return x[-1] @ table.T"
        ),
        "Your softmax runs over the tokens that attend. Each row of weights should sum to "
        "1.": "e.sum(axis=1 -> e.sum(axis=0",
        "Only one layer of yours works: each reads what the one before has "
        "left.": "in networks -> in networks[:1]",
    },
)


@EXERCISE.alternate
def _token_by_token(ids: list[int], table: Array, networks: list[tuple[Array, Array]]) -> Array:
    stream = [table[i] for i in ids]
    for w_up, w_down in networks:
        after = []
        for t, row in enumerate(stream):
            seen = np.array(stream[: t + 1])
            e = np.exp(seen @ row / len(row) ** 0.5)
            row = row + e @ seen / e.sum()
            after.append(row + (row @ w_up).clip(min=0) @ w_down)
        stream = after
    return np.array([[row @ word for word in table] for row in stream])


@EXERCISE.alternate
def _added_mask(ids: list[int], table: Array, networks: list[tuple[Array, Array]]) -> Array:
    x = np.take(table, ids, axis=0)
    hidden = np.triu(np.full((len(ids), len(ids)), -np.inf), 1)
    for w_up, w_down in networks:
        e = np.exp(np.einsum("td,sd->ts", x, x) * x.shape[1] ** -0.5 + hidden)
        x = x + np.einsum("ts,sd->td", e, x) / e.sum(axis=1)[:, None]
        wide = x @ w_up
        x = x + np.where(wide > 0, wide, 0) @ w_down
    return np.einsum("td,vd->tv", x, table)
