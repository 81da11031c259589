"""What a transformer is made of, as one frozen record; GPT-2, Llama, BERT and Marian are four such.

A model of this course is built from a `TransformerConfig` and nothing else. The published models
differ in a dozen choices, and each is a field here: which family, how wide and how deep, which norm
and where it stands, which bend, how positions enter, and whether input and output share a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from plainformer.arrays import check_choice, check_flag, check_length, check_number
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.inputs.checks import check_rope

__all__ = ["TransformerConfig"]

FAMILIES = ["decoder", "encoder", "encoder_decoder"]
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", None]


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The sizes and the choices of a whole model.

    Args:
        family: "decoder" (GPT-2, Llama), "encoder" (BERT) or
            "encoder_decoder" (Marian).
        vocab_size: V.
        d_model: D, the width of a token.
        n_layers: how many layers; of an encoder-decoder, how many in
            each stack.
        n_heads: H, of queries.
        d_ff: F, the width inside the feed-forward network.
        max_length: the longest text; learned positions need it, and
            for the others None means no limit.
        n_kv_heads: G, of keys and values; it divides H; None means H.
        d_head: K, the width of a head; None means D / H.
        norm: "layer" or "rms".
        norm_place: "pre", before each sublayer and once at the end; or
            "post", after each sum.
        norm_eps: ε.
        activation: "relu", "gelu", "gelu_tanh", "silu", or "swiglu",
            which has a gate.
        positions: "sinusoidal", "learned", "rope", "alibi" or None.
        pair_layout: which two numbers sines and cosines (or a turn, with
            RoPE) make a pair: "interleaved" or "half".
        rope_theta, rope_scaling: as in `apply_rope`.
        n_segments: how many parts an input may have (BERT: 2).
        scale_embedding: whether token vectors are multiplied by √D.
        norm_embedding: whether the sum of the embeddings is normed (BERT).
        attention_bias: whether projections have biases: True, False, or
            for each of "q", "k", "v" and "o".
        ff_bias: whether the feed-forward network has biases.
        head: "linear", or "transform" for BERT's, which has a layer and
            a norm of its own before the unembedding.
        head_bias: whether logits have a bias.
        tied: whether the unembedding is the table of tokens.
        dropout: the share set to 0 in training.

    Raises:
        TypeError, ValueError: sizes that do not divide, unknown choices.

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
    norm_place: Literal["pre", "post"] = "pre"
    norm_eps: float = 1e-5
    activation: str = "gelu"
    positions: Literal["sinusoidal", "learned", "rope", "alibi"] | None = "sinusoidal"
    pair_layout: Literal["interleaved", "half"] = "interleaved"
    rope_theta: float = 10000.0
    rope_scaling: Mapping[str, Any] | None = None
    n_segments: int = 0
    scale_embedding: bool = False
    norm_embedding: bool = False
    attention_bias: bool | Mapping[str, bool] = True
    ff_bias: bool = True
    head: Literal["linear", "transform"] = "linear"
    head_bias: bool = False
    tied: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_choice(self.family, "family", FAMILIES)
        check_choice(self.norm, "norm", ["layer", "rms"])
        check_choice(self.norm_place, "norm_place", ["pre", "post"])
        check_choice(self.activation, "activation", list(ACTIVATIONS))
        check_choice(self.positions, "positions", POSITIONS)
        check_choice(self.pair_layout, "pair_layout", ["interleaved", "half"])
        check_choice(self.head, "head", ["linear", "transform"])
        for name in ("vocab_size", "d_model", "n_layers", "n_heads", "d_ff"):
            check_length(getattr(self, name), name, least=1)
        for name in ("scale_embedding", "norm_embedding", "ff_bias", "head_bias", "tied"):
            check_flag(getattr(self, name), name)
        check_length(self.n_segments, "n_segments")
        if self.head == "transform" and ACTIVATIONS[self.activation].gated:
            raise ValueError(
                f"activation must have no gate where head is 'transform'; got {self.activation!r}"
            )
        self._check_heads()
        self._check_positions()
        if not 0 <= check_number(self.dropout, "dropout") < 1:
            raise ValueError(f"dropout must be at least 0 and below 1; got {self.dropout}")
        if check_number(self.norm_eps, "norm_eps") < 0:
            raise ValueError(f"norm_eps must be 0 or more; got {self.norm_eps}")

    def _check_heads(self) -> None:
        """H, G and K, as far as they are given."""
        if self.d_head is not None:
            check_length(self.d_head, "d_head", least=1)
        elif self.d_model % self.n_heads:
            raise ValueError(
                f"n_heads must divide d_model, which is {self.d_model}; got {self.n_heads}"
            )
        if self.n_kv_heads is None:
            return
        if self.n_heads % check_length(self.n_kv_heads, "n_kv_heads", least=1):
            raise ValueError(
                f"n_kv_heads must divide n_heads, which is {self.n_heads}; got {self.n_kv_heads}"
            )

    def _check_positions(self) -> None:
        if self.max_length is not None:
            check_length(self.max_length, "max_length", least=1)
        elif self.positions == "learned":
            raise ValueError("max_length must be given where positions are learned; got None")
        if self.positions in ("rope", "sinusoidal") and self.pair_layout == "half":
            width = self.d_model if self.positions == "sinusoidal" else self.resolved_head
            if width % 2:
                raise ValueError(f"pairs need an even width; got {width}")
        if self.positions == "rope":
            check_rope(self.rope_theta, self.rope_scaling)
            if self.family == "encoder_decoder":
                raise ValueError("positions must not be 'rope' in an encoder_decoder")
        elif self.positions == "alibi" and self.family != "decoder":
            raise ValueError("positions must not be 'alibi' outside a decoder: it looks back alone")
        elif self.rope_scaling is not None:
            raise ValueError("rope_scaling must be None where positions are not 'rope'")

    @property
    def resolved_head(self) -> int:
        """K, given or D / H."""
        return self.d_model // self.n_heads if self.d_head is None else self.d_head

    def resolved(self) -> TransformerConfig:
        """The same with numbers where None stands for one."""
        n_kv_heads = self.n_kv_heads or self.n_heads
        return replace(self, n_kv_heads=n_kv_heads, d_head=self.resolved_head)

    @property
    def rope(self) -> dict[str, Any] | None:
        """The options of `MultiHeadAttention` that say how it turns queries and keys."""
        if self.positions != "rope":
            return None
        return {
            "rope_theta": self.rope_theta,
            "rope_scaling": self.rope_scaling,
            "layout": self.pair_layout,
        }
