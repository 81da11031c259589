"""Exercise 3: how many of a translation's word groups the reference has, counted as BLEU does."""

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise


def clipped_precision(
    translations: list[str],
    references: list[str],
    n: int,
) -> float:
    """The share of n-grams that also occur in the references.

    An n-gram is n words in a row. One that a translation has more
    often than its reference counts only as often as the reference
    has it. Count over all sentences, then divide: by all n-grams of
    the translations. If they have none, the answer is 0.0.
    Words are separated by single spaces.

    >>> clipped_precision(["the the cat"], ["the cat sleeps"], 1)
    0.6666666666666666
    >>> clipped_precision(["the the cat"], ["the cat sleeps"], 2)
    0.5
    """
    matches = total = 0
    for pair in zip(translations, references, strict=True):
        said, there = (
            [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
            for words in map(str.split, pair)
        )
        for group in set(said):
            matches += min(said.count(group), there.count(group))
        total += len(said)
    return matches / total if total else 0.0


def noisy_pairs(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Sentences, and translations of them in which words are lost, doubled or changed."""
    words = np.array(["il", "la", "un", "gatto", "casa", "è", "bella", "rosso"])
    translations, references = [], []
    for _ in range(rng.integers(2, 4)):
        there = words[rng.integers(len(words), size=rng.integers(5, 8))].tolist()
        said = [w for w in there for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2]))]
        said = [str(rng.choice(words)) if rng.random() < 0.1 else w for w in said]
        translations.append(" ".join(said or ["re"]))
        references.append(" ".join(there))
    return translations, references


def _draw(rng: np.random.Generator) -> tuple[list[str], list[str], int]:
    return *noisy_pairs(rng), int(rng.integers(1, 4))


EXERCISE = Exercise(
    id="training.translation.3",
    title="Clipped precision",
    reference=clipped_precision,
    points=3,
    compare=Arrays(),
    cases=(
        Case((["the the cat"], ["the cat sleeps"], 1), 2 / 3),
        Case((["the the cat"], ["the cat sleeps"], 2), 1 / 2),
        # A translation that says one word over and over.
        Case((["il il il il"], ["il gatto è qui"], 1), 1 / 4),
        # Two sentences: 1 of 1, and 1 of 3. Together 2 of 4, not the mean of 1 and 1/3.
        Case((["il", "a b c"], ["il gatto", "a e f"], 1), 1 / 2),
        # Too short to have any.
        Case((["il gatto"], ["il gatto nero"], 3), 0.0),
        # The reference says it twice, the translation once.
        Case((["un gatto"], ["un gatto è un gatto"], 1), 1.0),
    ),
    generate=_draw,
    hints=(
        "How many n-grams does a sentence of m words have? m - n + 1, or none.",
        "For each different n-gram of a translation, take the smaller of two counts: how often "
        "it occurs there, and how often in the reference.",
        "Keep two sums over all sentences, matches and total, and divide once at the end. "
        "words[i : i + n] is an n-gram; make it a tuple.",
    ),
    mutants={
        "You have not clipped: a group counts at most as often as the reference has "
        "it.": "min(said.count(group), there.count(group)) -> said.count(group) * (group in there)",
        "You count each group once. One that both have twice counts "
        "twice.": "min(said.count(group), there.count(group)) -> group in there",
        "You divide by the n-grams of the references. Precision asks about the "
        "translations.": "total += len(said) -> total += len(there)",
        "You count only distinct n-grams in the total. All of them count, including repeated "
        "ones.": "total += len(said) -> total += len(set(said))",
        "You take only the larger of the two counts: it is the smaller "
        "one.": "min(said.count(group), there.count(group)) -> "
        "max(said.count(group), there.count(group)) * (group in there)",
        "You lose the last n-gram of each sentence: there are m - n + 1 of "
        "them.": "len(words) - n + 1 -> len(words) - n",
        "You count letters. An n-gram here is n words.": "map(str.split, pair) -> pair",
        "You count words in place of n-grams.": "words[i : i + n] -> words[i : i + 1]",
        "You take groups that do not overlap. An n-gram begins at each "
        "word.": "range(len(words) - n + 1) -> range(0, len(words) - n + 1, n)",
        "Where there are no n-grams, the answer is 0.0.": "if total else 0.0 -> if total else 1.0",
    },
)


@EXERCISE.mutant(
    "You take the mean over the sentences. Add up all matches and all n-grams first: a long "
    "sentence weighs more."
)
def _mean_over_sentences(translations: list[str], references: list[str], n: int) -> float:
    each = zip(translations, references, strict=True)
    return float(np.mean([clipped_precision([a], [b], n) for a, b in each]))


@EXERCISE.mutant("You pool the references. Each translation is compared with its own.")
def _pooled(translations: list[str], references: list[str], n: int) -> float:
    return clipped_precision(translations, [" ".join(references)] * len(references), n)


@EXERCISE.mutant(
    "You require each n-gram to be at the same position. It may be anywhere in the reference."
)
def _same_place(translations: list[str], references: list[str], n: int) -> float:
    matches = total = 0
    for translation, reference in zip(translations, references, strict=True):
        said, there = translation.split(), reference.split()
        for i in range(len(said) - n + 1):
            matches += said[i : i + n] == there[i : i + n]
            total += 1
    return matches / total if total else 0.0


@EXERCISE.alternate
def _crossed_out(translations: list[str], references: list[str], n: int) -> float:
    """Each match is crossed out in the reference."""
    matches = total = 0
    for translation, reference in zip(translations, references, strict=True):
        said, there = translation.split(), reference.split()
        left = [there[i : i + n] for i in range(len(there) - n + 1)]
        for i in range(len(said) - n + 1):
            total += 1
            if said[i : i + n] in left:
                left.remove(said[i : i + n])
                matches += 1
    return matches / max(total, 1)


@EXERCISE.alternate
def _by_zip(translations: list[str], references: list[str], n: int) -> float:
    def counts(text: str) -> dict[str, int]:
        words = text.split()
        found: dict[str, int] = {}
        for group in zip(*(words[i:] for i in range(n)), strict=False):
            found[" ".join(group)] = found.get(" ".join(group), 0) + 1
        return found

    both = [(counts(a), counts(b)) for a, b in zip(translations, references, strict=True)]
    total = sum(sum(a.values()) for a, _ in both)
    matches = sum(min(k, b.get(g, 0)) for a, b in both for g, k in a.items())
    return matches / total if total else 0.0
