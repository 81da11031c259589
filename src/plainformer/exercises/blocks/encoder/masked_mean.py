"""Exercise 1: the mean of a text's vectors, without the padding."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def masked_mean(x: np.ndarray, is_token: np.ndarray) -> np.ndarray:
    """Compute one vector for each text: the mean over its tokens.

    x: (B, T, D), B texts in one batch, filled up with padding.
    is_token: (B, T), boolean, False where there is padding. Every text
    has at least one token.
    Returns (B, D).

    >>> x = np.array([[[1.0, 2.0], [3.0, 6.0], [50.0, 50.0]]])
    >>> masked_mean(x, np.array([[True, True, False]])).tolist()
    [[2.0, 4.0]]
    """
    counts = is_token.sum(axis=1, keepdims=True)  # (B, 1)
    return (x * is_token[:, :, None]).sum(axis=1) / counts


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    B, T, D = (int(n) for n in rng.integers(2, [4, 5, 3]))
    x = rng.integers(-9, 10, size=(B, T, D)).astype(float)
    is_token = rng.random((B, T)) < 0.5
    is_token[np.arange(B), rng.integers(T, size=B)] = True
    return x, is_token


def _given(x: object, is_token: object) -> tuple[Array, Array]:
    return np.array(x, dtype=float), np.array(is_token, dtype=bool)


EXERCISE = Exercise(
    id="blocks.encoder.1",
    title="The mean without padding",
    reference=masked_mean,
    compare=Arrays(),
    cases=(
        Case(_given([[[1, 2], [3, 6], [50, 50]]], [[1, 1, 0]]), np.array([[2.0, 4.0]])),
        # No padding: the plain mean.
        Case(_given([[[1], [2], [6]]], [[1, 1, 1]]), np.array([[3.0]])),
        # Two texts of different lengths; the second is padded on the left.
        Case(
            _given([[[4, 0], [0, 2], [9, 9]], [[9, 9], [9, 9], [5, 7]]], [[1, 1, 0], [0, 0, 1]]),
            np.array([[2.0, 1.0], [5.0, 7.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "A mean is a sum, divided by how many were added. Both must leave the padding out.",
        "Multiplied by 0, a padded vector adds nothing. is_token[:, :, None] has the shape "
        "(B, T, 1), and multiplies every number of a token.",
        "is_token.sum(axis=1, keepdims=True) counts the tokens of each text: (B, 1).",
    ),
    mutants={
        "You take the mean over all positions. Padding must be left out.": lambda x, is_token: (
            x.mean(axis=1)
        ),
        "The sum leaves the padding out, but you divide by T. Divide by the number of "
        "tokens.": lambda x, is_token: (x * is_token[:, :, None]).mean(axis=1),
        "You divide by the number of tokens, but padding is still in the sum.": (
            "(x * is_token[:, :, None]) -> x"
        ),
        "You have kept the padding and left out the "
        "tokens: True marks a token.": lambda x, is_token: (
            (x * ~is_token[:, :, None]).sum(axis=1)
            / np.maximum((~is_token).sum(axis=1, keepdims=True), 1)
        ),
        "You divide by the number of tokens in the whole batch. Each text has its own "
        "number.": "is_token.sum(axis=1, keepdims=True) -> is_token.sum()",
        "That is the sum. Divide it by the number of tokens.": " / counts ->",
        "You take the mean of all tokens in the batch. Each text has a mean of its "
        "own.": lambda x, is_token: np.tile(x[is_token].mean(axis=0), (len(x), 1)),
        "That is the first token's vector. The mean is over all tokens of a "
        "text.": lambda x, is_token: x[:, 0],
        "That is the maximum of each feature, which is max pooling. The task asks "
        "for the mean.": lambda x, is_token: np.where(is_token[:, :, None], x, -np.inf).max(axis=1),
    },
    alternates=[
        lambda x, is_token: np.stack(
            [rows[real].mean(axis=0) for rows, real in zip(x, is_token, strict=True)]
        ),
        lambda x, is_token: np.einsum(
            "btd,bt->bd", x, is_token / is_token.sum(axis=1, keepdims=True)
        ),
        lambda x, is_token: np.mean(
            x, axis=1, where=np.broadcast_to(is_token[:, :, None], x.shape)
        ),
    ],
)
