"""Exercise 1: numbers of two bytes."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def widen_bfloat16(raw: bytes) -> np.ndarray:
    """Turn bfloat16 numbers, as a file holds them, into float32.

    A bfloat16 is the upper half of a float32: its two bytes, followed
    by two lower bytes of zeros, are the same number. In the file, and
    in memory, the lower byte comes first.
    raw: 2 N bytes, two for each number, no gaps.
    Returns (N,), float32.

    >>> widen_bfloat16(bytes([0x80, 0x3F, 0x00, 0xC0])).tolist()
    [1.0, -2.0]
    """
    halves = np.frombuffer(raw, dtype="<u2")  # (N,)
    return (halves.astype("<u4") << 16).view("<f4")


def _as_stored(numbers: object) -> bytes:
    """Numbers that have few digits, as bfloat16."""
    halves = np.asarray(numbers, dtype="<f4").view("<u4") >> 16
    return halves.astype("<u2").tobytes()


def _draw(rng: np.random.Generator) -> tuple[bytes]:
    count = int(rng.integers(2, 6))
    return (_as_stored(rng.integers(-16, 17, size=count) * 2.0 ** rng.integers(-3, 4)),)


EXERCISE = Exercise(
    id="blocks.published_weights.1",
    title="Numbers of two bytes",
    reference=widen_bfloat16,
    compare=Arrays(),
    cases=(
        Case((bytes([0x80, 0x3F]),), np.array([1.0], dtype="f4")),
        Case((bytes([0x80, 0x3F, 0x00, 0xC0]),), np.array([1.0, -2.0], dtype="f4")),
        # 0x4049 is 3.140625, what bfloat16 makes of π.
        Case((bytes([0x49, 0x40, 0, 0]),), np.array([3.140625, 0.0], dtype="f4")),
    ),
    generate=_draw,
    hints=(
        'Read the bytes as whole numbers of two bytes: np.frombuffer(raw, dtype="<u2").',
        "Make them four bytes wide, <u4, and move each up by 16 bits, which puts two bytes of "
        "zeros below it.",
        'Do not convert the result to float32: look at the same bits as one, with .view("<f4").',
    ),
    mutants={
        "You read float16, which divides its bits in another way.": lambda raw: np.frombuffer(
            raw, dtype="<f2"
        ).astype("<f4"),
        "You convert the whole numbers to floats. The bits stay as they are: "
        "view.": '.view("<f4") -> .astype("<f4")',
        "You leave each number in the lower half of its four bytes. It belongs in the upper "
        "half: shift it by 16 bits.": " << 16 -> << 0",
        "The lower byte comes first, in the file: <u2, not >u2.": '"<u2" -> ">u2"',
        "You read four bytes for one number. A bfloat16 has two.": lambda raw: np.frombuffer(
            raw + bytes(-len(raw) % 4), dtype="<f4"
        ),
        "That is float64. Each number is a float32: four "
        "bytes.": '.view("<f4") -> .view("<f4").astype("<f8")',
    },
    alternates=[
        lambda raw: np.frombuffer(
            b"".join(bytes(2) + raw[i : i + 2] for i in range(0, len(raw), 2)), dtype="<f4"
        ),
    ],
)


@EXERCISE.alternate
def _every_second(raw: bytes) -> Array:
    wide = np.zeros(len(raw), dtype="<u2")
    wide[1::2] = np.frombuffer(raw, dtype="<u2")
    return wide.view("<f4")


@EXERCISE.alternate
def _by_its_parts(raw: bytes) -> Array:
    """Sign, power and digits, each cut out of the bits."""
    numbers = []
    for low, high in zip(raw[::2], raw[1::2], strict=True):
        power, digits = (high & 127) * 2 + (low >> 7), low & 127
        size = 2.0 ** (power - 127) * (1 + digits / 128) if power else digits * 2.0**-133
        numbers.append(-size if high >> 7 else size)
    return np.array(numbers, dtype=np.float32)
