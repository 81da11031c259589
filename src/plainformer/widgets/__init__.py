"""The course's interactive pictures: in Jupyter, in the static page, and on paper.

>>> from plainformer.widgets import BPEMerges
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.widgets.attention_map import AttentionMap
    from plainformer.widgets.attention_stepper import AttentionStepper
    from plainformer.widgets.beam_tree import BeamTree
    from plainformer.widgets.block_sweep import BlockSweep
    from plainformer.widgets.bpe_merges import BPEMerges
    from plainformer.widgets.cache_growth import CacheGrowth
    from plainformer.widgets.embedding_lookup import EmbeddingLookup
    from plainformer.widgets.generate_box import GenerateBox
    from plainformer.widgets.lookup_dial import LookupDial
    from plainformer.widgets.positional_waves import PositionalWaves
    from plainformer.widgets.rotary_vectors import RotaryVectors
    from plainformer.widgets.sampler_lab import SamplerLab
    from plainformer.widgets.temperature_lab import TemperatureLab

__all__ = [
    "AttentionMap",
    "AttentionStepper",
    "BPEMerges",
    "BeamTree",
    "BlockSweep",
    "CacheGrowth",
    "EmbeddingLookup",
    "GenerateBox",
    "LookupDial",
    "PositionalWaves",
    "RotaryVectors",
    "SamplerLab",
    "TemperatureLab",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attention_map": ["AttentionMap"],
        "attention_stepper": ["AttentionStepper"],
        "beam_tree": ["BeamTree"],
        "block_sweep": ["BlockSweep"],
        "bpe_merges": ["BPEMerges"],
        "cache_growth": ["CacheGrowth"],
        "embedding_lookup": ["EmbeddingLookup"],
        "generate_box": ["GenerateBox"],
        "lookup_dial": ["LookupDial"],
        "positional_waves": ["PositionalWaves"],
        "rotary_vectors": ["RotaryVectors"],
        "sampler_lab": ["SamplerLab"],
        "temperature_lab": ["TemperatureLab"],
    },
)
