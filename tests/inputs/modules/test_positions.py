"""Learned positions, segments and the whole input: tables, their ends, offsets, dropout, seeds."""

import io
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.inputs import InputEmbedding, LearnedPositions, sinusoidal

CAT = torch.tensor([[4, 1, 2, 0, 3, 1]])  # your cat is a lovely cat
KINDS = ["sinusoidal", "learned", None]

every_kind = pytest.mark.parametrize("kind", KINDS)


def make(kind: Any = "sinusoidal", **options: Any) -> InputEmbedding:
    """An input embedding for five tokens and eight dimensions, the same at every call."""
    rng = torch.Generator().manual_seed(0)
    if kind == "learned":
        options.setdefault("max_length", 16)
    return InputEmbedding(5, 8, positions=kind, rng=rng, **options)


# Learned positions


def test_learned_positions_are_rows_of_a_table() -> None:
    learned = LearnedPositions(10, 4)
    assert torch.equal(learned(3), learned.table[:3])
    assert torch.equal(learned(3, offset=7), learned.table[7:])
    places = torch.tensor([[9, 0], [0, 2]])
    assert torch.equal(learned(places.tolist()), learned.table[places])
    assert torch.equal(learned(torch.tensor(3)), learned.table[3])
    assert torch.equal(learned(np.int64(3)), learned.table[:3])
    assert learned(0).shape == (0, 4) and learned(10).shape == (10, 4)


