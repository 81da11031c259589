"""Values as bytes, between a judge that trusts nothing and a worker that runs a student's code.

A message is one frame of JSON and then a frame of `.npy` bytes for each array in it. A frame is
its length, four bytes, and that many bytes. Numbers, text, None, True and False are themselves in
JSON; a list and all else that holds something is an object of one key, its kind. `PROTOCOL.md`
lists them.

Whatever is read is taken for an enemy's: lengths, depth, counts, names and the header of an array
are each checked against a limit before anything is made of them. Nothing is ever unpickled. Bytes
that break a rule raise `ProtocolError`, and nothing else.

A byte-level tokenizer travels as its two parts, since an exercise of the book returns one.

An object of any other class reaches the judge only as the name of its class (`Foreign`).
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
import struct
import sys
from collections.abc import Callable, Collection, Mapping, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from plainformer.inputs import BPETokenizer


__all__ = [
    "DTYPES",
    "MAX_BYTES",
    "Foreign",
    "Made",
    "ProtocolError",
    "pack",
    "read_message",
    "unpack",
]

MAX_JSON = 1 << 20  # bytes of a message's JSON: a million; what Python makes of it is 30 times that
MAX_BYTES = 1 << 26  # bytes of all arrays of a message: 64 million
MAX_ARRAYS = 1000
MAX_DEPTH = 40  # of lists within lists
MAX_KEYS = 5000  # of all dicts and sets of a message: a hostile few more are slow to tell apart
MAX_ALIKE = 100  # of them, with a hash that another has
MAX_NAME = 60  # characters of a class's name
NO_KIND = "a value is of a kind that there is not, or holds what it may not"
_HEADER = re.compile(
    rb"\{'descr': '([<|][biufc]\d{1,2})', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n"
)
DTYPES = {np.dtype(kind).str for kind in ("?", *"bBhHiIqQefdFD")}
_LENGTH = struct.Struct(">I")


class ProtocolError(Exception):
    """What came from the other side breaks the rules; the message says which."""


class Foreign:
    """A value that does not travel: nothing but the name of its class."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, which does not travel>"


def foreign(kind: str) -> Foreign:
    """A placeholder for a value of another class, so that a message can name it.

    >>> foreign("generator")
    <generator, which does not travel>
    """
    name = "".join(c for c in kind if c.isalnum() or c in "_ ")[:MAX_NAME]
    stand_in: Foreign = type(name or "object", (Foreign,), {})()
    return stand_in


class Made(bytes):
    """An argument that is not plain data, pickled, for the worker to recreate.

    Only a judge sends it, to whom the worker trusts; one that comes back is refused, unread.
    """

    __slots__ = ()


