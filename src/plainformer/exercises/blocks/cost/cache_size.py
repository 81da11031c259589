"""Exercise 2: the memory that a cache takes, with keys and values that heads share."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def cache_size(
    n_layers: int,
    d_model: int,
    n_heads: int,
    n_kv_heads: int,
    length: int,
    batch: int,
) -> int:
    """Count the bytes of a cache of keys and values, in float16.

    Each layer keeps a key and a value of each token in each of the
    n_kv_heads heads that have their own keys and values.
    d_model: D; a head is D / n_heads wide. length: how many tokens of
    each text are kept. batch: how many texts.
    A float16 number takes 2 bytes.
    Returns bytes, a whole number.

    >>> cache_size(32, 4096, 32, 8, 4096, 1) // 2**20  # Llama 3 8B
    512
    """
    width = d_model // n_heads
    numbers = 2 * n_layers * n_kv_heads * width * length * batch
    return 2 * numbers


_Args = tuple[int, int, int, int, int, int]


def _draw(rng: np.random.Generator) -> _Args:
    L, K, G, group, T, B = (int(n) for n in rng.integers(2, 8, size=6))
    return L, G * group * K, G * group, G, T, B


EXERCISE = Exercise(
    id="blocks.cost.2",
    title="The size of a cache",
    reference=cache_size,
    cases=(
        # 2 layers, 1 head 4 wide, 5 tokens: 40 numbers for keys, 40 for values.
        Case((2, 4, 1, 1, 5, 1), 160),
        Case((2, 8, 2, 1, 5, 1), 160),  # two heads, 4 wide, share one
        Case((2, 8, 2, 2, 5, 1), 320),
        Case((2, 8, 2, 2, 5, 3), 960),
        Case((32, 4096, 32, 32, 4096, 1), 2_147_483_648),
        Case((32, 4096, 32, 8, 4096, 1), 536_870_912),
    ),
    generate=_draw,
    hints=(
        "Begin with one layer, one token: how many numbers are its keys?",
        "A head is as wide as before, D / H, also where several heads share its keys.",
        "There are two factors of 2: keys and values, and two bytes for a number.",
    ),
    mutants={
        "You keep keys and values for every head. Heads of one group share theirs: count "
        "n_kv_heads.": "n_layers * n_kv_heads * width -> n_layers * n_heads * width",
        "You are a factor of 2 short. Keys and values are kept, and each number takes 2 "
        "bytes.": "2 * n_layers -> n_layers",
        "A float16 number takes 2 bytes, not 4.": "return 2 * numbers -> return 4 * numbers",
        "Every layer has a cache of its own.": "2 * n_layers * n_kv -> 2 * n_kv",
        "Every text of the batch has a cache of its own.": "length * batch -> length",
        "A cache grows with the tokens in it, not with their "
        "square.": "length * batch -> length * length * batch",
        "Queries are not kept: no later token asks for them.": (
            "numbers = 2 * n_layers * n_kv_heads * width * length * batch -> numbers = "
            "n_layers * (2 * n_kv_heads + n_heads) * width * length * batch"
        ),
        "Bytes are whole: divide with //.": "d_model // n_heads -> d_model / n_heads",
    },
    alternates=[
        lambda L, D, H, G, T, B: 4 * L * B * T * (D * G // H),
    ],
)


@EXERCISE.alternate
def _by_arrays(L: int, D: int, H: int, G: int, T: int, B: int) -> int:
    keys = np.broadcast_to(np.float16(0), (L, B, G, T, D // H))
    return 2 * keys.size * keys.itemsize
