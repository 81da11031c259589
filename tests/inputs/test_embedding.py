"""`one_hot` and `embed`: the same lookup said twice, and ids that have no row."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch.nn import functional as F

from plainformer.inputs import embed, one_hot

V, D = 5, 3
TABLE = np.arange(V * D, dtype=np.float64).reshape(V, D)  # row r: 3r, 3r + 1, 3r + 2
CAT = [[4, 1, 2, 0, 3, 1]]  # your cat is a lovely cat

some_ids = hnp.arrays(
    st.sampled_from([np.int64, np.int32, np.uint8]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    elements=st.integers(0, V - 1),
)


def test_the_running_example() -> None:
    rows = embed(CAT, TABLE)
    assert rows.shape == (1, 6, D)
    assert rows[0, 0].tolist() == [12.0, 13.0, 14.0]
    assert rows[0, 1].tolist() == rows[0, 5].tolist() == [3.0, 4.0, 5.0]  # the same word
    assert one_hot(CAT, V)[0, 2].tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]


# Laws


@given(some_ids)
def test_a_lookup_is_a_one_hot_product(ids: Any) -> None:
    assert np.array_equal(embed(ids, TABLE), one_hot(ids, V) @ TABLE)


@given(some_ids)
def test_each_one_hot_vector_is_one_at_its_id(ids: Any) -> None:
    vectors = one_hot(ids, V)
    assert vectors.shape == (*ids.shape, V) and set(np.unique(vectors)) <= {0.0, 1.0}
    assert np.all(vectors.sum(axis=-1) == 1)
    assert np.array_equal(vectors.argmax(axis=-1), ids)


@given(st.lists(st.integers(0, V - 1), max_size=8), st.randoms(use_true_random=False))
def test_ids_in_another_order_give_rows_in_that_order(ids: list[int], random: Any) -> None:
    order = list(range(len(ids)))
    random.shuffle(order)
    assert np.array_equal(embed([ids[i] for i in order], TABLE), embed(ids, TABLE)[order])


@given(st.permutations(range(V)), some_ids)
def test_new_names_for_the_same_rows_change_nothing(names: list[int], ids: Any) -> None:
    renamed = np.empty_like(TABLE)
    renamed[names] = TABLE
    assert np.array_equal(embed(np.asarray(names)[ids], renamed), embed(ids, TABLE))


# Beside torch


@given(some_ids)
def test_torch_does_the_same(ids: Any) -> None:
    ids64 = torch.asarray(ids.astype(np.int64))
    table = torch.asarray(TABLE)
    assert torch.equal(embed(torch.asarray(ids), table), F.embedding(ids64, table))
    assert torch.equal(one_hot(torch.asarray(ids), V), F.one_hot(ids64, V).float())


def test_gradients_add_up_in_the_rows_that_were_read() -> None:
    ours, theirs = (torch.asarray(TABLE).requires_grad_() for _ in range(2))
    weights = torch.rand(1, 6, D, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    (embed(CAT, ours) * weights).sum().backward()
    (F.embedding(torch.tensor(CAT), theirs) * weights).sum().backward()
    assert ours.grad is not None and theirs.grad is not None
    assert (ours.grad - theirs.grad).abs().max() <= 1e-12
    assert torch.allclose(ours.grad[1], weights[0, 1] + weights[0, 5])  # "cat" stands there twice


def test_gradcheck() -> None:
    table = torch.asarray(TABLE).requires_grad_()
    assert torch.autograd.gradcheck(lambda t: embed(CAT, t), (table,))


# Libraries, dtypes, shapes


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("ids", [CAT, np.array(CAT), torch.tensor(CAT, dtype=torch.int16)])
def test_rows_are_of_the_tables_library_and_dtype(ids: Any, dtype: torch.dtype) -> None:
    rows = embed(ids, torch.asarray(TABLE).to(dtype))
    assert isinstance(rows, torch.Tensor) and rows.dtype == dtype
    assert np.array_equal(rows.double().numpy(), TABLE[CAT])


def test_a_numpy_table_reads_torch_ids() -> None:
    assert np.array_equal(embed(torch.tensor(CAT), TABLE), TABLE[CAT])
    assert embed(CAT, TABLE.astype(np.float32)).dtype == np.float32
    assert embed(CAT, TABLE.tolist()).tolist() == TABLE[CAT].tolist()


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.int8, torch.int32, torch.uint16, torch.uint64], ids=str
)
def test_bytes_are_ids_and_no_mask(dtype: torch.dtype) -> None:
    ids = torch.tensor([0, 1, 1, 0, 1], dtype=dtype)  # as many because there are rows
    assert np.array_equal(embed(ids, torch.asarray(TABLE)), TABLE[[0, 1, 1, 0, 1]])
    assert np.array_equal(one_hot(ids, 2), np.eye(2)[[0, 1, 1, 0, 1]])


def test_no_ids_and_one_id() -> None:
    assert embed([], TABLE).shape == (0, D)
    assert embed([[], []], torch.asarray(TABLE)).shape == (2, 0, D)
    assert one_hot([], V).shape == (0, V)
    for one in (2, np.int64(2), np.array(2), torch.tensor(2)):
        assert embed(one, TABLE).tolist() == [6.0, 7.0, 8.0]


# Mistakes


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (
            [[1, 2], [0, 7]],
            "ids must be from 0 to 4; got 7 at index [1, 1]",
        ),
        ([0, -1, 9], "ids must be from 0 to 4; got -1 at index [1]"),
        ([5], "ids must be from 0 to 4; got 5 at index [0]"),
        (-3, "ids must be from 0 to 4; got -3"),
    ],
)
def test_an_id_without_a_row_is_named_with_its_place(ids: Any, message: str, library: Any) -> None:
    for lookup in (lambda: embed(library(ids), library(TABLE)), lambda: one_hot(library(ids), V)):
        with pytest.raises(ValueError) as error:
            lookup()
        assert str(error.value) == message
