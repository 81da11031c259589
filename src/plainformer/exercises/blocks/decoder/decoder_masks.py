"""Exercise 1: what each row of a decoder may see."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def decoder_masks(
    n_held: int,
    n_new: int,
    real: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Make the two masks of a decoder layer with a cache.

    n_held: how many target tokens the cache holds, 0 or more.
    n_new: how many target tokens come in now, 1 or more.
    real: (S,), True where the source has a token, not padding.
    Returns two boolean arrays, True where a new token may look:
    at the target, (n_new, n_held + n_new), and at the source,
    (n_new, S).

    >>> own, other = decoder_masks(1, 2, np.array([True, False]))
    >>> own.tolist()
    [[True, True, False], [True, True, True]]
    >>> other.tolist()
    [[True, False], [True, False]]
    """
    keys = np.arange(n_held + n_new)
    queries = n_held + np.arange(n_new)
    own = keys <= queries[:, None]
    other = np.tile(real, (n_new, 1))
    return own, other


_Three = tuple[int, int, Array]


def _draw(rng: np.random.Generator) -> _Three:
    real = rng.random(int(rng.integers(2, 6))) < 0.6
    return int(rng.integers(0, 5)), int(rng.integers(1, 5)), real


def _bools(*rows: str) -> Array:
    """A mask as a picture: x may be seen, . may not."""
    return np.array([[mark == "x" for mark in row] for row in rows])


EXERCISE = Exercise(
    id="blocks.decoder.1",
    title="Who sees what",
    reference=decoder_masks,
    points=2,
    compare=Arrays(),
    cases=(
        Case((0, 1, np.array([True, True])), (_bools("x"), _bools("xx"))),
        Case((0, 3, np.array([True])), (_bools("x..", "xx.", "xxx"), _bools("x", "x", "x"))),
        # One step of decoding: three tokens are cached, and one is new.
        Case((3, 1, np.array([True, False])), (_bools("xxxx"), _bools("x."))),
        # The last token of three may see the first word of the source and no more of the padding.
        Case(
            (1, 2, np.array([True, True, False, False])),
            (_bools("xx.", "xxx"), _bools("xx..", "xx..")),
        ),
        # Padding may also be on the left.
        Case((0, 2, np.array([False, True])), (_bools("x.", "xx"), _bools(".x", ".x"))),
    ),
    generate=_draw,
    hints=(
        "Give every target token its position. Those in the cache have 0 to n_held - 1. Which "
        "positions do the new ones have?",
        "A query at position i may look at the positions up to and including i. The whole "
        "source is available from the beginning, so the order of its tokens does not restrict "
        "anything.",
        "np.arange(n_held + n_new) are the positions of the keys; n_held + np.arange(n_new), "
        "as a column, are those of the queries. Compare the two. The source's mask is `real`, "
        "repeated for each row.",
    ),
    mutants={
        "You forget the tokens in the cache when you count: the first new token is at position "
        "n_held, not at 0.": "n_held + np.arange(n_new) -> np.arange(n_new)",
        "A token may also look at itself: <=.": "keys <= queries -> keys < queries",
        "Your mask is upside down: it shows the future and hides the "
        "past.": "keys <= queries -> keys >= queries",
        "You let a new token see the new ones after it. They are the "
        "future.": "own = keys <= queries[:, None] -> own = np.full((n_new, n_held + n_new), True)",
        "The source needs no causal mask, because it is complete before the first word is "
        "written.": "np.tile(real, (n_new, 1)) -> np.tile(real, (n_new, 1)) & "
        "(np.arange(len(real)) <= queries[:, None])",
        "You show the source's padding.": "np.tile(real, -> np.tile(np.ones_like(real),",
        "You hide the source's words, and show its padding.": "np.tile(real, -> np.tile(~real,",
        "Only new tokens ask, so both masks have n_new "
        "rows.": "queries = n_held + np.arange(n_new) -> queries = np.arange(n_held + n_new)",
        "First the mask of the target, then that of the "
        "source.": "return own, other -> return other, own",
    },
)


@EXERCISE.alternate
def _cut_from_a_square(n_held: int, n_new: int, real: Array) -> tuple[Array, Array]:
    whole = np.tri(n_held + n_new, dtype=bool)
    return whole[n_held:], np.ones((n_new, 1), dtype=bool) & real


@EXERCISE.alternate
def _token_by_token(n_held: int, n_new: int, real: Array) -> tuple[Array, Array]:
    own = [[j <= n_held + i for j in range(n_held + n_new)] for i in range(n_new)]
    return np.array(own), np.array([list(real) for _ in range(n_new)])
