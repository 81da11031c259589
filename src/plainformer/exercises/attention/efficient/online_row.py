"""Exercise 4: the online softmax of one query, whose keys come block by block."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def online_row(
    blocks: list[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Attend from one query to keys that come block by block.

    blocks: a list of pairs (scores, values): the query's scores for the
    keys of a block, (b,), and these keys' values, (b, Dv). Blocks may
    differ in size; none is empty. A score may be -inf (a hidden key),
    even all of a block, but not all of them. Scores may be large: the
    exponential of some would overflow.
    Returns (Dv,): the softmax of all scores, times all values.

    Keep three things (top, total, output) and read each block once.

    >>> first = (np.array([0.0, 0.0]), np.array([[1.0], [3.0]]))
    >>> second = (np.array([np.log(2)]), np.array([[8.0]]))
    >>> online_row([first, second]).round(6).tolist()
    [5.0]
    """
    top, total, output = -np.inf, 0.0, np.zeros(blocks[0][1].shape[1])
    for scores, values in blocks:
        old, top = top, max(top, scores.max())
        if top == -np.inf:  # nothing but hidden keys so far
            continue
        fade = np.exp(old - top)
        e = np.exp(scores - top)  # (b,)
        total = fade * total + e.sum()
        output = fade * output + e @ values
    return output / total


Block = tuple[Array, Array]


def _joined(blocks: list[Block]) -> Block:
    scores, values = zip(*blocks, strict=True)
    return np.concatenate(scores), np.concatenate(values)


def _draw(rng: np.random.Generator) -> tuple[list[Block]]:
    size = float(rng.choice([1.0, 3.0, 400.0]))
    blocks = []
    for _ in range(int(rng.integers(2, 4))):
        keys = int(rng.integers(1, 3))
        scores = (rng.normal(size=keys) * size).round(1)
        scores[rng.random(keys) < 0.15] = -np.inf
        blocks.append((scores, rng.normal(size=(keys, 1)).round(1)))
    if all(np.isinf(scores).all() for scores, _ in blocks):
        blocks[-1][0][0] = 0.0
    return (blocks,)


def _block(scores: list[float], *values: float) -> Block:
    return np.array(scores), np.array(values)[:, None]


