"""Exercise 3: texts of different lengths, compared."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def best_by_length(log_probs: list[list[float]], alpha: float) -> int:
    """The index of the best of several texts.

    log_probs: for each text the log probabilities of its tokens,
    1 token or more.
    alpha: the length penalty. A text's score is the sum of its
    log probabilities, divided by (how many they are) ** alpha.
    (No two scores are equal.)

    >>> texts = [[-1.0], [-0.4, -0.4, -0.4]]
    >>> best_by_length(texts, 0.0), best_by_length(texts, 1.0)
    (0, 1)
    """
    scores = [sum(text) / len(text) ** alpha for text in log_probs]
    return int(np.argmax(scores))


def _draw(rng: np.random.Generator) -> tuple[list[list[float]], float]:
    n = int(rng.integers(2, 5))
    texts = [
        (-rng.exponential(rng.uniform(0.2, 0.8), size=int(rng.integers(1, 7)))).round(2).tolist()
        for _ in range(n)
    ]
    return texts, float(rng.choice([0.0, 0.3, 0.6, 1.0, 1.5, 2.0, -1.0]))


EXERCISE = Exercise(
    id="decoding.search.3",
    title="Long or short?",
    reference=best_by_length,
    cases=(
        Case(([[-1.0], [-2.0]], 0.0), 0),
        Case(([[-1.0], [-0.4, -0.4, -0.4]], 0.0), 0),  # -1 against -1.2
        Case(([[-1.0], [-0.4, -0.4, -0.4]], 1.0), 1),  # -1 against -0.4
        Case(([[-1.0, -0.5], [-0.5, -0.5, -0.5, -0.5]], 0.5), 1),  # -1.06 against -1
        Case(([[-0.25, -0.25], [-1.0, -1.0, -1.0, -1.0]], 2.0), 0),  # -0.125 against -0.25
        Case(([[-1.5], [-0.5, -0.5], [-2.0]], -1.0), 0),  # -1.5, -2, -2
    ),
    generate=_draw,
    hints=(
        "Two numbers for each text: the sum of its log probabilities, and how many there are.",
        "Divide the sum by the length to the power of alpha: length ** alpha. With alpha = 0 that "
        "is 1, and nothing changes.",
        "Write a list comprehension that gives each text its sum(text) / len(text) ** alpha. The "
        "best is the largest number, and np.argmax tells where it is.",
    ),
    mutants={
        "You compare the sums without using alpha.": lambda log_probs, alpha: best_by_length(
            log_probs, 0.0
        ),
        "You take the mean, whatever alpha is. The mean is "
        "right only for alpha = 1.": lambda log_probs, alpha: best_by_length(log_probs, 1.0),
        "You multiply by length ** alpha. Divide: the penalty is to help the "
        "longer text.": lambda log_probs, alpha: best_by_length(log_probs, -alpha),
        "You divide twice: by the length, as a mean does, and by length ** alpha. Begin with "
        "the sum.": lambda log_probs, alpha: best_by_length(log_probs, 1.0 + alpha),
        "You divide by length * alpha. It is a power: "
        "length ** alpha.": "len(text) ** alpha -> (len(text) * alpha if alpha else 1)",
        "You return the worst. Scores are negative, and the best is "
        "the largest.": "argmax -> argmin",
        "You return the longest text, whatever its score.": (
            "sum(text) / len(text) ** alpha -> len(text)"
        ),
        "You add alpha for each token. That is another rule, a reward by the word; here the "
        "sum is divided.": "sum(text) / len(text) ** alpha -> sum(text) + alpha * len(text)",
        "You divide by ((5 + length) / 6) ** alpha, another rule in use. Here the length "
        "itself is raised to alpha.": "len(text) ** alpha -> ((5 + len(text)) / 6) ** alpha",
        "You divide the probability. Divide its logarithm, the sum: a negative number grows "
        "when it is divided, a positive one shrinks.": "sum(text) / -> np.exp(sum(text)) /",
    },
)


@EXERCISE.alternate
def _with_a_key(log_probs: list[list[float]], alpha: float) -> int:
    def score(i: int) -> float:
        return float(np.mean(log_probs[i]) * len(log_probs[i]) ** (1 - alpha))

    return max(range(len(log_probs)), key=score)


@EXERCISE.alternate
def _with_a_loop(log_probs: list[list[float]], alpha: float) -> int:
    best, where = -np.inf, 0
    for i, text in enumerate(log_probs):
        score = float(np.sum(text)) * len(text) ** -alpha
        if score > best:
            best, where = score, i
    return where
