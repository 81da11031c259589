"""Exercise 1: greedy search, on a model that is a table."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Mutant


def take_likeliest(
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
    >>> take_likeliest(np.log(P), 0, 2, 5)
    [0, 1, 2]
    """
    text = [first]
    for _ in range(steps):
        text.append(int(np.argmax(log_probs[text[-1]])))
        if text[-1] == end:
            break
    return text


def _recursive(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    following = max(range(len(log_probs)), key=lambda token: log_probs[first, token])
    if steps == 1 or following == end:
        return [first, following]
    return [first, *_recursive(log_probs, following, end, steps - 1)]


def _next_looked_up(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    after = log_probs.argmax(axis=1).tolist()
    text = [first, after[first]]
    while text[-1] != end and len(text) <= steps:
        text.append(after[text[-1]])
    return text


def _never_ends(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(log_probs, first, -1, steps)


def _end_left_out(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    text = take_likeliest(log_probs, first, end, steps)
    return text[:-1] if text[-1] == end else text


def _first_left_out(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(log_probs, first, end, steps)[1:]


def _one_too_few(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(log_probs, first, end, steps)[:steps]


def _one_too_many(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(log_probs, first, end, steps + 1)


def _always_after_first(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    token = int(np.argmax(log_probs[first]))
    return [first, token] if token == end else [first, *[token] * steps]


def _by_columns(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(log_probs.T, first, end, steps)


def _least_likely(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return take_likeliest(-log_probs, first, end, steps)


def _first_may_end(log_probs: np.ndarray, first: int, end: int, steps: int) -> list[int]:
    return [first] if first == end else take_likeliest(log_probs, first, end, steps)


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, int, int, int]:
    V = int(rng.integers(2, 5))
    p = rng.dirichlet(np.ones(V), size=V)
    first, end = (int(token) for token in rng.integers(0, V, 2))
    return np.log(p).round(2), first, end, int(rng.integers(1, 7))


P = np.log(np.array([[0.1, 0.6, 0.3], [0.2, 0.1, 0.7], [0.5, 0.3, 0.2]]))

EXERCISE = Exercise(
    id="decoding.search.1",
    title="Take the likeliest",
    reference=take_likeliest,
    points=1,
    cases=(
        Case((P, 0, 2, 1), [0, 1]),
        Case((P, 0, 2, 5), [0, 1, 2]),
        Case((P, 1, 0, 5), [1, 2, 0]),
        Case((np.log(np.array([[0.6, 0.4], [0.7, 0.3]])), 0, 1, 3), [0, 0, 0, 0]),
        Case((P, 2, 2, 4), [2, 0, 1, 2]),
    ),
    generate=_draw,
    hints=(
        "Which row of the table tells what comes next? That of the last token you have.",
        "Start from [first]. In each of `steps` rounds, append the place of the largest number in "
        "the row of the last token.",
        "np.argmax(log_probs[text[-1]]) is the next token; int() makes a plain number of it. Break "
        "when it is `end`, after you have appended it.",
    ),
    mutants=(
        Mutant(_never_ends, "You go on after the end of text. Stop when `end` was taken."),
        Mutant(_end_left_out, "You leave out the end of text. It belongs to the result."),
        Mutant(_first_left_out, "You return the new tokens only. Begin with `first`."),
        Mutant(
            _one_too_few,
            "You take one token too few: `steps` counts the new tokens, and `first` is none.",
        ),
        Mutant(
            _one_too_many,
            "You take one token too many: after `steps` new ones the text stops.",
        ),
        Mutant(
            _always_after_first,
            "You ask each time what follows `first`. Ask what follows the last token you took.",
        ),
        Mutant(
            _by_columns,
            "You read columns. Row i holds what may follow token i: log_probs[i].",
        ),
        Mutant(
            _least_likely,
            "You take the least likely token. Log probabilities are negative, and the largest is "
            "the one nearest to 0.",
        ),
        Mutant(
            _first_may_end,
            "You stop because the prompt is the end of text. Only a token that was taken ends it: "
            "a prompt may begin with that mark.",
        ),
    ),
    alternates=(_recursive, _next_looked_up),
)