@pytest.mark.parametrize(
    ("given", "offset", "message"),
    [
        (11, 0, "from 0 to 9; got 10 at index [10]"),
        (4, 7, "from 0 to 9; got 10 at index [3]"),
        ([3, 12], 0, "from 0 to 9; got 12 at index [1]"),
        ([-1], 0, "from 0 to 9; got -1 at index [0]"),
    ],
)
def test_no_position_beyond_the_table(given: Any, offset: int, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        LearnedPositions(10, 4)(given, offset=offset)
    assert str(caught.value) == f"positions must be {message}"


@pytest.mark.parametrize(
    ("given", "offset", "error", "message"),
    [
        ([0.5], 0, TypeError, "positions must be whole numbers; got an array of float64"),
        (-1, 0, ValueError, "length must be 0 or more; got -1"),
        (1, -1, ValueError, "offset must be 0 or more; got -1"),
        ([1], 1, ValueError, "offset must be 0 when positions are given; got 1"),
    ],
)
def test_mistakes_in_positions(
    given: Any, offset: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        LearnedPositions(10, 4)(given, offset=offset)
    assert str(caught.value) == message


# The sum


def test_the_sum_by_hand() -> None:
    layer = make("learned", n_segments=2)
    parts = torch.tensor([[0, 0, 0, 1, 1, 1]])
    rows = layer.state_dict()
    by_hand = [
        math.sqrt(8) * rows["tokens"][token] + rows["positions"][place] + rows["segments"][part]
        for place, (token, part) in enumerate(zip(CAT[0], parts[0], strict=True))
    ]
    assert torch.equal(layer(CAT, parts)[0], torch.stack(by_hand))
    assert torch.equal(layer(CAT), layer(CAT, 0 * parts))  # the first segment, if nothing is said


def test_sinusoids_are_the_tables() -> None:
    layer = make().double()
    difference = layer(CAT) - math.sqrt(8) * layer.tokens[CAT]
    assert np.allclose(difference[0].detach(), sinusoidal(6, 8), rtol=0, atol=1e-12)


def test_without_scale_and_positions_there_are_tokens_only() -> None:
    layer = make(None, scale=False)
    assert torch.equal(layer(CAT), layer.tokens[CAT])
    assert torch.equal(layer(CAT)[0, 1], layer(CAT)[0, 5])  # the two cats


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_positions_tell_the_two_cats_apart(kind: str) -> None:
    x = make(kind)(CAT)[0]
    assert (x[1] - x[5]).abs().max() > 0.1


@every_kind
@given(cut=st.integers(0, 6))
def test_cached_decoding_gives_slices_of_the_whole(kind: Any, cut: int) -> None:
    layer = make(kind, n_segments=2)
    parts = torch.tensor([[0, 0, 0, 1, 1, 1]])
    whole = layer(CAT, parts)
    for _ in range(2):  # and the second time as well: nothing is remembered
        first = layer(CAT[:, :cut], parts[:, :cut])
        rest = layer(CAT[:, cut:], parts[:, cut:], offset=cut)
        pieces = torch.cat([first, rest], dim=1)
        # Everything here is the same arithmetic for each token by itself, but for the sines: in a
        # vector of another length, an element may go through another loop, and differ in its last
        # bit. That is 1 ulp of 2^-24 for a sine, and one more where the sum is rounded (below 8).
        tolerance = 2**-23 + 2**-21 if kind == "sinusoidal" else 0
        assert (pieces - whole).abs().max() <= tolerance


@every_kind
def test_later_tokens_and_other_texts_change_nothing(kind: Any) -> None:
    layer, other = make(kind), torch.tensor([[4, 1, 2, 3, 3, 0], [0, 0, 0, 0, 0, 0]])
    assert torch.equal(layer(other)[0, :3], layer(CAT)[0, :3])
    assert torch.equal(layer(torch.cat([CAT, other]))[0], layer(CAT)[0])


def test_shapes_and_kinds_of_ids() -> None:
    layer = make()
    assert layer(CAT.reshape(3, 2)).shape == (3, 2, 8)
    assert layer(torch.zeros(2, 0, dtype=torch.int64)).shape == (2, 0, 8)
    assert torch.equal(layer(CAT.to(torch.uint8)), layer(CAT))


# Parameters, dtypes, gradients


def test_the_names_of_the_parameters() -> None:
    shapes = {name: tuple(p.shape) for name, p in make("learned", n_segments=2).named_parameters()}
    assert shapes == {"tokens": (5, 8), "positions": (16, 8), "segments": (2, 8)}
    assert list(make("learned", n_segments=2).state_dict()) == list(shapes)
    assert list(make("sinusoidal").state_dict()) == list(make(None).state_dict()) == ["tokens"]


@every_kind
def test_weights_are_saved_and_loaded(kind: Any) -> None:
    layer, file = make(kind, n_segments=2), io.BytesIO()
    torch.save(layer.state_dict(), file)
    torch.manual_seed(1)
    other = InputEmbedding(5, 8, positions=kind, max_length=16, n_segments=2)
    other.load_state_dict(torch.load(io.BytesIO(file.getvalue())))
    assert torch.equal(other(CAT, CAT % 2), layer(CAT, CAT % 2))


@every_kind
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_the_dtype_is_that_of_the_parameters(kind: Any, dtype: torch.dtype) -> None:
    assert make(kind, n_segments=2).to(dtype)(CAT, CAT % 2).dtype == dtype


def test_half_precision_and_back_keeps_the_sinusoids_exact() -> None:
    layer = make()
    torch.nn.init.zeros_(layer.tokens)
    before = layer(CAT)
    assert torch.equal(layer.half().float()(CAT), before)


@every_kind
def test_gradcheck(kind: Any) -> None:
    layer = make(kind, n_segments=2).double()
    names, values = zip(*layer.named_parameters(), strict=True)

    def run(*tables: torch.Tensor) -> Any:
        parameters = dict(zip(names, tables, strict=True))
        return torch.func.functional_call(layer, parameters, (CAT, CAT % 2))

    assert torch.autograd.gradcheck(run, values)


def test_only_rows_that_were_read_get_gradients() -> None:
    layer = make("learned")
    layer(torch.tensor([[4, 1, 1]])).sum().backward()
    assert layer.tokens.grad is not None and layer.positions.grad is not None
    assert layer.tokens.grad[:, 0].tolist() == pytest.approx([0, 2 * 8**0.5, 0, 0, 8**0.5])
    assert layer.positions.grad[:, 0].tolist() == [1.0] * 3 + [0.0] * 13


# Randomness


def test_first_values_have_variance_one_over_d() -> None:
    layer = InputEmbedding(2000, 64, rng=torch.Generator().manual_seed(0))
    assert abs(layer.tokens.mean().item()) < 1e-3
    assert layer.tokens.std().item() == pytest.approx(1 / 8, rel=0.01)


@every_kind
def test_seeds_reproduce(kind: Any) -> None:
    def tables(rng: torch.Generator | None) -> list[torch.Tensor]:
        layer = InputEmbedding(5, 8, positions=kind, max_length=9, n_segments=2, rng=rng)
        return list(layer.parameters())

    def same(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
        return all(torch.equal(x, y) for x, y in zip(a, b, strict=True))

    by_generator = [tables(torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert same(*by_generator[:2]) and not same(*by_generator[1:])
    torch.manual_seed(1)
    state = torch.get_rng_state()
    by_seed = tables(None)
    torch.manual_seed(1)
    assert same(tables(None), by_seed)
    torch.set_rng_state(state)
    tables(torch.Generator().manual_seed(3))
    assert torch.equal(torch.get_rng_state(), state)  # torch's own generator was left alone


def test_dropout_in_training_only() -> None:
    layer = make(dropout=0.25)
    layer.eval()
    whole = layer(CAT)
    assert torch.equal(whole, make()(CAT))
    layer.train()
    torch.manual_seed(0)
    many = layer(CAT.expand(500, 6))
    dropped = many == 0
    assert dropped.double().mean().item() == pytest.approx(0.25, abs=0.02)
    assert torch.allclose(many[~dropped], (whole / 0.75).expand(500, 6, 8)[~dropped])
    torch.manual_seed(0)
    assert torch.equal(layer(CAT.expand(500, 6)), many)


# Mistakes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"positions": "rope"},
            ValueError,
            "positions must be 'sinusoidal', 'learned' or None; got 'rope'",
        ),
        (
            {"positions": "learned"},
            ValueError,
            "max_length must be given if positions are learned; got None",
        ),
        ({"n_segments": -1}, ValueError, "n_segments must be 0 or more; got -1"),
        ({"dropout": 1}, ValueError, "dropout must be at least 0 and below 1; got 1"),
    ],
)  # fmt: skip
def test_mistakes_in_options(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        InputEmbedding(**{"vocab_size": 5, "d_model": 8, **options})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "call", "error", "message"),
    [
        ({}, {"ids": CAT + 1}, ValueError, "ids must be from 0 to 4; got 5 at [0, 0]"),
        ({}, {"ids": CAT / 2}, TypeError, "ids must be whole numbers; got torch.float32"),
        ({}, {"ids": CAT[0]}, ValueError, "ids must be (B, T); got (6,)"),
        ({}, {"ids": [[1]]}, TypeError, "ids must be a torch tensor; got list"),
        ({}, {"offset": -1}, ValueError, "offset must be 0 or more; got -1"),
        ({}, {"segments": CAT}, ValueError, "segments must be None, because n_segments is 0"),
        (
            {"n_segments": 5},
            {"segments": CAT[:, :1]},
            ValueError,
            "segments must be (1, 6), like ids; got (1, 1)",
        ),
        (
            {"n_segments": 2},
            {"segments": CAT},
            ValueError,
            "segments must be from 0 to 1; got 4 at [0, 0]",
        ),
    ],
)
def test_mistakes_in_a_call(options: Any, call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make(**options)(**{"ids": CAT, **call})
    assert str(caught.value) == message


@every_kind
def test_no_position_beyond_max_length(kind: Any) -> None:
    layer = make(kind, max_length=8)
    assert layer(CAT, offset=2).shape == (1, 6, 8)
    with pytest.raises(ValueError) as caught:
        layer(CAT, offset=3)
    assert str(caught.value) == "a text must have at most 8 tokens; got 9"


def test_no_limit_unless_there_is_one() -> None:
    for kind in ("sinusoidal", None):
        assert make(kind)(CAT, offset=10**6).shape == (1, 6, 8)