def pack(message: Mapping[str, Any]) -> bytes:
    """A message as bytes, of any values that travel.

    >>> unpack(pack({"value": [1, (2.5, None), {"a", "b"} - {"b"}], "n": 10**30}))
    {'value': [1, (2.5, None), {'a'}], 'n': 1000000000000000000000000000000}
    >>> unpack(pack({"value": np.eye(2, dtype="float32")}))["value"]
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    arrays: list[bytes] = []
    body = {key: _encode(value, arrays, 0) for key, value in message.items()}
    text = json.dumps(body, separators=(",", ":")).encode()
    return b"".join(
        _LENGTH.pack(len(frame)) + frame for frame in (text, _LENGTH.pack(len(arrays)), *arrays)
    )


def unpack(data: bytes) -> dict[str, Any]:
    """The message that these bytes are, no more and no less; see `read_message`."""
    stream = io.BytesIO(data)
    message = read_message(lambda n: stream.read(n))
    if stream.read(1):
        raise ProtocolError("bytes follow the message")
    return message


def read_message(
    read: Callable[[int], bytes], *, made: Callable[[Made], Any] | None = None
) -> dict[str, Any]:
    """One message.

    Args:
        read: n to the next n bytes; fewer mean that there will be no more.
        made: what to make of a `Made`; without it, one is refused.

    Raises:
        ProtocolError: the bytes are no message, or one beyond the limits.
    """
    text = _frame(read, MAX_JSON)
    (count,) = _LENGTH.unpack(_frame(read, 4, least=4))
    if count > MAX_ARRAYS:
        raise ProtocolError(f"a message may have {MAX_ARRAYS} arrays at most; got {count}")
    left, arrays = MAX_BYTES, []
    for _ in range(count):
        arrays.append(_frame(read, left))
        left -= len(arrays[-1])
    try:
        body = json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a message must begin with JSON; {type(error).__name__}") from None
    if not isinstance(body, dict):
        raise ProtocolError("a message must be a JSON object")
    values = _Values(arrays, made)
    return {key: values.decode(value) for key, value in body.items()}


def _frame(read: Callable[[int], bytes], limit: int, least: int = 0) -> bytes:
    (size,) = _LENGTH.unpack(_exactly(read, 4))
    if not least <= size <= limit:
        raise ProtocolError(f"a frame may have from {least} to {limit} bytes here; it says {size}")
    return _exactly(read, size)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size)
    if len(data) != size:
        raise ProtocolError(f"the message ends after {len(data)} of {size} bytes")
    return data


# To bytes


def _encode(value: Any, arrays: list[bytes], depth: int) -> Any:
    """JSON for a value; its arrays go to the end of the list."""
    if depth >= MAX_DEPTH and isinstance(value, Collection) and not isinstance(value, str | bytes):
        return {"foreign": f"{type(value).__name__}, nested too deep"[:MAX_NAME]}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value) if abs(value) < 1 << 63 else {"int": hex(value)}
    if isinstance(value, float):
        return float(value)
    if isinstance(value, bytes | bytearray):
        name = next(each for each in (Made, bytes, bytearray) if isinstance(value, each)).__name__
        return {name.lower(): base64.b64encode(value).decode()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return {kind.__name__: [_encode(item, arrays, depth + 1) for item in value]}
    if isinstance(value, Mapping):
        return {
            "dict": [[_encode(part, arrays, depth + 1) for part in pair] for pair in value.items()]
        }
    if _is_tokenizer(value):
        return {"tokenizer": [_encode(part, arrays, depth + 1) for part in _parts(value)]}
    if isinstance(value, Set):
        return {"set": [_encode(item, arrays, depth + 1) for item in value]}
    return _encode_numbers(value, arrays)


def _is_tokenizer(value: Any) -> bool:
    """Whether it is one of the book's; where their module was never imported, nothing is."""
    module = sys.modules.get("plainformer.inputs.tokenization.bpe")
    return module is not None and isinstance(value, module.BPETokenizer)


def _parts(tokenizer: BPETokenizer) -> tuple[Any, Any]:
    return dict(tokenizer.vocab), list(tokenizer.merges)


def _encode_numbers(value: Any, arrays: list[bytes]) -> Any:
    kind, kept = "array", value
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
        kind, kept = "tensor", value.detach().cpu()
        if str(kept.dtype) == "torch.bfloat16":
            return {"foreign": "bfloat16 tensor"}
        kept = kept.numpy()
    elif isinstance(value, np.generic):
        kind, kept = "number", np.asarray(value)
    if not isinstance(kept, np.ndarray) or kept.dtype.newbyteorder("<").str not in DTYPES:
        return {"foreign": type(value).__name__[:MAX_NAME]}
    dtype = kept.dtype.newbyteorder("<")
    arrays.append(_header(dtype.str, kept.shape) + kept.astype(dtype, copy=False).tobytes())
    return {kind: len(arrays) - 1}


@lru_cache
def _header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """How an `.npy` file of these numbers begins."""
    file = io.BytesIO()
    told = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, told)
    return file.getvalue()


# From bytes


