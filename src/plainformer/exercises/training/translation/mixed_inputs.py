"""Exercise 1: a decoder's inputs, from the reference or from the model's own output."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def mixed_inputs(
    reference: np.ndarray,
    guesses: np.ndarray,
    own: np.ndarray,
    sos: int,
) -> np.ndarray:
    """Make a decoder's inputs, some of them the model's own words.

    Position 0 reads sos. Each later position t reads word t - 1: the
    model's own guess where own[:, t] is True, and the reference
    elsewhere. So if own is False everywhere, this is teacher forcing.
    reference, guesses: (B, T) ids, word by word. own: (B, T),
    booleans; own[:, 0] does not matter.
    Returns (B, T) ids.

    >>> reference = np.array([[5, 6, 7]])
    >>> guesses = np.array([[5, 8, 9]])
    >>> never, always = np.array([[False] * 3]), np.array([[True] * 3])
    >>> mixed_inputs(reference, guesses, never, 2)
    array([[2, 5, 6]])
    >>> mixed_inputs(reference, guesses, always, 2)
    array([[2, 5, 8]])
    """
    column = np.full((len(reference), 1), sos)
    words = np.where(own[:, 1:], guesses[:, :-1], reference[:, :-1])
    return np.concatenate([column, words], axis=1)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array, int]:
    shape = tuple(int(n) for n in rng.integers([1, 3], [4, 6]))
    reference, guesses = rng.integers(4, 30, size=(2, *shape))
    return reference, guesses, rng.random(shape) < 0.5, int(rng.integers(0, 4))


def _given(reference: object, guesses: object, own: list[str]) -> tuple[Array, Array, Array, int]:
    """Own words are written as x, the reference's as a point."""
    marks = np.array([[each == "x" for each in row] for row in own])
    return np.array(reference), np.array(guesses), marks, 2


EXERCISE = Exercise(
    id="training.translation.1",
    title="Whose words are read",
    reference=mixed_inputs,
    points=2,
    compare=Arrays(),
    cases=(
        Case(_given([[5, 6, 7]], [[5, 8, 9]], ["..."]), np.array([[2, 5, 6]])),
        Case(_given([[5, 6, 7]], [[5, 8, 9]], ["xxx"]), np.array([[2, 5, 8]])),
        # The last position reads the model's word, the one before it the reference's.
        Case(_given([[5, 6, 7]], [[4, 8, 9]], ["..x"]), np.array([[2, 5, 8]])),
        # Each sentence has its own marks.
        Case(
            _given([[5, 6, 7], [5, 6, 7]], [[4, 8, 9], [4, 8, 9]], [".x.", "..x"]),
            np.array([[2, 4, 6], [2, 5, 8]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Position t reads word t - 1, so the last word of each row is never read.",
        "np.where(marks, a, b) takes a where the mark is True, and b elsewhere. All three are one "
        "column narrower than the result.",
        "Put a column of sos in front: np.concatenate([column, words], axis=1), where the column "
        "is (B, 1).",
    ),
    mutants={
        "For position t, own[:, t] says where its word comes from. You look one position too "
        "early.": "own[:, 1:] -> own[:, :-1]",
        "You have not shifted the words: each position would read the word that it should "
        "predict.": "guesses[:, :-1], reference[:, :-1] -> guesses[:, 1:], reference[:, 1:]",
        "You have shifted the reference but not the model's words: position t reads the "
        "model's word t - 1.": "guesses[:, :-1], reference -> guesses[:, 1:], reference",
        "Yours is the wrong way round: True means the model's "
        "own word.": "guesses[:, :-1], reference[:, :-1] -> reference[:, :-1], guesses[:, :-1]",
        "Position 0 reads "
        "sos. Yours reads a word.": "np.full((len(reference), 1), sos) -> reference[:, :1]",
        "You always read the reference. Where own is True, the model's word is "
        "read.": "np.where(own[:, 1:], guesses[:, :-1], reference[:, :-1]) -> reference[:, :-1]",
        "You always read the model's words. Where own is False, the reference's is "
        "read.": "np.where(own[:, 1:], guesses[:, :-1], reference[:, :-1]) -> guesses[:, :-1]",
        "Each sentence has marks of its own; you use those of the first for "
        "all.": "own[:, 1:] -> own[:1, 1:]",
        "Once your answer has left the reference, it never comes back to it. Each mark applies "
        "only to its own position.": "own[:, 1:] -> np.logical_or.accumulate(own[:, 1:], axis=1)",
        "Your result is one column too wide: the "
        "last word is never read.": lambda reference, guesses, own, sos: np.column_stack(
            [mixed_inputs(reference, guesses, own, sos), reference[:, -1:]]
        ),
    },
)


@EXERCISE.alternate
def _word_by_word(reference: Array, guesses: Array, own: Array, sos: int) -> Array:
    inputs = np.full(reference.shape, sos)
    for b, t in np.ndindex(*reference.shape):
        if t:
            inputs[b, t] = guesses[b, t - 1] if own[b, t] else reference[b, t - 1]
    return inputs


@EXERCISE.alternate
def _rolled(reference: Array, guesses: Array, own: Array, sos: int) -> Array:
    inputs = np.where(own, np.roll(guesses, 1, axis=1), np.roll(reference, 1, axis=1))
    inputs[:, 0] = sos
    return inputs
