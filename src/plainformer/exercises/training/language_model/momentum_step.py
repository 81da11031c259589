"""Exercise 4: a step of SGD with momentum."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def momentum_step(
    w: np.ndarray,
    velocity: np.ndarray,
    gradient: np.ndarray,
    rate: float,
    momentum: float,
) -> tuple[np.ndarray, np.ndarray]:
    """One step of gradient descent that remembers its last steps.

    The velocity keeps a part of itself, momentum, and the gradient
    is added to it. Then rate times the velocity is subtracted from the
    weights.
    w, velocity, gradient: arrays of one shape, not to be changed.
    Returns the new w and the new velocity.

    >>> one = np.ones(1)
    >>> w, velocity = momentum_step(one, 2 * one, 4 * one, 0.5, 0.25)
    >>> w.tolist(), velocity.tolist()  # 0.25 · 2 + 4 = 4.5
    ([-1.25], [4.5])
    """
    velocity = momentum * velocity + gradient
    return w - rate * velocity, velocity


_Five = tuple[Array, Array, Array, float, float]


def _draw(rng: np.random.Generator) -> _Five:
    shape = tuple(int(n) for n in rng.integers(1, 4, size=rng.integers(1, 3)))
    w, velocity, gradient = rng.integers(1, 7, size=(3, *shape)) * rng.choice([-1.0, 1.0])
    rate = float(rng.choice([0.1, 0.25, 0.5]))
    return w, velocity, gradient, rate, float(rng.choice([0.3, 0.6, 0.9]))


def _given(w: object, velocity: object, gradient: object, rate: float, momentum: float) -> _Five:
    first, second, third = (np.array(each, dtype=float) for each in (w, velocity, gradient))
    return first, second, third, rate, momentum


EXERCISE = Exercise(
    id="training.language_model.4",
    title="SGD with momentum",
    reference=momentum_step,
    compare=Arrays(),
    cases=(
        Case(_given([1], [2], [4], 0.5, 0.25), (np.array([-1.25]), np.array([4.5]))),
        # The first step of all: no velocity yet, so it is plain SGD.
        Case(
            _given([1, 2], [0, 0], [10, -10], 0.1, 0.9),
            (np.array([0.0, 3.0]), np.array([10.0, -10.0])),
        ),
        # No slope any more: half of the velocity is left, and it rolls on.
        Case(_given([[5]], [[8]], [[0]], 1.0, 0.5), (np.array([[1.0]]), np.array([[4.0]]))),
        # Without momentum it forgets.
        Case(_given([5], [8], [2], 1.0, 0.0), (np.array([3.0]), np.array([2.0]))),
    ),
    generate=_draw,
    hints=(
        "Two lines: first the new velocity, then the new weights, from the new velocity.",
        "A gradient points uphill. So the weights go the other way: w minus something.",
    ),
    mutants={
        "The weights go uphill: the gradient points to where the loss "
        "grows.": "w - rate -> w + rate",
        "You move by the gradient alone. The weights move by the "
        "velocity.": "w - rate * velocity -> w - rate * gradient",
        "You move by the old velocity. It takes up the gradient "
        "first.": "velocity = momentum * velocity + gradient -> old, velocity = velocity, momentum "
        "* velocity + gradient; w - rate * velocity -> w - rate * old",
        "You return the old velocity: then nothing is ever "
        "remembered.": "velocity = momentum * velocity + gradient -> old, velocity = velocity, "
        "momentum * velocity + gradient; rate * velocity, velocity -> rate * velocity, old",
        "You weight the gradient by 1 - momentum, as Adam does. "
        "Here it is added in full.": "+ gradient -> + (1 - momentum) * gradient",
        "The old velocity is not made smaller: it grows without "
        "end.": "momentum * velocity + gradient -> velocity + gradient",
        "You multiply the gradient by the momentum. Multiply the old velocity "
        "by it instead.": "momentum * velocity + gradient -> velocity + momentum * gradient",
        "You forget the old velocity.": "momentum * velocity + gradient -> gradient",
        "You have left out the rate.": "w - rate * velocity -> w - velocity",
        "The rate is in your velocity as well. It belongs "
        "only in the second line.": "+ gradient -> + rate * gradient",
        "You return the velocity first. The weights come "
        "first.": "w - rate * velocity, velocity -> velocity, w - rate * velocity",
        "That is Nesterov's momentum, which looks one step "
        "ahead.": "w - rate * velocity, -> w - rate * (gradient + momentum * velocity),",
    },
    alternates=[
        lambda w, velocity, gradient, rate, momentum: (
            w - rate * momentum * velocity - rate * gradient,
            gradient + velocity * momentum,
        ),
    ],
)


@EXERCISE.alternate
def _in_place(
    w: Array, velocity: Array, gradient: Array, rate: float, momentum: float
) -> tuple[Array, Array]:
    new, speed = w.copy(), velocity.copy()
    speed *= momentum
    speed += gradient
    new -= rate * speed
    return new, speed