class _Values:
    """The values of one message."""

    def __init__(self, arrays: list[bytes], made: Callable[[Made], Any] | None) -> None:
        self.arrays, self.made = arrays[::-1], made
        self.taken = 0  # of the arrays
        self.keys = 0  # of all dicts and sets, and values that do not travel: each is a new class

    def decode(self, body: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise ProtocolError(f"values may be nested {MAX_DEPTH} deep at most")
        if isinstance(body, int) and abs(body) >> 63:
            raise ProtocolError("a whole number of plain JSON must be below 2 to the 63")
        if body is None or isinstance(body, bool | int | float | str):
            return body
        if not isinstance(body, dict) or len(body) != 1:
            raise ProtocolError("a value that is no plain JSON must be an object of one key")
        ((kind, held),) = body.items()
        if isinstance(held, list):
            return self._decode_items(kind, held, depth)
        if isinstance(held, str):
            return self._decode_text(kind, held)
        if kind in ("array", "tensor", "number"):
            return self._decode_numbers(kind, held)
        raise ProtocolError(NO_KIND)

    def _decode_items(self, kind: str, held: list[Any], depth: int) -> Any:
        if kind == "dict":
            if not all(isinstance(pair, list) and len(pair) == 2 for pair in held):
                raise ProtocolError("a dict must be a list of pairs")
            held = [part for pair in held for part in pair]
        items = [self.decode(item, depth + 1) for item in held]
        if kind == "list":
            return items
        if kind == "tuple":
            return tuple(items)
        if kind == "tokenizer":
            return _tokenizer(items)
        self._count(len(items))
        try:
            if kind in ("dict", "set", "frozenset"):
                _check_hashes(items[::2] if kind == "dict" else items)
            if kind == "dict":
                return dict(zip(items[::2], items[1::2], strict=True))
            if kind in ("set", "frozenset"):
                return set(items) if kind == "set" else frozenset(items)
        except TypeError:
            raise ProtocolError(f"a {kind} may not hold a list here") from None
        raise ProtocolError(NO_KIND)

    def _count(self, items: int) -> None:
        self.keys += items
        if self.keys > MAX_KEYS:
            raise ProtocolError(f"dicts and sets may have {MAX_KEYS} items at most")

    def _decode_text(self, kind: str, held: str) -> Any:
        if kind == "foreign" and len(held) <= MAX_NAME:
            self._count(1)
            return foreign(held)
        if kind in ("bytes", "bytearray") or (kind == "made" and self.made is not None):
            try:
                data = base64.b64decode(held, validate=True)
            except ValueError:
                raise ProtocolError("bytes must be base64") from None
            if kind == "made" and self.made is not None:
                return self.made(Made(data))
            return data if kind == "bytes" else bytearray(data)
        if kind == "int" and re.fullmatch("-?0x[0-9a-f]{1,5000}", held):
            return int(held, 16)
        raise ProtocolError(NO_KIND)

    def _decode_numbers(self, kind: str, index: Any) -> Any:
        # Each once: a short text that names one array a thousand times would be a thousand copies.
        if type(index) is not int or index != self.taken or not self.arrays:
            raise ProtocolError("an array must be the next of those that follow the message")
        self.taken += 1
        numbers = _array(self.arrays.pop())
        if kind == "number":
            if numbers.ndim:
                raise ProtocolError("a number must have no axes")
            return numbers[()]
        torch: Any = sys.modules.get("torch") if kind == "tensor" else None
        if kind == "tensor" and torch is None:
            return foreign("torch tensor")
        return torch.from_numpy(numbers) if torch else numbers


def _check_hashes(keys: list[Any]) -> None:
    """Refuse keys whose hashes are equal: each is compared with all before it, as deep as it is."""
    if len(keys) - len(set(map(hash, keys))) > MAX_ALIKE:
        raise ProtocolError(f"{MAX_ALIKE} keys at most may have a hash that another has")


def _tokenizer(parts: list[Any]) -> BPETokenizer:
    from plainformer.inputs import BPETokenizer  # an exercise may forbid the worker to have it

    try:
        vocab, merges = parts
        return BPETokenizer(vocab, merges)
    except Exception:  # whatever it says of an enemy's parts
        raise ProtocolError("a tokenizer must have a vocabulary and merges that fit") from None


def _array(file: bytes) -> np.ndarray:
    """An array from `.npy` bytes whose dtype, shape and size are believed only if they agree."""
    if file[:8] != b"\x93NUMPY\x01\x00":
        raise ProtocolError("an array must be an .npy file of version 1.0")
    size = int.from_bytes(file[8:10], "little")
    found = _HEADER.fullmatch(file[10 : 10 + size])
    if found is None or found[1].decode() not in DTYPES:
        raise ProtocolError("an array must have one of NumPy's types of numbers, in C order")
    axes = [each.strip() for each in found[2].decode().split(",") if each.strip()]
    if len(axes) > 32 or any(len(each) > 18 or " " in each for each in axes):
        raise ProtocolError("an array may have 32 axes at most")
    dtype, shape = np.dtype(found[1].decode()), tuple(map(int, axes))
    if math.prod(shape) * dtype.itemsize != len(file) - 10 - size or max(shape, default=0) >> 40:
        raise ProtocolError("an array must have as many bytes as its shape and type say")
    try:
        return np.frombuffer(file, dtype, offset=10 + size).reshape(shape).copy()
    except ValueError:  # no bytes at all, and axes beyond what NumPy counts
        raise ProtocolError("an array must have a shape that NumPy can have") from None
