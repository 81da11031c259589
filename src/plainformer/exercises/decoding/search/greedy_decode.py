"""Exercise 1: greedy search, on a model that is a table."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def greedy_decode(
    log_probs: np.ndarray,
    first: int,
    end: int,
    steps: int,
) -> list[int]:
    """Greedy search, on a model that looks at the last token.

    log_probs: (V, V); row i holds the log probability of each
    token after token i.
    first: the prompt, one token. end: the end of text.
    Stop when `end` was taken, or after `steps` new tokens, 1 or
    more. Returns the tokens, from `first` on, `end` included.
    (No row has ties.)

    >>> P = [[0.1, 0.6, 0.3], [0.2, 0.1, 0.7], [0.3, 0.6, 0.1]]
    >>> greedy_decode(np.log(P), 0, 2, 5)
    [0, 1, 2]
    """
    text = [first]
    for _ in range(steps):
        text.append(int(np.argmax(log_probs[text[-1]])))
        if text[-1] == end:
            break
    return text


def _draw(rng: np.random.Generator) -> tuple[Array, int, int, int]:
    V = int(rng.integers(2, 5))
    p = rng.dirichlet(np.ones(V), size=V)
    first, end = (int(token) for token in rng.integers(0, V, 2))
    return np.log(p).round(2), first, end, int(rng.integers(1, 7))


P = np.log(np.array([[0.1, 0.6, 0.3], [0.2, 0.1, 0.7], [0.5, 0.3, 0.2]]))

EXERCISE = Exercise(
    id="decoding.search.1",
    title="Take the likeliest",
    reference=greedy_decode,
    cases=(
        Case((P, 0, 2, 1), [0, 1]),
        Case((P, 0, 2, 5), [0, 1, 2]),
        Case((P, 1, 0, 5), [1, 2, 0]),
        Case((np.log(np.array([[0.6, 0.4], [0.7, 0.3]])), 0, 1, 3), [0, 0, 0, 0]),
        Case((P, 2, 2, 4), [2, 0, 1, 2]),
    ),
    generate=_draw,
    hints=(
        "Which row of the table says what comes next? That of the last token you have.",
        "Start from [first]. In each of `steps` rounds, append the index of the largest number "
        "in the row of the last token.",
        "np.argmax(log_probs[text[-1]]) is the next token; int() turns it into a plain number. "
        "Break when it is `end`, after you have appended it.",
    ),
    mutants={
        "You go on after the end of text. Stop when "
        "`end` was taken.": lambda log_probs, first, end, steps: greedy_decode(
            log_probs, first, -1, steps
        ),
        "You leave out the end of text. It belongs "
        "to the result.": "return text -> return text[:-1] if text[-1] == end else text",
        "You return the new tokens only. Begin "
        "with `first`.": lambda log_probs, first, end, steps: greedy_decode(
            log_probs, first, end, steps
        )[1:],
        "You take one token too few: `steps` counts the new tokens, and `first` is not one of "
        "them.": lambda log_probs, first, end, steps: greedy_decode(log_probs, first, end, steps)[
            :steps
        ],
        "You take one token too many: after `steps` new ones "
        "the text stops.": lambda log_probs, first, end, steps: greedy_decode(
            log_probs, first, end, steps + 1
        ),
        "You ask each time what follows `first`. Ask what follows the last "
        "token you took.": "text[-1]])) -> first]))",
        "You read columns. Row i holds what may follow token i: "
        "log_probs[i].": lambda log_probs, first, end, steps: greedy_decode(
            log_probs.T, first, end, steps
        ),
        "You take the least likely token. Log probabilities are negative, and the largest is "
        "the one nearest to 0.": lambda log_probs, first, end, steps: greedy_decode(
            -log_probs, first, end, steps
        ),
        "You stop because the prompt is the end of text. Only a token that was taken ends it: "
        "a prompt may begin with that mark.": lambda log_probs, first, end, steps: (
            [first] if first == end else greedy_decode(log_probs, first, end, steps)
        ),
    },
)


@EXERCISE.alternate
def _recursive(log_probs: Array, first: int, end: int, steps: int) -> list[int]:
    following = max(range(len(log_probs)), key=lambda token: log_probs[first, token])
    if steps == 1 or following == end:
        return [first, following]
    return [first, *_recursive(log_probs, following, end, steps - 1)]


@EXERCISE.alternate
def _next_looked_up(log_probs: Array, first: int, end: int, steps: int) -> list[int]:
    after = log_probs.argmax(axis=1).tolist()
    text = [first, after[first]]
    while text[-1] != end and len(text) <= steps:
        text.append(after[text[-1]])
    return text
