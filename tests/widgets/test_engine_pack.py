"""What is packed for the engine, what is refused, and what of it the site gets."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load

from plainformer.blocks import DecoderOnly, EncoderOnly, TransformerConfig
from plainformer.training.tasks import course_lm
from plainformer.widgets.engine import Weights, files_for, pack_model, travel

SIZES = {"vocab_size": 9, "d_model": 8, "n_layers": 2, "n_heads": 2, "d_ff": 32}


def new_model(**choices: Any) -> DecoderOnly:
    return DecoderOnly(TransformerConfig(family="decoder", **(SIZES | choices)))


def test_float16_misses_a_weight_by_at_most_what_is_said() -> None:
    model = new_model()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10.0 ** torch.randint(-9, 4, parameter.shape))
    packed = load(pack_model(model)[32:])
    whole = load(pack_model(model, "float32")[32:])
    for name, parameter in model.named_parameters():
        there = parameter.detach().numpy()
        miss = np.abs(packed[name].astype(np.float32) - there)
        assert (miss <= np.maximum(np.abs(there) / 2048, 3e-8)).all()
        assert (whole[name] == there).all()


def test_nothing_of_course_lm_is_lost() -> None:
    model = course_lm().model
    packed = load(Weights.of(model, name="course-lm").data[32:])
    for name, parameter in model.named_parameters():
        again = packed[name] * packed[f"{name}.scale"]
        assert np.allclose(again, parameter.detach().numpy(), rtol=3e-7, atol=0)


def test_what_the_engine_cannot_compute_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = EncoderOnly(TransformerConfig(family="encoder", **SIZES))
    with pytest.raises(TypeError, match=r"DecoderOnly or an EncoderDecoder; got EncoderOnly$"):
        pack_model(encoder)
    with pytest.raises(TypeError, match=r"^model must be a DecoderOnly or .*; got str$"):
        pack_model("course-lm")
    with pytest.raises(ValueError, match=r"^the model's head must be 'linear'; got 'transform'$"):
        pack_model(new_model(head="transform"))
    with pytest.raises(ValueError, match="dtype"):
        pack_model(new_model(), "int4")  # type: ignore[arg-type]
    model = new_model()
    model.norm.gamma.data[0] = 1e5
    with pytest.raises(ValueError, match=r"^norm\.gamma must be at most 65,504 for float16: pack"):
        pack_model(model)
    pack_model(model, "float32")
    model.norm.gamma.data[0] = torch.nan
    with pytest.raises(ValueError, match=r"^the model's weights must be finite; norm\.gamma has"):
        pack_model(model, "float32")
    monkeypatch.setattr("plainformer.widgets.engine.pack.MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"^model must fit into 1,000 bytes; its weights take"):
        pack_model(new_model())


def test_only_shipped_models_have_files() -> None:
    model = new_model()
    assert Weights.of(model).in_page() is None
    names = r"course-lm, course-translator, course-lm-0, .*, or None; got 'mine'$"
    with pytest.raises(ValueError, match=rf"^name must be one of {names}"):
        Weights.of(model, name="mine")


def test_a_page_gets_the_files_that_it_names_and_no_others() -> None:
    weights = Weights.of(course_lm().model, name="course-lm")
    in_page = json.dumps({"weights": weights.in_page()}, separators=(",", ":"))
    files = files_for(f"<script>{in_page}</script>" * 2)
    assert {re.sub(r"[0-9a-f]{8}", "*", name) for name in files} == {
        "course-lm-*.bin",
        "course-lm-*.js",
        "engine-*.js",
    }
    assert files[f"{weights.file}.bin"] == weights.data
    assert weights.trait()["code"] == travel.engine_code()

    old = in_page.replace(str(weights.file), "course-lm-00000000")
    with pytest.raises(ValueError, match=r"names course-lm-00000000 .* execute the page anew$"):
        files_for(old)
    with pytest.raises(ValueError, match=r"^html names the model 'mine'; shipped are course-lm, "):
        files_for(in_page.replace("course-lm", "mine"))
