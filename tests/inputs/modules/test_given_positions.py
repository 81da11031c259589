"""The input of a batch whose texts do not all begin in the first column: positions by index."""

from typing import Any

import numpy as np
import pytest
import torch

from plainformer.inputs import InputEmbedding, sinusoidal

IDS = torch.tensor([[0, 0, 3, 1], [4, 1, 2, 0]])  # the first is padded on the left
PLACES = torch.tensor([[0, 0, 0, 1], [0, 1, 2, 3]])
every_kind = pytest.mark.parametrize("kind", ["sinusoidal", "learned"])


def make(kind: Any, **options: Any) -> InputEmbedding:
    rng = torch.Generator().manual_seed(0)
    return InputEmbedding(5, 8, positions=kind, max_length=6, rng=rng, **options)


@every_kind
def test_a_padded_text_gets_what_it_gets_alone(kind: Any) -> None:
    layer = make(kind)
    batch = layer(IDS, positions=PLACES)
    assert torch.equal(batch[0, 2:], layer(IDS[:1, 2:])[0])
    assert torch.equal(batch[1], layer(IDS[1:])[0])
    assert not torch.equal(batch[0, 2:], layer(IDS)[0, 2:])


@every_kind
def test_positions_by_index_are_an_offset_where_they_count_up(kind: Any) -> None:
    layer = make(kind, n_segments=2)
    segments = torch.tensor([0, 0, 1, 1])
    for start in range(3):
        counted = torch.arange(start, start + 4)
        expected = layer(IDS, segments, offset=start)
        for given in (counted, counted.tolist(), counted.numpy(), counted.expand(2, 4)):
            torch.testing.assert_close(layer(IDS, segments, positions=given), expected)


def test_rows_of_the_tables() -> None:
    layer = make("learned", scale=False)
    assert layer.positions is not None
    table = layer.positions.get_parameter("table")
    assert torch.equal(layer(IDS, positions=PLACES), layer.tokens[IDS] + table[PLACES])
    wide = InputEmbedding(5, 8, scale=False)  # no max_length: anywhere, and between
    places = torch.tensor([0.5, 1e6, -3.0, 2.0])
    expected = wide.tokens[IDS] + sinusoidal(places, 8, like=wide.tokens)
    assert torch.equal(wide(IDS, positions=places), expected)


def test_gradients_reach_the_rows_that_were_read() -> None:
    layer = make("learned")
    layer(IDS, positions=PLACES).sum().backward()
    assert layer.positions is not None
    grad = layer.positions.get_parameter("table").grad
    assert grad is not None
    assert (grad != 0).any(dim=-1).tolist() == [True] * 4 + [False] * 2


@pytest.mark.parametrize(
    ("kind", "positions", "options", "said"),
    [
        ("learned", [0, 1, 2], {}, ["positions must broadcast to (2, 4)", "(3,)"]),
        ("learned", np.zeros((3, 2, 4), int), {}, ["positions must broadcast", "(3, 2, 4)"]),
        ("learned", [0, 1, 2, 6], {}, ["positions must be from 0 to 5", "got 6", "[3]"]),
        ("sinusoidal", [0, 1, 2, 6], {}, ["positions must be from 0 to 5", "got 6", "[3]"]),
        ("learned", [0, 1, 2, -1], {}, ["positions must be from 0 to 5", "got -1"]),
        ("learned", [0, 1, 2, 3], {"offset": 1}, ["offset must be 0", "got 1"]),
        (None, [0, 1, 2, 3], {}, ["positions must be None", "elsewhere"]),
        ("learned", 3, {}, ["positions must broadcast to (2, 4)", "()"]),
    ],
)
def test_mistakes(kind: Any, positions: Any, options: Any, said: list[str]) -> None:
    with pytest.raises(ValueError) as raised:
        make(kind)(IDS, positions=positions, **options)
    assert all(word in str(raised.value) for word in said)


def test_a_learned_position_is_a_whole_number() -> None:
    with pytest.raises(TypeError, match="positions must be whole numbers; got an array of float64"):
        make("learned")(IDS, positions=[0.0, 1.0, 2.0, 3.0])
