"""The references of the exercises on positions, against the package and against BERT itself."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings

from plainformer.exercises import exercise, grade
from plainformer.inputs import shift_matrix, sinusoidal

build_table, find_mistake, step_forward, bert_input = (
    exercise(f"inputs.positions.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
widths = st.integers(1, 16).map(lambda half: 2 * half)


@given(st.integers(0, 50), widths)
def test_the_table_is_that_of_the_package(length, d_model):
    np.testing.assert_allclose(
        build_table(length, d_model), sinusoidal(length, d_model), rtol=0, atol=1e-12
    )


@given(st.data(), st.integers(1, 20), widths)
def test_any_one_wrong_number_is_found(data, length, d_model):
    right = sinusoidal(length, d_model)
    table = np.round(right, 2)
    p, column = data.draw(st.integers(0, length - 1)), data.draw(st.integers(0, d_model - 1))
    off = data.draw(st.floats(0.05, 2.0)) * data.draw(st.sampled_from([-1, 1]))
    table[p, column] += off
    position, dimension, value = find_mistake(table)
    assert (position, dimension) == (p, column)
    assert value == pytest.approx(right[p, column], abs=1e-12)


@given(st.integers(0, 1000), st.integers(-1000, 1000), widths)
def test_a_step_is_the_matrix_of_the_package_and_leads_to_the_right_row(p, k, d_model):
    row = sinusoidal([p], d_model)[0]
    moved = step_forward(row, k)
    np.testing.assert_allclose(moved, sinusoidal([p + k], d_model)[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(moved, shift_matrix(k, d_model) @ row, rtol=0, atol=1e-12)


@given(seeds, st.integers(1, 3), st.integers(1, 6), st.integers(1, 8))
def test_the_three_way_sum_is_that_of_bert(seed, n_texts, length, d_model):
    rng = np.random.default_rng(seed)
    ids, segments = rng.integers(5, size=(n_texts, length)), rng.integers(2, size=(n_texts, length))
    tables = [rng.normal(size=(rows, d_model)) for rows in (5, 7, 2)]
    config = BertConfig(
        vocab_size=5, hidden_size=d_model, max_position_embeddings=7, num_attention_heads=1
    )
    bert = BertEmbeddings(config).double().eval()
    bert.LayerNorm = torch.nn.Identity()
    modules = (bert.word_embeddings, bert.position_embeddings, bert.token_type_embeddings)
    with torch.no_grad():
        for module, table in zip(modules, tables, strict=True):
            module.weight.copy_(torch.tensor(table))
        theirs = bert(torch.tensor(ids), torch.tensor(segments)).numpy()
    np.testing.assert_allclose(bert_input(ids, segments, *tables), theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("digits", [2, 3, 15])
def test_the_right_value_may_be_rounded_and_of_numpys_types(digits):
    def answer(table):
        right = build_table(*table.shape)
        place = np.unravel_index(np.abs(table - right).argmax(), table.shape)
        return (*place, np.round(right[place], digits))

    assert grade(exercise("inputs.positions.2"), answer).passed


def test_a_mistake_given_in_one_number_is_told_what_is_missing():
    said = grade(exercise("inputs.positions.2"), lambda table: 3).message
    assert "it should be a tuple of 3 numbers, not a whole number (int)" in said
