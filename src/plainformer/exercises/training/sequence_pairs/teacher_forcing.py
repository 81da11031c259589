"""Exercise 2: what the decoder reads in training, and what it has to predict."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def teacher_forcing(
    sentence: str,
    vocabulary: dict[str, int],
) -> tuple[list[int], list[int]]:
    """Make the decoder's inputs and targets from a sentence.

    At each position the decoder reads the words up to there and has to
    predict the next one. It begins with "<sos>", and the last token
    that it has to predict is "<eos>". A word that the vocabulary lacks
    becomes "<unk>".
    Returns (inputs, targets), two lists of ids, equally long.

    >>> ids = {"<pad>": 0, "<unk>": 1, "<sos>": 2, "<eos>": 3, "il": 4}
    >>> teacher_forcing("il gatto", ids)
    ([2, 4, 1], [4, 1, 3])
    """
    unk = vocabulary["<unk>"]
    sos, eos = vocabulary["<sos>"], vocabulary["<eos>"]
    ids = [vocabulary.get(word, unk) for word in sentence.split()]
    return [sos, *ids], [*ids, eos]


def _ids(*words: str) -> dict[str, int]:
    return {token: i for i, token in enumerate(("<pad>", "<unk>", "<sos>", "<eos>", *words))}


# Another order of ids: they are looked up, not known by heart.
_OTHER = {"gatto": 0, "il": 1, "<eos>": 2, "<sos>": 3, "<unk>": 4, "<pad>": 5, "tuo": 6}
_KNOWN = ("il", "tuo", "gatto", "è", "un", "adorabile")


def _draw(rng: np.random.Generator) -> tuple[str, dict[str, int]]:
    tokens = ["<pad>", "<unk>", "<sos>", "<eos>", *_KNOWN]
    vocabulary = {tokens[i]: n for n, i in enumerate(rng.permutation(len(tokens)).tolist())}
    words = [*_KNOWN, "oca", "zio"]
    chosen = rng.integers(len(words), size=rng.integers(2, 8))
    return " ".join(words[i] for i in chosen), vocabulary


EXERCISE = Exercise(
    id="training.sequence_pairs.2",
    title="Shifted right",
    reference=teacher_forcing,
    points=2,
    cases=(
        Case(("il gatto", _ids("il")), ([2, 4, 1], [4, 1, 3])),
        Case(("il tuo gatto", _ids("gatto", "il", "tuo")), ([2, 5, 6, 4], [5, 6, 4, 3])),
        # One word: the decoder predicts it and then the end.
        Case(("gatto", _ids("gatto")), ([2, 4], [4, 3])),
        Case(("il tuo gatto", _OTHER), ([3, 1, 6, 0], [1, 6, 0, 2])),
        # No word is known, and the lists still have their full length.
        Case(("un cane", _OTHER), ([3, 4, 4], [4, 4, 2])),
    ),
    generate=_draw,
    hints=(
        "Write the two lists one below the other, for two words. What is above the first word?",
        "Both lists hold all words of the sentence. One has something before them, the other "
        "something after them.",
        "ids = [vocabulary.get(word, vocabulary['<unk>']) for word in sentence.split()]; then put "
        "the id of <sos> in front of one copy, and that of <eos> behind the other.",
    ),
    mutants={
        "The inputs lack <sos>: without it, there is nothing to read when the first word has "
        "to be predicted.": "return [sos, *ids], -> return ids,",
        "The targets lack <eos>: such a model never learns to stop.": "[*ids, eos] -> ids",
        "The targets begin with <sos>. It is only "
        "read and never predicted.": "[*ids, eos] -> [sos, *ids]",
        "The inputs end with <eos>. Once it has been predicted, "
        "nothing is left to read.": "return [sos, *ids], -> return [sos, *ids, eos],",
        "Inputs and targets are the same in yours. So each place would be asked for the word that "
        "it reads.": "return [sos, *ids], [*ids, eos] -> return [sos, *ids, eos], [sos, *ids, eos]",
        "You have dropped the last word of the "
        "inputs.": "return [sos, *ids], -> return [sos, *ids[:-1]],",
        "You have mixed up the two: inputs come first, then "
        "targets.": "return [sos, *ids], [*ids, eos] -> return [*ids, eos], [sos, *ids]",
        "You drop words that the vocabulary lacks. They become <unk>, and the sentence keeps its "
        "length.": "[vocabulary.get(word, unk) for word in sentence.split()] -> "
        "[vocabulary[word] for word in sentence.split() if word in vocabulary]",
        "Unknown words become <pad> in yours. They are "
        "<unk>.": 'unk = vocabulary["<unk>"] -> unk = vocabulary["<pad>"]',
        "You use fixed ids for the special tokens. Look them up in the vocabulary: here they "
        "may be "
        "different.": 'vocabulary["<unk>"] -> 1; vocabulary["<sos>"], vocabulary["<eos>"] -> 2, 3',
        "<sos> and <eos> have changed places.": "[sos, *ids], [*ids, eos] -> "
        "[eos, *ids], [*ids, sos]",
        "The sentence has been turned round.": "in sentence.split()] -> "
        "in reversed(sentence.split())]",
    },
)


@EXERCISE.alternate
def _one_list_cut_twice(sentence: str, vocabulary: dict[str, int]) -> tuple[list[int], list[int]]:
    words = f"<sos> {sentence} <eos>".split()
    ids = [vocabulary[word if word in vocabulary else "<unk>"] for word in words]
    return ids[:-1], ids[1:]


@EXERCISE.alternate
def _by_hand(sentence: str, vocabulary: dict[str, int]) -> tuple[list[int], list[int]]:
    inputs, targets = [vocabulary["<sos>"]], []
    for word in sentence.split():
        number = vocabulary["<unk>"]
        if word in vocabulary:
            number = vocabulary[word]
        inputs.append(number)
        targets.append(number)
    targets.append(vocabulary["<eos>"])
    return inputs, targets
