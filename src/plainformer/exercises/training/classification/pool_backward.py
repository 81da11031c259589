"""Exercise 2: the gradient that each token gets from the masked mean."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def masked_mean_backward(
    grad: np.ndarray,
    is_token: np.ndarray,
) -> np.ndarray:
    """Compute the gradient that goes back through the masked mean.

    In the forward pass, each text's vector was the mean over its
    tokens, without the padding. In the backward pass, each text's
    vector has a gradient, from which the vectors that were averaged get
    theirs.
    grad: (B, D), of each text's vector. is_token: (B, T), boolean,
    False where there is padding. Every text has a token or more.
    Returns the gradient of x, (B, T, D).

    >>> grad, is_token = np.array([[6.0, 2.0]]), [[True, True, False]]
    >>> masked_mean_backward(grad, np.array(is_token)).tolist()
    [[[3.0, 1.0], [3.0, 1.0], [0.0, 0.0]]]
    """
    counts = is_token.sum(axis=1, keepdims=True)  # (B, 1)
    share = is_token / counts  # (B, T)
    return share[:, :, None] * grad[:, None, :]


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    B, T, D = (int(n) for n in rng.integers(2, [4, 5, 4]))
    is_token = rng.random((B, T)) < 0.5
    is_token[np.arange(B), rng.integers(T, size=B)] = True
    return rng.integers(-9, 10, size=(B, D)).astype(float), is_token


def _given(grad: object, is_token: object) -> tuple[Array, Array]:
    return np.array(grad, dtype=float), np.array(is_token, dtype=bool)


EXERCISE = Exercise(
    id="training.classification.2",
    title="The masked mean, backward",
    reference=masked_mean_backward,
    points=2,
    compare=Arrays(),
    cases=(
        Case(_given([[6, 2]], [[1, 1, 0]]), np.array([[[3.0, 1], [3, 1], [0, 0]]])),
        # A single token gets the whole gradient.
        Case(_given([[4, -1, 0]], [[0, 1]]), np.array([[[0.0, 0, 0], [4, -1, 0]]])),
        # Two texts, of two tokens and of three.
        Case(
            _given([[2], [9]], [[1, 0, 1], [1, 1, 1]]),
            np.array([[[1.0], [0], [1]], [[3], [3], [3]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "If one number of one token grows by 1, by how much does the mean grow? That is the "
        "factor between the two gradients.",
        "With n tokens the mean grows by 1 / n for each of them. Padding is not part of it, so "
        "for padding the factor is 0.",
        "is_token / counts has the shape (B, T). Give it a third axis, and grad a second one, and "
        "they multiply to (B, T, D).",
    ),
    mutants={
        "Each token gets the whole gradient. But a mean of n tokens moves by only one n-th "
        "when one of them moves.": "share = is_token / counts -> share = is_token * 1.0",
        "You divide by T. It was the mean over the tokens, so divide by their "
        "number.": "is_token / counts -> is_token / is_token.shape[1]",
        "You give padding a gradient. It was not part "
        "of the mean, so it gets 0.": "is_token / counts -> np.ones(is_token.shape) / counts",
        "All positions get the same share, as in the plain mean. Padding gets 0, tokens get "
        "more.": "is_token / counts -> np.ones(is_token.shape) / is_token.shape[1]",
        "You divide by the number of tokens in the whole batch. Each text has its own "
        "number.": "is_token.sum(axis=1, keepdims=True) -> is_token.sum()",
        "The padding gets the gradient, and the tokens none: True marks a token.": (
            "share = is_token / counts -> share = ~is_token / counts"
        ),
        "You multiply by the number of tokens. It "
        "divides.": "is_token / counts -> is_token * counts",
        "The gradient of all features is added up. Each feature has its "
        "own.": "grad[:, None, :] -> grad.sum(axis=1)[:, None, None] + 0 * grad[:, None, :]",
    },
    alternates=[
        lambda grad, is_token: np.einsum(
            "bd,bt->btd", grad / is_token.sum(axis=1, keepdims=True), is_token
        ),
        lambda grad, is_token: np.where(
            is_token[..., None], (grad / is_token.sum(-1)[:, None])[:, None], 0.0
        ),
    ],
)


@EXERCISE.alternate
def _text_by_text(grad: Array, is_token: Array) -> Array:
    found = np.zeros((*is_token.shape, grad.shape[1]))
    for b, row in enumerate(is_token):
        found[b, row] = grad[b] / np.count_nonzero(row)
    return found
