"""What a model costs, from its configuration alone: parameters, memory, floating-point operations.

Nothing is allocated, and torch is not needed: a matrix from D to F has D · F numbers whether it
exists or not. The counts of parameters and of operations are exact, and tests hold them against
models that do exist.

But: operations are those of the matrix products. Norms, softmax and bends are left out; they are
few beside them. What a mask hides is counted, for a plain product computes it too.
"""

from __future__ import annotations

from plainformer.arrays import check_length
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.blocks.config import TransformerConfig

__all__ = ["cache_bytes", "count_operations", "count_parameters", "training_bytes"]


def count_parameters(config: TransformerConfig) -> dict[str, int]:
    """Count the parameters of a whole model, part by part.

    Args:
        config: sizes and choices.

    Returns:
        How many numbers are learned in "embedding" (the tables of tokens
        and of segments), "positions", "attention", "feed_forward",
        "norms" and "head" (0 if it is tied and has nothing of its own).

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2,
    ...     n_heads=2, d_ff=32,
    ... )
    >>> count_parameters(config)["feed_forward"]  # 2 · (256 + 32 + 256 + 8)
    1104
    """
    D, V = config.d_model, config.vocab_size
    stacks = 2 if config.family == "encoder_decoder" else 1
    layers, attentions = stacks * config.n_layers, _attentions(config)
    gamma_beta = D if config.norm == "rms" else 2 * D
    norms = attentions + layers + config.norm_embedding
    norms += stacks if config.norm_place == "pre" else 0
    learned = config.max_length if config.positions == "learned" else 0
    attention = sum(_projections(config).values()) + _biases(config)
    feed_forward = _feed_forward(config) + _feed_forward_biases(config)
    head = D * D + D + gamma_beta if config.head == "transform" else 0
    head += 0 if config.tied else V * D
    return {
        "embedding": V * D + config.n_segments * D,
        "positions": (learned or 0) * D,
        "attention": attentions * attention,
        "feed_forward": layers * feed_forward,
        "norms": norms * gamma_beta,
        "head": head + (V if config.head_bias else 0),
    }


def count_operations(
    config: TransformerConfig,
    length: int,
    source: int = 0,
) -> dict[str, int]:
    """Count the floating-point operations of a forward pass over one text.

    A product of (T, D) and (D, F) takes T · D · F multiplications and as
    many additions. Training takes three times as many: a backward pass
    has two products for each of the forward pass.

    Args:
        config: sizes and choices.
        length: T, the tokens of the text.
        source: S, those of the source, for an "encoder_decoder".

    Returns:
        Operations of "projections" (queries, keys, values and what joins
        the heads), "scores" (each query with each key, and the weights
        with the values), "feed_forward" and "head". Embedding is a look
        into a table, and costs none.

    Raises:
        TypeError, ValueError: a length below 1, or a source that this
            family does not read.

    Source: Kaplan et al. 2020, section 2.1, count a forward pass so, but
    without the head, and for "scores" half of what is here.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2,
    ...     n_heads=2, d_ff=32,
    ... )
    >>> count_operations(config, 6)["scores"]  # 2 layers of 4 · T² · D
    2304
    """
    T = check_length(length, "length", least=1)
    S, both = _source(config, source)
    D, L = config.d_model, config.n_layers
    matrices = _projections(config)
    projections = L * T * sum(matrices.values())
    pairs = L * T * T
    tokens = L * T
    if both:  # an encoder, and a look at the source from each decoder layer
        projections += L * S * sum(matrices.values())
        projections += L * T * (matrices["q"] + matrices["o"])
        projections += L * S * (matrices["k"] + matrices["v"])
        pairs += L * S * S + L * T * S
        tokens += L * S
    head = D * config.vocab_size
    head += D * D if config.head == "transform" else 0
    return {
        "projections": 2 * projections,
        "scores": 4 * pairs * config.n_heads * config.resolved_head,
        "feed_forward": 2 * tokens * _feed_forward(config),
        "head": 2 * T * head,
    }


def cache_bytes(
    config: TransformerConfig,
    length: int,
    *,
    batch: int = 1,
    bytes_per_number: int = 2,
) -> int:
    """Count the bytes of a cache: keys and values of every layer, for every token.

    Of an encoder-decoder it is the cache of the text that is written. Keys
    and values of the source are not in it: they are made once.

    Args:
        config: sizes and choices, of a family that writes.
        length: T, the tokens that are kept of each text.
        batch: B, how many texts.
        bytes_per_number: 2 in float16 and bfloat16.

    Raises:
        TypeError, ValueError: a size below 1; a family that does not write.

    Source: Shazeer 2019 and Ainslie et al. 2023 have why G is below H.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=3,
    ...     n_heads=4, n_kv_heads=2, d_ff=32,
    ... )
    >>> cache_bytes(config, 10)  # 2 · 3 layers · 2 heads · 2 wide · 10 · 2
    480
    """
    if config.family == "encoder":
        raise ValueError("config must be of a family that writes; got 'encoder'")
    T = check_length(length, "length", least=1)
    B = check_length(batch, "batch", least=1)
    size = check_length(bytes_per_number, "bytes_per_number", least=1)
    G, K = config.n_kv_heads or config.n_heads, config.resolved_head
    return 2 * config.n_layers * G * K * T * B * size


