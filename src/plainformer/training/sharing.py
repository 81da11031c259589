"""What a training step costs each process: bytes stored, bytes sent, and floating-point operations.

    one         a single process reads the whole batch
    accumulate  a single process reads it in parts, one after the other
    ddp         each process reads a part of the batch, and has all weights
    fsdp        each process reads a part, and has a shard of weights, gradients and Adam's averages

Everything is counted in float32. The buffers of the libraries come on top of that, and sending
takes no extra time if it overlaps with computation.
"""

from __future__ import annotations

from plainformer.arrays import check_choice, check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.sizes import COUNTED, count_parameters, training_bytes

__all__ = ["STRATEGIES", "parameters_in_layers", "step_cost"]

STRATEGIES = ("one", "accumulate", "ddp", "fsdp")
BYTES = 4  # per float32 number


def step_cost(
    config: TransformerConfig, context_length: int, batch_size: int, strategy: str, parts: int = 1
) -> dict[str, int]:
    """Count what a training step of a decoder costs each process, with one of the `STRATEGIES`.

    The batch is divided evenly into `parts`, which "one" ignores. The bytes stored are "weights",
    "gradients", "adam", "activations", and "collected", which are the weights of the embedding and
    of one layer while they are in use. The bytes sent, in a ring, are "forward" and "backward". The
    "operations" are six for each parameter and token.

    Source: Rajbhandari et al. 2020, sections 5 and 7.

    >>> from plainformer.blocks import PRESETS
    >>> [step_cost(PRESETS["gpt2"], 5, 4, how, 2)["weights"] for how in ("ddp", "fsdp")]
    [497759232, 248879616]
    """
    check_choice(strategy, "strategy", STRATEGIES)
    N = check_size(parts, "parts") if strategy != "one" else 1
    if check_size(batch_size, "batch_size") % N:
        raise ValueError(f"batch_size must be a multiple of parts, {N}; got {batch_size}")
    needs = training_bytes(config, context_length, batch=batch_size // N)
    P = sum(count_parameters(config).values())
    layers = parameters_in_layers(config)
    shards = N if strategy == "fsdp" else 1
    ring = (N - 1) * BYTES  # per number; dividing by N gives what each process sends
    sent = {"ddp": (0, 2 * P), "fsdp": (P, layers + P)}.get(strategy, (0, 0))
    tokens = context_length * batch_size
    return {
        "weights": needs["weights"] // shards,
        "gradients": needs["gradients"] // shards,
        "adam": needs["adam"] // shards,
        "activations": needs["activations"],
        "collected": BYTES * (P - layers + layers // config.n_layers) if shards > 1 else 0,
        "forward": ring * sent[0] // N,
        "backward": ring * sent[1] // N,
        "operations": 6 * P * tokens // (1 if strategy == "accumulate" else N),
    }


def parameters_in_layers(config: TransformerConfig) -> int:
    """Count the parameters in the layers of a decoder, without the embedding and the final norm."""
    config.require_known(COUNTED, "training.sharing")
    parts = count_parameters(config)
    outside = (config.norm_place != "post") + config.norm_embedding  # norms, of γ and perhaps β
    norms = parts["norms"] - outside * config.d_model * (1 if config.norm == "rms" else 2)
    return parts["attention"] + parts["feed_forward"] + norms
