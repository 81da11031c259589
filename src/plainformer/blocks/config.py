"""The configuration of a transformer, one frozen dataclass for GPT-2, Llama, Gemma, BERT and more.

Every model in this course is built from a `TransformerConfig` and nothing else. Published models
differ in about two dozen choices, each of which is a field here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from plainformer.arrays import check_choice, check_flag, check_number, check_size
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.inputs.checks import check_rope

__all__ = ["PRESETS", "TransformerConfig"]

CHOICES: dict[str, list[str | None]] = {
    "family": ["decoder", "encoder", "encoder_decoder"],
    "norm": ["layer", "rms"],
    "norm_place": ["pre", "post", "sandwich"],
    "activation": list(ACTIVATIONS),
    "positions": ["sinusoidal", "learned", "rope", "alibi", None],
    "position_layout": ["interleaved", "half"],
    "head": ["linear", "transform"],
}
SIZES = ("vocab_size", "d_model", "n_layers", "n_heads", "d_ff")
OPTIONAL_SIZES = ("max_length", "n_kv_heads", "d_head")
FLAGS = ("zero_centered_gamma", "scale_embedding", "norm_embedding", "qk_norm", "ff_bias",
         "head_bias", "tied")  # fmt: skip
ABOVE_ZERO = ("attention_scale", "attention_softcap", "logit_softcap")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The sizes of a whole model and the choices that went into it.

    Args:
        family: "decoder" (GPT-2, Llama), "encoder" (BERT) or "encoder_decoder" (Marian).
        vocab_size, d_model, n_heads, d_ff: V, D, H and F.
        n_layers: the number of layers; in an encoder-decoder, the number in each stack.
        max_length: the longest text in tokens. Learned positions need it; for the others, None
            means that there is no limit.
        n_kv_heads: G, the number of key and value heads, which must divide H; None means H.
        d_head: K, the width of a head; None means D / H.
        norm_place: "pre" normalises the input of each sublayer and the output of the last layer,
            "post" normalises each sum, and "sandwich" is "pre" with another norm after each
            sublayer (Gemma 2).
        norm_eps: ε, which each norm adds under its square root.
        zero_centered_gamma: whether an RMSNorm multiplies by 1 + γ (Gemma).
        activation: a name in `blocks.activations.ACTIVATIONS`, such as "gelu" or the gated
            "swiglu".
        position_layout: which numbers of a vector are paired, as sine and cosine or for rotation by
            RoPE: neighbours ("interleaved"), or one from each half of the vector ("half").
        rope_theta, rope_scaling: as in `apply_rope`.
        local_rope_theta: the `rope_theta` of layers with a sliding window, which then ignore
            `rope_scaling` (Gemma 3); None treats them like the other layers.
        sliding_window: how many tokens a token attends to, itself included: one number for all
            layers (Mistral), or for each layer a number or None (Gemma). None means all of them.
        n_segments: how many segments an input may have (BERT: 2).
        scale_embedding: whether token vectors are multiplied by √D.
        norm_embedding: whether the sum of the embeddings is normalised (BERT).
        attention_bias: whether projections have biases: True, False, or a mapping that gives one of
            the two for each of "q", "k", "v" and "o".
        qk_norm: whether the queries and keys of each head pass through an RMSNorm (Qwen3).
        attention_scale: the factor by which scores are multiplied; None means 1/√K.
        attention_softcap: c in c · tanh(scores / c), which replaces the scores (Gemma 2), or None.
        head: "linear", or "transform" for BERT's, which has a layer and a norm of its own before
            the unembedding.
        ff_bias, head_bias: whether the feed-forward network and the logits have biases.
        logit_softcap: as `attention_softcap`, for the logits.
        tied: whether the unembedding shares its weights with the token embedding.
        dropout: the probability that a number is set to 0 during training: in the embeddings, in
            the shares of attention, and in the output of each sublayer.
        activation_dropout: the same inside feed-forward networks, after the activation.

    Raises:
        TypeError, ValueError: sizes that do not divide evenly, unknown choices, or choices that are
            incompatible with each other.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=16, n_layers=2, n_heads=4, d_ff=64,
    ...     positions="rope",
    ... )
    >>> config.resolved().d_head
    4
    """

    family: Literal["decoder", "encoder", "encoder_decoder"]
    vocab_size: int
    d_model: int
    n_layers: int
    n_heads: int
    d_ff: int
    max_length: int | None = None
    n_kv_heads: int | None = None
    d_head: int | None = None
    norm: Literal["layer", "rms"] = "layer"
    norm_place: Literal["pre", "post", "sandwich"] = "pre"
    norm_eps: float = 1e-5
    zero_centered_gamma: bool = False
    activation: str = "gelu"
    positions: Literal["sinusoidal", "learned", "rope", "alibi"] | None = "sinusoidal"
    position_layout: Literal["interleaved", "half"] = "interleaved"
    rope_theta: float = 10000.0
    rope_scaling: Mapping[str, Any] | None = None
    local_rope_theta: float | None = None
    sliding_window: int | Sequence[int | None] | None = None
    n_segments: int = 0
    scale_embedding: bool = False
    norm_embedding: bool = False
    attention_bias: bool | Mapping[str, bool] = True
    qk_norm: bool = False
    attention_scale: float | None = None
    attention_softcap: float | None = None
    ff_bias: bool = True
    head: Literal["linear", "transform"] = "linear"
    head_bias: bool = False
    logit_softcap: float | None = None
    tied: bool = True
    dropout: float = 0.0
    activation_dropout: float = 0.0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check_choice(getattr(self, name), name, choices)
        for name in FLAGS:
            check_flag(getattr(self, name), name)
        if not isinstance(self.attention_bias, Mapping):
            check_flag(self.attention_bias, "attention_bias")
        check_size(self.n_segments, "n_segments", least=0)
        for name in SIZES:
            check_size(getattr(self, name), name)
        for name in OPTIONAL_SIZES:
            if getattr(self, name) is not None:
                check_size(getattr(self, name), name)
        for window in self.windows:
            if window is not None:
                check_size(window, "sliding_window")
        for name in ABOVE_ZERO:
            if (number := getattr(self, name)) is not None and check_number(number, name) <= 0:
                raise ValueError(f"{name} must be above 0; got {number}")
        for name in ("dropout", "activation_dropout"):
            if not 0 <= (share := check_number(getattr(self, name), name)) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1; got {share}")
        if check_number(self.norm_eps, "norm_eps") < 0:
            raise ValueError(f"norm_eps must be 0 or more; got {self.norm_eps}")
        if self.positions == "rope":
            check_rope(self.rope_theta, self.rope_scaling, self.resolved_head // 2)
            if self.local_rope_theta is not None:
                check_rope(self.local_rope_theta, None)
        for wrong, message in self._contradictions():
            if wrong:
                raise ValueError(message)
        if not isinstance(self.sliding_window, int | None):  # JSON turns tuples into lists
            object.__setattr__(self, "sliding_window", self.windows)

    def _contradictions(self) -> list[tuple[bool, str]]:
        """For each combination that is not allowed, whether it occurs, and a message."""
        D, H, G, L = self.d_model, self.n_heads, self.n_kv_heads or self.n_heads, self.n_layers
        rope = self.positions == "rope"
        paired = {"rope": self.resolved_head, "sinusoidal": D}.get(self.positions or "", 0)
        given, decoder = self.sliding_window is not None, self.family == "decoder"
        return [
            (self.d_head is None and D % H > 0,
             f"n_heads must divide d_model, which is {D}; got {H}"),
            (H % G > 0, f"n_kv_heads must divide n_heads, which is {H}; got {G}"),
            (self.head == "transform" and ACTIVATIONS[self.activation].gated,
             f"activation must have no gate where head is 'transform'; got {self.activation!r}"),
            (self.zero_centered_gamma and self.norm != "rms",
             "zero_centered_gamma must be False where norm is not 'rms'"),
            (self.positions == "learned" and self.max_length is None,
             "max_length must be given if positions are learned; got None"),
            (self.position_layout == "half" and paired % 2 > 0,
             f"pairs need an even width; got {paired}"),
            (rope and self.family == "encoder_decoder",
             "positions must not be 'rope' in an encoder_decoder"),
            (self.positions == "alibi" and not decoder,
             "positions must not be 'alibi' outside a decoder, because ALiBi only looks back"),
            (not rope and self.rope_scaling is not None,
             "rope_scaling must be None where positions are not 'rope'"),
            (not rope and self.local_rope_theta is not None,
             "local_rope_theta must be None where positions are not 'rope'"),
            (given and not decoder, "sliding_window must be None outside a decoder"),
            (len(self.windows) != L,
             f"sliding_window must have an entry for each of {L} layers; got {len(self.windows)}"),
        ]  # fmt: skip

    @property
    def resolved_head(self) -> int:
        """K: `d_head` if it is given, otherwise D / H."""
        return self.d_model // self.n_heads if self.d_head is None else self.d_head

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The sliding window of each layer; None where a layer has none."""
        if isinstance(self.sliding_window, Sequence):
            return tuple(self.sliding_window)
        return (self.sliding_window,) * self.n_layers

    def resolved(self) -> TransformerConfig:
        """The same configuration, with every None that means a number replaced by that number."""
        n_kv_heads = self.n_kv_heads or self.n_heads
        return replace(self, n_kv_heads=n_kv_heads, d_head=self.resolved_head)

    def require_known(self, known: Collection[str], what: str) -> None:
        """Raise a ValueError if a field that is not in `known` differs from its default.

        Code that interprets a configuration outside the model, such as a parameter counter, lists
        the fields that it takes into account here, so that it cannot silently return a wrong number
        when a field is added later. `what` is the name of that code in the error message.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in known and (field.default is MISSING or value != field.default):
                raise ValueError(
                    f"{what} does not take {field.name} into account, which is {value!r} here"
                )

    def rope(self, layer: int = 0) -> dict[str, Any] | None:
        """The options with which a layer's `MultiHeadAttention` rotates queries and keys."""
        if self.positions != "rope":
            return None
        local = self.local_rope_theta is not None and self.windows[layer] is not None
        return {
            "rope_theta": self.local_rope_theta if local else self.rope_theta,
            "rope_scaling": None if local else self.rope_scaling,
            "layout": self.position_layout,
        }


# Published models, as their config.json files describe them


def _gpt2(d_model: int, n_layers: int, n_heads: int) -> TransformerConfig:
    """Radford et al. 2019, table 2; the heads are 64 wide in all four sizes."""
    return TransformerConfig(
        family="decoder", vocab_size=50257, d_model=d_model, n_layers=n_layers, n_heads=n_heads,
        d_ff=4 * d_model, max_length=1024, activation="gelu_tanh", positions="learned",
    )  # fmt: skip


def _llama(**sizes: Any) -> TransformerConfig:
    """Llama: RMSNorm, SwiGLU, RoPE, no biases, and an untied unembedding."""
    return TransformerConfig(
        family="decoder", d_model=4096, n_layers=32, n_heads=32, norm="rms", norm_eps=1e-5,
        activation="swiglu", positions="rope", position_layout="half", attention_bias=False,
        ff_bias=False, tied=False, **sizes,
    )  # fmt: skip


PRESETS = MappingProxyType(
    {
        "small": TransformerConfig(
            family="decoder", vocab_size=1000, d_model=128, n_layers=4, n_heads=4, d_ff=512,
            max_length=256, positions="learned",
        ),
        "gpt2": _gpt2(768, 12, 12),
        "gpt2-medium": _gpt2(1024, 24, 16),
        "gpt2-large": _gpt2(1280, 36, 20),
        "gpt2-xl": _gpt2(1600, 48, 25),
        "bert-base": TransformerConfig(
            family="encoder", vocab_size=30522, d_model=768, n_layers=12, n_heads=12, d_ff=3072,
            max_length=512, norm_place="post", norm_eps=1e-12, positions="learned",
            n_segments=2, norm_embedding=True, head="transform", head_bias=True,
        ),
        "transformer-base": TransformerConfig(
            family="encoder_decoder", vocab_size=37000, d_model=512, n_layers=6, n_heads=8,
            d_ff=2048, norm_place="post", activation="relu", scale_embedding=True,
            attention_bias=False,
        ),
        "llama-2-7b": _llama(vocab_size=32000, d_ff=11008, max_length=4096),
        "llama-3-8b": _llama(
            vocab_size=128256, d_ff=14336, n_kv_heads=8, max_length=8192, rope_theta=500000.0
        ),
    }
)  # fmt: skip
"""Configurations by name. "small" is our own and fits on a laptop. "transformer-base" is the base
model of Vaswani et al. 2017, which had a vocabulary of about 37,000 tokens."""
