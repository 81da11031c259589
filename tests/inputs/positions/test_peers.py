"""Beside `transformers`, offline and with random weights: four sinusoidal tables, GPT-2, BERT.

CTRL computes its table in the dtype that one asks for. DistilBERT, VideoMAE and Marian compute in
float64 and round to float32. (Others compute angles in float32, which is off by 5e-4 at position
8191: no tolerance here makes room for that.)
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model
from transformers.models.ctrl.modeling_ctrl import positional_encoding
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.videomae.modeling_videomae import get_sinusoid_encoding_table

from plainformer.inputs import InputEmbedding, embed, sinusoidal

TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-12}
V, D, T = 50, 32, 12

both_dtypes = pytest.mark.parametrize("dtype", TOLERANCES, ids=str)


def agree(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert (ours - theirs).abs().max() <= TOLERANCES[ours.dtype]


# Sinusoids


@pytest.mark.parametrize("d_model", [2, 10, 64])
def test_ctrl_in_float64(d_model: int) -> None:
    theirs = positional_encoding(512, d_model, torch.float64)  # sines first, then cosines
    ours = sinusoidal(512, d_model, like=theirs)
    agree(torch.cat([ours[:, 0::2], ours[:, 1::2]], dim=1), theirs)
    positions = torch.arange(512, dtype=torch.float64)
    agree(sinusoidal(positions, d_model), ours)


@pytest.mark.parametrize("d_model", [2, 10, 64])
def test_distilbert(d_model: int) -> None:
    theirs = torch.empty(512, d_model)
    create_sinusoidal_embeddings(512, d_model, theirs)
    agree(sinusoidal(512, d_model, like=theirs), theirs)
    agree(sinusoidal(torch.arange(512), d_model), theirs)
    assert np.abs(sinusoidal(512, d_model) - theirs.numpy()).max() <= 1e-6


def test_videomae() -> None:
    theirs = get_sinusoid_encoding_table(100, 33)[0]  # an odd width
    agree(sinusoidal(100, 33, like=theirs), theirs)


@pytest.mark.parametrize("d_model", [8, 7])
def test_marian(d_model: int) -> None:
    theirs = MarianSinusoidalPositionalEmbedding(200, d_model).create_weight()
    ours = sinusoidal(200, d_model, like=theirs)
    agree(torch.cat([ours[:, 0::2], ours[:, 1::2]], dim=1), theirs)


# The whole input


@pytest.fixture
def ids() -> torch.Tensor:
    return torch.randint(V, (3, T), generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def seed() -> Iterator[None]:
    """The models draw their weights from torch's own generator, which is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def gpt2_and_ours(dtype: torch.dtype) -> tuple[Any, InputEmbedding]:
    """A GPT-2 with random weights, and our input with the same."""
    config = GPT2Config(vocab_size=V, n_positions=T, n_embd=D, n_layer=1, n_head=4)
    model = GPT2Model(config).to(dtype).eval()
    ours = InputEmbedding(V, D, positions="learned", max_length=T, scale=False).to(dtype)
    ours.load_state_dict({"tokens": model.wte.weight, "positions": model.wpe.weight})
    return model, ours


@both_dtypes
def test_gpt2(ids: torch.Tensor, dtype: torch.dtype) -> None:
    model, ours = gpt2_and_ours(dtype)
    agree(ours(ids), model(ids, output_hidden_states=True).hidden_states[0])
    agree(embed(ids, model.wte.weight), model.wte(ids))
    with pytest.raises(ValueError, match=rf"a text must have at most {T} tokens; got {T + 1}$"):
        ours(ids, offset=1)


@both_dtypes
def test_gpt2_with_a_cache(ids: torch.Tensor, dtype: torch.dtype) -> None:
    model, ours = gpt2_and_ours(dtype)
    cache = model(ids[:, :7], use_cache=True).past_key_values
    theirs = model(ids[:, 7:], past_key_values=cache, output_hidden_states=True).hidden_states[0]
    agree(ours(ids[:, 7:], offset=7), theirs)


@both_dtypes
def test_bert(ids: torch.Tensor, dtype: torch.dtype) -> None:
    config = BertConfig(
        vocab_size=V, hidden_size=D, num_hidden_layers=1, num_attention_heads=4,
        max_position_embeddings=T, type_vocab_size=2,
    )  # fmt: skip
    theirs: Any = BertModel(config).to(dtype).eval().embeddings
    ours = InputEmbedding(V, D, positions="learned", max_length=T, n_segments=2, scale=False)
    ours.to(dtype).load_state_dict(
        {
            "tokens": theirs.word_embeddings.weight,
            "positions": theirs.position_embeddings.weight,
            "segments": theirs.token_type_embeddings.weight,
        }
    )
    segments = (torch.arange(T) >= 5).long().expand(3, T)
    # BERT normalises the sum, which is no part of it
    agree(theirs.LayerNorm(ours(ids, segments)), theirs(ids, token_type_ids=segments))
