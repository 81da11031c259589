"""What a step of training costs each process, on paper: bytes held, bytes sent, operations.

    one         a process reads the whole batch
    accumulate  a process reads it in parts, one after the other
    ddp         each process reads a part; all weights are everywhere
    fsdp        each process reads a part; weights, gradients and Adam are cut into pieces, too

But: it counts numbers, in float32. Buffers of the libraries come on top, and what is sent while
something else is computed takes no time of its own.
"""

from __future__ import annotations

from plainformer.arrays import check_choice, check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.sizes import count_parameters, training_bytes

__all__ = ["SHARING", "layer_parameters", "share_out"]

SHARING = ("one", "accumulate", "ddp", "fsdp")
SIZE = 4  # bytes of a number


def share_out(
    config: TransformerConfig,
    length: int,
    batch: int,
    how: str,
    parts: int = 1,
) -> dict[str, int]:
    """Count what a step costs each process.

    Args:
        config: of a decoder.
        length: T, the tokens of each text.
        batch: B, how many texts make a step; a multiple of `parts`.
        how: one of `SHARING`.
        parts: into how many the batch is cut. "one" cuts nothing.

    Returns:
        Bytes held: "weights", "gradients", "adam", "activations", and
        "collected", the whole weights of the tables and of one layer,
        for a moment. Bytes sent, round a ring: "forward" and "backward".
        "operations" of the process: six for each parameter and token.

    Source: Rajbhandari et al. 2020, sections 5 and 7.

    >>> tiny = TransformerConfig(
    ...     family="decoder", vocab_size=6, d_model=64, n_layers=2,
    ...     n_heads=2, d_ff=256,
    ... )
    >>> costs = share_out(tiny, 5, 4, "ddp", 2)
    >>> costs["weights"], costs["backward"]
    (401920, 401920)
    >>> share_out(tiny, 5, 4, "fsdp", 2)["weights"]
    200960
    """
    check_choice(how, "how", SHARING)
    N = check_size(parts, "parts") if how != "one" else 1
    if check_size(batch, "batch") % N:
        raise ValueError(f"batch must be a multiple of parts, {N}; got {batch}")
    needs = training_bytes(config, length, batch=batch // N)
    P = sum(count_parameters(config).values())
    layers = layer_parameters(config)
    piece = N if how == "fsdp" else 1
    cut = how == "fsdp" and N > 1
    ring = (N - 1) * SIZE  # of a number that is sent round, N times what each process sends
    sent = {"ddp": (0, 2 * P), "fsdp": (P, layers + P)}.get(how, (0, 0))
    return {
        "weights": needs["weights"] // piece,
        "gradients": needs["gradients"] // piece,
        "adam": needs["adam"] // piece,
        "activations": needs["activations"],
        "collected": SIZE * (P - layers + layers // config.n_layers) if cut else 0,
        "forward": ring * sent[0] // N,
        "backward": ring * sent[1] // N,
        "operations": 6 * P * length * batch // (1 if how == "accumulate" else N),
    }


def layer_parameters(config: TransformerConfig) -> int:
    """Parameters inside the layers of a decoder: all but the tables and the last norm."""
    parts = count_parameters(config)
    norms = 2 * config.n_layers + (config.norm_place == "pre") + config.norm_embedding
    inside = parts["norms"] // norms * 2 * config.n_layers
    return parts["attention"] + parts["feed_forward"] + inside
