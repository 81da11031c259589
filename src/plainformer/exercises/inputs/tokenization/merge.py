"""Exercise 2: merge one pair of neighbours into one symbol, wherever it occurs."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Return a new list in which the pair is one symbol.

    Merge it wherever it occurs, from the left; no symbol is used twice.
    The original list is left unchanged.

    >>> merge(["c", "a", "c", "a", "t"], ("c", "a"))
    ['ca', 'ca', 't']
    >>> merge(["a", "a", "a"], ("a", "a"))
    ['aa', 'a']
    """
    merged = []
    i = 0
    while i < len(symbols):
        # At the end, this slice is one symbol long.
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


Pair = tuple[str, str]


def _draw(rng: np.random.Generator) -> tuple[list[str], Pair]:
    alphabet = ("a", "b", "ab", "aa", "ba")
    symbols = [alphabet[i] for i in rng.integers(rng.integers(1, 6), size=rng.integers(12))]
    if len(symbols) > 1 and rng.random() < 0.8:  # mostly a pair that is there
        i = int(rng.integers(len(symbols) - 1))
        return symbols, (symbols[i], symbols[i + 1])
    return symbols, (alphabet[rng.integers(5)], alphabet[rng.integers(5)])


EXERCISE = Exercise(
    id="inputs.tokenization.2",
    title="Merge a pair",
    reference=merge,
    points=2,
    cases=(
        Case((["c", "a", "t"], ("a", "t")), ["c", "at"]),
        Case((["c", "a", "c", "a", "t"], ("c", "a")), ["ca", "ca", "t"]),
        Case((["a", "a", "a"], ("a", "a")), ["aa", "a"]),
        Case((["a", "a", "a", "a"], ("a", "a")), ["aa", "aa"]),
        Case((["c", "a", "c"], ("c", "a")), ["ca", "c"]),
        Case((["ab", "c", "a", "bc"], ("a", "bc")), ["ab", "c", "abc"]),
        Case((["ba", "aa", "ba"], ("a", "a")), ["ba", "aa", "ba"]),
        Case((["d", "o", "g"], ("a", "t")), ["d", "o", "g"]),
        Case(([], ("a", "t")), []),
    ),
    generate=_draw,
    hints=(
        "Read the list as you would with a finger, from the left. When the finger is on the "
        "pair, how far must it move? How far when it is not?",
        "A for loop always moves by one. A while loop with an index of your own can move by one "
        "or by two.",
        "Start an empty list and append to it: the joined symbol where the pair occurs, the "
        "plain symbol elsewhere. The last symbol has no right neighbour and must not be lost.",
    ),
    mutants={
        "The joined symbol is there, but so is the right half of the pair, once more. After a "
        "merge, continue after both symbols.": "i += 2 -> i += 1",
        "A last symbol that is not part of a pair gets lost. What does your loop do when one "
        "symbol is left?": "i < len(symbols) -> i < len(symbols) - 1",
        "The last symbol has no right neighbour: check that there is one before you compare it.": (
            "tuple(symbols[i : i + 2]) == pair -> symbols[i] == pair[0] and symbols[i + 1] == "
            "pair[1]"
        ),
        "You compare the joined text, and 'ab' + 'c' looks just like 'a' + 'bc'. Compare the "
        "two symbols one by one.": (
            "tuple(symbols[i : i + 2]) == pair -> len(symbols) > i + 1 and symbols[i] + "
            "symbols[i + 1] == pair[0] + pair[1]"
        ),
        "Nothing is ever merged. Do you compare a slice with the pair? A slice of a list is a "
        "list, the pair is a tuple, and a list never "
        "equals a tuple.": "tuple(symbols[i : i + 2]) == pair -> symbols[i : i + 2] == pair",
        "You replace inside joined text, and there 'a a' is also found in 'ba aa', across the "
        "ends of two other symbols. Compare whole symbols.": lambda symbols, pair: (
            " ".join(symbols).replace(" ".join(pair), "".join(pair)).split()
        ),
    },
)


@EXERCISE.mutant(
    "The list is right, but you have changed the caller's own list. Training needs the old "
    "list again, so build a new one and leave the old one alone."
)
def _in_place(symbols: list[str], pair: Pair) -> list[str]:
    i = 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) == pair:
            symbols[i : i + 2] = [pair[0] + pair[1]]
        i += 1
    return symbols


@EXERCISE.mutant("You stop after the first place. The pair has to be merged wherever it occurs.")
def _only_the_first(symbols: list[str], pair: Pair) -> list[str]:
    for i in range(len(symbols) - 1):
        if (symbols[i], symbols[i + 1]) == pair:
            return [*symbols[:i], pair[0] + pair[1], *symbols[i + 2 :]]
    return symbols[:]


@EXERCISE.mutant(
    "In ['a', 'a', 'a'] the middle 'a' can belong to one merge only. Once two symbols are merged, "
    "both are used up."
)
def _symbols_used_twice(symbols: list[str], pair: Pair) -> list[str]:
    merged, skip = [], False
    for i in range(len(symbols)):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(pair[0] + pair[1])
            skip = True
        elif skip:
            skip = False
        else:
            merged.append(symbols[i])
    return merged


@EXERCISE.mutant(
    "You merge from the right end. In ['a', 'a', 'a'] that takes the last two; read from the "
    "left, so that every tokenizer gives the same tokens."
)
def _from_the_right(symbols: list[str], pair: Pair) -> list[str]:
    merged = merge(symbols[::-1], (pair[1], pair[0]))
    return [pair[0] + pair[1] if s == pair[1] + pair[0] else s for s in merged][::-1]


@EXERCISE.mutant(
    "Your list gets shorter with every merge, but the range of your loop stays as long as it "
    "was at the start, so it runs off the end."
)
def _shorter_while_walking(symbols: list[str], pair: Pair) -> list[str]:
    merged = list(symbols)
    for i in range(len(merged) - 1):  # computed once, before anything was merged
        if (merged[i], merged[i + 1]) == pair:
            merged[i : i + 2] = [pair[0] + pair[1]]
    return merged


@EXERCISE.alternate
def _in_a_copy(symbols: list[str], pair: Pair) -> list[str]:
    merged = list(symbols)
    i = 0
    while i < len(merged) - 1:
        if (merged[i], merged[i + 1]) == pair:
            merged[i : i + 2] = ["".join(pair)]
        i += 1
    return merged


@EXERCISE.alternate
def _with_a_stack(symbols: list[str], pair: Pair) -> list[str]:
    stack: list[str] = []
    taken = False  # whether the top of the stack has just been merged
    for symbol in symbols:
        taken = bool(stack) and not taken and (stack[-1], symbol) == pair
        if taken:
            stack[-1] += symbol
        else:
            stack.append(symbol)
    return stack


@EXERCISE.alternate
def _recursive(symbols: list[str], pair: Pair) -> list[str]:
    if len(symbols) < 2:
        return symbols[:]
    first, second, *rest = symbols
    if (first, second) == pair:
        return [first + second, *_recursive(rest, pair)]
    return [first, *_recursive(symbols[1:], pair)]
