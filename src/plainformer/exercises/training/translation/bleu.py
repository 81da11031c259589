"""Exercise 4: the complete BLEU: four precisions and a brevity penalty."""

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise
from plainformer.exercises.training.translation.clipped_precision import noisy_pairs


def bleu(
    translations: list[str],
    references: list[str],
) -> float:
    """BLEU of some translations, from 0 to 1, one reference for each.

    It is the geometric mean of the clipped precisions of 1-, 2-, 3-
    and 4-grams (as in the exercise before), times a penalty: with c
    words in all translations and r in all references, exp(1 - r / c)
    if c is below r, and 1 if not. If one precision is 0, so is BLEU.
    Words are separated by single spaces.

    >>> bleu(["a b c d e"], ["a b c d e"])
    1.0
    >>> round(bleu(["a b c d e"], ["a b c d f"]), 4)
    0.6687
    """
    said = [translation.split() for translation in translations]
    there = [reference.split() for reference in references]
    logs = []
    for n in (1, 2, 3, 4):
        matches = total = 0
        for a, b in zip(said, there, strict=True):
            ours = [tuple(a[i : i + n]) for i in range(len(a) - n + 1)]
            refs = [tuple(b[i : i + n]) for i in range(len(b) - n + 1)]
            for group in set(ours):
                matches += min(ours.count(group), refs.count(group))
            total += len(ours)
        if matches == 0:
            return 0.0
        logs.append(np.log(matches / total))
    c, r = sum(map(len, said)), sum(map(len, there))
    penalty = np.exp(min(0.0, 1 - r / c))
    return float(penalty * np.exp(np.mean(logs)))


def _draw(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    return noisy_pairs(rng)


EXERCISE = Exercise(
    id="training.translation.4",
    title="BLEU",
    reference=bleu,
    points=4,
    compare=Arrays(),
    cases=(
        Case((["a b c d e"], ["a b c d e"]), 1.0),
        Case((["a b c d e"], ["a b c d f"]), (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        # Everything is right, but a word is missing: 5 words instead of 6.
        Case((["il gatto è un gatto"], ["il gatto è un gatto adorabile"]), np.exp(1 - 6 / 5)),
        # One word too many costs precision, and no penalty.
        Case((["a b c d e"], ["a b c d"]), (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        # No 4-gram is right.
        Case((["a b c e d"], ["a b c d e"]), 0.0),
        # Lengths are added up first: 4 + 6 words for 5 + 5.
        Case(
            (["a b c d", "a b c d e f"], ["a b c d e", "a b c d e"]),
            (9 / 10 * 7 / 8 * 5 / 6 * 3 / 4) ** 0.25,
        ),
    ),
    generate=_draw,
    hints=(
        "Four times the exercise before, for n from 1 to 4. Then a mean, then the penalty.",
        "The geometric mean of four numbers: multiply them and take the fourth root; or take the "
        "mean of their logarithms, and its exponential.",
        "The penalty: c and r are sums over all sentences. min(1, exp(1 - r / c)).",
    ),
    mutants={
        "You have left out the penalty for brevity.": "penalty * np.exp -> np.exp",
        "You give a bonus to translations that are longer than the reference: the penalty is "
        "never above 1.": "min(0.0, 1 - r / c) -> 1 - r / c",
        "In the penalty, r and c have changed places: "
        "brevity is what is penalised.": "1 - r / c -> 1 - c / r",
        "That is the arithmetic mean of the precisions. BLEU takes the geometric "
        "one.": "logs.append(np.log(matches / total)) -> logs.append(matches / total); "
        "np.exp(np.mean(logs)) -> np.mean(logs)",
        "You stop at groups of three words. BLEU goes to four.": "(1, 2, 3, 4) -> (1, 2, 3)",
        "You take groups of four alone. BLEU takes those of one to four.": "(1, 2, 3, 4) -> (4,)",
        "You have not clipped: a group counts at most as often as the reference has it.": (
            "min(ours.count(group), refs.count(group)) -> ours.count(group) * (group in refs)"
        ),
        "The penalty is exp(1 - r / c), not c / r.": "np.exp(min(0.0, 1 - r / c)) -> min(1, c / r)",
        "You have multiplied the precisions and not taken the fourth "
        "root.": "np.mean(logs) -> np.sum(logs)",
        "You divide by the groups of the references; that is "
        "recall.": "total += len(ours) -> total += len(refs)",
        "BLEU from 0 to 1 is wanted; yours is a "
        "percentage.": "float(penalty -> float(100 * penalty",
    },
)


@EXERCISE.mutant(
    "You take the mean of each sentence's BLEU. Add up the counts of all sentences first."
)
def _mean_over_sentences(translations: list[str], references: list[str]) -> float:
    return float(np.mean([bleu([a], [b]) for a, b in zip(translations, references, strict=True)]))


@EXERCISE.mutant("Where a precision is 0, BLEU is 0: do not leave that precision out of the mean.")
def _without_zeros(translations: list[str], references: list[str]) -> float:
    logs = [np.log(p) for p in _precisions(translations, references) if p]
    return float(_penalty(translations, references) * np.exp(np.mean(logs))) if logs else 0.0


@EXERCISE.alternate
def _product_and_root(translations: list[str], references: list[str]) -> float:
    product = np.prod(_precisions(translations, references))
    return float(_penalty(translations, references) * product**0.25)


@EXERCISE.alternate
def _with_an_infinite_logarithm(translations: list[str], references: list[str]) -> float:
    with np.errstate(divide="ignore"):
        logs = np.log(_precisions(translations, references))
    return float(_penalty(translations, references) * np.exp(logs.mean()))


def _precisions(translations: list[str], references: list[str]) -> list[float]:
    from plainformer.exercises.training.translation.clipped_precision import clipped_precision

    return [clipped_precision(translations, references, n) for n in (1, 2, 3, 4)]


def _penalty(translations: list[str], references: list[str]) -> float:
    c, r = (len(" ".join(texts).split()) for texts in (translations, references))
    return min(1.0, float(np.exp(1 - r / c)))
