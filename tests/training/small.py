"""A run so small that a step takes a millisecond or two, and settings of runs of a second."""

import torch

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training import Run, TextBatches, adamw
from plainformer.training.evaluate import next_token_loss

SETTINGS = {
    "language-model": """
vocab_size = 300
n_layers = 1
n_heads = 2
d_model = 16
context_length = 16
batch_size = 2
steps = 6
dropout = 0.1
""",
    "translation": """
held_out = 10
n_layers = 1
n_heads = 2
d_model = 16
batch_size = 8
steps = 6
dropout = 0.1
""",
    "classification": """
n_heads = 2
d_model = 16
batch_size = 8
steps = 120
word_dropout = 0.0
dropout = 0.0
""",
}
TEXT = [(i * i) % 7 for i in range(200)]  # what comes next can be learned


def small_run(seed: int = 0, *, dropout: float = 0.1, rate: float = 1e-2, batch_size: int = 4):
    """A decoder of one layer, with dropout, so that torch's own generator matters, too."""
    config = TransformerConfig(
        family="decoder",
        vocab_size=7,
        d_model=8,
        n_layers=1,
        n_heads=2,
        d_ff=16,
        max_length=8,
        positions="learned",
        dropout=dropout,
    )
    torch.manual_seed(seed)
    model = DecoderOnly(config, impl="sdpa")
    batches = TextBatches(TEXT, context_length=8, batch_size=batch_size, seed=seed)
    schedule = lambda step: rate * min(1.0, (step + 1) / 5)  # noqa: E731
    return Run(model, adamw(model), schedule, batches, next_token_loss)
