"""What a model costs, from its configuration alone: parameters, memory, floating-point operations.

Nothing is allocated and torch is not needed. The counts of parameters and of operations are exact,
and tests compare them with real models. Only the operations of matrix products are counted, because
those of norms, softmax and activations are few by comparison. Scores that a mask or a window hides
are included, because a plain product computes them too.
"""

from __future__ import annotations

from plainformer.arrays import check_size
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.blocks.config import TransformerConfig

__all__ = ["COUNTED", "cache_bytes", "count_flops", "count_parameters", "training_bytes"]

COUNTED = frozenset({
    "family", "vocab_size", "d_model", "n_layers", "n_heads", "d_ff", "max_length",
    "n_kv_heads", "d_head", "norm", "norm_place", "activation", "positions", "n_segments",
    "norm_embedding", "attention_bias", "qk_norm", "ff_bias", "head", "head_bias", "tied",
    # These change no count.
    "norm_eps", "zero_centered_gamma", "position_layout", "rope_theta", "rope_scaling",
    "local_rope_theta", "sliding_window", "scale_embedding", "attention_scale",
    "attention_softcap", "logit_softcap", "dropout", "activation_dropout",
})  # fmt: skip
"""The fields of a configuration that the counts take into account."""


def count_parameters(config: TransformerConfig) -> dict[str, int]:
    """Count the parameters of a whole model, part by part.

    "embedding" covers the token and segment tables, and "head" is 0 for a tied head that has no
    parameters of its own. An option that this function does not know raises a ValueError.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> count_parameters(config)["feed_forward"]  # 2 · (256 + 32 + 256 + 8)
    1104
    """
    config.require_known(COUNTED, "count_parameters")
    D, V = config.d_model, config.vocab_size
    stacks = 2 if config.family == "encoder_decoder" else 1
    layers = stacks * config.n_layers
    # A decoder with a source has a second attention in each layer.
    attentions = layers + (config.n_layers if stacks == 2 else 0)
    gamma_beta = D if config.norm == "rms" else 2 * D
    around = 2 if config.norm_place == "sandwich" else 1
    final = 0 if config.norm_place == "post" else stacks
    norms = (attentions + layers) * around + config.norm_embedding + final
    qk_norms = 2 * attentions * config.qk_norm  # each of width K
    learned = config.max_length if config.positions == "learned" else 0
    attention = sum(_projections(config).values()) + _biases(config)
    gates = ACTIVATIONS[config.activation].gated
    ff_biases = (1 + gates) * config.d_ff + D if config.ff_bias else 0
    head = D * D + D + gamma_beta if config.head == "transform" else 0
    head += 0 if config.tied else V * D
    return {
        "embedding": V * D + config.n_segments * D,
        "positions": (learned or 0) * D,
        "attention": attentions * attention,
        "feed_forward": layers * (_feed_forward(config) + ff_biases),
        "norms": norms * gamma_beta + qk_norms * config.resolved_head,
        "head": head + (V if config.head_bias else 0),
    }


def count_flops(
    config: TransformerConfig, context_length: int, source_length: int = 0
) -> dict[str, int]:
    """Count the floating-point operations of a forward pass over one text.

    A product of (T, D) and (D, F) takes T · D · F multiplications and as many additions. "scores"
    covers the products of queries with keys and of weights with values. Looking up an embedding
    costs nothing. Training takes three times as many operations, because a backward pass has two
    products for each one of the forward pass. An "encoder_decoder" also needs `source_length`.

    Source: Kaplan et al. 2020, section 2.1, who count in the same way, except that they leave out
    the head and count half as many operations for "scores".

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> count_flops(config, 6)["scores"]  # 2 layers of 4 · T² · D
    2304
    """
    config.require_known(COUNTED, "count_flops")
    T = check_size(context_length, "context_length")
    S = _source(config, source_length)
    D, L = config.d_model, config.n_layers
    matrices = _projections(config)
    # With a source: an encoder, and cross-attention in each decoder layer.
    projections = L * (T + S) * sum(matrices.values())
    pairs = L * (T * T + S * S + T * S)
    if S:
        projections += L * T * (matrices["q"] + matrices["o"])
        projections += L * S * (matrices["k"] + matrices["v"])
    head = D * config.vocab_size
    head += D * D if config.head == "transform" else 0
    return {
        "projections": 2 * projections,
        "scores": 4 * pairs * config.n_heads * config.resolved_head,
        "feed_forward": 2 * L * (T + S) * _feed_forward(config),
        "head": 2 * T * head,
    }


