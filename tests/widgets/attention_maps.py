"""AttentionMap for its tests: weights, widgets of them, and the parts of one on a page."""

from typing import TYPE_CHECKING, Any

import numpy as np

from plainformer.arrays import Array
from plainformer.attention import attention, softmax
from plainformer.attention.example import TOKENS, W_K, W_K1, W_Q, W_Q1, W_V, X
from plainformer.widgets import AttentionMap

if TYPE_CHECKING:
    from playwright.sync_api import Locator

HEADS = np.stack(
    [attention(X @ q, X @ k, X @ W_V)[1] for q, k in [(W_Q, W_K), (W_Q1, W_K1)]]
)  # (2, 6, 6)


def softmax_maps(seed: int, *shape: int, spread: float = 1.0, causal: bool = False) -> Array:
    """Random attention weights: softmax of normal scores."""
    scores = np.random.default_rng(seed).normal(0, spread, shape)
    if causal:
        scores = np.where(np.tri(shape[-1]).astype(bool), scores, -np.inf)
    return softmax(scores)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"head": 1, "temperature": 0.1},
    {"causal": True, "temperature": 3.16},
    {"padding": [1, 4], "scaled": False},
    {"causal": True, "padding": [0], "head": 1, "temperature": 10.0, "scaled": False},
]


def running(**options: Any) -> AttentionMap:
    return AttentionMap(TOKENS, HEADS, **({"d_head": 2, "query": 1} | options))


def wide(size: int = 64) -> AttentionMap:
    """As large as it gets, with long tokens; but for the map shown, each looks at itself alone."""
    tokens = ["internationalization", " the", "\n", "cat", "cat"] * 13
    weights = np.tile(np.eye(size), (12, 12, 1, 1))  # which a page carries, for they pack well
    weights[5, 0] = softmax_maps(0, size, size)
    return AttentionMap(tokens[:size], weights, layer=5, query=30)


def pieces_of_words(layers: int = 1) -> AttentionMap:
    """Tokens of a model, which bring the space before a word; one of them is half a word."""
    tokens = [" a", " love", "ly", " cat", "."]
    return AttentionMap(tokens, softmax_maps(2, layers, 4, 5, 5, causal=True))


def crossing() -> AttentionMap:
    """Two words that attend to those of another text."""
    return AttentionMap(["a", "b"], [[0.25, 0.75, 0], [0.2, 0.2, 0.6]], keys=["x", "y", "z"])


def give(widget: AttentionMap, settings: dict[str, Any]) -> dict[str, Any]:
    """Set a widget; return the same for the page."""
    chosen = {"head": 0, "causal": False, "padding": [], "scaled": True, "temperature": 1.0}
    chosen |= settings
    chosen["padding"] = [j in chosen["padding"] for j in range(widget.n_keys)]
    for name, value in chosen.items():
        setattr(widget, name, value)
    return chosen


def status(live: "Locator", text: str) -> None:
    live.get_by_role("status").get_by_text(text).wait_for()


def temperature(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Temperature:").and_(live.locator("input"))


def words(live: "Locator") -> "Locator":
    """The words that can be pointed at."""
    return live.locator("label.am-word")


def arcs(live: "Locator") -> list[float]:
    """How thick each arc is, in pixels; 0 where there is none."""
    found: list[float] = live.locator(".am-arcs path").evaluate_all(
        "all => all.map((e) => e.getAttribute('d') ? Number.parseFloat(e.style.strokeWidth) : 0)"
    )
    return found


def numbers(live: "Locator") -> list[str]:
    """What is written below each word."""
    return live.locator(".am-number").all_text_contents()
