"""Exercise 3: read a safetensors header that may be corrupt."""

import json
import math
import struct

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def tensor_place(data: bytes, name: str) -> tuple[int, int] | None:
    """Find a tensor's bytes in a safetensors file that may be corrupt.

    data[:8] is n, lowest byte first; data[8 : 8 + n] is the header,
    JSON; then come the numbers. header[name] has "shape", a list,
    and "data_offsets", [a, b], counted from the end of the header.
    All numbers are float32, 4 bytes each.
    Returns (start, end), so that data[start:end] are the tensor's
    bytes; or None: the file is shorter than 8 bytes or than 8 + n,
    it has no such tensor, a is below 0, b is beyond the file's end,
    or b - a is not what the shape asks for. (Where the header is
    whole, it is JSON, and its numbers are whole numbers.)

    >>> tensor_place(bytes(7), "cat") is None
    True
    >>> text = b'{"cat": {"shape": [2], "data_offsets": [0, 8]}}'
    >>> file = len(text).to_bytes(8, "little") + text + bytes(8)
    >>> tensor_place(file, "cat")
    (55, 63)
    """
    first = 8 + int.from_bytes(data[:8], "little")
    if len(data) < first:  # also if data is shorter than 8
        return None
    header = json.loads(data[8:first])
    if name not in header:
        return None
    a, b = header[name]["data_offsets"]
    if a < 0 or first + b > len(data):
        return None
    if b - a != 4 * math.prod(header[name]["shape"]):
        return None
    return first + a, first + b


def _file(header: object, numbers: int, n: int | None = None) -> bytes:
    """A file with the given number of data bytes, and a stated length that may be wrong."""
    text = json.dumps(header, separators=(",", ":")).encode()
    return (len(text) if n is None else n).to_bytes(8, "little") + text + b"=" * numbers


def _tensor(shape: list[int], a: int, b: int) -> dict[str, list[int]]:
    return {"shape": shape, "data_offsets": [a, b]}


def _draw(rng: np.random.Generator) -> tuple[bytes, str]:
    shapes = [[int(n) for n in rng.integers(1, 3, size=rng.integers(0, 3))] for _ in range(2)]
    one, two = (4 * math.prod(shape) for shape in shapes)
    end = one + two
    header = {"your": _tensor(shapes[0], 0, one), "cat": _tensor(shapes[1], one, end)}
    name = str(rng.choice(["your", "cat"]))
    told, whole = header[name], _file(header, end)
    match int(rng.integers(0, 11)):
        case 0:
            return whole, "dog"
        case 1:
            return whole[: int(rng.integers(0, 8))], name
        case 2:
            return whole[: -int(rng.integers(1, 4))], "cat"
        case 3:
            told["data_offsets"] = [offset - 4 * end for offset in told["data_offsets"]]
        case 4:
            told["shape"] = [*told["shape"], 2]
        case 5:
            return _file(header, end, n=2**62 + int(rng.integers(0, 9))), name
        case 6:
            told["data_offsets"] = [offset + end for offset in told["data_offsets"]]
        case 7:
            return whole[: int(rng.integers(9, 30))], name
        case _:
            pass
    return _file(header, end), name


_CAT = {"cat": _tensor([2], 0, 8)}
_TWO = {"a": _tensor([1, 3], 0, 12), "cat": _tensor([], 12, 16)}

