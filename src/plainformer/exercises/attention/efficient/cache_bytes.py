"""Exercise 1: how many bytes a cache of keys and values takes."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


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
    n_kv_heads: G, heads of keys and values; they are as wide.
    d_model: D, the width of a token; H divides it.
    tokens: how many tokens are in the cache.
    bits: how many bits a number has; a byte has 8.
    Returns the number of bytes, for all layers.

    >>> cache_bytes(1, 4, 2, 8, 3, 32)
    96
    """
    d_head = d_model // n_heads
    numbers = 2 * layers * n_kv_heads * d_head * tokens
    return numbers * bits // 8


def _from_arrays(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    keys = np.broadcast_to(np.int8(0), (layers, n_kv_heads, tokens, d_model // n_heads))
    return (keys.size + keys.size) * (bits // 8)


def _as_a_share_of_full_heads(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> float:
    return layers * tokens * 2 * d_model * bits / 8 * (n_kv_heads / n_heads)


def _keys_only(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return layers * n_kv_heads * (d_model // n_heads) * tokens * bits // 8


def _queries_too(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    numbers = layers * tokens * (d_model // n_heads) * (n_heads + 2 * n_kv_heads)
    return numbers * bits // 8


def _all_heads(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * d_model * tokens * bits // 8


def _d_model_for_each_head(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * n_kv_heads * d_model * tokens * bits // 8


def _width_by_groups(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * n_heads * (d_model // n_kv_heads) * tokens * bits // 8


def _bits(layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int) -> int:
    return 2 * layers * n_kv_heads * (d_model // n_heads) * tokens * bits


def _numbers(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * n_kv_heads * (d_model // n_heads) * tokens


def _always_16_bits(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * n_kv_heads * (d_model // n_heads) * tokens * 2


def _size_of_a_group(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * layers * (n_heads // n_kv_heads) * (d_model // n_heads) * tokens * bits // 8


def _one_layer(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return 2 * n_kv_heads * (d_model // n_heads) * tokens * bits // 8


def _square(
    layers: int, n_heads: int, n_kv_heads: int, d_model: int, tokens: int, bits: int
) -> int:
    return layers * n_heads * tokens * tokens * bits // 8


def _draw(rng: np.random.Generator) -> tuple[int, ...]:
    groups, shared, width = (int(rng.choice([1, 2, 4, 8])) for _ in range(3))
    heads = groups * shared
    layers, tokens = int(rng.integers(1, 40)), int(rng.integers(1, 5000))
    return layers, heads, groups, heads * width * 8, tokens, int(rng.choice([8, 16, 32]))


EXERCISE = Exercise(
    id="attention.efficient.1",
    title="The bytes of a cache",
    reference=cache_bytes,
    points=1,
    compare=Arrays(rtol=0, atol=0.5),  # every byte counts, of 17 billion, too
    cases=(
        # Head 0 of the page: six tokens, keys and values two numbers wide, 8 bytes each.
        Case((1, 1, 1, 2, 6, 64), 192),
        Case((1, 4, 1, 8, 3, 32), 48),
        Case((2, 4, 4, 8, 0, 16), 0),
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
    mutants=(
        Mutant(_keys_only, "You count keys or values. The cache holds both: twice that."),
        Mutant(
            _queries_too,
            "You count queries, too. A query is used once, by its own token, and is not kept.",
        ),
        Mutant(
            _all_heads,
            "You count a head of keys for each head of queries. There are n_kv_heads of them: "
            "that is what grouped queries save.",
        ),
        Mutant(
            _d_model_for_each_head,
            "Your keys are d_model wide in each head. A head is d_model / n_heads wide.",
        ),
        Mutant(
            _width_by_groups,
            "You have the two kinds of heads the wrong way round: the width is d_model / n_heads, "
            "and there are n_kv_heads of that width.",
        ),
        Mutant(_bits, "That is the number of bits. A byte has 8 of them."),
        Mutant(_numbers, "You count numbers, not bytes: each has bits / 8 of them."),
        Mutant(
            _always_16_bits,
            "Your numbers have 2 bytes each, whatever `bits` says. A number has bits / 8 bytes.",
        ),
        Mutant(
            _size_of_a_group,
            "n_heads / n_kv_heads is how many heads of queries share one head of keys. The cache "
            "holds the heads of keys themselves: n_kv_heads.",
        ),
        Mutant(_one_layer, "That is one layer. Each layer has a cache of its own."),
        Mutant(
            _square,
            "You count scores, tokens × tokens. They are not kept; the cache holds a key and a "
            "value for each token, and grows in proportion to the text.",
        ),
    ),
    alternates=(_from_arrays, _as_a_share_of_full_heads),
)