def training_bytes(
    config: TransformerConfig,
    length: int,
    *,
    batch: int = 1,
    source: int = 0,
    bytes_per_number: int = 4,
) -> dict[str, int]:
    """Count the bytes that a step of training with Adam needs.

    Activations are what the backward formulas of this book ask for. Of a
    layer: what each norm and each product reads, queries, keys, values,
    the weights of attention, and the feed-forward network before its
    bend and after (of ReLU, after it only; of SwiGLU, also what the gate
    multiplies, and the product). Of the ends: what the last norm and the
    head read, and the logits. Fused kernels keep less, a framework often
    more.

    Args:
        config: sizes and choices.
        length: T, the tokens of each text.
        batch: B, how many texts.
        source: S, the tokens of each source, for an "encoder_decoder".
        bytes_per_number: 4 in float32.

    Returns:
        Bytes of "weights", "gradients", "adam" (a mean and a mean square
        for each weight) and "activations".

    Raises:
        TypeError, ValueError: a size below 1, or a source that this
            family does not read.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=100, d_model=8, n_layers=2,
    ...     n_heads=2, d_ff=32,
    ... )
    >>> needs = training_bytes(config, 6)
    >>> needs["adam"] == 2 * needs["weights"]
    True
    """
    T, (S, both) = check_length(length, "length", least=1), _source(config, source)
    B = check_length(batch, "batch", least=1)
    size = check_length(bytes_per_number, "bytes_per_number", least=1)
    D, L, H = config.d_model, config.n_layers, config.n_heads
    query = H * config.resolved_head
    key_value = 2 * (config.n_kv_heads or H) * config.resolved_head
    # Both norms' inputs, both products' inputs, q, k, v, what the heads found, and the bend.
    inside = (4 if _gated(config) else 1 if config.activation == "relu" else 2) * config.d_ff
    token = 4 * D + 2 * query + key_value + inside
    kept = L * (T * token + H * T * T)
    if both:
        kept += L * (S * token + H * S * S)  # the encoder's layers
        kept += L * (T * (2 * D + 2 * query) + S * key_value + H * T * S)  # looks at the source
    head = 2 * D if config.head == "transform" else 0
    kept += T * (2 * D + head + config.vocab_size)
    weights = size * sum(count_parameters(config).values())
    return {
        "weights": weights,
        "gradients": weights,
        "adam": 2 * weights,
        "activations": size * B * kept,
    }


# One attention, and one feed-forward network


def _attentions(config: TransformerConfig) -> int:
    """One a layer; the decoder of an encoder-decoder has a second, which looks at the source."""
    return config.n_layers * (3 if config.family == "encoder_decoder" else 1)


def _projections(config: TransformerConfig) -> dict[str, int]:
    """The matrices of one attention: D to H · K for queries, to G · K for keys and values."""
    D, K = config.d_model, config.resolved_head
    wide, shared = D * config.n_heads * K, D * (config.n_kv_heads or config.n_heads) * K
    return {"q": wide, "k": shared, "v": shared, "o": wide}


def _biases(config: TransformerConfig) -> int:
    """Those of one attention: as wide as what they are added to."""
    given, D = config.attention_bias, config.d_model
    widths = {name: size // D for name, size in _projections(config).items()} | {"o": D}
    if isinstance(given, bool):
        return sum(widths.values()) if given else 0
    return sum(width for name, width in widths.items() if given.get(name))


def _feed_forward(config: TransformerConfig) -> int:
    """Its matrices: up and down, and the gate if there is one."""
    return (3 if _gated(config) else 2) * config.d_model * config.d_ff


def _gated(config: TransformerConfig) -> bool:
    return ACTIVATIONS[config.activation].gated


def _feed_forward_biases(config: TransformerConfig) -> int:
    gates = 2 if _gated(config) else 1
    return gates * config.d_ff + config.d_model if config.ff_bias else 0


def _source(config: TransformerConfig, source: int) -> tuple[int, bool]:
    """S, and whether there is one: the family decides."""
    both = config.family == "encoder_decoder"
    S = check_length(source, "source", least=1 if both else 0)
    if S and not both:
        raise ValueError(f"source must be 0 in the family {config.family!r}; got {S}")
    return S, both
