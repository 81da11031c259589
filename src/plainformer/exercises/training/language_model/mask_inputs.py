"""Exercise 6: BERT's task, in which some tokens of a text are hidden."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def mask_inputs(
    ids: np.ndarray,
    chance: np.ndarray,
    fate: np.ndarray,
    others: np.ndarray,
    mask_id: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Hide tokens as BERT does, by random numbers that are given.

    A token is a target where its chance is below 0.15. What the model
    reads there depends on its fate: below 0.8 it reads mask_id, from
    0.8 to below 0.9 the token of others, from 0.9 on the token itself.
    Everywhere else the model reads the token itself, and the target is
    -100, which no loss counts.
    ids, chance, fate, others: (B, T). The arrays stay unchanged.
    Returns inputs and targets, (B, T) each.

    >>> ids, others = np.array([[5, 6, 7]]), np.array([[1, 2, 3]])
    >>> chance, fate = np.array([[0.1, 0.9, 0.0]]), np.zeros((1, 3))
    >>> inputs, targets = mask_inputs(ids, chance, fate, others, 9)
    >>> inputs.tolist(), targets.tolist()
    ([[9, 6, 9]], [[5, -100, 7]])
    """
    chosen = chance < 0.15
    shown = np.where(fate < 0.9, others, ids)
    shown = np.where(fate < 0.8, mask_id, shown)
    inputs = np.where(chosen, shown, ids)
    return inputs, np.where(chosen, ids, -100)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array, Array, int]:
    size = (1, rng.integers(3, 9))
    ids, others = rng.integers(0, 9, size=(2, *size))
    # Half of the tokens are chosen, and a third of these masked, so that all fates occur.
    chance, fate = rng.integers(0, 30, size), rng.integers(70, 100, size)
    return ids, chance / 100, fate / 100, others, 9


_IDS = np.array([[5, 6, 7, 8]])
_OTHERS = np.array([[1, 2, 3, 4]])
_ALL = np.zeros((1, 4))

EXERCISE = Exercise(
    id="training.language_model.6",
    title="Masked tokens",
    points=2,
    reference=mask_inputs,
    compare=Arrays(),
    cases=(
        Case(
            (_IDS, np.array([[0.1, 0.9, 0.0, 0.2]]), np.zeros((1, 4)), _OTHERS, 9),
            (np.array([[9, 6, 9, 8]]), np.array([[5, -100, 7, -100]])),
        ),
        Case(
            (_IDS, _ALL, np.array([[0.5, 0.8, 0.85, 0.9]]), _OTHERS, 9),
            (np.array([[9, 2, 3, 8]]), np.array([[5, 6, 7, 8]])),
        ),
        Case(
            (_IDS, np.array([[0.15, 0.14, 0.15, 0.16]]), np.full((1, 4), 0.95), _OTHERS, 9),
            (np.array([[5, 6, 7, 8]]), np.array([[-100, 6, -100, -100]])),
        ),
    ),
    generate=_draw,
    hints=(
        "There are two questions for each token. Is it a target? That decides its entry in the "
        "targets. If so, what replaces it? That decides its input.",
        "np.where(condition, a, b) chooses position by position. Compute the replacement for "
        "all positions, then use it only where chance < 0.15.",
    ),
    mutants={
        "Your targets are the tokens that should stay. The targets are those with a chance "
        "below 0.15.": "chance < 0.15 -> chance >= 0.15",
        "A chance of exactly 0.15 is not below 0.15.": "chance < 0.15 -> chance <= 0.15",
        "Your targets are what the model reads. It should predict "
        "the original token.": "np.where(chosen, ids, -100) -> np.where(chosen, inputs, -100)",
        "You make every token a target. Where a token was not "
        "chosen, the target is -100.": "np.where(chosen, ids, -100) -> ids",
        "Your targets are the tokens that were not chosen: the model would be asked what it can "
        "read.": "np.where(chosen, ids, -100) -> np.where(chosen, -100, ids)",
        "You replace tokens that were not chosen. They stay as they "
        "are.": "inputs = np.where(chosen, shown, ids) -> inputs = shown",
        "You mask every chosen token. One in ten becomes another token, and one in ten "
        "stays.": "np.where(fate < 0.8, mask_id, shown) -> np.full(ids.shape, mask_id)",
        "The shares of another token and of the same one are not as they should be: from 0.9 on, "
        "the token stays.": "np.where(fate < 0.9, others, ids) -> others",
        "You have the two ends of fate the wrong way round: below 0.8 comes the "
        "mask.": "np.where(fate < 0.8, mask_id, shown) -> np.where(fate >= 0.8, mask_id, shown)",
        "A fate of exactly 0.8 gives another token and not the mask; one of 0.9 gives the "
        "token itself.": "np.where(fate < 0.8, -> np.where(fate <= 0.8,",
        "Where a token is not a target, the target is -100, not 0.": "ids, -100) -> ids, 0)",
    },
    alternates=[],
)


@EXERCISE.alternate
def _token_by_token(
    ids: Array, chance: Array, fate: Array, others: Array, mask_id: int
) -> tuple[Array, Array]:
    inputs, targets = ids.copy(), np.full_like(ids, -100)
    for place in np.ndindex(ids.shape):
        if chance[place] < 0.15:
            targets[place] = ids[place]
            if fate[place] < 0.8:
                inputs[place] = mask_id
            elif fate[place] < 0.9:
                inputs[place] = others[place]
    return inputs, targets


@EXERCISE.alternate
def _by_index(
    ids: Array, chance: Array, fate: Array, others: Array, mask_id: int
) -> tuple[Array, Array]:
    inputs, targets, chosen = ids.copy(), ids.copy(), chance < 0.15
    targets[~chosen] = -100
    inputs[chosen & (fate < 0.9)] = others[chosen & (fate < 0.9)]
    inputs[chosen & (fate < 0.8)] = mask_id
    return inputs, targets
