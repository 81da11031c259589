"""Exercise 5: a step of AdamW."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def adamw_step(
    w: np.ndarray,
    gradient: np.ndarray,
    m: np.ndarray,
    v: np.ndarray,
    step: int,
    rate: float,
    decay: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One step of AdamW (Loshchilov and Hutter 2019, algorithm 2).

    m is a running mean of the gradients: it keeps 0.9 of itself and
    takes 0.1 of the new one. v is a running mean of their squares: it
    keeps 0.999 and takes 0.001. Both begin at 0 and are therefore too
    small at first: divide m by 1 - 0.9^step, and v by 1 - 0.999^step.
    With m and v corrected like this, subtract from the weights rate
    times the sum of m / (root of v + 1e-8) and decay times the old
    weights.
    w, gradient, m, v: arrays of one shape, not to be changed.
    step: 1 for the first.
    Returns the new w, and the new m and v, not corrected.

    >>> w, g, no = np.array([2.0]), np.array([-3.0]), np.zeros(1)
    >>> w, m, v = adamw_step(w, g, no, no, 1, 0.1, 0.5)
    >>> w.round(6).tolist()  # 2 + 0.1 · 1 - 0.1 · 0.5 · 2
    [2.0]
    >>> m.round(3).tolist(), v.round(3).tolist()
    ([-0.3], [0.009])
    """
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient**2
    m_hat = m / (1 - 0.9**step)
    v_hat = v / (1 - 0.999**step)
    change = m_hat / (np.sqrt(v_hat) + 1e-8) + decay * w
    return w - rate * change, m, v


_Seven = tuple[Array, Array, Array, Array, int, float, float]


def _draw(rng: np.random.Generator) -> _Seven:
    shape = tuple(int(n) for n in rng.integers(1, 4, size=rng.integers(1, 3)))
    w, gradient, m = rng.integers(1, 9, size=(3, *shape)) * rng.choice(
        [-0.5, 0.5], size=(3, *shape)
    )
    v = rng.integers(1, 9, size=shape) / 4
    step = int(rng.integers(1, 30))
    if rng.random() < 0.3:
        m, v, step = 0 * m, 0 * v, 1
    return w, gradient, m, v, step, float(rng.choice([0.1, 0.5])), float(rng.choice([0.1, 0.25]))


def _given(*rows: object, step: int, rate: float, decay: float) -> _Seven:
    w, gradient, m, v = (np.array(row, dtype=float) for row in rows)
    return w, gradient, m, v, step, rate, decay


