"""Whole models under every decoder of the course, beside transformers' `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tests.blocks.peers import CAUSAL, EOS, V, write

from plainformer.blocks import from_pretrained
from plainformer.decoding import beam_search, greedy_search
from plainformer.decoding.model import CausalModel

START = V - 1  # Marian's decoder begins with it


def their_generate(theirs: Any, ids: list[list[int]], **options: Any) -> list[list[int]]:
    """What transformers writes; cut where a text ends, for padding follows."""
    theirs.generation_config = transformers.GenerationConfig(
        pad_token_id=0, decoder_start_token_id=START, do_sample=False, **options
    )
    tokens = torch.tensor(ids)
    with torch.no_grad():
        rows = theirs.generate(tokens, attention_mask=torch.ones_like(tokens)).tolist()
    end = options.get("eos_token_id")
    return [row[: row.index(end) + 1] if end in row else row for row in rows]


@pytest.mark.parametrize("name", CAUSAL)
def test_greedy_tokens_are_the_same_with_a_cache_and_without(name: str, tmp_path: Path) -> None:
    theirs = write(name, tmp_path)
    ours = from_pretrained(tmp_path)
    assert isinstance(ours, CausalModel)
    wanted = their_generate(theirs, [[5, 9, 7]], max_new_tokens=100)[0]
    assert len(set(wanted)) > 3  # no idle loop
    assert greedy_search(ours, [5, 9, 7], max_new_tokens=100) == wanted
    with torch.no_grad():  # without a cache, and all at once
        likeliest = ours(torch.tensor([wanted[:-1]]))[0].argmax(dim=-1).tolist()
    assert likeliest[2:] == wanted[3:]


@pytest.mark.parametrize("name", ["gpt2", "llama 3"])
def test_beams_are_the_same(name: str, tmp_path: Path) -> None:
    theirs = write(name, tmp_path)
    options = {"num_beams": 4, "max_new_tokens": 12, "length_penalty": 1.0, "eos_token_id": EOS}
    wanted = their_generate(theirs, [[5, 9, 7]], **options)[0]
    tree = beam_search(from_pretrained(tmp_path), [5, 9, 7], **options)
    assert tree.sequences[0] == wanted


@pytest.mark.parametrize("num_beams", [1, 4])
def test_a_translator_writes_the_same(num_beams: int, tmp_path: Path) -> None:
    """Three sources at once; their rows move as the beams do."""
    theirs = write("marian", tmp_path)
    ours = from_pretrained(tmp_path)
    sources = torch.randint(4, V - 1, (3, 9), generator=torch.Generator().manual_seed(2)).tolist()
    options = {"max_new_tokens": 20, "eos_token_id": EOS}
    wanted = their_generate(theirs, sources, num_beams=num_beams, length_penalty=1.0, **options)
    with torch.no_grad():
        bound = ours.bind(torch.tensor(sources))
    starts = [[START]] * 3
    if num_beams == 1:
        got = greedy_search(bound, starts, **options)
    else:
        trees = beam_search(bound, starts, num_beams=num_beams, length_penalty=1.0, **options)
        got = [tree.sequences[0] for tree in trees]
    assert got == wanted
