"""Exercise 3: attention, computed separately in every head."""

from collections.abc import Callable
from math import log, sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def attention_by_heads(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    n_heads: int,
) -> np.ndarray:
    """Attend in each head separately and put the outputs side by side.

    q: (T, D), k and v: (S, D), the queries, keys and values of all
    heads side by side; head h owns the columns from h * K up to
    (h + 1) * K - 1, with K = D / H.
    Returns (T, D): the heads' outputs, in their order. (No W_o yet.)

    >>> q = np.array([[1.0, 0.0]])  # D = 2: two heads of width 1
    >>> k = np.array([[np.log(3), 5.0], [0.0, 7.0]])
    >>> v = np.array([[8.0, 10.0], [4.0, 20.0]])
    >>> attention_by_heads(q, k, v, 2).round(6).tolist()
    [[7.0, 15.0]]
    """
    K = q.shape[1] // n_heads
    output = np.empty(q.shape)
    for h in range(n_heads):
        own = slice(h * K, (h + 1) * K)  # the columns of this head
        scores = q[:, own] @ k[:, own].T / np.sqrt(K)  # (T, S)
        scores -= scores.max(axis=1, keepdims=True)
        weights = np.exp(scores)
        weights /= weights.sum(axis=1, keepdims=True)
        output[:, own] = weights @ v[:, own]
    return output


def _softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _cut(x: Array, n_heads: int) -> Array:
    return np.stack(np.split(x, n_heads, axis=1))  # (H, T, K)


def _join(heads: Array) -> Array:
    return np.concatenate(list(heads), axis=1)  # (T, H · K)


def _attender(
    cut: Callable[[Array, int], Array] = _cut,
    join: Callable[[Array], Array] = _join,
    axis: int | tuple[int, ...] = -1,
    change: Callable[[Array], Array] = lambda weights: weights,
) -> Callable[..., Array]:
    """The same with another way to split or join the heads, or with other weights."""

    def attend(q: Array, k: Array, v: Array, n_heads: int) -> Array:
        q, k, v = (cut(x, n_heads) for x in (q, k, v))
        scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])  # (H, T, S)
        return join(change(_softmax(scores, axis)) @ v)

    return attend


def _plain(q: Array, k: Array, v: Array) -> Array:
    e = np.exp(q @ k.T / sqrt(q.shape[1]))  # with no keys, (T, 0), it finds nothing
    return e / e.sum(axis=1, keepdims=True) @ v


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array, int]:
    heads, width = ((1, 2), (2, 1), (2, 2), (2, 2), (3, 1), (1, 3))[rng.integers(6)]
    T, S = rng.integers(1, 4), rng.integers(2, 4)
    q, k = (rng.integers(-2, 3, size=(rows, heads * width)).astype(float) for rows in (T, S))
    v = rng.integers(-9, 10, size=(S, heads * width)).astype(float)
    return q, k, v, int(heads)


