"""Activations, `feed_forward`, `swiglu`, `FeedForward`: against torch, by laws, refusals."""

import re
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from plainformer.blocks import FeedForward, feed_forward, gelu, relu, silu, swiglu

seeds = st.integers(0, 2**32 - 1)
numbers = st.floats(-1e4, 1e4)
backends = pytest.mark.parametrize(
    "make",
    [np.asarray, torch.asarray, array_api_strict.asarray],
    ids=["NumPy", "torch", "the standard"],
)
ACTIVATIONS: dict[str, tuple[Any, Any]] = {
    "relu": (relu, F.relu),
    "gelu": (gelu, F.gelu),
    "gelu_tanh": (
        lambda x: gelu(x, approximate="tanh"),
        lambda x: F.gelu(x, approximate="tanh"),
    ),
    "silu": (silu, F.silu),
}
every_activation = pytest.mark.parametrize("name", ACTIVATIONS)


def draw(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def layer(seed: int, D: int = 4, width: int = 12) -> tuple[Any, ...]:
    """x, w_up, b_up, w_down and b_down."""
    return tuple(draw(seed, (6, D), (D, width), (width,), (width, D), (D,)))


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# Activations


@every_activation
@backends
@given(values=st.lists(numbers, min_size=1, max_size=9))
def test_an_activation_is_torchs(name: str, make: Any, values: list[float]) -> None:
    ours, theirs = ACTIVATIONS[name]
    found = ours(make(np.array(values)))
    expected = theirs(torch.tensor(values, dtype=torch.float64))
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-15)


@every_activation
@backends
def test_the_ends_of_the_line(name: str, make: Any) -> None:
    """Zero stays zero, far to the right nothing changes, far to the left nothing is left."""
    activation = ACTIVATIONS[name][0]
    found = activation(make(np.array([0.0, 1e4, -1e4, np.nan])))
    np.testing.assert_allclose(np.asarray(found), [0.0, 1e4, 0.0, np.nan], rtol=0, atol=1e-12)


@given(x=numbers)
def test_what_is_let_through_of_x_and_of_its_opposite_is_x(x: float) -> None:
    """Each activation is x times a share, and the shares of x and of −x make 1."""
    for name in ("relu", "gelu", "gelu_tanh", "silu"):
        activation = ACTIVATIONS[name][0]
        both_signs = activation(np.array([x, -x]))
        np.testing.assert_allclose(both_signs[0] - both_signs[1], x, rtol=1e-12, atol=1e-300)


@given(x=numbers)
def test_a_soft_activation_lies_below_relu_and_not_far(x: float) -> None:
    hard = relu(np.array([x]))
    for activation, deepest in ((gelu, 0.17), (silu, 0.2785)):
        gap = hard - activation(np.array([x]))
        assert -1e-12 <= gap.item() <= deepest


def test_gelus_two_formulas_are_near_and_not_equal() -> None:
    x = np.linspace(-10, 10, 20_001)
    apart = np.abs(gelu(x) - gelu(x, approximate="tanh")).max()
    assert 4e-4 < apart < 5e-4


@every_activation
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_few_bits(name: str, dtype: torch.dtype) -> None:
    x = torch.linspace(-12, 12, 97).to(dtype)
    ours, theirs = ACTIVATIONS[name]
    found = ours(x)
    assert found.dtype == dtype
    exact = theirs(x.double())
    room = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 1e-6}[dtype]
    torch.testing.assert_close(found.double(), exact, rtol=room, atol=room)


@every_activation
@backends
def test_an_activation_keeps_shape_and_kind_and_its_argument(name: str, make: Any) -> None:
    x = make(np.array([[-1.0, 2.0, -3.0]], dtype=np.float32))
    kept = np.asarray(x).copy()
    found = ACTIVATIONS[name][0](x)
    assert type(found) is type(x) and found.shape == (1, 3) and found.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(x), kept)


# The network


@every_activation
@given(seed=seeds)
def test_the_network_is_torchs(name: str, seed: int) -> None:
    x, w_up, b_up, w_down, b_down = (torch.from_numpy(each) for each in layer(seed))
    hidden = ACTIVATIONS[name][1](F.linear(x, w_up.T, b_up))
    expected = F.linear(hidden, w_down.T, b_down)
    options: Any = {"b_up": b_up, "b_down": b_down, "activation": name}
    found = feed_forward(x, w_up, w_down, **options)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    arrays = {key: each.numpy() for key, each in options.items() if key != "activation"}
    in_numpy = feed_forward(
        x.numpy(), w_up.numpy(), w_down.numpy(), **arrays, activation=options["activation"]
    )
    np.testing.assert_allclose(in_numpy, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [*ACTIVATIONS, "swiglu"])