def cache_bytes(
    config: TransformerConfig,
    context_length: int,
    *,
    batch: int = 1,
    bytes_per_number: int = 2,
) -> int:
    """Count the bytes of a cache: keys and values of every layer, for every token.

    For an encoder-decoder this is the cache of the target text. Keys and values of the source are
    computed once and not counted. Layers with a sliding window keep all tokens, as `KVCache` does.
    A number has 2 bytes in float16 and bfloat16.

    Source: Shazeer 2019 and Ainslie et al. 2023 explain why G is below H.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=3, n_heads=4, n_kv_heads=2,
    ...     d_ff=32,
    ... )
    >>> cache_bytes(config, 10)  # 2 · 3 layers · 2 heads · 2 wide · 10 · 2
    480
    """
    if config.family == "encoder":
        raise ValueError("config must be of a family that generates text; got 'encoder'")
    config.require_known(COUNTED, "cache_bytes")
    T = check_size(context_length, "context_length")
    B = check_size(batch, "batch")
    size = check_size(bytes_per_number, "bytes_per_number")
    G, K = config.n_kv_heads or config.n_heads, config.resolved_head
    return 2 * config.n_layers * G * K * T * B * size


def training_bytes(
    config: TransformerConfig, context_length: int, *, batch: int = 1, source_length: int = 0
) -> dict[str, int]:
    """Count the bytes that one training step with Adam needs in float32.

    "adam" covers Adam's two means for each weight, and "activations" what the backward formulas of
    this book need. In a layer, these are the inputs of each norm and each product, the queries,
    keys, values and attention weights, and the hidden numbers of the feed-forward network before
    and after the nonlinearity (only after it for ReLU; with a gate, also what the gate multiplies,
    and their product). Outside the layers, they are the inputs of the last norm and the head, and
    the logits. Fused kernels keep less, and frameworks often keep more.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> needs = training_bytes(config, 6)
    >>> needs["adam"] == 2 * needs["weights"]
    True
    """
    config.require_known(COUNTED, "training_bytes")
    T = check_size(context_length, "context_length")
    S = _source(config, source_length)
    B = check_size(batch, "batch")
    D, L, H = config.d_model, config.n_layers, config.n_heads
    query = H * config.resolved_head
    key_value = 2 * (config.n_kv_heads or H) * config.resolved_head
    # The inputs of both norms and both products, q, k, v, the heads' outputs, and the nonlinearity.
    gated, relu = ACTIVATIONS[config.activation].gated, config.activation == "relu"
    inside = (4 if gated else 1 if relu else 2) * config.d_ff
    token = 4 * D + 2 * query + key_value + inside
    token += 2 * D if config.norm_place == "sandwich" else 0
    token += query + key_value // 2 if config.qk_norm else 0
    kept = L * ((T + S) * token + H * (T * T + S * S))
    if S:  # cross-attention
        kept += L * (T * (2 * D + 2 * query) + S * key_value + H * T * S)
    head = 2 * D if config.head == "transform" else 0
    kept += T * (2 * D + head + config.vocab_size)
    weights = 4 * sum(count_parameters(config).values())
    return {
        "weights": weights,
        "gradients": weights,
        "adam": 2 * weights,
        "activations": 4 * B * kept,
    }


def _projections(config: TransformerConfig) -> dict[str, int]:
    """The matrix sizes of one attention: D · H · K for queries, D · G · K for keys and values."""
    D, K = config.d_model, config.resolved_head
    wide, shared = D * config.n_heads * K, D * (config.n_kv_heads or config.n_heads) * K
    return {"q": wide, "k": shared, "v": shared, "o": wide}


def _biases(config: TransformerConfig) -> int:
    """The total size of the biases of one attention, each as wide as what it is added to."""
    given, D = config.attention_bias, config.d_model
    widths = {name: size // D for name, size in _projections(config).items()} | {"o": D}
    has = dict.fromkeys(widths, given) if isinstance(given, bool) else given
    return sum(width for name, width in widths.items() if has.get(name))


def _feed_forward(config: TransformerConfig) -> int:
    """The total size of a feed-forward network's matrices: up, down, and the gate if it has one."""
    return (2 + ACTIVATIONS[config.activation].gated) * config.d_model * config.d_ff


def _source(config: TransformerConfig, source_length: int) -> int:
    """Check S, which must be at least 1 in an encoder-decoder and 0 in the other families."""
    both = config.family == "encoder_decoder"
    S = check_size(source_length, "source_length", least=1 if both else 0)
    if S and not both:
        raise ValueError(f"source_length must be 0 in the family {config.family!r}; got {S}")
    return S
