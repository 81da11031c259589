"""The command that compares a folder with transformers: what it prints, and its exit code."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.blocks.peers import V, configs, write

from plainformer.blocks import from_pretrained
from plainformer.blocks.compare import main
from plainformer.blocks.modules import side_by_side
from plainformer.inputs import BPETokenizer


@pytest.mark.parametrize("name", list(configs()))
def test_every_layout_is_the_same_model(name: str, tmp_path: Path, capsys: Any) -> None:
    write(name, tmp_path)
    assert main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in printed.splitlines()}
    assert lines["verdict"] == "the same model"
    assert lines["ours"] == lines["theirs"]
    assert len(json.loads(lines["ours"])) == (24 if name == "bert" else 20)


def test_parts_are_compared_as_one(tmp_path: Path) -> None:
    write("llama", tmp_path, max_shard_size="20KB")
    assert main([str(tmp_path)]) == 0


def test_numbers_of_two_bytes_are_compared_in_four(tmp_path: Path) -> None:
    write("gpt2", tmp_path)
    path = tmp_path / "model.safetensors"
    half = {name: weight.bfloat16() for name, weight in load_file(path).items()}
    save_file(half, path, {"format": "pt"})
    assert main([str(tmp_path)]) == 0


def test_a_model_read_wrongly_is_found(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours gets one weight turned the wrong way round."""
    write("gpt2", tmp_path)

    def turned(folder: Path) -> Any:
        model = from_pretrained(folder)
        weight = model.layers[0].attention.w_o.weight
        weight.data = weight.data.mT.contiguous()
        return model

    monkeypatch.setattr(side_by_side, "from_pretrained", turned)
    assert main([str(tmp_path)]) == 1
    assert "NOT the same model" in capsys.readouterr().out


def test_an_activation_that_is_nearly_the_right_one_is_found(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GELU and its approximation by tanh differ by less than 0.0005."""
    write("gpt2", tmp_path)

    def exact(folder: Path) -> Any:
        model = from_pretrained(folder)
        for layer in model.layers:
            layer.feed_forward.function = torch.nn.functional.gelu
        return model

    monkeypatch.setattr(side_by_side, "from_pretrained", exact)
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path), "--tolerance", "0.01"]) == 0
    capsys.readouterr()


def test_a_text_is_read_by_the_folders_tokenizer(tmp_path: Path, capsys: Any) -> None:
    torch.manual_seed(0)
    import transformers

    tokenizer = BPETokenizer.train("your cat is a lovely cat", vocab_size=260)
    config = transformers.GPT2Config(
        vocab_size=260, n_embd=16, n_layer=1, n_head=2, n_positions=32, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    tokenizer.save(tmp_path / "tokenizer.json")
    assert main([str(tmp_path), "--text", "your cat", "--tokens", "4"]) == 0
    assert main([str(tmp_path), "--text", ""]) == 2
    assert "--text must have at least one token" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 25, 32])
def test_no_more_tokens_are_written_than_there_is_room_for(count: int, tmp_path: Path) -> None:
    write("gpt2", tmp_path)
    found = side_by_side.compare_with_transformers(tmp_path, [1] * (320 - 3), count)
    assert found.ours == found.theirs and len(found.ours) == min(count, 4)


def test_without_a_tokenizer_there_is_no_text(tmp_path: Path, capsys: Any) -> None:
    write("gpt2", tmp_path)
    assert main([str(tmp_path), "--text", "your cat"]) == 2
    assert "must hold tokenizer.json for --text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ids", "says"), [([V], "ids must"), ([-1], "ids must"), ([0] * 321, "at most 320 tokens")]
)
def test_ids_that_the_model_lacks_are_named(ids: list[int], says: str, tmp_path: Path) -> None:
    write("gpt2", tmp_path)
    with pytest.raises((ValueError, TypeError), match=says):
        side_by_side.compare_with_transformers(tmp_path, ids)


def test_a_folder_that_is_none_is_an_error_without_a_traceback(tmp_path: Path, capsys: Any) -> None:
    assert main([str(tmp_path / "nothing")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("compare: ") and "config.json" in said
    (tmp_path / "config.json").write_text("{")
    assert main([str(tmp_path)]) == 2
    assert "config.json must be JSON" in capsys.readouterr().err


def test_where_transformers_is_missing_it_is_said(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main([str(tmp_path)]) == 2
    assert "pip install transformers" in capsys.readouterr().err


def test_help_needs_no_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; from plainformer.blocks.compare import main"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; main(['--help'])"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "config.json and model.safetensors" in " ".join(done.stdout.split())
