"""Exercise 2: GELU, from the normal distribution."""

from math import erf, sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def exact_gelu(x: np.ndarray) -> np.ndarray:
    """Compute GELU: each number times Φ of itself.

    Φ(x) is the share of a normal distribution (mean 0, variance 1) that
    is below x. math.erf gives it for one number:
    Φ(x) = (1 + erf(x / √2)) / 2. NumPy has no erf.
    x: any shape.
    Returns the same shape.

    >>> exact_gelu(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    """
    phi = np.array([(1 + erf(each / sqrt(2))) / 2 for each in x.flat])
    y: np.ndarray = x * phi.reshape(x.shape)
    return y


def _draw(rng: np.random.Generator) -> tuple[Array]:
    shape = [(4,), (2, 3), (1, 2, 2), (5, 1)][rng.integers(4)]
    return (rng.choice([0.5, 2.0, 6.0]) * rng.normal(size=shape),)


# From a table of the normal distribution: Φ(1) and Φ(2).
_ONE, _TWO = 0.8413447460685429, 0.9772498680518208

EXERCISE = Exercise(
    id="blocks.feed_forward.2",
    title="GELU from the normal distribution",
    reference=exact_gelu,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([0.0, 1.0, 2.0]),), np.array([0.0, _ONE, 2 * _TWO])),
        Case((np.array([-1.0, -2.0]),), np.array([_ONE - 1, 2 * _TWO - 2])),
        Case((np.array([[1.0, -1.0], [2.0, 0.0]]),), np.array([[_ONE, _ONE - 1], [2 * _TWO, 0]])),
        Case((np.array([100.0, -100.0]),), np.array([100.0, 0.0])),
        Case((np.array([[3.0]]),), np.array([[2.9959503059051095]])),
    ),
    generate=_draw,
    hints=(
        "Two steps: Φ of every number, then x times that. Φ(0) is a half: half of the numbers of "
        "a normal distribution lie below 0.",
        "math.erf takes one number. Take the numbers one by one, in a loop or with np.vectorize, "
        "and bring the result into the shape of x.",
        "x.flat goes through the numbers of an array of any shape, and reshape(x.shape) brings "
        "them back in order. Mind the root of 2 inside erf and the division by 2 outside.",
    ),
    mutants={
        "Very close, but that is the approximation with tanh, which GPT-2 was trained with. "
        "The task asks "
        "for Φ itself.": lambda x: 0.5 * x * (1 + np.tanh(sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        "Close, but x · sigmoid(1.702 x) only approximates x · Φ(x). The task asks for Φ "
        "itself.": lambda x: x / (1 + np.exp(-1.702 * x)),
        "That is SiLU: x times the sigmoid. GELU has Φ in the sigmoid's place.": lambda x: (
            x / (1 + np.exp(-x))
        ),
        "The root of 2 is missing inside erf, whose own bell is narrower than the normal "
        "one.": "erf(each / sqrt(2)) -> erf(each)",
        "You multiply by the root of 2 inside erf. Divide.": (
            "erf(each / sqrt(2)) -> erf(each * sqrt(2))"
        ),
        "The half is missing: 1 + erf is between 0 and 2, but a "
        "share is between 0 and 1.": "(1 + erf(each / sqrt(2))) / 2 -> 1 + erf(each / sqrt(2))",
        "That is Φ. GELU is x times Φ(x).": "x * phi.reshape(x.shape) -> phi.reshape(x.shape)",
        "That is ReLU, which sets everything below 0 to 0. GELU "
        "lets a little of it through.": lambda x: np.maximum(x, 0.0),
        "You multiply by the height of the bell at x. Φ is the *area* under the bell to the left "
        "of x.": lambda x: x * np.exp(-(x**2) / 2) / sqrt(2 * np.pi),
        "x · erf(x/√2) is even: it makes −1 and 1 equal. The 1 + and the half are missing.": (
            "(1 + erf(each / sqrt(2))) / 2 -> erf(each / sqrt(2))"
        ),
        "The numbers are right, but in a flat array: "
        "give them the shape of x.": "x * phi.reshape(x.shape) -> x.ravel() * phi",
        "You take the share that lies *above* x.": "(1 + erf -> (1 - erf",
    },
    alternates=[
        lambda x: x * np.vectorize(lambda each: 0.5 + 0.5 * erf(each / 2**0.5))(x),
    ],
)


@EXERCISE.alternate
def _number_by_number(x: Array) -> Array:
    out = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        out[place] = x[place] * (1 + erf(x[place] * sqrt(0.5))) / 2
    return out
