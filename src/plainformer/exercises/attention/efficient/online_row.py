"""Exercise 4: the online softmax of one query, whose keys come block by block."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant

Block = tuple[np.ndarray, np.ndarray]


def online_row(
    blocks: list[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Attend from one query to keys that come block by block.

    blocks: a list of pairs (scores, values): the query's scores for the
    keys of a block, (b,), and these keys' values, (b, Dv). Blocks may
    differ in size; none is empty. A score may be -inf (a hidden key),
    even all of a block, but not all of them. Scores may be large: the
    exponential of some is no finite number.
    Returns (Dv,): softmax of all scores, times all values.

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


def _joined(blocks: list[Block]) -> Block:
    scores, values = zip(*blocks, strict=True)
    return np.concatenate(scores), np.concatenate(values)


def _all_at_once(blocks: list[Block]) -> np.ndarray:
    scores, values = _joined(blocks)
    e = np.exp(scores - scores.max())
    return e / e.sum() @ values


def _key_by_key(blocks: list[Block]) -> np.ndarray:
    top, mean, total = -np.inf, np.zeros(blocks[0][1].shape[1]), 0.0
    for score, value in zip(*_joined(blocks), strict=True):
        if score == -np.inf:
            continue
        new = max(top, score)
        total = total * np.exp(top - new) + np.exp(score - new)
        mean = mean + (value - mean) * np.exp(score - new) / total  # divided all the time
        top = new
    return mean


def _by_logarithms(blocks: list[Block]) -> np.ndarray:
    log_total, mean = -np.inf, np.zeros(blocks[0][1].shape[1])
    for scores, values in blocks:
        for score, value in zip(scores, values, strict=True):
            if score > -np.inf:
                log_total = np.logaddexp(log_total, score)
                mean = mean + (value - mean) * np.exp(score - log_total)
    return mean


def _loop(
    blocks: Iterable[Block],
    *,
    fade_total: bool = True,
    fade_output: bool = True,
    raised: str = "running",
    guard: bool = True,
    inverse: bool = False,
    divide: bool = False,
    stored: bool = True,
    own: str = "new",
    start: float = -np.inf,
) -> np.ndarray:
    """The sweep with one thing done otherwise, for the answers below."""
    top, total, output = start, 0.0, np.zeros(1)
    with np.errstate(all="ignore"):
        for scores, values in blocks:
            old, high = top, scores.max()
            if raised == "running" or (raised == "first" and top == -np.inf):
                top = max(top, high)
            elif raised == "block":
                top = high
            elif raised == "never":
                top = 0.0
            if guard and top == -np.inf:
                top = old
                continue
            fade = np.exp(top - old if inverse else old - top) if old > -np.inf or inverse else 0.0
            if not guard and old == top == -np.inf:
                fade = np.nan
            e = np.exp(scores - (old if own == "old" and old > -np.inf else top))
            total = (fade if fade_total else 1.0) * total + e.sum()
            output = (fade if fade_output else 1.0) * output + e @ values
            if divide:
                output = output / total
            if not stored:
                top = old
        return output if divide else output / total


def _total_does_not_fade(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, fade_total=False)


def _output_does_not_fade(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, fade_output=False)


def _nothing_fades(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, fade_total=False, fade_output=False)


def _top_of_the_first_block(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, raised="first")


def _top_of_each_block(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, raised="block")


def _top_starts_at_0(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, start=0.0)


def _top_not_stored(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, stored=False)


def _own_terms_with_the_old_top(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, own="old")


def _no_top(blocks: list[Block]) -> np.ndarray:
    with np.errstate(all="ignore"):
        scores, values = _joined(blocks)
        return np.exp(scores) @ values / np.exp(scores).sum()


def _not_guarded(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, guard=False)


def _upside_down(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, inverse=True)


def _divided_at_every_block(blocks: list[Block]) -> np.ndarray:
    return _loop(blocks, divide=True)


def _mean_of_blocks(blocks: list[Block]) -> np.ndarray:
    with np.errstate(all="ignore"):
        rows = [np.exp(s - s.max()) / np.exp(s - s.max()).sum() @ v for s, v in blocks]
    return np.mean(rows, axis=0)


def _last_block(blocks: list[Block]) -> np.ndarray:
    with np.errstate(all="ignore"):
        scores, values = blocks[-1]
        e = np.exp(scores - scores.max())
        return e / e.sum() @ values


def _not_divided(blocks: list[Block]) -> np.ndarray:
    scores, values = _joined(blocks)
    return np.exp(scores - scores.max()) @ values


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
        Case(
            ([_block([0.0, 0.0], 1.0, 3.0), _block([np.log(2)], 8.0)],),
            np.array([5.0]),
        ),
        # The higher top comes first: weights 2, 1, 1 of 4.
        Case(
            ([_block([np.log(2)], 8.0), _block([0.0, 0.0], 1.0, 3.0)],),
            np.array([5.0]),
        ),
        # Scores that rise by 1000, and fall by as much.
        Case(([_block([0.0], 7.0), _block([1000.0, 1000.0], 2.0, 4.0)],), np.array([3.0])),
        Case(([_block([1000.0, 1000.0], 2.0, 4.0), _block([0.0], 7.0)],), np.array([3.0])),
        # A block of hidden keys, at first.
        Case(
            ([_block([-np.inf, -np.inf], 9.0, 9.0), _block([0.0, 0.0], 1.0, 3.0)],),
            np.array([2.0]),
        ),
        # Scores so low that only a top as low keeps their exponentials from vanishing.
        Case(
            ([_block([-1000.0], 1.0), _block([-1000.0, -np.inf], 3.0, 9.0)],),
            np.array([2.0]),
        ),
    ),
    generate=_draw,
    hints=(
        "Start with top = -inf, total = 0 and output = zeros. For each block: the new top is the "
        "larger of the old one and the block's largest score.",
        "Both sums were made with the old top. Which factor turns exp(score - old) into "
        "exp(score - new), whatever the score is? It is 1 if the top has not risen.",
        "Fade total and output by that factor, then add the block's own terms, made with the new "
        "top. Divide after the last block.",
        "A NaN? If every key so far is hidden, the top is still -inf, and -inf less -inf is no "
        "number. Such a block adds nothing: go on to the next.",
    ),
    mutants=(
        Mutant(_total_does_not_fade, "Your total does not fade when the top rises."),
        Mutant(_output_does_not_fade, "Your output does not fade when the top rises."),
        Mutant(
            _nothing_fades,
            "You add sums that were made with different tops. When the top rises, total and "
            "output must both fade before the block is added.",
        ),
        Mutant(
            _top_of_the_first_block,
            "Your top stays where the first block has put it. When a much larger score comes, "
            "its exponential overflows: the top must rise.",
        ),
        Mutant(
            _top_of_each_block,
            "Your top falls when a block has only smaller scores. Then the old sums would have to "
            "grow, and may overflow: the top is the largest score of all so far.",
        ),
        Mutant(
            _top_starts_at_0,
            "Your top starts at 0. Where all scores are far below 0, every exponential vanishes "
            "and 0 is divided by 0: start at -∞.",
        ),
        Mutant(
            _top_not_stored,
            "You compute the new top and do not keep it: the next block fades from a top that is "
            "no longer that of your sums.",
        ),
        Mutant(
            _own_terms_with_the_old_top,
            "You make the block's own terms with the old top. Total and output have faded to the "
            "new one: use that.",
        ),
        Mutant(
            _no_top,
            "You take exponentials of the scores as they are. exp(1000) is no number for a "
            "computer: take the top off first.",
        ),
        Mutant(
            _not_guarded,
            "When every key so far is hidden, the top is -inf, and -inf less -inf is NaN, which "
            "never goes away again. Skip such a block.",
        ),
        Mutant(
            _upside_down,
            "Your fade is upside down: exp(new - old) is above 1. What was built up with a lower "
            "top must shrink.",
        ),
        Mutant(
            _divided_at_every_block,
            "You divide at every block, and then go on with the divided output as if it were a "
            "sum. Divide once, at the end.",
        ),
        Mutant(
            _mean_of_blocks,
            "You take a softmax in each block, and the mean of the blocks. A block with higher "
            "scores, or with more keys, must count for more.",
        ),
        Mutant(_last_block, "Only your last block counts: what is kept from the others?"),
        Mutant(_not_divided, "You never divide by the total: the weights must sum to 1."),
    ),
    alternates=(_all_at_once, _key_by_key, _by_logarithms),
)
