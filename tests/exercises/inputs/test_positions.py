"""The references of the exercises on positions, against the package and against BERT itself."""

import textwrap

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


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "Your exponent is i / d_model",
        """
        def answer(length, d_model):
            table = np.zeros((length, d_model))
            for p in range(length):
                for i in range(d_model // 2):
                    table[p, 2 * i] = np.sin(p / 10000 ** (i / d_model))
                    table[p, 2 * i + 1] = np.cos(p / 10000 ** (i / d_model))
            return table
        """,
    ),
    (
        1,
        "The exponent is the same for both columns",
        """
        def answer(length, d_model):
            table = np.zeros((length, d_model))
            for p in range(length):
                for i in range(d_model):
                    wave = np.sin if i % 2 == 0 else np.cos
                    table[p, i] = wave(p / 10000 ** (i / d_model))
            return table
        """,
    ),
    (
        1,
        "The caret ^ compares bits",
        """
        def answer(length, d_model):
            p = np.arange(length)[:, None]
            i = np.arange(d_model // 2)
            angle = p / 10000 ^ (2 * i / d_model)
            return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(length, d_model)
        """,
    ),
    (
        1,
        "make the positions a column",
        """
        def answer(length, d_model):
            angle = np.arange(length) / 10000 ** (np.arange(0, d_model, 2) / d_model)
            return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(length, d_model)
        """,
    ),
    (
        2,
        "Printed numbers are rounded",
        """
        def answer(table):
            right = build_table(*table.shape)
            for p in range(len(table)):
                for i in range(table.shape[1]):
                    if table[p, i] != right[p, i]:
                        return p, i, right[p, i]
        """,
    ),
    (
        3,
        "Yours goes k steps back",  # written for points (x, y), as RoPE has it
        """
        def answer(row, k):
            angle = k / 10000 ** (np.arange(0, len(row), 2) / len(row))
            x, y = row[0::2], row[1::2]
            turned = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
            return np.stack(turned, axis=-1).ravel()
        """,
    ),
    (
        4,
        "You add the whole table",
        """
        def answer(ids, segments, tokens, places, parts):
            return tokens[ids] + places[None] + parts[segments]
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np, "build_table": build_table}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"inputs.positions.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message


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
