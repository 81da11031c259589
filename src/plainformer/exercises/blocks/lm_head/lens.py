"""Exercise 2: the logit lens."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def logit_lens(
    residuals: np.ndarray,
    gamma: np.ndarray,
    table: np.ndarray,
) -> np.ndarray:
    """Read the stream after every layer as if it were the last.

    For each layer and each position: RMSNorm with eps = 1 (divide by
    the root of the mean square plus 1, multiply by gamma), then the
    logits, dot products with the rows of the table, then softmax.
    residuals: (L, T, D). gamma: (D,). table: (V, D).
    Returns the probabilities, (L, T, V).

    >>> residuals, gamma = np.zeros((2, 1, 3)), np.ones(3)
    >>> logit_lens(residuals, gamma, np.ones((4, 3)))[0].tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    mean_square = (residuals**2).mean(axis=-1, keepdims=True)
    read = residuals / np.sqrt(mean_square + 1) * gamma
    logits = read @ table.T  # (L, T, V)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


_Three = tuple[Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Three:
    L, T, D, V = 2, int(rng.integers(1, 3)), 2, int(rng.integers(2, 4))
    residuals = rng.integers(-3, 4, size=(L, T, D)).astype(float)
    gamma = rng.integers(1, 4, size=D).astype(float)
    return residuals, gamma, rng.integers(-2, 3, size=(V, D)).astype(float)


def _given(residuals: object, gamma: object, table: object) -> _Three:
    x, scale, rows = (np.array(each, dtype=float) for each in (residuals, gamma, table))
    return x, scale, rows


_R3 = 3**0.5  # normed: √3 / √(3 + 1)
_LOG = 2 * np.log(3) / _R3  # by which the logit of √3 is log 3

EXERCISE = Exercise(
    id="blocks.lm_head.2",
    title="The logit lens",
    reference=logit_lens,
    points=2,
    compare=Arrays(),
    cases=(
        # Nothing in the stream: all tokens are equally likely.
        Case(_given([[[0, 0]]], [1, 1], [[1, 2], [3, 4]]), np.array([[[0.5, 0.5]]])),
        # Two layers, one number: at first nothing, then three times as likely.
        Case(
            _given([[[0]], [[_R3]]], [1], [[_LOG], [0]]),
            np.array([[[0.5, 0.5]], [[0.75, 0.25]]]),
        ),
        # γ = 2 turns 3 to 1 into 9 to 1.
        Case(_given([[[_R3]], [[0]]], [2], [[_LOG], [0]]), np.array([[[0.9, 0.1]], [[0.5, 0.5]]])),
        # Logits of about 1,000: exp overflows unless the largest is subtracted first.
        Case(_given([[[_R3]]], [1], [[2000], [0]]), np.array([[[1.0, 0.0]]])),
    ),
    generate=_draw,
    hints=(
        "The lens is the model's own end, put after every layer: norm, table, softmax.",
        "All three act on the last axis. With axis=-1 and keepdims=True, no loop over layers "
        "or positions is needed.",
        "read @ table.T also works for (L, T, D). Subtract the largest logit before np.exp.",
    ),
    mutants={
        "You have left out the norm. In training the head "
        "only saw normed vectors.": "read @ table.T -> (residuals * gamma) @ table.T",
        "You have left out gamma, which belongs to the "
        "norm.": "np.sqrt(mean_square + 1) * gamma -> np.sqrt(mean_square + 1)",
        "You have left out eps, which is 1 "
        "here.": "np.sqrt(mean_square + 1) -> np.sqrt(mean_square + 1e-9)",
        "You return logits. Softmax turns them into "
        "probabilities.": "return weights / weights.sum(axis=-1, keepdims=True) -> return logits",
        "Your softmax runs over positions. It should run over the tokens of the vocabulary, "
        "the "
        "last axis.": lambda residuals, gamma, table: _softmax(_logits(residuals, gamma, table), 1),
        "Your softmax runs over layers. Each layer is read by "
        "itself.": lambda residuals, gamma, table: _softmax(_logits(residuals, gamma, table), 0),
        "You read the sum of all layers. The stream after a layer is already a sum: read each "
        "as it is.": lambda residuals, gamma, table: _softmax(
            _logits(residuals.cumsum(axis=0), gamma, table), -1
        ),
        "exp overflows: subtract the largest logit of each "
        "row first.": "np.exp(logits - logits.max(axis=-1, keepdims=True)) -> np.exp(logits)",
        "You take only the last layer. The lens reads all of "
        "them.": lambda residuals, gamma, table: _softmax(
            _logits(residuals[-1:], gamma, table), -1
        ),
    },
    alternates=[
        lambda residuals, gamma, table: np.stack(
            [_softmax(_logits(layer[None], gamma, table), -1)[0] for layer in residuals]
        ),
        lambda residuals, gamma, table: (
            _softmax(_logits(residuals.reshape(-1, len(gamma))[None], gamma, table), -1)
        ).reshape(*residuals.shape[:2], len(table)),
    ],
)


def _logits(residuals: Array, gamma: Array, table: Array) -> Array:
    size = np.sqrt(np.square(residuals).mean(-1)[..., None] + 1)
    return np.einsum("ltd,d,vd->ltv", residuals / size, gamma, table)


def _softmax(logits: Array, axis: int) -> Array:
    weights = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)
