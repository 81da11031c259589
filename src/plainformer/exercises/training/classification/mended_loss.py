"""Exercise 4: a bug hunt. The task shows a classifier's loss with three wrong lines."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def mended_loss(
    texts: list[list[int]],
    labels: np.ndarray,
    table: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Mend the loss of a classifier. Three of its nine lines are wrong.

    It runs, and its shapes are right. Its symptoms: the loss of a
    text depends on the other texts of its batch; and it stays high,
    however certain the model is.

        T = max(len(text) for text in texts)                 # 1
        ids = np.array([text + [0] * (T - len(text))         # 2
                        for text in texts])
        is_token = ids > 0                                   # 3
        x = table[ids] * is_token[:, :, None]                # 4
        mean = x.sum(axis=1) / T                             # 5
        logits = mean @ weight                               # 6
        p = np.exp(logits) / np.exp(logits).sum(             # 7
            axis=0, keepdims=True)
        p = np.exp(p) / np.exp(p).sum(                       # 8
            axis=1, keepdims=True)
        return -np.log(p[np.arange(len(texts)), labels])     # 9

    texts: B lists of ids, none of them empty, and no token has the
    id 0, which is padding. labels: (B,). table: (V, D).
    weight: (D, K).
    Returns the loss of each text, (B,), not their mean.

    >>> table, weight = np.array([[5.0], [0], [0]]), np.ones((1, 2))
    >>> texts, labels = [[1, 2], [2]], np.array([0, 1])
    >>> mended_loss(texts, labels, table, weight).round(3).tolist()
    [0.693, 0.693]
    """
    longest = max(map(len, texts))
    filled = np.zeros((len(texts), longest), dtype=int)
    for row, text in zip(filled, texts, strict=True):
        row[: len(text)] = text
    real = filled > 0  # (B, T)
    total = (table[filled] * real[:, :, None]).sum(axis=1)
    scores = total / real.sum(axis=1, keepdims=True) @ weight
    shares = np.exp(scores)  # (B, K)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return -np.log(shares[np.arange(len(texts)), labels])


_Four = tuple[list[list[int]], Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    B, V, D, K = (int(n) for n in rng.integers([2, 3, 1, 2], [4, 6, 3, 4]))
    lengths = [*rng.integers(1, 5, size=B - 1).tolist(), 5]
    texts = [rng.integers(1, V, size=n).tolist() for n in lengths]
    table, weight = (rng.integers(-3, 4, size=s).astype(float) for s in ((V, D), (D, K)))
    table[0] = rng.integers(1, 4, size=D)
    return texts, rng.integers(K, size=B), table, weight


def _given(texts: list[list[int]], labels: object, table: object, weight: object) -> _Four:
    return texts, np.array(labels), np.array(table, dtype=float), np.array(weight, dtype=float)


_COUNT = "/ real.sum(axis=1, keepdims=True) -> / longest"
_AXIS = "shares = shares / shares.sum(axis=1 -> shares = shares / shares.sum(axis=0"
_TWICE = (
    "return -np.log(shares -> "
    "shares = np.exp(shares) / np.exp(shares).sum(axis=1, keepdims=True)\n"
    "    return -np.log(shares"
)
_L3, _L5 = np.log(3.0), np.log(5.0)

EXERCISE = Exercise(
    id="training.classification.4",
    title="A bug hunt",
    reference=mended_loss,
    points=2,
    compare=Arrays(),
    cases=(
        # Vectors of zeros: both labels are equally likely.
        Case(_given([[1, 2], [2]], [0, 1], [[5], [0], [0]], [[1, 1]]), np.array([np.log(2)] * 2)),
        # The mean of 0 and 2 ln 3 is ln 3, so e to it is 3, to 1: shares of 3/4 and 1/4.
        Case(
            _given([[1, 2], [2, 2]], [0, 1], [[7], [0], [2 * _L3]], [[1, 0]]),
            np.array([np.log(4 / 3), np.log(10)]),
        ),
        # A text of one token beside one of three: its mean is its token, ln 5.
        Case(
            _given([[1, 1, 1], [2]], [1, 0], [[7], [0], [_L5]], [[1, 0]]),
            np.array([np.log(2), np.log(6 / 5)]),
        ),
    ),
    generate=_draw,
    hints=(
        "Give it the same text twice: alone, and beside a longer one. Its loss must be the "
        "same. Which lines let the longer one influence it?",
        "If one logit is 100 and the other 0, the right loss is 0. How many times does the code "
        "take the softmax?",
        "The lines 1, 2, 3, 4, 6 and 9 are right.",
    ),
    mutants={
        "These are the lines unchanged. Three of them are wrong.": f"{_COUNT}; {_AXIS}; {_TWICE}",
        "One of three is left, in the mean: by what number do you divide?": _COUNT,
        "One of three is left: over what do the probabilities of a text sum to 1?": _AXIS,
        "One of three is left, near the end: softmax is applied to logits, and only once.": _TWICE,
        "Two of three are left: what the sum is divided by, and what sums to "
        "1.": f"{_COUNT}; {_AXIS}",
        "Two of three are left: what the sum is divided by, and how often softmax is "
        "taken.": f"{_COUNT}; {_TWICE}",
        "Two of three are left: what sums to 1, and how often softmax is "
        "taken.": f"{_AXIS}; {_TWICE}",
        "Line 3 was right: padding has the id 0, and every "
        "id above that is a token.": "filled > 0 -> filled >= 0",
        "Line 4 was right: padding has a row in the table, and is kept out of the "
        "sum.": " * real[:, :, None] ->",
        "That is the loss of the whole batch. Return one number for each "
        "text.": lambda texts, labels, table, weight: mended_loss(
            texts, labels, table, weight
        ).mean(keepdims=True),
        "A loss is -log p, not p.": "-np.log(shares[ -> (shares[",
        "You have kept the padding and left out the "
        "tokens.": "filled > 0 -> (filled == 0) | (longest == 1)",
        "That is the sum of the token vectors. Line 5 makes their "
        "mean.": " / real.sum(axis=1, keepdims=True) ->",
    },
)


@EXERCISE.alternate
def _text_by_text(texts: list[list[int]], labels: Array, table: Array, weight: Array) -> Array:
    losses = []
    for text, label in zip(texts, labels, strict=True):
        logits = table[text].mean(axis=0) @ weight
        losses.append(np.logaddexp.reduce(logits) - logits[label])
    return np.array(losses)


@EXERCISE.alternate
def _with_bags(texts: list[list[int]], labels: Array, table: Array, weight: Array) -> Array:
    bags = np.array([np.bincount(text, minlength=len(table)) for text in texts])
    logits = bags / bags.sum(axis=1)[:, None] @ table @ weight
    logits -= logits.max(axis=1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
    return np.asarray(-np.take_along_axis(log_p, labels[:, None], axis=1)[:, 0])
