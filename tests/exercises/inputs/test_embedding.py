"""The references of the embedding's exercises, against the package and against torch."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.exercises import exercise, grade
from plainformer.inputs import embed, one_hot

embedding_lookup, table_gradient, neighbours = (
    exercise(f"inputs.embedding.{n}").reference for n in (1, 2, 3)
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)


@given(seeds, sizes, sizes, sizes, sizes)
def test_rows_are_those_of_embed_and_of_torch(seed, n_texts, length, vocab_size, d_model):
    rng = np.random.default_rng(seed)
    ids, table = (
        rng.integers(vocab_size, size=(n_texts, length)),
        rng.normal(size=(vocab_size, d_model)),
    )
    rows = embedding_lookup(ids, table)
    assert (rows == embed(ids, table)).all()
    theirs = torch.nn.functional.embedding(torch.tensor(ids), torch.tensor(table))
    assert (rows == theirs.numpy()).all()


@given(seeds, st.integers(0, 8), sizes, sizes)
def test_the_gradient_is_the_one_that_torch_finds_and_that_of_the_product(
    seed, length, vocab_size, d_model
):
    rng = np.random.default_rng(seed)
    ids, upstream = rng.integers(vocab_size, size=length), rng.normal(size=(length, d_model))
    gradient = table_gradient(ids, upstream, vocab_size)
    table = torch.zeros(vocab_size, d_model, dtype=torch.float64, requires_grad=True)
    (embed(torch.tensor(ids), table) * torch.tensor(upstream)).sum().backward()
    np.testing.assert_allclose(gradient, table.grad.numpy(), rtol=1e-12, atol=1e-12)
    product = one_hot(ids, vocab_size).T @ upstream
    np.testing.assert_allclose(gradient, product, rtol=1e-12, atol=1e-12)


@given(seeds, st.integers(2, 8), sizes)
def test_neighbours_are_those_that_torch_finds(seed, vocab_size, d_model):
    table = np.random.default_rng(seed).normal(size=(vocab_size, d_model + 1))
    theirs = torch.cosine_similarity(torch.tensor(table[:1]), torch.tensor(table), dim=1)
    expected = theirs[1:].argsort(descending=True) + 1
    assert neighbours(table, 0, vocab_size - 1).tolist() == expected.tolist()


def test_the_call_that_is_shown_can_be_pasted():
    result = grade(exercise("inputs.embedding.1"), lambda ids, table: table[ids] + 1)
    call = "The call:    embedding_lookup(np.array([[2]]), np.array([[0.0, 1.0], [2.0, 3.0], "
    assert call in result.message
