"""The layouts of published models: what they call each weight, and what their config.json says.

One file for each family of names. Nothing here reads a file or needs torch:

- `layout.py`: what a layout is;
- `config_keys.py`: every key of a config.json is followed, harmless, or refused;
- `gpt2.py`, `llama.py` (also Mistral, Qwen2 and Qwen3), `gemma.py`, `bert.py`, `marian.py`.
"""

from plainformer.blocks.published import bert, gemma, gpt2, llama, marian
from plainformer.blocks.published.config_keys import read_keys
from plainformer.blocks.published.layout import Layout, Place

__all__ = ["LAYOUTS", "Layout", "Place", "read_keys"]

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