EXERCISE = Exercise(
    id="attention.efficient.4",
    title="The online softmax",
    reference=online_row,
    points=3,
    compare=Arrays(),
    cases=(
        Case(([_block([0.0, 0.0], 1.0, 3.0)],), np.array([2.0])),
        # Weights 1, 1, 2 of 4.
        Case(([_block([0.0, 0.0], 1.0, 3.0), _block([np.log(2)], 8.0)],), np.array([5.0])),
        # The higher top comes first: weights 2, 1, 1 of 4.
        Case(([_block([np.log(2)], 8.0), _block([0.0, 0.0], 1.0, 3.0)],), np.array([5.0])),
        # Scores that rise by 1000, and fall by as much.
        Case(([_block([0.0], 7.0), _block([1000.0, 1000.0], 2.0, 4.0)],), np.array([3.0])),
        Case(([_block([1000.0, 1000.0], 2.0, 4.0), _block([0.0], 7.0)],), np.array([3.0])),
        # A block of hidden keys comes first.
        Case(
            ([_block([-np.inf, -np.inf], 9.0, 9.0), _block([0.0, 0.0], 1.0, 3.0)],), np.array([2.0])
        ),
        # Scores so low that their exponentials vanish unless the top is just as low.
        Case(([_block([-1000.0], 1.0), _block([-1000.0, -np.inf], 3.0, 9.0)],), np.array([2.0])),
    ),
    generate=_draw,
    hints=(
        "Start with top = -inf, total = 0 and output = zeros. For each block: the new top is the "
        "larger of the old one and the block's largest score.",
        "Both sums were made with the old top. Which factor turns exp(score - old) into "
        "exp(score - new), whatever the score is? It is 1 if the top has not risen.",
        "Multiply total and output by that factor, then add the block's own terms, computed "
        "with the new top. Divide after the last block.",
        "A NaN? If every key so far is hidden, the top is still -inf, and -inf minus -inf is "
        "NaN. Such a block adds nothing, so go on to the next.",
    ),
    mutants={
        "You do not rescale the total when the top rises.": "fade * total -> total",
        "You do not rescale the output when the top rises.": "fade * output -> output",
        "You add sums that were made with different tops. When the top rises, rescale both "
        "total and output before you add the block.": (
            "fade * total -> total; fade * output -> output"
        ),
        "Your top stays at the first block's largest score. When a much larger score comes, "
        "its exponential overflows: the top must rise.": (
            "max(top, scores.max()) -> scores.max() if top == -np.inf else top"
        ),
        "Your top falls when a block has only smaller scores. Then the old sums would have to "
        "grow, and may overflow: the top is the largest score of all so far.": (
            "max(top, scores.max()) -> scores.max() if scores.max() > -np.inf else top"
        ),
        "Your top starts at 0. Where all scores are far below 0, every exponential vanishes "
        "and 0 is divided by 0: start at -∞.": (
            "top, total, output = -np.inf -> top, total, output = 0.0"
        ),
        "You compute the new top but do not keep it, so the next block rescales from a top "
        "that no longer belongs to your sums.": (
            "old, top = top, max(top, scores.max()) -> old, top = -np.inf, scores.max()"
        ),
        "You compute the block's own terms with the old top. Total and output have been "
        "rescaled to "
        "the new one, so use that.": "scores - top -> scores - (old if old > -np.inf else top)",
        "You take exponentials of the scores as they are. exp(1000) overflows: subtract the "
        "top first.": "max(top, scores.max()) -> 0.0",
        "When every key so far is hidden, the top is -inf, and -inf minus -inf is NaN, which "
        "then spreads to everything after it. Skip such a block.": "if top == -np.inf -> if False",
        "Your factor is upside down: exp(new - old) is above 1. Sums that were built up with a "
        "lower top must shrink.": "np.exp(old - top) -> np.exp(top - old)",
        "You divide at every block, and then go on with the divided output as if it were a "
        "sum. Divide once, at the end.": (
            "fade * output + e @ values -> (fade * output + e @ values) / total; "
            "return output / total -> return output"
        ),
        "You take a softmax in each block, and the mean of the blocks. A block with higher "
        "scores, or with more keys, must count for more.": lambda blocks: np.mean(
            [online_row([block]) for block in blocks], axis=0
        ),
        "Only your last block counts: what do you keep from the others?": lambda blocks: online_row(
            blocks[-1:]
        ),
        "You never divide by the total: the weights must sum to 1.": "output / total -> output",
    },
)


@EXERCISE.alternate
def _all_at_once(blocks: list[Block]) -> Array:
    scores, values = _joined(blocks)
    e = np.exp(scores - scores.max())
    return e / e.sum() @ values


@EXERCISE.alternate
def _key_by_key(blocks: list[Block]) -> Array:
    top, mean, total = -np.inf, np.zeros(blocks[0][1].shape[1]), 0.0
    for score, value in zip(*_joined(blocks), strict=True):
        if score == -np.inf:
            continue
        new = max(top, score)
        total = total * np.exp(top - new) + np.exp(score - new)
        mean = mean + (value - mean) * np.exp(score - new) / total  # divided all the time
        top = new
    return mean


@EXERCISE.alternate
def _by_logarithms(blocks: list[Block]) -> Array:
    log_total, mean = -np.inf, np.zeros(blocks[0][1].shape[1])
    for scores, values in blocks:
        for score, value in zip(scores, values, strict=True):
            if score > -np.inf:
                log_total = np.logaddexp(log_total, score)
                mean = mean + (value - mean) * np.exp(score - log_total)
    return mean
