"""Send the judge's reader of replies random and damaged bytes: it may raise `ProtocolError` alone.

    python benchmarks/wire.py [--streams 1000000] [--seed 0]

Half of the streams are messages with bytes changed, cut out, doubled or swapped; the others are
random frames, and JSON that is nearly right. What the reader may hold of memory is looked at, too.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
import time
import tracemalloc
from collections import Counter

import numpy as np

from plainformer.classroom.wire import ProtocolError, foreign, pack, unpack
from plainformer.inputs import BPETokenizer

MOST = 1 << 26  # bytes for streams of at most some thousand
KINDS = ("list", "tuple", "set", "frozenset", "dict", "int", "bytes", "bytearray", "foreign",
         "array", "tensor", "number", "tokenizer", "made", "pickle")  # fmt: skip
ATOMS = ("null", "true", "0", "-1", "1e999", "NaN", '"0xff"', '"AAAA"', "9" * 30, "[]", "{}", "1.5")


def samples() -> list[bytes]:
    """Messages that are right, of every kind."""
    values = [
        1, 2.5, "text", None, [1, (2, {3})], {"a": [1], (1, 2): frozenset("ab")}, 10**40, b"bytes",
        bytearray(9), np.eye(2), np.float32(3), [np.zeros((2, 0), "i1"), np.ones(3, "c8")],
        foreign("generator"), BPETokenizer.train("a cat sat on a mat", 260),
    ]  # fmt: skip
    returned = {"kind": "returned", "changed": [0], "printed": "x"}
    return [pack({**returned, "value": value}) for value in values]


def damaged(rng: random.Random, message: bytes) -> bytes:
    """A message with a few mistakes."""
    data = bytearray(message)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(5)
        if what == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif what == 1:
            del data[at : at + rng.randint(1, 9)]
        elif what == 2:
            data[at:at] = data[at : at + rng.randint(1, 99)]
        elif what == 3:
            data[at:at] = rng.randbytes(rng.randint(1, 9))
        elif len(data) >= 4:
            data[:4] = struct.pack(">I", rng.choice([0, 1, len(data), 1 << 20, 1 << 31]))
    return bytes(data)


def nearly(rng: random.Random, depth: int = 0) -> str:
    """JSON of the wire's own words in an order of nobody's."""
    if depth > 6 or rng.random() < 0.3:
        return rng.choice(ATOMS)
    held = ", ".join(nearly(rng, depth + 1) for _ in range(rng.randrange(4)))
    held = f"[{held}]" if rng.random() < 0.8 else rng.choice(ATOMS)
    return f'{{"{rng.choice(KINDS)}": {held}}}'


def stream(rng: random.Random, messages: list[bytes]) -> bytes:
    """One stream of bytes."""
    which = rng.randrange(4)
    if which < 2:
        return damaged(rng, rng.choice(messages))
    text = f'{{"kind": {nearly(rng)}}}'.encode() if which == 2 else rng.randbytes(rng.randrange(99))
    arrays = [rng.choice(messages)[-rng.randrange(1, 200) :] for _ in range(rng.randrange(3))]
    frames = (text, struct.pack(">I", rng.choice([len(arrays), 0, 1 << 30])), *arrays)
    return b"".join(struct.pack(">I", len(each)) + each for each in frames)


def main() -> int:
    """Return 1 if the reader raised what it may not, or held too much."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--streams", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, messages, ended = random.Random(options.seed), samples(), Counter[str]()
    slowest = 0.0
    tracemalloc.start()
    for _ in range(options.streams):
        data = stream(rng, messages)
        before = time.process_time()
        try:
            unpack(data)
            ended["a message"] += 1
        except ProtocolError:
            ended["refused"] += 1
        except BaseException as error:
            ended[f"{type(error).__name__}: {error}"] += 1
            print(data[:400])
        slowest = max(slowest, time.process_time() - before)
    most = tracemalloc.get_traced_memory()[1]
    print(f"{options.streams} streams: {dict(ended)}")
    print(f"at most {most >> 10} KiB held, {1000 * slowest:.0f} ms of one stream")
    return int(set(ended) - {"a message", "refused"} != set() or most > MOST)


if __name__ == "__main__":
    sys.exit(main())
