"""The engine's encoder-decoder against torch: the course's translator, and random ones."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load
from tests.widgets.engine import as_numpy, check_same, open_model, read, script
from tests.widgets.translators import random_translator

from plainformer.blocks import EncoderDecoder, TransformerConfig, trace
from plainformer.blocks.modules.models import BoundDecoder
from plainformer.training import Vocabulary
from plainformer.training.tasks.translation import course_translator
from plainformer.widgets.engine import pack_model

if TYPE_CHECKING:
    from playwright.sync_api import Page

translator = cache(course_translator)
SOS = Vocabulary.sos_id

SENTENCES = [
    "cat",
    "your cat is a lovely cat",
    "we wait for our grandmother's geese",
    "those eggs are not very beautiful",
    "anna sees that apple because it is beautiful",
    "there are three small tables in the zoo, and they are dirty",
    "the boys don't sing",
    "your parrot is lovely",  # a word that it does not know
    "qwertz uiop asdf",  # none that it knows
    "l'albero è dell'oca",
    "Война и мир",
    "猫は可愛い",
    "החתול שלך",
    "🙂🚀 , ' ’",
    "a " * 24,  # the longest
]


def forward(page: "Page", source: list[int] | None, ids: list[int], cache: str = "null") -> Any:
    """All steps of the page's model."""
    body = f"""
      const options = {{ source: x[0], cache: {cache} }};
      return pack(m.encoderDecoder.forward(model, x[1], options));
    """
    return read(script(page, body, [source, ids]))


def steps_of(model: EncoderDecoder, source: list[int], ids: list[int]) -> dict[str, np.ndarray]:
    with torch.no_grad():
        return as_numpy(trace(model, (torch.tensor([source]), torch.tensor([ids]))))


def test_every_step_of_fifteen_sentences(page: "Page") -> None:
    """Whole, and word by word with a cache, to the end of the translation."""
    trained = translator()
    open_model(page, trained.model)
    assert len(SENTENCES) == 15
    lengths = set()
    for sentence in SENTENCES:
        source = trained.vocabulary.encode(sentence)
        lengths.add(len(source))
        ids = [SOS, *trained.vocabulary.encode(trained.translate([sentence])[0])]
        wanted = steps_of(trained.model, source, ids)
        check_same(forward(page, source, ids), wanted)

        script(page, "window.cache = m.encoderDecoder.newCache(model);")
        for t, id_ in enumerate(ids):
            steps = forward(page, None if t else source, [id_], "cache")
            for name in ("logits", "decoder_layers.1.cross_attention.weights"):
                last = wanted[name][..., t : t + 1, :]
                np.testing.assert_allclose(steps[name], last, rtol=0, atol=1e-4, err_msg=name)
    assert {1, 24} <= lengths


CONFIGS: dict[str, dict[str, Any]] = {
    "paper": {"positions": "sinusoidal", "norm_place": "post", "activation": "relu"},
    "learned": {"positions": "learned", "max_length": 12, "tied": False, "head_bias": True},
    "grouped": {"positions": None, "norm": "rms", "activation": "swiglu", "n_kv_heads": 2},
    "bare": {"norm_embedding": True, "attention_bias": False, "n_kv_heads": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_every_kind_of_model(page: "Page", name: str) -> None:
    sizes: dict[str, Any] = {
        "vocab_size": 11, "d_model": 16, "n_layers": 2, "n_heads": 4, "d_ff": 20
    }  # fmt: skip
    config = TransformerConfig(family="encoder_decoder", **(sizes | CONFIGS[name]))
    model = EncoderDecoder(config).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.5, generator=generator)
    open_model(page, model, "float32")
    wanted = steps_of(model, [3, 1, 4, 1, 5], [2, 6, 5, 3])
    check_same(forward(page, [3, 1, 4, 1, 5], [2, 6, 5, 3]), wanted)

    script(page, "window.cache = m.encoderDecoder.newCache(model);")
    forward(page, [3, 1, 4, 1, 5], [2, 6], "cache")
    last = forward(page, None, [5, 3], "cache")["logits"]
    np.testing.assert_allclose(last, wanted["logits"][2:], rtol=0, atol=1e-4)


@pytest.mark.parametrize("norm_place", ["pre", "post"])
def test_a_row_of_another_source(page: "Page", norm_place: str) -> None:
    """The decoder's steps are torch's, with one row of the encoder's output replaced there."""
    model = random_translator(2, 3, norm_place=norm_place).model
    open_model(page, model, "float32")
    source, other, ids = [4, 5, 6], [7, 8, 9], [2, 4]
    with torch.no_grad():
        encoded = model.encode(torch.tensor([source]))
        encoded[:, 1] = model.encode(torch.tensor([other]))[:, 1]
        wanted = BoundDecoder(model, encoded, None)(torch.tensor([ids]))[0].numpy()
    body = "return pack(m.encoderDecoder.forward(model, x[1], { source: x[0], patch: x[2] }));"
    found = read(script(page, body, [source, ids, {"ids": other, "place": 1}]))
    np.testing.assert_allclose(found["logits"], wanted, rtol=0, atol=1e-4)
    refused = """
      try {
        m.encoderDecoder.forward(model, [2], { source: [4, 5, 6], patch: x });
      } catch (error) {
        return error.message;
      }
    """
    assert script(page, refused, {"ids": [7], "place": 0}) == (
        "patch must have 3 tokens, like the source; got 1"
    )
    assert script(page, refused, {"ids": other, "place": 3}) == (
        "patch must have a place from 0 to 2; got 3"
    )


def test_what_does_not_fit_is_refused_and_the_cache_stays(page: "Page") -> None:
    open_model(page, translator().model)
    body = """
      const cache = m.encoderDecoder.newCache(model);
      const before = JSON.stringify(cache);
      return x.map(([source, ids]) => {
        try {
          m.encoderDecoder.forward(model, ids, { source, cache });
        } catch (error) {
          return [error.name, error.message, before === JSON.stringify(cache)];
        }
      });
    """
    cases = [([], [2]), ([843], [2]), (None, [2]), ([5], []), ([5], [-1])]
    assert script(page, body, cases) == [
        ["RangeError", "source must have a token or more; got none", True],
        ["RangeError", "source must be from 0 to 842; got 843", True],
        ["RangeError", "source must be given with the first tokens; got none", True],
        ["RangeError", "ids must have a token or more; got none", True],
        ["RangeError", "ids must be from 0 to 842; got -1", True],
    ]


def test_nothing_of_the_translator_is_lost() -> None:
    """Its weights are of float16 already: packed in float16, they miss by nothing at all."""
    model = translator().model
    packed = load(pack_model(model)[32:])
    assert packed.keys() == dict(model.named_parameters()).keys()
    for name, parameter in model.named_parameters():
        assert (packed[name].astype(np.float32) == parameter.detach().numpy()).all()
