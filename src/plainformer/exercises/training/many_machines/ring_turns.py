"""Exercise 3: half an all-reduce, round a ring."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def ring_reduce_scatter(x: np.ndarray) -> np.ndarray:
    """Add up over processes in a ring, each sending to the next.

    Process r has N pieces, x[r]. In turn t, from 0 to N - 2, it
    sends its piece (r - t) % N, as it is then, to process (r + 1) % N,
    which adds it to its own piece of that number. All send at once.
    x: (N, N, C), not to be changed: processes, pieces, numbers.
    Returns (N, N, C), what they have at the end: process r then has
    the sum of all in its piece (r + 1) % N, and less elsewhere.

    >>> x = np.array([[[1], [2]], [[10], [20]]])
    >>> ring_reduce_scatter(x).tolist()
    [[[1], [22]], [[11], [20]]]
    """
    x = x.copy()
    N = len(x)
    for t in range(N - 1):
        for r in range(N):
            piece = (r - t) % N
            x[(r + 1) % N, piece] += x[r, piece]
    return x


def _draw(rng: np.random.Generator) -> tuple[Array]:
    N = rng.integers(2, 5)
    return (rng.integers(0, 100, size=(N, N, 1)),)


def _of(*rows: list[int]) -> Array:
    """One number a piece."""
    return np.array(rows)[..., None]


EXERCISE = Exercise(
    id="training.many_machines.3",
    title="A sum, round a ring",
    reference=ring_reduce_scatter,
    points=3,
    compare=Arrays(),
    cases=(
        Case((_of([1, 2], [10, 20]),), _of([1, 22], [11, 20])),
        Case((_of([7]),), _of([7])),
        # Turn 0: 1 goes to the second, 20 to the third, 300 to the first. Turn 1: 303 goes on to
        # the second, 11 to the third, 220 to the first.
        Case(
            (_of([1, 2, 3], [10, 20, 30], [100, 200, 300]),),
            _of([1, 222, 303], [11, 20, 333], [111, 220, 300]),
        ),
    ),
    generate=_draw,
    hints=(
        "Draw three processes in a ring, with three pieces each. In turn 0 process 0 sends piece "
        "0, process 1 piece 1. What does process 1 send in turn 1? The piece that it has just got.",
        "Two loops: over the turns, and within a turn over the processes. In Python a negative "
        "number % N wraps around by itself.",
        "In one turn no piece is both sent and received by the same process, so the order of the "
        "processes within a turn does not matter.",
    ),
    mutants={
        "You return the whole sum everywhere. That is what an all-reduce ends with; this is its "
        "first half.": "return x -> return np.broadcast_to(x[range(N), np.arange(1, N + 1) % N]"
        "[np.arange(-1, N - 1)], x.shape)",
        "You took a turn too many: after N - 1 turns every piece has been "
        "everywhere.": "range(N - 1) -> range(N)",
        "You took a turn too few: a piece must pass all N processes, so there are N - 1 "
        "turns.": "range(N - 1) -> range(N - 2)",
        "You always send the piece of your own number. In the next turn it is the one that has "
        "just come: (r - t) % N.": "(r - t) % N -> r",
        "You send piece (r + t) % N. What came in the last turn has the number one below, (r - t) "
        "% N.": "(r - t) % N -> (r + t) % N",
        "You send to the process before. The ring goes to (r + 1) % "
        "N.": "x[(r + 1) % N, piece] -> x[(r - 1) % N, piece]",
        "You put the piece in the place of the other. It is to be "
        "added.": "piece] += x[r, piece] -> piece] = x[r, piece]",
        "You send what each had at the beginning. From turn 1 on, it is what has been added up on "
        "the way.": "x = x.copy() -> begun, x = x, x.copy(); += x[r, piece] -> += begun[r, piece]",
    },
)


@EXERCISE.alternate
def _all_at_once(x: Array) -> Array:
    N = len(x)
    x, r = x.copy(), np.arange(N)
    for t in range(N - 1):
        sent = x[r, (r - t) % N].copy()
        x[(r + 1) % N, (r - t) % N] += sent
    return x


@EXERCISE.alternate
def _piece_by_piece(x: Array) -> Array:
    """Each piece sets out from the process of its number, and grows on its way."""
    N = len(x)
    end = x.copy()
    for piece in range(N):
        for turn in range(1, N):
            r = (piece + turn) % N
            end[r, piece] = x[r, piece] + end[r - 1, piece]
    return end