def test_the_network_keeps_to_the_standard(name: str) -> None:
    x, w_up, b_up, w_down, b_down = layer(0)
    strict = array_api_strict.asarray
    if name == "swiglu":
        found = swiglu(strict(x), strict(w_up), strict(2 * w_up), strict(w_down))
        expected = swiglu(x, w_up, 2 * w_up, w_down)
    else:
        biases = {"b_up": b_up, "b_down": b_down}
        expected = feed_forward(x, w_up, w_down, **biases, activation=name)
        biases = {key: strict(each) for key, each in biases.items()}
        found = feed_forward(strict(x), strict(w_up), strict(w_down), **biases, activation=name)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-12)


@given(seed=seeds)
def test_one_network_serves_every_position(seed: int) -> None:
    """Tokens in another order, one alone, one changed: nothing else changes."""
    x, w_up, b_up, w_down, b_down = layer(seed)

    def network(tokens: Any) -> Any:
        return feed_forward(tokens, w_up, w_down, b_up=b_up, b_down=b_down, activation="gelu")

    y = network(x)
    order = np.random.default_rng(seed).permutation(len(x))
    np.testing.assert_allclose(network(x[order]), y[order], rtol=0, atol=1e-13)
    for token, answer in zip(x, y, strict=True):
        np.testing.assert_allclose(network(token), answer, rtol=0, atol=1e-13)
    changed = x.copy()
    changed[2] += 1
    np.testing.assert_allclose(np.delete(network(changed), 2, 0), np.delete(y, 2, 0), atol=1e-13)
    np.testing.assert_allclose(network(x.reshape(2, 3, -1)).reshape(y.shape), y, atol=1e-13)


@given(seed=seeds)
def test_units_add_up_and_their_order_does_not_matter(seed: int) -> None:
    x, w_up, b_up, w_down, b_down = layer(seed)
    y = feed_forward(x, w_up, w_down, b_up=b_up, b_down=b_down)
    order = np.random.default_rng(seed).permutation(w_up.shape[1])
    again = feed_forward(x, w_up[:, order], w_down[order], b_up=b_up[order], b_down=b_down)
    np.testing.assert_allclose(again, y, rtol=0, atol=1e-12)
    units = sum(
        relu(x @ key + bias)[:, None] * value
        for key, bias, value in zip(w_up.T, b_up, w_down, strict=True)
    )
    np.testing.assert_allclose(units + b_down, y, rtol=0, atol=1e-12)


@given(seed=seeds)
def test_units_that_are_always_on_make_one_linear_layer(seed: int) -> None:
    x, w_up, b_up, w_down, b_down = layer(seed)
    on = np.abs(b_up) + 1 + np.abs(x @ w_up).max()
    y = feed_forward(x, w_up, w_down, b_up=on, b_down=b_down)
    one_layer = x @ (w_up @ w_down) + (on @ w_down + b_down)
    np.testing.assert_allclose(y, one_layer, rtol=1e-11, atol=1e-11)


def test_a_missing_bias_is_zero() -> None:
    x, w_up, _, w_down, _ = layer(0)
    zeros = {"b_up": np.zeros(12), "b_down": np.zeros(4)}
    np.testing.assert_array_equal(
        feed_forward(x, w_up, w_down), feed_forward(x, w_up, w_down, **zeros)
    )


@given(seed=seeds)
def test_swiglu_is_torchs(seed: int) -> None:
    x, w_gate, w_up, w_down = draw(seed, (2, 6, 4), (4, 12), (4, 12), (12, 4))
    expected = (F.silu(torch.from_numpy(x @ w_gate)) * torch.from_numpy(x @ w_up)).numpy() @ w_down
    np.testing.assert_allclose(swiglu(x, w_gate, w_up, w_down), expected, rtol=0, atol=1e-12)
    tensors = map(torch.from_numpy, (x, w_gate, w_up, w_down))
    np.testing.assert_allclose(swiglu(*tensors), expected, rtol=0, atol=1e-12)


def test_a_gate_that_is_shut_lets_nothing_through() -> None:
    x, w_up, w_down = draw(0, (6, 4), (4, 12), (12, 4))
    assert not swiglu(x, np.zeros((4, 12)), w_up, w_down).any()
    twice = swiglu(x, w_up, 2 * w_up, w_down)
    np.testing.assert_allclose(twice, 2 * swiglu(x, w_up, w_up, w_down), rtol=1e-12)


