"""Published layouts: the same logits, the same texts, and a way back, beside transformers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tests.blocks.peers import CAUSAL, V, write

from plainformer.blocks import from_pretrained, save_pretrained

CLOSE: dict[str, Any] = {"atol": 1e-5, "rtol": 1e-5}
IMPLS = ["formula", "sdpa"]
BACK = ["gpt2", "gpt2 untied", "llama 3", "mistral window", "qwen2", "qwen3", "gemma2", "gemma3",
        "bert", "marian"]  # fmt: skip


def some_ids(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(4, V - 1, shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model of transformers and its folder, by name; each is made once."""
    made: dict[str, Any] = {}

    def get(name: str) -> tuple[Any, Path]:
        if name not in made:
            folder = tmp_path_factory.mktemp(name.replace(" ", "_"))
            made[name] = write(name, folder), folder
        return made[name]

    return get


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("name", CAUSAL)
def test_a_causal_model_has_the_same_logits(name: str, impl: str, pair: Any) -> None:
    theirs, folder = pair(name)
    ours, ids = from_pretrained(folder, impl=impl), some_ids(2, 90)
    torch.testing.assert_close(ours(ids), theirs(ids).logits, **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("name", CAUSAL)
def test_padding_on_the_left_changes_no_logit(name: str, impl: str, pair: Any) -> None:
    theirs, folder = pair(name)
    ours, ids = from_pretrained(folder, impl=impl), some_ids(3, 20)
    positions = torch.arange(20) - torch.tensor([[0], [4], [13]])
    tokens = positions >= 0
    wanted = theirs(ids, attention_mask=tokens.long(), position_ids=positions.clamp(min=0)).logits
    got = ours(ids, positions=positions)
    torch.testing.assert_close(got[tokens], wanted[tokens], **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("padded", [None, "left", "right"])
@pytest.mark.parametrize("name", ["bert", "bert untied"])
def test_bert_has_the_same_logits(name: str, padded: str | None, impl: str, pair: Any) -> None:
    theirs, folder = pair(name)
    ours, ids = from_pretrained(folder, impl=impl), some_ids(2, 30)
    segments = (torch.arange(30) >= 12).long().expand(2, 30)
    tokens = torch.ones(2, 30, dtype=torch.bool)
    if padded:
        tokens[1, :7] = False
        tokens = tokens.flip(-1) if padded == "right" else tokens
    wanted = theirs(
        ids, attention_mask=tokens.long(), token_type_ids=segments, output_hidden_states=True
    )
    mask = tokens if padded else None
    hidden = ours.encode(ids, mask=mask, segments=segments)
    logits = ours(ids, mask=mask, segments=segments)
    torch.testing.assert_close(hidden[tokens], wanted.hidden_states[-1][tokens], **CLOSE)
    torch.testing.assert_close(logits[tokens], wanted.logits[tokens], **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
def test_marian_has_the_same_logits(impl: str, pair: Any) -> None:
    theirs, folder = pair("marian")
    ours = from_pretrained(folder, impl=impl)
    source, ids, tokens = some_ids(2, 17), some_ids(2, 9, seed=1), torch.ones(2, 17).bool()
    tokens[1, 11:] = False
    wanted = theirs(source, attention_mask=tokens.long(), decoder_input_ids=ids).logits
    got = ours(source, ids, source_mask=tokens)
    torch.testing.assert_close(got, wanted, **CLOSE)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_decoder_without_an_encoder_has_one_attention_in_a_layer(name: str, pair: Any) -> None:
    theirs, folder = pair(name)
    stack = next(part for part in theirs.modules() if isinstance(part, torch.nn.ModuleList))
    for layer, ours in zip(stack, from_pretrained(folder).layers, strict=True):
        assert len([n for n, _ in layer.named_children() if n.endswith("attn")]) == 1
        assert [n for n, _ in ours.named_children() if "attention" in n] == ["attention"]


def test_loading_needs_no_compiler(tmp_path: Path) -> None:
    """To draw first values where there are shapes alone would load 800 modules, 68 MB."""
    write("gpt2", tmp_path)
    script = (
        "import sys; from plainformer.blocks import from_pretrained; "
        "from_pretrained(sys.argv[1]); print('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False"]


@pytest.mark.parametrize("name", BACK)
def test_there_and_back_is_the_same_bit_for_bit(name: str, pair: Any, tmp_path: Path) -> None:
    theirs, folder = pair(name)
    layout = {"gemma3": "gemma3_text"}.get(name, name.split()[0])
    save_pretrained(from_pretrained(folder), tmp_path, layout)
    back = type(theirs).from_pretrained(tmp_path)
    given = theirs.state_dict()
    for key, value in back.state_dict().items():
        assert torch.equal(value, given[key]), key


@torch.no_grad()
def test_numbers_of_two_bytes_can_be_computed_with_in_four(tmp_path: Path) -> None:
    write("gpt2", tmp_path)
    path = tmp_path / "model.safetensors"
    halves = {name: weight.bfloat16() for name, weight in load_file(path).items()}
    save_file(halves, path, {"format": "pt"})
    ids, model = some_ids(1, 12), from_pretrained(tmp_path)
    assert next(model.parameters()).dtype == torch.bfloat16
    theirs: Any = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    torch.testing.assert_close(model.float()(ids), theirs(ids).logits, **CLOSE)


@torch.no_grad()
def test_an_activation_that_is_nearly_the_right_one_is_found(pair: Any) -> None:
    """GELU and its approximation by tanh differ by less than 0.0005, which logits show."""
    theirs, folder = pair("gpt2")
    model, ids = from_pretrained(folder), some_ids(1, 12)
    for layer in model.layers:
        layer.feed_forward.function = torch.nn.functional.gelu
    wanted = theirs(ids).logits
    assert (model(ids) - wanted).abs().max() > 5e-5 * wanted.abs().max()


def test_parts_and_an_index_are_one_model(tmp_path: Path) -> None:
    theirs = write("llama", tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 3
    ids = some_ids(1, 12)
    with torch.no_grad():
        logits = from_pretrained(tmp_path)(ids)
        torch.testing.assert_close(logits, theirs(ids).logits, **CLOSE)


def test_a_model_saves_itself_where_it_came_from(tmp_path: Path) -> None:
    """Its weights are mapped from the very file that is written; what was in parts becomes one."""
    write("gpt2", tmp_path, max_shard_size="20KB")
    model, ids = from_pretrained(tmp_path), some_ids(1, 12)
    before = model(ids)
    for _ in range(2):
        save_pretrained(model, tmp_path, "gpt2")
        assert torch.equal(model(ids), before)
        model = from_pretrained(tmp_path)
    assert torch.equal(model(ids), before)


def test_a_loaded_model_can_be_trained_and_its_file_stays(tmp_path: Path) -> None:
    write("gpt2", tmp_path)
    model, ids = from_pretrained(tmp_path), some_ids(1, 12)
    kept, before = (tmp_path / "model.safetensors").read_bytes(), model(ids).detach()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    model(ids).square().mean().backward()
    optimiser.step()
    assert not torch.allclose(model(ids), before)
    assert (tmp_path / "model.safetensors").read_bytes() == kept
    assert torch.equal(from_pretrained(tmp_path)(ids), before)