EXERCISE = Exercise(
    id="attention.multi_head.3",
    title="Every head by itself",
    reference=attention_by_heads,
    points=3,
    compare=Arrays(),
    cases=(
        # Head 0 weighs 3 to 1; head 1 has a query of zero and takes the plain mean.
        Case(
            (
                np.array([[1.0, 0.0]]),
                np.array([[log(3), 5.0], [0.0, 7.0]]),
                np.array([[8.0, 10.0], [4.0, 20.0]]),
                2,
            ),
            np.array([[7.0, 15.0]]),
        ),
        # One key: every query gets its value.
        Case(
            (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0]]), np.array([[7.0, 8.0]]), 2),
            np.array([[7.0, 8.0], [7.0, 8.0]]),
        ),
        # K = 2: √2 · log 3 / √2 is log 3. Head 0 weighs 3 to 1, head 1 weighs 1 to 4.
        Case(
            (
                np.array([[sqrt(2), 0.0, 0.0, sqrt(2)]]),
                np.array([[log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, log(4)]]),
                np.array([[8.0, 0.0, 10.0, 0.0], [4.0, 4.0, 20.0, 5.0]]),
                2,
            ),
            np.array([[7.0, 1.0, 18.0, 4.0]]),
        ),
        # One head of width 4: √4 is 2.
        Case(
            (
                np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),
                np.array([[log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]),
                np.array([[8.0, 0.0, 4.0, 4.0], [4.0, 4.0, 8.0, 0.0]]),
                1,
            ),
            np.array([[7.0, 1.0, 5.0, 3.0], [6.0, 2.0, 6.0, 2.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "A loop over the heads is fine. Inside it, head h needs the same K columns of q, of k "
        "and of v, and from there on it is ordinary attention.",
        "For one head this is ordinary attention: scores (T, S), divided by the root of this "
        "head's width; a softmax along each row; then the product with the head's own values, "
        "(S, K).",
        "Write the (T, K) result into the head's own columns of the output, which is (T, D). "
        "If you store slice(h * K, (h + 1) * K) in a variable, you need to say only once which "
        "columns those are.",
    ),
    mutants={
        "You divide by √D. A score of one head is a sum of K products, so divide by √K, the "
        "root of one head's width.": "np.sqrt(K) -> np.sqrt(q.shape[1])",
        "You divide by √H. The number of heads does not affect the score of one of them: it is "
        "a sum of K products, so divide by √K.": "np.sqrt(K) -> np.sqrt(n_heads)",
        "You divide by √S, the root of the number of keys. The number of keys does not affect "
        "a single score: it is a sum of K "
        "products, so divide by √K.": "np.sqrt(K) -> np.sqrt(len(k))",
        "The scores are not scaled: divide them by √K.": "/ np.sqrt(K) -> ",
        "You divide by K. Divide by its root, √K.": "np.sqrt(K) -> K",
        "This is one head of width D: one row of weights for all columns. Each head should "
        "have a softmax of its own.": lambda q, k, v, n_heads: attention_by_heads(q, k, v, 1),
        "A reshape straight to (H, T, K) mixes tokens: split the columns (exercise 1).": _attender(
            cut=lambda x, n: x.reshape(n, len(x), -1)
        ),
        "Each head is right, but they are joined in the wrong way. A reshape from (H, T, K) "
        "straight to (T, D) mixes tokens (exercise 2).": (
            _attender(join=lambda heads: heads.reshape(heads.shape[1], -1))
        ),
        "You return the heads one after the other, (H, T, K). Put "
        "them side by side: (T, D).": _attender(join=lambda heads: heads),
        "Your heads are one below the other. Put them side by side: np.concatenate joins along "
        "the rows "
        "unless you name another axis.": _attender(join=lambda heads: np.concatenate(list(heads))),
        "Your head h owns every H-th column. It "
        "should own K adjacent columns.": "slice(h * K, (h + 1) * K) -> slice(h, None, n_heads)",
        "Your weights sum to 1 over the queries. Each query distributes a total weight of 1, "
        "so they should sum to 1 over the keys.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(axis=0); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum(axis=0)"
        ),
        "Your weights sum to 1 over the whole matrix. Each row should sum to 1 by itself.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum()"
        ),
        "You compute one softmax over all heads together, so that they compete. In every head, "
        "each row sums to 1.": _attender(axis=(0, 2)),
        "You average the heads' weights and use the mean for all of them. All heads then look "
        "at the same tokens, but each should use its own weights.": (
            _attender(change=lambda weights: 0 * weights + weights.mean(axis=0))
        ),
        "You add up the heads' scores before the softmax, which "
        "makes them a single head.": "q[:, own] @ k[:, own].T -> q @ k.T",
        "All your heads use the values of the first head. Each "
        "should use its own columns.": "v[:, own] -> v[:, :K]",
        "Keys and values have changed places.": lambda q, k, v, n_heads: attention_by_heads(
            q, v, k, n_heads
        ),
    },
)


@EXERCISE.mutant(
    "You split the tokens, so each head has its own part of the sentence. Split the columns: "
    "every head sees every token."
)
def _cut_into_sentences(q: Array, k: Array, v: Array, n: int) -> Array:
    parts = zip(*(np.array_split(x, n) for x in (q, k, v)), strict=True)
    return np.concatenate([_plain(*part) for part in parts])


@EXERCISE.mutant(
    "Each of your heads looks at its own part of the keys. Every head looks at all of them, in "
    "its own columns."
)
def _a_part_of_the_keys(q: Array, k: Array, v: Array, n: int) -> Array:
    heads = zip(*(_cut(x, n) for x in (q, k, v)), strict=True)
    rows = np.array_split(np.arange(len(k)), n)
    found = [_plain(a, b[own], c[own]) for (a, b, c), own in zip(heads, rows, strict=True)]
    return np.concatenate(found, axis=1)


@EXERCISE.alternate
def _all_at_once(q: Array, k: Array, v: Array, n_heads: int) -> Array:
    q, k, v = (_cut(x, n_heads) for x in (q, k, v))
    return _join(_softmax(q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])) @ v)


@EXERCISE.alternate
def _with_einsum(q: Array, k: Array, v: Array, n_heads: int) -> Array:
    q, k, v = (x.reshape(len(x), n_heads, -1) for x in (q, k, v))  # (T, H, K)
    weights = _softmax(np.einsum("thk,shk->hts", q, k) / sqrt(q.shape[-1]))
    return np.einsum("hts,shk->thk", weights, v).reshape(len(q), -1)


@EXERCISE.alternate
def _token_by_token(q: Array, k: Array, v: Array, n_heads: int) -> Array:
    width, output = q.shape[1] // n_heads, np.zeros(q.shape)
    for t, column in np.ndindex(*q.shape):
        first = column // width * width
        scores = [q[t, first : first + width] @ row[first : first + width] for row in k]
        e = np.exp(np.array(scores) / sqrt(width))
        output[t, column] = e @ v[:, column] / e.sum()
    return output
