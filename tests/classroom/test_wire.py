"""The wire: what is sent comes back, and whatever else comes raises ProtocolError alone."""

import contextlib
import io
import math
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plainformer.classroom.wire import (
    MAX_ARRAYS,
    Foreign,
    Made,
    ProtocolError,
    pack,
    read_message,
    unpack,
)
from plainformer.inputs import BPETokenizer

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
KEYS = st.recursive(PLAIN.filter(lambda x: x == x), lambda inside: st.tuples(inside, inside))
ARRAYS = hnp.arrays(
    st.sampled_from(["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", ">f8"]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.tuples(inside, inside)
        | st.dictionaries(KEYS, inside, max_size=4)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=12,
)


def alike(one, other):
    """Equal, of equal types, NaNs included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype.newbyteorder(one.dtype.byteorder) and np.array_equal(
            one, other, equal_nan=one.dtype.kind in "fc"
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))


@given(VALUES)
def test_what_is_sent_comes_back(value):
    assert alike(value, unpack(pack({"value": value}))["value"])


@given(st.binary(max_size=200))
def test_random_bytes_raise_a_protocol_error_or_nothing(data):
    with contextlib.suppress(ProtocolError):
        unpack(data)


@given(VALUES, st.data())
def test_damaged_messages_raise_a_protocol_error_or_nothing(value, data):
    message = bytearray(pack({"value": value}))
    for _ in range(data.draw(st.integers(1, 4))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ProtocolError):
        unpack(bytes(message[: data.draw(st.integers(0, len(message)))]))


def framed(text, *arrays):
    frames = [text.encode(), struct.pack(">I", len(arrays)), *arrays]
    return b"".join(struct.pack(">I", len(frame)) + frame for frame in frames)


def header(said):
    return b"\x93NUMPY\x01\x00" + len(said).to_bytes(2, "little") + said


ONES = header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n") + np.ones(1).tobytes()


ALIKE = ", ".join(f'{{"int": "{hex(i * (2**61 - 1))}"}}' for i in range(102))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (framed("[" * 100_000), "must begin with JSON"),
        (framed('{"a": 1' + "0" * 5000 + "}"), "must begin with JSON"),
        (framed("[]"), "must be a JSON object"),
        (framed('{"a": [1]}'), "object of one key"),
        (framed('{"a": {"list": [], "tuple": []}}'), "object of one key"),
        (framed('{"a": ' + '{"list": [' * 50 + "]}" * 50 + "}"), "40 deep"),
        (framed('{"a": {"pickle": "gASVAAAA"}}'), "a kind that there is not"),
        (framed('{"a": {"made": "gASVAAAA"}}'), "a kind that there is not"),
        (framed('{"a": {"dict": [[1]]}}'), "list of pairs"),
        (framed('{"a": {"dict": [[{"list": []}, 1]]}}'), "may not hold a list"),
        (framed('{"a": {"set": [' + "1," * 5000 + "1]}}"), "5000 items"),
        (framed('{"a": {"list": [' + '{"foreign": ""},' * 5001 + "1]}}"), "5000 items"),
        (framed('{"a": {"set": [' + ALIKE + "]}}"), "have a hash that another has"),
        (framed('{"a": 9223372036854775808}'), "below 2 to the 63"),
        (framed('{"a": -9223372036854775808}'), "below 2 to the 63"),
        (framed('{"a": {"bytes": "!"}}'), "base64"),
        (framed('{"a": {"array": 0}}'), "the next of those that follow"),
        (framed('{"a": {"array": true}}', b""), "the next of those that follow"),
        (framed('{"a": {"list": [' + '{"array": 0},' * 2 + "1]}}", ONES, ONES), "the next"),
        (framed('{"a": {"list": [{"array": 1}]}}', ONES, ONES), "the next"),
        (framed('{"a": {"array": 0}}', b"PK"), "version 1.0"),
        (
            framed(
                '{"a": {"array": 0}}',
                header(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"),
            ),
            "types of numbers",
        ),
        (
            framed(
                '{"a": {"array": 0}}',
                header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }\n"),
            ),
            "as many bytes",
        ),
        (
            framed(
                '{"a": {"array": 0}}',
                header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, %d), }\n" % 10**13),
            ),
            "as many bytes",
        ),
        (
            framed(
                '{"a": {"array": 0}}',
                header(
                    b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, %d, %d), }\n"
                    % (1 << 39, 1 << 39)
                ),
            ),
            "that NumPy can have",
        ),
        (framed('{"a": {"number": 0}}', pack({"": np.zeros(2)})[-144:]), "no axes"),
        (struct.pack(">I", 1 << 31), "may have from 0 to"),
        (framed("{}")[:-4] + struct.pack(">I", MAX_ARRAYS + 1), "1000 arrays"),
        (framed("{}")[:-1], "ends after"),
        (framed("{}") + b"x", "bytes follow"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused_by_name(message, said):
    with pytest.raises(ProtocolError, match=said):
        unpack(message)


def test_an_array_that_is_claimed_and_not_there_takes_no_memory():
    asked = []

    def read(n):
        asked.append(n)
        return (struct.pack(">I", 1 << 20) if len(asked) == 1 else b"")[:n]

    with pytest.raises(ProtocolError, match="ends after 0 of"):
        read_message(read)
    assert asked == [4, 1 << 20]


def test_other_objects_are_known_by_the_name_of_their_class_alone():
    class Bomb:
        def __reduce__(self):
            return print, ("it ran",)

    got = unpack(pack({"value": [Bomb(), (i for i in "ab"), np.array([None])]}))["value"]
    assert all(isinstance(each, Foreign) for each in got)
    assert [type(each).__name__ for each in got] == ["Bomb", "generator", "ndarray"]


def test_what_makes_an_argument_goes_to_the_worker_only():
    data = pack({"value": Made(pickle.dumps(range(3)))})
    with pytest.raises(ProtocolError, match="a kind that there is not"):
        unpack(data)
    assert read_message(io.BytesIO(data).read, made=pickle.loads) == {"value": range(3)}


def test_a_tokenizer_travels_by_its_parts():
    tokenizer = BPETokenizer.train("a cat sat on a mat", 262)
    back = unpack(pack({"": tokenizer}))[""]
    assert back.merges == tokenizer.merges and back.vocab == tokenizer.vocab
    for parts in ("[]", "[1, 2]", '[{"dict": []}, {"list": [1]}]'):
        with pytest.raises(ProtocolError, match="a tokenizer must have"):
            unpack(framed('{"": {"tokenizer": ' + parts + "}}"))


def test_tensors_travel_as_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16):
        tensor = torch.ones(2, 3).to(dtype).requires_grad_(dtype == torch.float32)
        back = unpack(pack({"": tensor}))[""]
        assert back.dtype == dtype and torch.equal(back, tensor.detach())
