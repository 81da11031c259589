"""The order of the chapters that have exercises."""

__all__ = ["CHAPTERS"]

CHAPTERS = (
    "inputs.tokenization",
    "inputs.embedding",
    "inputs.positions",
    "attention.lookup",
    "attention.self_attention",
    "attention.attention_gradients",
    "attention.masking",
    "attention.relative_positions",
    "attention.cross_attention",
    "attention.multi_head",
    "attention.efficient",
    "blocks.feed_forward",
    "blocks.residual_norm",
    "blocks.encoder",
    "blocks.decoder",
    "blocks.transformer",
    "blocks.cost",
    "blocks.lm_head",
    "blocks.published_weights",
    "decoding.next_token",
    "decoding.temperature",
    "decoding.penalties",
    "decoding.search",
    "decoding.sampling",
    "training.language_model",
    "training.sequence_pairs",
    "training.translation",
    "training.classification",
    "training.many_machines",
    "training.capstone",
    "assistant.assistant",
    "assistant.rewards",
    "assistant.circuits",
    "assistant.long_context",
)
"""The order of the book, which the installed package cannot look up; a test compares the two.
A chapter that is missing here comes last."""
