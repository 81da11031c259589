"""The layouts of published models: how they name their weights, and what their config.json means.

Each layout is a table in one of these modules, none of which reads files or needs torch.
`layout.py` defines what a table consists of, and `config_keys.py` checks that every key of a
config.json is used, ignored on purpose, or refused.
"""

from plainformer.blocks.published import bert, gemma, gpt2, llama, marian
from plainformer.blocks.published.config_keys import read_keys
from plainformer.blocks.published.layout import Layout, StoredWeight

__all__ = ["LAYOUTS", "Layout", "StoredWeight", "read_keys"]

LAYOUTS: dict[str, Layout] = {
    layout.model_type: layout
    for layout in (
        gpt2.LAYOUT, llama.LLAMA, llama.MISTRAL, llama.QWEN2, llama.QWEN3, gemma.GEMMA2,
        gemma.GEMMA3, bert.LAYOUT, marian.LAYOUT,
    )
}  # fmt: skip
