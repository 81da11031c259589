"""The input of a batch whose texts do not all begin in the first column: positions by index."""

from typing import Any

import pytest
import torch

from plainformer.inputs import InputEmbedding

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
    segments = torch.tensor([[0, 0, 1, 1]]).expand(2, 4)
    for start in range(3):
        counted = torch.arange(start, start + 4)
        expected = layer(IDS, segments, offset=start)
        for given in (counted, counted.expand(2, 4)):
            found = layer(IDS, segments, offset=start, positions=given)
            torch.testing.assert_close(found, expected)


def test_rows_of_the_tables() -> None:
    layer = make("learned", scale=False)
    expected = layer.tokens[IDS] + layer.positions[PLACES]
    assert torch.equal(layer(IDS, positions=PLACES), expected)
    padding = PLACES - torch.tensor([[2, 1, 0, 0], [0, 0, 0, 0]])
    assert torch.equal(layer(IDS, positions=padding), expected)


def test_gradients_reach_the_rows_that_were_read() -> None:
    layer = make("learned")
    layer(IDS, positions=PLACES).sum().backward()
    grad = layer.positions.grad
    assert grad is not None
    assert (grad != 0).any(dim=-1).tolist() == [True] * 4 + [False] * 2


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", None])
def test_no_position_beyond_the_text(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"positions must be from 0 to 3; got 4 at \[3\]"):
        make(kind)(IDS, positions=torch.tensor([0, 1, 2, 4]))
    with pytest.raises(TypeError, match="positions must be a torch tensor; got list"):
        make(kind)(IDS, positions=[0, 1, 2, 3])
    with pytest.raises(TypeError, match=r"positions must be whole numbers; got torch.float32"):
        make(kind)(IDS, positions=torch.arange(4.0))
