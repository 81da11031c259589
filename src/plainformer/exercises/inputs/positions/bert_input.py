"""Exercise 4: the input of BERT, a sum of three lookups."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def bert_input(
    ids: np.ndarray,
    segments: np.ndarray,
    tokens: np.ndarray,
    places: np.ndarray,
    parts: np.ndarray,
) -> np.ndarray:
    """Add up what BERT reads: token, position and segment.

    ids: (B, T), the tokens of B texts, whole numbers from 0 to V - 1.
    segments: (B, T), 0 in a text's first sentence, 1 in its second.
    tokens: (V, D), places: (N, D), parts: (2, D): three learned tables,
    for tokens, for positions from 0 to N - 1 (N >= T), for segments.
    Returns (B, T, D): the sum of the three rows of each token.

    >>> tokens = np.array([[100.0], [200.0]])
    >>> places = np.array([[10.0], [20.0], [30.0], [40.0]])
    >>> parts = np.array([[1.0], [2.0]])
    >>> ids, segments = np.array([[0, 1, 0]]), np.array([[0, 0, 1]])
    >>> bert_input(ids, segments, tokens, places, parts).tolist()
    [[[111.0], [221.0], [132.0]]]
    """
    length = ids.shape[1]
    return tokens[ids] + places[:length] + parts[segments]


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    n_texts, length, d_model = rng.integers(1, 3), rng.integers(1, 5), rng.integers(1, 3)
    ids = rng.integers(3, size=(n_texts, length))
    first_b = rng.integers(1, length + 1, size=(n_texts, 1))  # a text may have no sentence B
    segments = (np.arange(length) >= first_b).astype(int)
    tokens, places, parts = (
        rng.integers(1, 10, size=(rows, d_model)) * unit
        for rows, unit in ((3, 100.0), (length + rng.integers(3), 10.0), (2, 1.0))
    )
    return ids, segments, tokens, places, parts


_TOKENS = np.array([[100.0, 0.1], [200.0, 0.2], [300.0, 0.3]])
_PLACES = np.array([[10.0, 0.01], [20.0, 0.02], [30.0, 0.03], [40.0, 0.04]])
_PARTS = np.array([[1.0, 0.001], [2.0, 0.002]])

EXERCISE = Exercise(
    id="inputs.positions.4",
    title="What BERT reads",
    reference=bert_input,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([[2]]), np.array([[0]]), _TOKENS, _PLACES, _PARTS),
            np.array([[[311.0, 0.311]]]),
        ),
        Case(
            (np.array([[0, 1, 0]]), np.array([[0, 0, 1]]), _TOKENS, _PLACES, _PARTS),
            np.array([[[111.0, 0.111], [221.0, 0.221], [132.0, 0.132]]]),
        ),
        Case(
            (np.array([[1, 1], [2, 0]]), np.array([[0, 1], [0, 0]]), _TOKENS, _PLACES, _PARTS),
            np.array([[[211.0, 0.211], [222.0, 0.222]], [[311.0, 0.311], [121.0, 0.121]]]),
        ),
        Case(
            (np.array([[0, 0, 0, 0]]), np.array([[0, 0, 1, 1]]), _TOKENS, _PLACES, _PARTS),
            np.array([[[111.0, 0.111], [121.0, 0.121], [132.0, 0.132], [142.0, 0.142]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Three lookups and two plus signs. Which number picks the row in each of the tables?",
        "tokens and parts are indexed by ids and segments. No argument gives the positions, "
        "because they are simply 0, 1, 2 and so on up to T - 1.",
        "The rows of the first T positions are a slice of the table, of shape (T, D). Added to "
        "(B, T, D), it is repeated for every text by itself.",
    ),
    mutants={
        "The positions are missing. Without them BERT computes the same vectors for a text and "
        "for its words in another order, only with the rows reordered.": "+ places[:length] -> ",
        "The segments are missing: which of the two sentences does a "
        "token belong to?": "+ parts[segments] -> ",
        "You look the position up by the token's ID. A position is where in the text the token "
        "is.": "places[:length] -> places[ids]",
        "The first token is at position 0, so "
        "it gets row 0 of places.": "places[:length] -> places[np.arange(1, length + 1)]",
        "Your position is the index of the text in the batch. It should be the position within "
        "the text: 0, 1, 2 and so on, the same for every text.": (
            "places[:length] -> places[np.arange(len(ids))[:, None]]"
        ),
        "You count the positions of sentence B from 0 again. To BERT the two sentences are one "
        "text, so the positions continue. Telling A from B is what the segments are for.": (
            "places[:length] -> places[np.arange(length) - segments * (1 - segments).sum(1, "
            "keepdims=True)]"
        ),
        "You add the whole table of positions. It has N rows, the most that BERT can read; "
        "this text needs the first T of them.": "places[:length] -> places",
        "Segment 0 is row 0 of parts, and "
        "segment 1 is row 1.": "parts[segments] -> parts[1 - segments]",
        "You put the three vectors side by side, and the result is three times as wide. BERT "
        "adds them up: the width stays D.": (
            "tokens[ids] + places[:length] + parts[segments] -> np.concatenate([tokens[ids], "
            "places[np.tile(np.arange(length), (len(ids), 1))], parts[segments]], axis=-1)"
        ),
        "You take the mean of the three. BERT takes their sum.": (
            "tokens[ids] + places[:length] + parts[segments] -> (tokens[ids] + places[:length] + "
            "parts[segments]) / 3"
        ),
        "You multiply the token's vector by √D, as the first transformer did. "
        "BERT does not.": "return tokens[ids] -> return np.sqrt(tokens.shape[1]) * tokens[ids]",
        "You add the numbers themselves, the position and the segment. They are row numbers: "
        "each names a vector in a table.": (
            "places[:length] + parts[segments] -> np.arange(length)[:, None] + segments[..., None]"
        ),
    },
)


@EXERCISE.alternate
def _token_by_token(
    ids: Array, segments: Array, tokens: Array, places: Array, parts: Array
) -> Array:
    total = np.zeros((*ids.shape, tokens.shape[1]))
    for b, t in np.ndindex(*ids.shape):
        total[b, t] = tokens[ids[b, t]] + places[t] + parts[segments[b, t]]
    return total


@EXERCISE.alternate
def _with_one_hot_vectors(
    ids: Array, segments: Array, tokens: Array, places: Array, parts: Array
) -> Array:
    at = np.tile(np.arange(ids.shape[1]), (len(ids), 1))
    chosen = [np.eye(len(tokens))[ids], np.eye(len(places))[at], np.eye(len(parts))[segments]]
    return np.concatenate(chosen, axis=-1) @ np.concatenate([tokens, places, parts])