def test_gradients_flow() -> None:
    arrays = [torch.from_numpy(each).requires_grad_() for each in layer(3)]

    def network(x: Any, w_up: Any, b_up: Any, w_down: Any, b_down: Any) -> Any:
        return feed_forward(x, w_up, w_down, b_up=b_up, b_down=b_down, activation="gelu")

    assert torch.autograd.gradcheck(network, tuple(arrays))


# The module


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", [*ACTIVATIONS, "swiglu", "geglu_tanh"])
def test_the_modules_formula_is_its_fused_path(activation: Any, bias: bool) -> None:
    options = {"activation": activation, "bias": bias}
    formula = FeedForward(8, 24, **options).double()
    fused = FeedForward(8, 24, fused=True, **options).double()
    fused.load_state_dict(formula.state_dict())
    x = torch.randn(2, 6, 8, dtype=torch.float64)
    torch.testing.assert_close(formula(x), fused(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("activation", [*ACTIVATIONS, "swiglu"])
def test_the_module_is_the_function(activation: Any) -> None:
    module = FeedForward(8, 24, activation=activation, bias=False)
    x = torch.randn(5, 8)
    up, down = module.w_up.weight.T, module.w_down.weight.T
    if activation == "swiglu":
        assert module.w_gate is not None
        expected = swiglu(x, module.w_gate.weight.T, up, down)
    else:
        expected = feed_forward(x, up, down, activation=activation)
    torch.testing.assert_close(module(x), expected)


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_parameters_do_not_depend_on_the_text(gated: bool, bias: bool) -> None:
    module = FeedForward(8, 24, activation="swiglu" if gated else "relu", bias=bias)
    ups = 2 if gated else 1
    expected = (ups + 1) * 8 * 24 + (ups * 24 + 8 if bias else 0)
    assert sum(each.numel() for each in module.parameters()) == expected
    for length in (1, 6, 600):
        assert module(torch.zeros(length, 8)).shape == (length, 8)


def test_the_same_generator_gives_the_same_module() -> None:
    first, second = (
        FeedForward(8, 24, rng=torch.Generator().manual_seed(7)).state_dict() for _ in range(2)
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("activation", [*ACTIVATIONS, "swiglu", "geglu_tanh"])
def test_the_module_in_few_bits(activation: Any, dtype: torch.dtype) -> None:
    module = FeedForward(8, 24, activation=activation)
    x = torch.randn(6, 8)
    exact = module(x)
    found = module.to(dtype)(x.to(dtype))
    assert found.dtype == dtype
    room = 2e-3 if dtype == torch.float16 else 2e-2
    torch.testing.assert_close(found.float(), exact, rtol=room, atol=room)


def test_the_module_is_torchs_own_layer() -> None:
    """nn.TransformerEncoderLayer, without its attention, residuals and norms."""
    peer = nn.TransformerEncoderLayer(8, 2, 24, dropout=0.0, activation="gelu")
    ours = FeedForward(8, 24, activation="gelu")
    ours.w_up.load_state_dict(peer.linear1.state_dict())
    ours.w_down.load_state_dict(peer.linear2.state_dict())
    x = torch.randn(6, 8)
    torch.testing.assert_close(ours(x), peer._ff_block(x))


def test_dropout_is_where_torch_has_it() -> None:
    """After the activation, and only in training; the same seed leaves out the same numbers."""
    peer = nn.TransformerEncoderLayer(8, 2, 24, dropout=0.5, activation="gelu")
    peer.dropout2.p = 0.0  # which follows the second matrix and belongs to the residual
    ours = FeedForward(8, 24, activation="gelu", dropout=0.5)
    ours.w_up.load_state_dict(peer.linear1.state_dict())
    ours.w_down.load_state_dict(peer.linear2.state_dict())
    x, found = torch.randn(6, 8), []
    for module in (ours, peer._ff_block):
        torch.manual_seed(1)
        found.append(module(x))
    torch.testing.assert_close(*found)
    assert not torch.allclose(ours(x), ours.eval()(x))


# What is refused


def test_the_function_has_no_gated_activation() -> None:
    x, w_up, _, w_down, _ = layer(0)
    with pytest.raises(ValueError, match=r"activation must be .*relu.*; got 'swiglu'"):
        feed_forward(x, w_up, w_down, activation="swiglu")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d_model": 0}, "d_model must be"),
        ({"activation": "tanh"}, "activation must be"),
        ({"fused": "yes"}, "fused must be"),
    ],
)
def test_refusals_of_the_module(options: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        FeedForward(**{"d_model": 8, "d_ff": 24, **options})