EXERCISE = Exercise(
    id="training.language_model.5",
    title="A step of AdamW",
    reference=adamw_step,
    points=3,
    compare=Arrays(atol=1e-7),
    cases=(
        # The first step, corrected, is as long as the rate, however large the gradient.
        Case(
            _given([2], [-3], [0], [0], step=1, rate=0.1, decay=0.0),
            (np.array([2.1]), np.array([-0.3]), np.array([0.009])),
        ),
        Case(
            _given([2], [-3], [0], [0], step=1, rate=0.1, decay=0.5),
            (np.array([2.0]), np.array([-0.3]), np.array([0.009])),
        ),
        # There has never been a gradient, so only the decay is left, 10 - 0.5 · 0.1 · 10.
        Case(
            _given([[10, -10]], [[0, 0]], [[0, 0]], [[0, 0]], step=7, rate=0.5, decay=0.1),
            (np.array([[9.5, -9.5]]), np.zeros((1, 2)), np.zeros((1, 2))),
        ),
        # The same gradient for the second time: means of equal numbers, so the step is again as
        # long as the rate.
        Case(
            _given([1], [4], [0.4], [0.016], step=2, rate=0.25, decay=0.0),
            (np.array([0.75]), np.array([0.76]), np.array([0.031984])),
        ),
    ),
    generate=_draw,
    hints=(
        "Five lines, in the order of the text: m, v, each of them corrected, then the weights.",
        "Keep m and v as they are for the next step: the corrected ones get names of their own.",
        "Do not put decay into the gradient, or it would end up in m and v. It is added to the "
        "quotient, and rate multiplies both.",
    ),
    mutants={
        "You have left out the correction: the first steps are of the wrong "
        "size.": "m / (1 - 0.9**step) -> m; v / (1 - 0.999**step) -> v",
        "m is not corrected: in the first steps it is too small.": "m / (1 - 0.9**step) -> m",
        "v is not corrected: in the first steps it is too small, and the steps too "
        "long.": "v / (1 - 0.999**step) -> v",
        "You count the steps from 0 in the correction. The first is step 1, and a further one is "
        "not added.": "0.9**step -> 0.9 ** (step + 1); 0.999**step -> 0.999 ** (step + 1)",
        "You return m and v corrected. They are kept as they are, or they would be corrected again "
        "and again.": "rate * change, m, v -> rate * change, m_hat, v_hat",
        "You add decay to the gradient: that is Adam with an L2 penalty, and it ends up in m "
        "and v. In AdamW it is kept out of them.": "1e-8) + decay * w -> 1e-8); "
        "m = 0.9 -> gradient = gradient + decay * w\n    m = 0.9",
        "The weights do not decay.": "+ decay * w -> ",
        "The weights grow: decay draws them towards 0.": "+ decay * w -> - decay * w",
        "You have left the rate out of the "
        "decay.": "+ decay * w -> ; w - rate * change -> w - rate * change - decay * w",
        "The weights go uphill: the gradient points to where the loss "
        "grows.": "w - rate * change -> w + rate * change",
        "You divide by v. It is a mean of squares: its root has the size of a "
        "gradient.": "np.sqrt(v_hat) -> v_hat",
        "v is a mean of the gradients' squares.": "0.001 * gradient**2 -> 0.001 * np.abs(gradient)",
        "0.9 and 0.999 have changed places.": "0.9 * m + 0.1 * gradient -> 0.999 * m + 0.001 * "
        "gradient; 0.999 * v + 0.001 -> 0.9 * v + 0.1; (1 - 0.9**step) -> (1 - 0.999**step + 0); "
        "(1 - 0.999**step) -> (1 - 0.9**step)",
        "You move by the gradient over the root of v. It is m that "
        "moves.": "m_hat / (np -> gradient / (np",
        "You have left out the root of v: that is SGD with a running "
        "mean.": "m_hat / (np.sqrt(v_hat) + 1e-8) -> m_hat",
        "You add the whole gradient to m. A mean takes 0.1 of it.": "0.1 * gradient -> gradient",
    },
)


@EXERCISE.alternate
def _shrink_first(
    w: Array, gradient: Array, m: Array, v: Array, step: int, rate: float, decay: float
) -> tuple[Array, Array, Array]:
    """As in torch: the weights are first shrunk and then moved."""
    new = w * (1 - rate * decay)
    m, v = m + 0.1 * (gradient - m), v + 0.001 * (gradient * gradient - v)
    root = np.sqrt(v) / np.sqrt(1 - 0.999**step) + 1e-8
    return new - rate / (1 - 0.9**step) * m / root, m, v


@EXERCISE.alternate
def _number_by_number(
    w: Array, gradient: Array, m: Array, v: Array, step: int, rate: float, decay: float
) -> tuple[Array, Array, Array]:
    new, mean, square = w.copy(), m.copy(), v.copy()
    for at in np.ndindex(w.shape):
        mean[at] = 0.9 * m[at] + (1 - 0.9) * gradient[at]
        square[at] = 0.999 * v[at] + (1 - 0.999) * gradient[at] ** 2
        size = (square[at] / (1 - 0.999**step)) ** 0.5
        new[at] -= rate * (mean[at] / (1 - 0.9**step) / (size + 1e-8) + decay * w[at])
    return new, mean, square
