"""Exercise 1: from texts to a model's inputs and targets."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def shift_targets(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut a batch of texts into inputs and targets.

    At each position a language model reads the tokens up to there and
    has to predict the next one.
    ids: (B, T + 1), B texts of T + 1 tokens each; T is 1 or more.
    Returns inputs and targets, (B, T) each: the target at a position is
    the token that follows the input there.

    >>> inputs, targets = shift_targets(np.array([[7, 8, 9]]))
    >>> inputs.tolist(), targets.tolist()
    ([[7, 8]], [[8, 9]])
    """
    return ids[:, :-1], ids[:, 1:]


def _draw(rng: np.random.Generator) -> tuple[Array]:
    return (rng.integers(0, 50, size=(rng.integers(1, 4), rng.integers(2, 7))),)


EXERCISE = Exercise(
    id="training.language_model.1",
    title="Shifted targets",
    reference=shift_targets,
    compare=Arrays(),
    cases=(
        Case((np.array([[7, 8, 9]]),), (np.array([[7, 8]]), np.array([[8, 9]]))),
        Case((np.array([[3, 5]]),), (np.array([[3]]), np.array([[5]]))),
        Case(
            (np.array([[1, 2, 3, 4], [9, 9, 0, 7]]),),
            (np.array([[1, 2, 3], [9, 9, 0]]), np.array([[2, 3, 4], [9, 0, 7]])),
        ),
    ),
    generate=_draw,
    hints=(
        "Write a text of four tokens in a line, and below each token the one that follows it. "
        "Which token has nothing below it? Which one does not occur in the lower line?",
        "The last token is never read, the first one is never predicted. Both parts are slices "
        "of the second axis: ids[:, ...].",
    ),
    mutants={
        "You return the targets first. The inputs come "
        "first.": "ids[:, :-1], ids[:, 1:] -> ids[:, 1:], ids[:, :-1]",
        "Your targets are the inputs, so a model would "
        "only copy what it reads.": "ids[:, 1:] -> ids[:, :-1]",
        "Your inputs are the targets, so a "
        "model would read the answer.": "ids[:, :-1] -> ids[:, 1:]",
        "You shift along the texts of the batch. The tokens "
        "are along the second axis.": "ids[:, :-1], ids[:, 1:] -> ids[:-1], ids[1:]",
        "Your last target is the first token of the text, because np.roll wraps around. "
        "Nothing is known to follow the last "
        "token, so it is not read.": "ids[:, :-1], ids[:, 1:] -> ids, np.roll(ids, -1, axis=1)",
        "Your target is two positions ahead. The next "
        "token is one position ahead.": "ids[:, :-1], ids[:, 1:] -> ids[:, :-2], ids[:, 2:]",
        "Your inputs include the last token. They "
        "are as long as the targets.": "ids[:, :-1], -> ids,",
        "Your targets include the first token. They "
        "are as long as the inputs.": "ids[:, 1:] -> ids",
    },
    alternates=[
        lambda ids: (np.delete(ids, -1, axis=1), np.delete(ids, 0, axis=1)),
    ],
)


@EXERCISE.alternate
def _place_by_place(ids: Array) -> tuple[Array, Array]:
    B, T = ids.shape[0], ids.shape[1] - 1
    inputs, targets = np.zeros((B, T), dtype=ids.dtype), np.zeros((B, T), dtype=ids.dtype)
    for b in range(B):
        for t in range(T):
            inputs[b, t], targets[b, t] = ids[b, t], ids[b, t + 1]
    return inputs, targets
