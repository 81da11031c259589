"""The layouts of published models: how they name their weights, and what their config.json means.

Each layout has a module, and none of them reads files or needs torch:

- `layout.py`: what a layout consists of;
- `config_keys.py`: a check that every key of a config.json is used, ignored on purpose, or refused;
- `gpt2.py`, `llama.py` (also Mistral, Qwen2 and Qwen3), `gemma.py`, `bert.py`, `marian.py`.
"""

from plainformer.blocks.published import bert, gemma, gpt2, llama, marian
from plainformer.blocks.published.config_keys import read_keys
from plainformer.blocks.published.layout import Layout, StoredWeight

__all__ = ["LAYOUTS", "Layout", "StoredWeight", "read_keys"]

LAYOUTS: dict[str, Layout] = {
    "gpt2": gpt2.LAYOUT,
    "llama": llama.LAYOUT,
    "mistral": llama.LAYOUT,
    "qwen2": llama.LAYOUT,
    "qwen3": llama.LAYOUT,
    "gemma2": gemma.GEMMA2,
    "gemma3_text": gemma.GEMMA3,
    "bert": bert.LAYOUT,
    "marian": marian.LAYOUT,
}
