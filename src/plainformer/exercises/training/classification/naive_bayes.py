"""Exercise 3: a baseline in four lines, naive Bayes on word counts."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def naive_bayes(
    counts: np.ndarray,
    labels: np.ndarray,
    n_labels: int,
    text: np.ndarray,
) -> np.ndarray:
    """Compute how likely each label is for a text, from counted words.

    For each label, multiply its share of the texts by the share that
    each word of the new text has among all words of the label. First
    add 1 to every count of a word in a label, so that no share is 0.
    Finally divide, so that the labels' numbers sum to 1.
    counts: (N, V), how often each word is in each known text.
    labels: (N,), whole numbers from 0 to n_labels - 1; each occurs.
    text: (V,), how often each word is in the new text.
    Returns (n_labels,).

    >>> counts, labels = np.array([[3, 0], [0, 1]]), np.array([0, 1])
    >>> p = naive_bayes(counts, labels, 2, np.array([1, 0]))
    >>> p.round(3).tolist()
    [0.706, 0.294]
    """
    log_p = np.empty(n_labels)
    for label in range(n_labels):
        words = counts[labels == label].sum(axis=0) + 1  # (V,)
        log_words = np.log(words / words.sum())
        prior = np.log((labels == label).mean())
        log_p[label] = prior + text @ log_words
    p = np.exp(log_p - log_p.max())
    return p / p.sum()


_Four = tuple[Array, Array, int, Array]


def _draw(rng: np.random.Generator) -> _Four:
    N, V, K = int(rng.integers(5, 9)), int(rng.integers(2, 5)), int(rng.integers(2, 4))
    labels = rng.permutation(np.concatenate([np.arange(K), rng.integers(K, size=N - K)]))
    long = 1 if rng.random() < 0.7 else 400  # so many words that the plain product underflows to 0
    return rng.integers(0, 5, size=(N, V)), labels, K, long * rng.integers(0, 3, size=V)


def _given(counts: object, labels: object, n_labels: int, text: object) -> _Four:
    return np.array(counts), np.array(labels), n_labels, np.array(text)


EXERCISE = Exercise(
    id="training.classification.3",
    title="A baseline: naive Bayes",
    reference=naive_bayes,
    points=2,
    compare=Arrays(),
    cases=(
        # Shares of the first word: (3 + 1) / (3 + 2) and (0 + 1) / (1 + 2); 0.8 to 0.333.
        Case(_given([[3, 0], [0, 1]], [0, 1], 2, [1, 0]), np.array([12 / 17, 5 / 17])),
        # A text without a word: the labels' shares alone.
        Case(
            _given([[1, 0], [0, 1], [0, 1], [0, 1]], [0, 1, 1, 1], 2, [0, 0]),
            np.array([0.25, 0.75]),
        ),
        # A word twice counts twice: 0.8² to (1/3)², 0.64 to 0.1111.
        Case(
            _given([[3, 0], [0, 1]], [0, 1], 2, [2, 0]),
            np.array([0.64, 1 / 9]) / (0.64 + 1 / 9),
        ),
        # So long that the product of shares would be 0 in every label.
        Case(_given([[2, 0], [0, 2]], [0, 1], 2, [5000, 0]), np.array([1.0, 0.0])),
    ),
    generate=_draw,
    hints=(
        "A product of many small numbers soon underflows to 0. Add their logarithms instead.",
        "counts[labels == k].sum(axis=0) + 1 are the words of label k, each with 1 added; divide "
        "by their sum, and you have the shares.",
        "text @ np.log(shares) adds the logarithm of each word as often as it occurs. Before "
        "you take np.exp, subtract the largest of the labels' numbers.",
    ),
    mutants={
        "You have left out how frequent the labels are themselves.": "prior + text -> text",
        "You have not added 1. A word that a label never had makes it "
        "impossible.": ".sum(axis=0) + 1 -> .sum(axis=0)",
        "1 is added to each word once for the label, not once for each of its "
        "texts.": "counts[labels == label].sum(axis=0) + 1 -> "
        "(counts[labels == label] + 1).sum(axis=0)",
        "A word that occurs twice counts twice.": "text @ log_words -> (text > 0) @ log_words",
        "A word counts as often as it occurs in the known texts; the number of texts it occurs "
        "in does not matter.": "counts[labels == label].sum -> (counts[labels == label] > 0).sum",
        "Those are logarithms. Take np.exp, and let them sum to 1.": (
            "p = np.exp(log_p - log_p.max()) -> return log_p"
        ),
        "They must sum to 1: divide by their sum.": "return p / p.sum() -> return p",
        "The product of so many shares underflows to 0, and 0 / 0 is NaN. Subtract the largest "
        "logarithm before np.exp.": "np.exp(log_p - log_p.max()) -> np.exp(log_p)",
        "A word's share is among the words of its label, not among all "
        "labels.": "words / words.sum() -> words / (counts.sum(axis=0) + n_labels)",
        "The share of the words in the label is not divided by their sum with the ones added, so "
        "the shares do not sum to 1.": "words.sum() -> (words - 1).sum().clip(1)",
    },
)


@EXERCISE.alternate
def _with_matrices(counts: Array, labels: Array, n_labels: int, text: Array) -> Array:
    which = np.arange(n_labels)[:, None] == labels  # (K, N)
    words = which @ counts + 1.0
    scores = np.log(which.mean(axis=1)) + np.log(words / words.sum(axis=1, keepdims=True)) @ text
    return np.asarray(np.exp(scores - np.logaddexp.reduce(scores)))


@EXERCISE.alternate
def _word_by_word(counts: Array, labels: Array, n_labels: int, text: Array) -> Array:
    scores = []
    for label in range(n_labels):
        mine = counts[labels == label]
        total = mine.sum() + len(text)
        score = np.log(len(mine) / len(labels))
        for v, times in enumerate(text):
            score += times * np.log((mine[:, v].sum() + 1) / total)
        scores.append(score)
    return np.array([1 / np.exp(np.array(scores) - each).sum() for each in scores])
