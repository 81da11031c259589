"""Exercise 1: how many bytes a cache of keys and values takes."""

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise


def cache_bytes(
    layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_model: int,
    tokens: int,
    bits: int,
) -> int:
    """Count the bytes that the cache of a model takes.

    layers: how many layers of attention there are.
    n_heads: H, heads of queries in a layer; each is d_model / H wide.
    n_kv_heads: G, heads of keys and values, each equally wide.
    d_model: D, the width of a token; H divides it.
    tokens: how many tokens are in the cache.
    bits: how many bits a number has; a byte has 8.
    Returns the number of bytes for all layers together.

    >>> cache_bytes(1, 4, 2, 8, 3, 32)
    96
    """
    d_head = d_model // n_heads
    numbers = 2 * layers * n_kv_heads * d_head * tokens
    return numbers * bits // 8


def _draw(rng: np.random.Generator) -> tuple[int, ...]:
    groups, shared, width = (int(rng.choice([1, 2, 4, 8])) for _ in range(3))
    heads = groups * shared
    layers, tokens = int(rng.integers(1, 40)), int(rng.integers(1, 5000))
    return layers, heads, groups, heads * width * 8, tokens, int(rng.choice([4, 8, 16, 32]))


EXERCISE = Exercise(
    id="attention.efficient.1",
    title="The bytes of a cache",
    reference=cache_bytes,
    compare=Arrays(rtol=0, atol=0.5),
    cases=(
        # Head 0 of the page: six tokens, keys and values two numbers wide, 8 bytes each.
        Case((1, 1, 1, 2, 6, 64), 192),
        Case((1, 4, 1, 8, 3, 32), 48),
        Case((2, 4, 4, 8, 0, 16), 0),
        Case((1, 1, 1, 2, 3, 4), 6),
        Case((12, 12, 12, 768, 1024, 16), 37_748_736),
        Case((32, 32, 8, 4096, 1, 16), 131_072),
        Case((32, 32, 8, 4096, 131_072, 16), 17_179_869_184),
    ),
    generate=_draw,
    hints=(
        "What does one token leave behind in one layer? A key and a value, for each head of keys.",
        "How many numbers has one key? As many as a head is wide, and a head of queries and one "
        "of keys are equally wide, or their dot product would not exist.",
        "Multiply: two, layers, heads of keys, width of a head, tokens. That counts numbers. How "
        "many bytes has each?",
    ),
    mutants={
        "You convert bits to bytes first, and 4 bits become 0 bytes. Multiply before you "
        "divide.": "numbers * bits // 8 -> numbers * (bits // 8)",
        "You count keys or values. The cache holds both: twice that.": "2 * layers -> layers",
        "You count the queries as well. A query is used once, by its own token, and is not "
        "kept.": "2 * layers * n_kv_heads -> layers * (n_heads + 2 * n_kv_heads)",
        "You count a head of keys for each head of queries. There are n_kv_heads of them: that "
        "is what grouped queries save.": "n_kv_heads * d_head -> d_model",
        "Your keys are d_model wide in each head. A head is d_model / "
        "n_heads wide.": "n_kv_heads * d_head -> n_kv_heads * d_model",
        "You have the two kinds of heads the wrong way round: the width is d_model / n_heads, "
        "and there are n_kv_heads of that width.": (
            "d_model // n_heads -> d_model // n_kv_heads; n_kv_heads * d_head -> n_heads * d_head"
        ),
        "That is the number of bits. A byte has 8 of them.": "bits // 8 -> bits",
        "You count numbers, not bytes: each has bits "
        "/ 8 of them.": "numbers * bits // 8 -> numbers",
        "Your numbers have 2 bytes each, whatever `bits` says. A number has "
        "bits / 8 bytes.": "bits // 8 -> 2",
        "n_heads / n_kv_heads is how many heads of queries share one head of keys. The cache "
        "holds the heads of keys themselves: n_kv_heads.": (
            "n_kv_heads * d_head -> (n_heads // n_kv_heads) * d_head"
        ),
        "That is one layer. Each layer has a cache of its own.": "2 * layers -> 2",
        "You count scores, tokens × tokens. They are not kept; the cache holds a key and a "
        "value for each token, and grows in proportion to the text.": (
            "2 * layers * n_kv_heads * d_head * tokens -> layers * n_heads * tokens * tokens"
        ),
    },
    alternates=[
        lambda layers, n_heads, n_kv_heads, d_model, tokens, bits: (
            layers * tokens * 2 * d_model * bits / 8 * (n_kv_heads / n_heads)
        ),
    ],
)


@EXERCISE.alternate
def _from_arrays(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    keys = np.broadcast_to(np.int8(0), (layers, n_kv_heads, tokens, d_model // n_heads))
    return (keys.size + keys.size) * bits // 8
