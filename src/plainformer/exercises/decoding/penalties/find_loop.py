"""Exercise 3: where a greedy text starts to loop."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


def find_loop(
    ids: np.ndarray,
    sees: int,
) -> tuple[int, int]:
    """Find where a text without randomness starts to repeat itself
    forever.

    ids: (T,), written by a model that always takes the likeliest token
    and sees only the last `sees` tokens (1 or more).
    As soon as `sees` tokens in a row come a second time, the same
    must follow. Find the first time that this happens. Returns
    (start, period): the position where those tokens began the first
    time, and how many positions later they began again (the two may
    overlap); (0, 0) if it does not happen.

    >>> find_loop(np.array([7, 1, 2, 3, 1, 2, 3]), sees=2)
    (1, 3)
    """
    began: dict[tuple[int, ...], int] = {}
    for i in range(len(ids) - sees + 1):
        state = tuple(ids[i : i + sees].tolist())
        if state in began:
            return began[state], i - began[state]
        began[state] = i
    return 0, 0


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    """What a model writes that maps each state to a token, drawn once and for all."""
    sees, V = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    nexts: dict[tuple[int, ...], int] = {}
    ids = [int(i) for i in rng.integers(0, V, size=sees)]
    names = np.arange(V) if rng.random() < 0.5 else 11 * 10 ** np.arange(V) // 10  # 1, 11, 110, …
    for _ in range(int(rng.integers(0, 16))):
        state = tuple(ids[-sees:])
        ids.append(nexts.setdefault(state, int(rng.integers(V))))
    return names[ids], sees


EXERCISE = Exercise(
    id="decoding.penalties.3",
    title="Find the loop",
    reference=find_loop,
    points=3,
    compare=Exact(),
    cases=(
        Case((np.array([5, 6, 7]), 1), (0, 0)),
        Case((np.array([5, 6, 5]), 1), (0, 2)),
        Case((np.array([7, 1, 2, 3, 1, 2, 3]), 2), (1, 3)),
        Case((np.array([7, 1, 2, 3, 1, 2, 3]), 3), (1, 3)),
        Case((np.array([4, 9, 9, 9, 9]), 2), (1, 1)),
        Case((np.array([4, 1, 5, 1, 6]), 2), (0, 0)),
        Case((np.array([8, 8]), 3), (0, 0)),
        Case((np.array([1, 11, 1, 1, 11]), 2), (0, 3)),
        Case((np.array([11, 1, 2, 11]), 2), (0, 0)),
        Case((np.array([1, 257, 1]), 1), (0, 2)),
        Case((np.array([1, 100, 2, 0]), 2), (0, 0)),  # 1 · 100 + 100 = 2 · 100 + 0
    ),
    generate=_draw,
    hints=(
        "If the model sees two tokens, one repeated token is not a loop. Everything that the "
        "model sees has to be repeated.",
        "Walk through the text, and keep for each run of `sees` tokens where it began. A dict "
        "with a tuple as the key will do. The first run that is already there is the answer.",
        "There are len(ids) - sees + 1 runs, the last of which ends with the text. Return the "
        "stored position and the distance from it.",
    ),
    mutants={
        "You join the digits of the ids, and then 1, 11 looks like 11, 1. Keep the ids apart: a "
        "tuple of them can be a key.": "tuple(ids[i : i + sees].tolist()) -> "
        '"".join(map(str, ids[i : i + sees].tolist()))',
        "You turn the ids into one number, and then 1, 100 may look like 2, 0: an id may have "
        "any number of digits. Keep the ids apart: a tuple of them can be a key.": (
            "tuple(ids[i : i + sees].tolist()) -> "
            "sum(int(t) * 100**n for n, t in enumerate(ids[i : i + sees][::-1]))"
        ),
        "You stop at the first *token* that comes again. A model that sees more may go on "
        "differently; all `sees` of them must come again.": lambda ids, sees: find_loop(ids, 1),
        "You miss what comes again at the very end of the text. Look at all len(ids) - sees + "
        "1 runs, each of `sees` "
        "tokens, including the last.": lambda ids, sees: find_loop(ids, sees + 1),
        "Your start is the position of the second time. The task asks where the tokens began "
        "the *first* time.": "return began[state], -> return i,",
        "Your start is where the first run of tokens has ended, not "
        "where it began.": "return began[state], -> return began[state] + sees,",
        "You return two positions. The task asks for the first position and the distance to "
        "the second.": "i - began[state] -> i",
        "You have swapped the two: first the start, then the period.": (
            "return began[state], i - began[state] -> return i - began[state], began[state]"
        ),
    },
)


@EXERCISE.mutant("The second run may begin before the first has ended: 9 9 9 holds 9 9 twice.")
def _no_overlap(ids: Array, sees: int) -> tuple[int, int]:
    for j in range(sees, len(ids) - sees + 1):
        for i in range(j - sees + 1):
            if (ids[i : i + sees] == ids[j : j + sees]).all():
                return i, j - i
    return 0, 0


@EXERCISE.mutant(
    "You report the last repetition. Stop at the first: from there on everything is determined."
)
def _latest(ids: Array, sees: int) -> tuple[int, int]:
    found = (0, 0)
    began: dict[tuple[int, ...], int] = {}
    for i in range(len(ids) - sees + 1):
        state = tuple(ids[i : i + sees].tolist())
        if state in began:
            found = began[state], i - began[state]
        began[state] = i
    return found


@EXERCISE.alternate
def _with_two_loops(ids: Array, sees: int) -> tuple[int, int]:
    for j in range(1, len(ids) - sees + 1):
        for i in range(j):
            if (ids[i : i + sees] == ids[j : j + sees]).all():
                return i, j - i
    return 0, 0


@EXERCISE.alternate
def _with_windows(ids: Array, sees: int) -> tuple[int, int]:
    if len(ids) < sees:
        return 0, 0
    windows = np.lib.stride_tricks.sliding_window_view(ids, sees)
    same = np.tril((windows[:, None] == windows[None]).all(-1), -1)
    again = np.flatnonzero(same.any(axis=1))
    if not len(again):
        return 0, 0
    j = int(again[0])
    i = int(same[j].argmax())
    return i, j - i


@EXERCISE.alternate
def _list_of_states(ids: Array, sees: int) -> tuple[int, int]:
    states = [tuple(ids[i : i + sees]) for i in range(len(ids) - sees + 1)]
    for j, state in enumerate(states):
        if states.index(state) < j:
            return states.index(state), j - states.index(state)
    return 0, 0
