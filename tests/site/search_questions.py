"""What readers ask, and the sections that answer it.

An answer is written "page: title". It is found by a hit that has this title, or that stands in the
section of this title; of a long title its beginning is enough.
"""

# One of these answers is within the first three hits.
ASKED: dict[str, tuple[str, ...]] = {
    # inputs
    "unknown words": ("tokenization: Three ways to cut", "tokenization: What happens to a token"),
    "byte pair encoding": (
        "tokenization: Byte-pair encoding, by hand",
        "tokenization: The formula",
    ),
    "how big should the vocabulary be": ("tokenization: How large a vocabulary?",),
    "train_merges": ("tokenization: train_merges in", "tokenization: The formula"),
    "king - man + woman = queen": ("embedding: Is it true that king",),
    "why are positions added to the embedding": ("positions: Why add?",),
    "rope formula": ("relative_positions: The formula", "relative_positions: rotate_pairs in"),
    "alibi slopes exercise": ("relative_positions: Exercise 4",),
    # attention
    "why divide by sqrt": ("self_attention: Why divide by the root of K?",),
    "square root of the dimension": ("self_attention: Why divide by the root of K?",),
    "softmax overflow": ("lookup: A softmax that does not break", "lookup: Exercise 2"),
    "mask nan": ("masking: The NaN that everyone meets",),
    "exercise causal mask": ("masking: Exercise 2",),
    "kv cache memory": (
        "efficient: What a cache saves, and what it costs",
        "cost: Exercise 2",
        "efficient: Exercise 1",
    ),
    "grouped query attention": (
        "multi_head: Heads that share: MQA and GQA",
        "multi_head: Exercise 4",
    ),
    "where do the keys and values come from in cross attention": (
        "cross_attention: Why do keys and values",
        "cross_attention: The target asks, the source answers",
    ),
    # blocks
    "pre-norm or post-norm": (
        "residual_norm: After the sum, or before the sublayer",
        "residual_norm: Is post-norm dead, then?",
        "residual_norm: What goes wrong deep down",
    ),
    "swiglu": ("feed_forward: A gate: SwiGLU",),
    "how many parameters does a model have": (
        "cost: Counting parameters",
        "cost: Exercise 1",
    ),
    "weight tying": ("lm_head: One table for both ends", "lm_head: Exercise 1"),
    "load gpt-2 weights": (
        "published_weights: The same logits",
        "published_weights: The real one",
        "published_weights: Published weights",
    ),
    # decoding
    "top p vs top k": ("sampling: Top-p: the nucleus", "sampling: Top-k: the k best"),
    "temperature 0": ("temperature: Where a division breaks", "temperature: Why “temperature”"),
    "model repeats itself in a loop": (
        "penalties: A text that goes in circles",
        "penalties: What else is there against loops?",
    ),
    "beam search step by step": (
        "search: Beam search, step by step",
        "search: The search, step by step",
    ),
    # training
    "out of memory when training": (
        "many_machines: The bill, on paper",
        "many_machines: FSDP",
        "many_machines: A batch in parts",
        "cost: What must be in memory",
    ),
    "teacher forcing": ("translation: What teacher forcing hides",),
    "loss does not go down": ("capstone: When it does not learn", "capstone: It learns"),
    "exercise bleu": ("translation: Exercise 4",),
    # appendix
    "what does the letter T stand for": ("notation: Notation", "notation: Sizes"),
    # teach
    "lesson plan": ("lessons: Lesson plans",),
    "answer key": ("answer_key: Answer key",),
    "prerequisites": ("prerequisites: What needs what",),
    "screen readers": ("accessibility: Accessibility", "accessibility: What has not been tested"),
    # assistant
    "what is lora": ("assistant: LoRA: two narrow", "glossary: LoRA", "sheet_assistant: LoRA"),
    "chat template": (
        "assistant: A conversation is one text",
        "glossary: chat template",
        "sheet_assistant: Chat template",
    ),
    "catastrophic forgetting": (
        "assistant: Teach it to answer",
        "glossary: catastrophic forgetting",
    ),
    "loss on answers only": ("assistant: Which tokens the loss sees", "assistant: Exercise 2"),
    "what is grpo": ("rewards: GRPO on one screen", "glossary: GRPO", "sheet_assistant: GRPO"),
    "reward hacking": ("rewards: A reward that can be hacked", "glossary: reward hacking"),
    "dpo loss": ("rewards: DPO", "glossary: DPO", "sheet_assistant: DPO"),
    "self-consistency": ("rewards: More tokens for an answer", "glossary: self-consistency"),
    "activation patching": (
        "circuits: Replace what a head writes",
        "glossary: activation patching",
    ),
    "sparse autoencoder": ("circuits: A sparse autoencoder", "glossary: sparse autoencoder"),
    "superposition": ("circuits: More features than numbers", "glossary: superposition"),
    "direct logit attribution": (
        "circuits: Who wrote the answer?",
        "glossary: direct attribution",
        "sheet_assistant: Direct attribution",
    ),
    "yarn": ("long_context: Why it breaks", "glossary: YaRN"),
    "needle in a haystack": ("long_context: A needle", "glossary: needle test"),
    "attention sinks in a sliding window": (
        "long_context: The first tokens",
        "long_context: Look back only so far",
        "glossary: sliding window",
        "glossary: attention sink",
    ),
}

# Written after the ranking was done, and all found; the ranking was never changed for them.
HELD_OUT: dict[str, tuple[str, ...]] = {
    "label smoothing": ("translation: Less certain targets", "translation: Exercise 2"),
    "how does gpt write text": (
        "lm_head: What is predicted from what",
        "next_token: One token at a time",
        "capstone: It writes",
        "temperature: A model that writes",
        "transformer: Three families",
        "published_weights: Let it write",
    ),
    "min-p sampling": ("sampling: Min-p",),
    "gradient of softmax": (
        "attention_gradients: Through the softmax",
        "attention_gradients: softmax_backward",
        "attention_gradients: Exercise 2",
    ),
    "resume after crash": ("many_machines: Stop and resume", "many_machines: Exercise 4"),
    "exercise layer norm": ("residual_norm: Exercise 1",),
    "padding_mask": ("masking: padding_mask in", "masking: Padding"),
    "why does attention need positions": (
        "positions: Order gets lost",
        "positions: Positions",
        "encoder: Order comes from outside",
    ),
    "flash attention": (
        "efficient: Second story",
        "efficient: Efficient attention",
        "efficient: Measured",
        "efficient: How does one train with blocks",
    ),
    "perplexity": (
        "glossary: perplexity",
        "language_model: What training minimises",
        "next_token: Why logarithms",
        "language_model: Exercise 3",
        "next_token: A model of real text",
    ),
}