EXERCISE = Exercise(
    id="blocks.published_weights.3",
    title="A header that may be corrupt",
    reference=tensor_place,
    points=3,
    cases=(
        # {"cat":{"shape":[2],"data_offsets":[0,8]}} has 42 bytes, and 8 + 42 = 50.
        Case((_file(_CAT, 8), "cat"), (50, 58)),
        Case((_file(_CAT, 8), "dog"), None),
        Case((bytes(7), "cat"), None),
        Case((_file(_CAT, 8, n=2**62), "cat"), None),  # exabytes of header
        Case((_file(_CAT, 7), "cat"), None),  # the last byte is missing
        Case((_file({"cat": _tensor([99], 0, 396)}, 8), "cat"), None),
        Case((_file({"cat": _tensor([2], -8, 0)}, 8), "cat"), None),  # inside the header
        Case((_file({"cat": _tensor([8], 0, 8)}, 8), "cat"), None),  # 8 numbers, 8 bytes
        # Two tensors: 85 bytes of header. A shape of no axes is one number.
        Case((_file(_TWO, 16), "a"), (93, 105)),
        Case((_file(_TWO, 16), "cat"), (105, 109)),
    ),
    generate=_draw,
    hints=(
        "Look before each step: is data long enough for the length, and then for the header?",
        "The numbers begin at 8 + n. Both offsets are counted from there.",
        "Three last questions: is a below 0, is 8 + n + b beyond len(data), and is b - a four "
        "times the product of the shape? math.prod of an empty list is 1.",
    ),
    mutants={
        "You count the offsets from the start of the file. They begin where the header "
        "ends.": "return first + a, first + b -> return a, b",
        "You have left out the 8 bytes of n: the header begins at 8, and the numbers at 8 + "
        "n.": "return first + a, first + b -> return first + a - 8, first + b - 8",
        "A file of fewer than 8 bytes has no length to unpack. The answer is "
        "None.": 'int.from_bytes(data[:8], "little") -> struct.unpack("<Q", data[:8])[0]',
        "The header is said to be longer than the file, and you read "
        "it anyway: n may be wrong.": "if len(data) < first: -> if False:",
        "The file has no such tensor: the answer is None, not an "
        "error.": "if name not in header: -> if False:",
        "An offset below 0 leads into the header, or to the file's end, counted from "
        "behind.": "a < 0 or first -> first",
        "The tensor's end may be beyond the end of the file, "
        "if the file was truncated.": "a < 0 or first + b > len(data) -> a < 0",
        "The offsets must fit the shape: b - a is 4 times its "
        "product.": 'if b - a != 4 * math.prod(header[name]["shape"]): -> if False:',
        "Each number has four bytes: the shape (2,) asks for 8 of "
        "them.": "4 * math.prod -> math.prod",
        "A tensor that ends where the file ends is whole: b may be as large as there are bytes of "
        "numbers.": "first + b > len(data) -> first + b >= len(data)",
        "The lowest byte of n comes first: little, not big.": '"little" -> "big"',
        "You compare b with the whole file. It is counted from the end of the "
        "header.": "first + b > len(data) -> b > len(data)",
        "A shape is a product: (2, 3) has six numbers, not "
        "five.": 'math.prod(header[name]["shape"]) -> sum(header[name]["shape"])',
        "You return the two offsets in the wrong order: start, then "
        "end.": "return first + a, first + b -> return first + b, first + a",
    },
)


@EXERCISE.alternate
def _try_it(data: bytes, name: str) -> tuple[int, int] | None:
    """Catch the exception in the cases where Python raises one anyway."""
    try:
        n = sum(byte * 256**i for i, byte in enumerate(data[:8]))
        told = json.loads(data[8 : 8 + n].decode())[name]
    except (KeyError, ValueError):
        return None
    (a, b), rest = told["data_offsets"], data[8 + n :]
    right = 0 <= a <= b <= len(rest) and b - a == int(np.prod(told["shape"]) * 4)
    return (8 + n + a, 8 + n + b) if right else None


@EXERCISE.alternate
def _with_struct(data: bytes, name: str) -> tuple[int, int] | None:
    if len(data) < 8 or struct.unpack("<Q", data[:8])[0] > len(data) - 8:
        return None
    (n,) = struct.unpack("<Q", data[:8])
    told = json.loads(data[8 : 8 + n]).get(name)
    if told is None:
        return None
    count = 1
    for size in told["shape"]:
        count *= size
    a, b = told["data_offsets"]
    fits = a >= 0 and len(data[8 + n + a : 8 + n + b]) == 4 * count == b - a
    return (8 + n + a, 8 + n + b) if fits else None
