"""Exercise 4: a run that stops and resumes gives the same result as one that never stopped."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def go_on(
    state: tuple[float, float, int],
    until: int,
    rows: np.ndarray,
    seed: int,
) -> tuple[float, float, int]:
    """Continue a run until a given number of steps are done.

    Step s, from 0, reads one of n rows, and each epoch reads all of
    them once. Epoch e, from 0, is steps e n to e n + n - 1; its order
    is np.random.default_rng([seed, e]).permutation(n).
    The gradient is w minus the row; velocity becomes 0.5 velocity +
    gradient, and then w falls by 0.1 velocity.
    state: w, velocity, and how many steps are done. rows: (n,).
    Returns the new state. Stopping anywhere must change nothing.

    >>> rows = np.array([3.0, 8.0, 5.0])
    >>> half = go_on((0.0, 0.0, 0), 2, rows, seed=7)
    >>> go_on(half, 5, rows, 7) == go_on((0.0, 0.0, 0), 5, rows, 7)
    True
    """
    w, velocity, done = state
    n = len(rows)
    for step in range(done, until):
        order = np.random.default_rng([seed, step // n]).permutation(n)
        gradient = w - rows[order[step % n]]
        velocity = 0.5 * velocity + gradient
        w = w - 0.1 * velocity
    return w, velocity, max(done, until)


_State = tuple[float, float, int]


def _draw(rng: np.random.Generator) -> tuple[_State, int, Array, int]:
    n, done = int(rng.integers(2, 6)), int(rng.integers(0, 12))
    state = (float(rng.integers(-9, 9)), float(rng.integers(1, 9)), done)
    rows = rng.permutation(40)[:n].astype(float)
    return state, done + int(rng.integers(2, 9)), rows, int(rng.integers(0, 99))


EXERCISE = Exercise(
    id="training.many_machines.4",
    title="Exact resume",
    reference=go_on,
    points=2,
    compare=Arrays(atol=1e-9),
    cases=(
        # One row, so that the order does not matter: gradient -10, velocity -10, w 1.
        Case(((0.0, 0.0, 0), 1, np.array([10.0]), 3), (1.0, -10.0, 1)),
        # The run already has a velocity: 0.5 · 4 - 9 = -7, and w 1 + 0.7.
        Case(((1.0, 4.0, 6), 7, np.array([10.0]), 3), (1.7, -7.0, 7)),
        # All steps are done already.
        Case(((1.0, 4.0, 6), 6, np.array([10.0, 2.0]), 3), (1.0, 4.0, 6)),
    ),
    generate=_draw,
    hints=(
        "The number of a step determines which data it needs: its epoch is step // n, its "
        "place in the epoch step % n.",
        "Count the steps from where the run stopped: range(done, until).",
        "w, velocity and the steps done go through the whole loop, and come out as they are at "
        "the end.",
    ),
    mutants={
        "Your run begins its data anew: step number done is not step 0. Count from "
        "done.": "step // n -> (step - done) // n; order[step % n] -> order[(step - done) % n]",
        "The velocity begins anew at 0. It belongs to the state: without it the first steps "
        "after a stop are different.": "n = len(rows) -> n, velocity = len(rows), 0.0",
        "You take until additional steps. It is the total number of steps.": (
            "range(done, until) -> range(done, done + until); max(done, until) -> done + until"
        ),
        "You take the rows in their original order. Each "
        "epoch has its own order.": "order[step % n] -> step % n",
        "All your epochs have the order of the first. The number of the epoch is part of the "
        "seed.": "step // n -> 0",
        "You draw a new order in each step. The epoch's number belongs in the seed, not the "
        "step's.": "[seed, step // n] -> [seed, step]",
        "You begin a new epoch where the run went on. Epochs end at multiples of "
        "n.": "order[step % n] -> order[(step - done) % n]",
        "w falls by the gradient. It is to fall by the velocity.": "0.1 * velocity -> 0.1 * "
        "gradient",
        "You return the steps of this call. The next call "
        "needs those of the whole run.": "max(done, until) -> max(0, until - done)",
        "w moves before the velocity has taken in this gradient.": (
            "velocity = 0.5 * velocity + gradient -> pass; "
            "w = w - 0.1 * velocity -> w, velocity = w - 0.1 * velocity, velocity / 2 + gradient"
        ),
        "w climbs: it is to fall by 0.1 velocity.": "w - 0.1 * velocity -> w + 0.1 * velocity",
    },
)


@EXERCISE.alternate
def _epoch_by_epoch(
    state: tuple[float, float, int], until: int, rows: Array, seed: int
) -> tuple[float, float, int]:
    w, velocity, done = state
    n = len(rows)
    while done < until:
        epoch, place = divmod(done, n)
        for i in np.random.default_rng([seed, epoch]).permutation(n)[place:]:
            if done == until:
                break
            velocity = velocity / 2 + (w - rows[i])
            w -= velocity / 10
            done += 1
    return w, velocity, done


@EXERCISE.alternate
def _all_orders_first(
    state: tuple[float, float, int], until: int, rows: Array, seed: int
) -> tuple[float, float, int]:
    n, (w, velocity, done) = len(rows), state
    orders = [np.random.default_rng([seed, e]).permutation(n) for e in range(until // n + 1)]
    for row in rows[np.concatenate(orders)[done:until]]:
        velocity = velocity * 0.5 + w - row
        w -= 0.1 * velocity
    return w, velocity, until
