"""`KVCache` beside a plain list of arrays, whatever is done to it in whatever order; refusals."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from plainformer.attention import KVCache

B, G, K = 2, 3, 4
LIKE = {"numpy": np.zeros(0, dtype=np.float32), "torch": torch.zeros(0)}


class Histories(RuleBasedStateMachine):
    """A cache and a list of one-token arrays, given the same orders."""

    @initialize(kind=st.sampled_from(sorted(LIKE)), max_length=st.none() | st.integers(1, 9))
    def start(self, kind: str, max_length: int | None) -> None:
        self.kind, self.max_length, self.batch = kind, max_length, B
        self.cache = KVCache(B, G, max_length, K, like=LIKE[kind])
        self.rng = np.random.default_rng(0)
        self.keys: list[Any] = []
        self.values: list[Any] = []

    def new(self, T: int) -> tuple[Any, Any]:
        k, v = self.rng.standard_normal((2, self.batch, G, T, K)).astype(np.float32)
        return (k, v) if self.kind == "numpy" else (torch.from_numpy(k), torch.from_numpy(v))

    @rule(T=st.integers(0, 4))
    def append(self, T: int) -> None:
        k, v = self.new(T)
        if self.max_length is not None and len(self.keys) + T > self.max_length:
            with pytest.raises(ValueError, match="must have room"):
                self.cache.append(k, v)
            return
        self.keys += [k[:, :, i : i + 1] for i in range(T)]
        self.values += [v[:, :, i : i + 1] for i in range(T)]
        keys, values = self.cache.append(k, v)
        assert (keys == self.cache.keys).all() and (values == self.cache.values).all()

    @rule(share=st.floats(0, 1))
    def rewind(self, share: float) -> None:
        length = round(share * len(self.keys))
        self.cache.rewind(length)
        del self.keys[length:], self.values[length:]

    @rule()
    def reset(self) -> None:
        self.cache.reset()
        self.keys, self.values = [], []

    @rule(data=st.data())
    def select(self, data: st.DataObject) -> None:
        rows = data.draw(st.lists(st.integers(0, self.batch - 1), min_size=1, max_size=4))
        self.cache.select(rows)
        self.keys = [each[rows] for each in self.keys]
        self.values = [each[rows] for each in self.values]
        self.batch = len(rows)

    @invariant()
    def holds_what_the_list_holds(self) -> None:
        assert self.cache.length == len(self.keys) and self.cache.batch == self.batch
        assert self.cache.max_length == self.max_length
        for held, expected in (
            (self.cache.keys, self.keys),
            (self.cache.values, self.values),
        ):
            assert type(held) is type(LIKE[self.kind]) and held.dtype == LIKE[self.kind].dtype
            assert tuple(held.shape) == (self.batch, G, len(expected), K)
            if expected:
                np.testing.assert_array_equal(held, np.concatenate(expected, axis=2))


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=60, stateful_step_count=20)


def full(cache: KVCache, T: int, value: float) -> Any:
    return np.full((cache.keys.shape[0], cache.keys.shape[1], T, cache.keys.shape[3]), value)


def test_views_not_copies() -> None:
    cache = KVCache(1, 1, 4, 2)
    keys, values = cache.append(full(cache, 2, 1.0), full(cache, 2, 2.0))
    assert np.shares_memory(keys, cache.append(full(cache, 2, 3.0), full(cache, 2, 4.0))[0])
    assert keys.base is not None and keys[0, 0, :, 0].tolist() == [1, 1]
    cache.rewind(1)
    cache.append(full(cache, 1, 5.0), full(cache, 1, 6.0))  # written over
    assert keys[0, 0, :, 0].tolist() == [1, 5] and values[0, 0, :, 0].tolist() == [2, 6]


def test_it_keeps_copies_of_what_it_is_given() -> None:
    cache = KVCache(1, 1, 4, 2)
    k = full(cache, 1, 1.0)
    keys, _ = cache.append(k, k)
    k[:] = 7
    assert keys.tolist() == [[[[1, 1]]]]


@given(
    rows=st.lists(st.integers(0, B - 1), min_size=1, max_size=5),
    before=st.integers(0, 4),
    after=st.integers(0, 4),
    max_length=st.sampled_from([None, 8]),
)
def test_select_then_append_is_to_build_it_so_from_the_start(
    rows: list[int], before: int, after: int, max_length: int | None
) -> None:
    rng = np.random.default_rng(0)
    old, new = rng.standard_normal((B, G, before, K)), rng.standard_normal((len(rows), G, after, K))
    chosen, built = KVCache(B, G, max_length, K), KVCache(len(rows), G, 8, K)
    chosen.append(old, -old)
    chosen.select(rows)
    built.append(old[rows], -old[rows])
    for ours, theirs in zip(chosen.append(new, -new), built.append(new, -new), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_one_that_grows_copies_a_token_twice_at_most() -> None:
    cache, moves, before = KVCache(1, 1, None, 2), 0, None
    for _ in range(1000):
        keys, _ = cache.append(full(cache, 1, 1.0), full(cache, 1, 1.0))
        if before is None or not np.shares_memory(keys, before):
            moves += len(before[0, 0]) if before is not None else 0
        before = keys
    assert 0 < moves <= 2 * 1000


def test_rows_of_any_library() -> None:
    for like in LIKE.values():
        for rows in ([1, 1, 0], (1, 1, 0), np.array([1, 1, 0], dtype=np.uint8)):
            cache = KVCache(2, 1, 2, 1, like=like)
            k = np.array([5.0, 6.0], dtype=np.float32).reshape(2, 1, 1, 1)
            k = k if isinstance(like, np.ndarray) else torch.from_numpy(k)
            cache.append(k, k)
            cache.select(rows if like is LIKE["numpy"] else torch.tensor(np.array(rows)))
            assert cache.keys.ravel().tolist() == [6, 6, 5]


def test_what_a_view_showed_before_a_select_it_goes_on_to_show() -> None:
    cache = KVCache(2, 1, 2, 1)
    k = np.array([5.0, 6.0]).reshape(2, 1, 1, 1)
    keys, _ = cache.append(k, k)
    cache.select([1])
    cache.append(k[:1], k[:1])
    assert keys.ravel().tolist() == [5, 6] and cache.keys.ravel().tolist() == [6, 5]


def test_library_dtype_and_device_are_those_of_like() -> None:
    assert KVCache(1, 1, 2, 2).keys.dtype == np.float64
    assert KVCache(1, 1, 2, 2, like=np.zeros(1, dtype=np.float16)).keys.dtype == np.float16
    assert (
        KVCache(1, 1, 2, 2, like=torch.zeros(1, dtype=torch.bfloat16)).keys.dtype is torch.bfloat16
    )
    assert KVCache(1, 1, 2, 2, like=torch.arange(3)).keys.dtype is torch.float32
    assert KVCache(1, 1, 2, 2, like=torch.zeros(1, device="meta")).keys.device.type == "meta"
    trained = torch.nn.Parameter(torch.zeros(1))
    assert not KVCache(1, 1, 2, 2, like=trained).keys.requires_grad


# What is refused


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def test_no_room() -> None:
    cache = KVCache(1, 1, 4, 2)
    cache.append(full(cache, 3, 1.0), full(cache, 3, 1.0))
    message = (
        "the cache must have room for every new token: max_length is 4 and 3 are held, "
        "so 1 more fit; got 2"
    )
    with refused(ValueError, message):
        cache.append(full(cache, 2, 2.0), full(cache, 2, 2.0))
    assert cache.length == 3 and cache.keys.tolist() == full(cache, 3, 1.0).tolist()
    cache.append(full(cache, 1, 2.0), full(cache, 1, 2.0))  # the last place
    assert cache.length == cache.max_length == 4


def test_numbers() -> None:
    for name in ("batch", "n_kv_heads", "max_length", "d_head"):
        with refused(ValueError, f"{name} must be 1 or more; got 0"):
            KVCache(**{"batch": 1, "n_kv_heads": 1, "max_length": 1, "d_head": 1, name: 0})
    with refused(TypeError, "max_length must be a whole number; got 4.0 (float)"):
        KVCache(1, 1, 4.0, 1)  # type: ignore[arg-type]


def test_rewinding_forwards() -> None:
    cache = KVCache(1, 1, 4, 2)
    cache.append(full(cache, 2, 1.0), full(cache, 2, 1.0))
    with refused(ValueError, "length must be at most 2, the number of tokens held; got 3"):
        cache.rewind(3)
    with refused(ValueError, "length must be 0 or more; got -1"):
        cache.rewind(-1)
    with refused(TypeError, "length must be a whole number; got 1.0 (float)"):
        cache.rewind(1.0)  # type: ignore[arg-type]
    assert cache.length == 2


def test_rows() -> None:
    cache = KVCache(2, 1, 4, 2)
    for rows, error, message in [
        ([2], ValueError, "rows must be from 0 to 1, for 2 texts; got 2"),
        ([0, -1], ValueError, "rows must be from 0 to 1, for 2 texts; got -1"),
        ([], ValueError, "rows must be (b,) with b = 1 or more; got shape (0,)"),
        ([[0]], ValueError, "rows must be (b,) with b = 1 or more; got shape (1, 1)"),
        ([0.0], TypeError, "rows must be whole numbers; got an array of float64"),
        ([True, False], TypeError, "rows must be an array of numbers; got list"),
    ]:
        with refused(error, message):
            cache.select(rows)
    assert cache.batch == 2


def test_shapes() -> None:
    cache, right = KVCache(2, 3, 8, 4), np.zeros((2, 3, 1, 4))
    for shape in ((1, 3, 1, 4), (2, 1, 1, 4), (2, 3, 1, 1), (3, 1, 4), (2, 3, 4)):
        message = "must be (2, 3, T, 4), for batch, n_kv_heads, new tokens and d_head; got shape "
        with refused(ValueError, f"k {message}{shape}"):
            cache.append(np.zeros(shape), right)
        with refused(ValueError, f"v {message}{shape}"):
            cache.append(right, np.zeros(shape))
    with refused(ValueError, "v must have as many tokens as k; got 1 and 2"):
        cache.append(np.zeros((2, 3, 2, 4)), right)
    assert cache.length == 0


def test_kinds() -> None:
    own = np.zeros((1, 1, 1, 2), dtype=np.float32)
    cache = KVCache(1, 1, 4, 2, like=own)
    own_kind = "must be a numpy.ndarray of float32, like the cache; got a"
    with refused(TypeError, f"k {own_kind} numpy.ndarray of float64"):
        cache.append(own.astype(np.float64), own)
    with refused(TypeError, f"v {own_kind} torch.Tensor of torch.float32"):
        cache.append(own, torch.from_numpy(own))
    assert cache.length == 0


def test_gradients() -> None:
    cache, k = KVCache(1, 1, 4, 2, like=torch.zeros(1)), torch.zeros(1, 1, 1, 2)
    with refused(
        ValueError,
        "v must not be tracked for gradients, which a cache would break: "
        "decode within torch.no_grad()",
    ):
        cache.append(k, k.clone().requires_grad_())
    with torch.no_grad():
        cache.append(k, k.clone().requires_grad_() * 2)
    assert cache.length == 1
