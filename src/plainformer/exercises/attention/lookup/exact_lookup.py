"""Exercise 1: a dictionary as a matrix product, in which a missing word is a row of zeros."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def exact_lookup(
    queries: list[str],
    keys: list[str],
    values: np.ndarray,
) -> np.ndarray:
    """Look words up in a dictionary, all at once.

    queries: T words. keys: S words, all different.
    values: (S, D), row j is the value of key j.
    Returns (T, D): for each query the value of the key that equals it.
    A query that matches no key gets a row of zeros.

    >>> values = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> asked = ["dog", "cat", "cow"]
    >>> exact_lookup(asked, ["cat", "dog"], values).tolist()
    [[3.0, 4.0], [1.0, 2.0], [0.0, 0.0]]
    """
    match = np.array(queries)[:, None] == np.array(keys)  # (T, S)
    return match.astype(values.dtype) @ values


_WORDS = ("your", "cat", "is", "a", "lovely", "cats", "scatter", "dog")


def _draw(rng: np.random.Generator) -> tuple[list[str], list[str], Array]:
    S, T, D = (int(rng.integers(low, 6)) for low in (2, 1, 1))
    keys = [str(word) for word in rng.choice(_WORDS, size=S, replace=False)]
    queries = [str(word) for word in rng.choice(_WORDS, size=T)]
    return queries, keys, rng.integers(-9, 10, size=(S, D)).astype(float)


_VALUES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
_KEYS = ["cat", "dog", "a"]

EXERCISE = Exercise(
    id="attention.lookup.1",
    title="A dictionary as a product",
    reference=exact_lookup,
    compare=Arrays(),
    cases=(
        Case((["dog"], _KEYS, _VALUES), np.array([[3.0, 4.0]])),
        Case((["a", "cat", "a"], _KEYS, _VALUES), np.array([[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]])),
        Case((["cow"], _KEYS, _VALUES), np.array([[0.0, 0.0]])),
        Case((["Cat"], _KEYS, _VALUES), np.array([[0.0, 0.0]])),
        Case((["dog", "cow"], _KEYS, _VALUES), np.array([[3.0, 4.0], [0.0, 0.0]])),
        Case((["cats", "cat"], ["cat"], np.array([[7.0]])), np.array([[0.0], [7.0]])),
    ),
    generate=_draw,
    hints=(
        "Make a table of matches first: a row for each query, a column for each key, 1 where the "
        "two words are the same and 0 elsewhere.",
        "np.array(queries)[:, None] is a column of words. Compared (==) with a row of words, it "
        "gives the whole table, of True and False.",
        "The table has the shape (T, S), the values (S, D). Their matrix product takes, for each "
        "query, the one row that is multiplied by 1. What does a row of zeros give?",
    ),
    mutants={
        "A query that matches no key gets the value of the first key: argmax of a row of zeros "
        "is 0. Multiply by the row of matches instead, which gives zeros where "
        "nothing matches.": "match.astype(values.dtype) @ values -> values[match.argmax(axis=1)]",
        "You leave out the queries that were not found. Each query has a row in the answer, "
        "and theirs is a row of zeros.": (
            "match.astype(values.dtype) -> match[match.any(axis=1)].astype(values.dtype)"
        ),
        "You raise an error where a word is not among the keys, as a dict does. Here such a "
        "query gets a row of zeros.": lambda queries, keys, values: np.array(
            [dict(zip(keys, values, strict=True))[query] for query in queries]
        ),
        "keys.index raises an error where a word is not among the keys. Here such a query gets "
        "a row of zeros, which is what a table of matches "
        "gives without a special case.": lambda queries, keys, values: values[
            [keys.index(query) for query in queries]
        ],
        "Your table of matches is on its side, (S, T): its rows should be queries, its columns "
        "keys. Where S and T differ, the "
        "product with the values fails.": lambda queries, keys, values: (
            (np.array(keys)[:, None] == np.array(queries)) @ values
        ),
        "You accept 'cats' for 'cat', because `in` on strings looks for a substring. A "
        "dictionary requires the whole word to be equal.": lambda queries, keys, values: (
            np.array([[float(key in query) for key in keys] for query in queries]) @ values
        ),
        "That is the table of matches, (T, S). One more product "
        "fetches the values.": "match.astype(values.dtype) @ values -> match.astype(values.dtype)",
        "A word that matches no key gets the mean of all values. That is what the soft lookup "
        "does; the exact one gives zeros.": (
            "match.astype(values.dtype) -> np.where(match.any(axis=1, keepdims=True), match, 1 / "
            "len(keys))"
        ),
        "You have made weights with softmax. The exact lookup needs none: 1 for the key that "
        "is equal, 0 for all others.": (
            "match.astype(values.dtype) -> np.exp(match * 1.0) / np.exp(match * 1.0).sum(axis=1, "
            "keepdims=True)"
        ),
    },
)


@EXERCISE.alternate
def _with_a_dict(queries: list[str], keys: list[str], values: Array) -> Array:
    rows = dict(zip(keys, values, strict=True))
    return np.array([rows.get(query, np.zeros(values.shape[1])) for query in queries])


@EXERCISE.alternate
def _with_a_loop(queries: list[str], keys: list[str], values: Array) -> Array:
    out = np.zeros((len(queries), values.shape[1]))
    for i, query in enumerate(queries):
        if query in keys:
            out[i] = values[keys.index(query)]
    return out


@EXERCISE.alternate
def _with_one_hot_rows(queries: list[str], keys: list[str], values: Array) -> Array:
    vocabulary = sorted({*queries, *keys})
    table = np.eye(len(vocabulary))
    q, k = (table[[vocabulary.index(word) for word in words]] for words in (queries, keys))
    return q @ k.T @ values
