"""The engine of the widgets that carry a model: a transformer that runs in the reader's page.

Python packs any small `DecoderOnly` or `EncoderDecoder` (`pack.py`), and says how the weights
travel (`travel.py`). In the page `client.js` loads them when a reader first asks, and hands them to
a worker, where `decoder.js` or `encoder_decoder.js` computes every step by the names of
`plainformer.blocks.trace`. For training in the page, `training_client.js` starts a worker of its
own, whose `training_session.js` takes steps of AdamW on a small decoder, and `pack.js` turns that
decoder into what `client.js` loads. The formulas are in separate files, named like their Python
counterparts.
"""

from .pack import pack_model
from .travel import (
    FOLDER,
    Weights,
    files_for,
    glass_in_page,
    glass_trait,
    trainer_in_page,
    trainer_trait,
)

__all__ = [
    "FOLDER",
    "Weights",
    "files_for",
    "glass_in_page",
    "glass_trait",
    "pack_model",
    "trainer_in_page",
    "trainer_trait",
]
