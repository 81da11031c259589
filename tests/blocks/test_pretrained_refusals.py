"""Folders that are damaged, hostile or not for us: an error that says what and where."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.blocks.peers import write

from plainformer.blocks import DecoderOnly, TransformerConfig, from_pretrained, save_pretrained
from plainformer.blocks.published import LAYOUTS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small GPT-2, to be damaged."""
    write("gpt2", tmp_path)
    return tmp_path


def change_config(folder: Path, **options: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | options))


def change_weights(folder: Path, change: Any) -> None:
    path = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in load_file(path).items()}
    change(tensors)
    save_file(tensors, path)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("gpt2", {"model_type": "t5"}, "model_type must be .* got 't5'"),
        ("gpt2", {"activation_function": "mish"}, "activation_function must be .* got 'mish'"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
        ("gpt2", {"n_head": 5}, "n_heads must divide d_model"),
        ("gpt2", {"n_embd": "wide"}, r"config\.json: n_embd must be a whole number"),
        ("gpt2", {"n_head": 0}, "n_heads must be 1 or more"),
        ("gpt2", {"n_inner": 0}, "d_ff must be 1 or more"),
        ("llama", {"num_attention_heads": 0}, "n_heads must be 1 or more"),
        ("llama", {"rope_parameters": {"rope_theta": "far"}}, "rope_theta must be"),
        ("llama", {"rope_parameters": {"rope_theta": 0}}, "rope_theta must be"),
        ("llama", {"num_key_value_heads": 0}, "n_kv_heads must be 1 or more"),
        ("llama", {"head_dim": 0}, "d_head must be 1 or more"),
        ("llama", {"attention_bias": 0}, "attention_bias must be True or False"),
        ("gpt2", {"layer_norm_epsilon": None}, "norm_eps must be"),
        ("llama 3", {"rope_parameters": {"rope_type": "ntk"}}, "rope_type must be .* got 'ntk'"),
        ("llama 3", {"rope_parameters": {"rope_type": "yarn"}}, "must have 'factor'"),
        ("mistral", {"sliding_window": 0}, "sliding_window must be 1 or more; got 0"),
        ("llama 3", {"rope_parameters": {"rope_type": "llama3"}}, "must have 'factor'"),
        ("bert", {"is_decoder": True}, "is_decoder must be False"),
        ("marian", {"decoder_layers": 7}, "decoder_layers must be encoder_layers"),
    ],
)
def test_what_we_do_not_compute_is_refused_by_name(
    name: str, options: Any, says: str, tmp_path: Path
) -> None:
    write(name, tmp_path)
    change_config(tmp_path, **options)
    with pytest.raises((ValueError, TypeError), match=says):
        from_pretrained(tmp_path)


def test_a_missing_key_is_named(folder: Path) -> None:
    given = json.loads((folder / "config.json").read_text())
    del given["n_layer"]
    (folder / "config.json").write_text(json.dumps(given))
    with pytest.raises(ValueError, match="must have 'n_layer'"):
        from_pretrained(folder)


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_a_config_that_is_no_object_is_refused(text: str, folder: Path) -> None:
    (folder / "config.json").write_text(text)
    with pytest.raises(ValueError, match=r"config\.json must"):
        from_pretrained(folder)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.pop("transformer.h.1.ln_2.bias"), "h.1.ln_2.bias, which is missing"),
        (lambda t: t.update(extra=torch.ones(1)), "only those of the model; got extra"),
        (
            lambda t: t.update({"transformer.wpe.weight": torch.ones(8, 32)}),
            r"wpe.weight must have the shape \(320, 32\) here; got \(8, 32\)",
        ),
        (
            lambda t: t.update({"transformer.h.0.attn.c_attn.weight": torch.ones(96)}),
            r"c_attn.weight must have the shape \(32, 96\) here; got \(96,\)",
        ),
    ],
)
def test_a_weight_that_does_not_fit_is_named(change: Any, says: str, folder: Path) -> None:
    change_weights(folder, change)
    with pytest.raises(ValueError, match=says):
        from_pretrained(folder)


def header(**tensors: Any) -> bytes:
    """A safetensors file that is a header and four zeros."""
    text = json.dumps(tensors).encode()
    return struct.pack("<Q", len(text)) + text + bytes(4)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        struct.pack("<Q", 2**62),  # a header of exabytes
        header(a={"dtype": "F32", "shape": [2**50], "data_offsets": [0, 2**52]}),
        header(
            a={"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
            b={"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        ),
        header(a={"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}),
        header(a="nothing"),
    ],
    ids=["empty", "long header", "long tensor", "overlap", "negative", "no tensor"],
)
def test_a_hostile_file_is_refused(content: bytes, folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.safetensors must be a whole safetensors file"):
        from_pretrained(folder)


def test_a_truncated_file_is_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        from_pretrained(folder)


def test_a_pickle_is_refused_and_never_opened(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"must contain model\.safetensors, or an index"):
        from_pretrained(folder)
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    with pytest.raises(FileNotFoundError, match="opening a pickle runs code from it"):
        from_pretrained(folder)


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", 7])
def test_an_index_leads_nowhere_else(name: Any, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"transformer.wte.weight": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ValueError, match="the index must name files of its own folder"):
        from_pretrained(folder)


def test_mistrals_window_is_there_where_its_config_is_silent(tmp_path: Path) -> None:
    write("mistral", tmp_path)
    path = tmp_path / "config.json"
    given = json.loads(path.read_text()) | {"max_position_embeddings": 5000}
    del given["sliding_window"]
    path.write_text(json.dumps(given))
    assert from_pretrained(tmp_path).config.sliding_window == 4096


def test_llamas_layers_have_no_window_however_many_there_are() -> None:
    """As in transformers, whose Llama does not read the key."""
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 56}
    given = {**sizes, "vocab_size": 50, "num_hidden_layers": 40, "sliding_window": 9}
    assert LAYOUTS["llama"].read_config(given).sliding_window is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda w: w.fill_(torch.nan), "must be finite; wte.weight has NaN or ∞"),
        (
            lambda w: torch.cat([w[1:], w[:1] - torch.inf]),
            "must be finite; wte.weight has NaN or ∞",
        ),
        (lambda w: w.to(torch.int8), "wte.weight is int8, as in a quantized model"),
        (lambda w: w.half(), "one dtype; wpe.weight is float32 and .* before it are float16"),
    ],
)
def test_weights_that_cannot_be_computed_with_are_named(
    change: Any, says: str, folder: Path
) -> None:
    name = "transformer.wte.weight"
    change_weights(folder, lambda tensors: tensors.update({name: change(tensors[name])}))
    with pytest.raises(ValueError, match=says):
        from_pretrained(folder)


def test_a_model_that_a_layout_cannot_describe_is_not_written(tmp_path: Path) -> None:
    sizes = {"vocab_size": 9, "d_model": 8, "n_layers": 1, "n_heads": 2, "d_ff": 16}
    model = DecoderOnly(
        TransformerConfig(
            family="decoder",
            positions="alibi",
            max_length=64,
            norm="rms",
            activation="swiglu",
            **sizes,
        )
    )
    with pytest.raises(ValueError, match="its positions is 'alibi'"):
        save_pretrained(model, tmp_path / "new", "llama")
    assert not (tmp_path / "new").exists()


def test_a_layout_without_a_name_for_an_activation_says_so(tmp_path: Path) -> None:
    write("llama", tmp_path)
    with pytest.raises(ValueError, match="that gpt2's layout can describe; it has no 'swiglu'"):
        save_pretrained(from_pretrained(tmp_path), tmp_path / "new", "gpt2")


def test_a_model_that_cannot_be_saved_is_not_blamed_on_a_file(tmp_path: Path) -> None:
    write("llama", tmp_path)
    with pytest.raises(ValueError, match=r"^the model must be one that marian's layout can desc"):
        save_pretrained(from_pretrained(tmp_path), tmp_path / "new", "marian")


def test_old_names_and_buffers_are_known(tmp_path: Path) -> None:
    """The first BERT files say gamma and beta; GPT-2's hold its causal mask."""
    write("bert", tmp_path)
    ids = torch.tensor([[5, 6, 7]])
    before = from_pretrained(tmp_path)(ids)

    def age(tensors: dict[str, torch.Tensor]) -> None:
        for name in list(tensors):
            if "LayerNorm" in name:
                old = name.replace(".weight", ".gamma").replace(".bias", ".beta")
                tensors[old] = tensors.pop(name)
        tensors["bert.embeddings.position_ids"] = torch.arange(320)[None]
        tensors["bert.pooler.dense.bias"] = torch.ones(32)

    change_weights(tmp_path, age)
    assert torch.equal(from_pretrained(tmp_path)(ids), before)


def test_names_without_the_prefix_are_the_same_model(folder: Path) -> None:
    ids = torch.tensor([[5, 6, 7]])
    before = from_pretrained(folder)(ids)

    def shorten(tensors: dict[str, torch.Tensor]) -> None:
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)
        tensors["h.0.attn.bias"] = torch.ones(1, 1, 320, 320)

    change_weights(folder, shorten)
    assert torch.equal(from_pretrained(folder)(ids), before)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("gpt2", {"n_embd": None}, "n_embd must be a whole number"),
        ("gpt2", {"model_type": ["gpt2"]}, "model_type must be"),
        ("llama", {"sliding_window": "far"}, "sliding_window must be a whole number"),
        ("gpt2", {"use_moe": True}, "use_moe is not a key that we know"),
        ("gpt2", {"n_ctx": 64}, "n_ctx must be n_positions, 320; got 64"),
        ("gpt2", {"architectures": ["LlamaForCausalLM"]}, "architectures must be .* 'Llama"),
        ("gpt2", {"is_encoder_decoder": True}, "is_encoder_decoder must be False"),
        ("gpt2", {"auto_map": {"AutoModel": "code.Model"}}, "auto_map is not a key"),
        ("gpt2", {"pruned_heads": {"0": [1]}}, "pruned_heads is not a key"),
        ("llama", {"quantization_config": {"bits": 4}}, "quantization_config is not a key"),
        ("llama", {"rope_theta": 5.0}, "rope_theta must be rope_parameters' rope_theta, 10000.0"),
        ("llama", {"rope_scaling": {"type": "linear"}}, "rope_scaling must be rope_parameters"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1.0"),
        (
            "llama",
            {"rope_parameters": {"rope_theta": 1e4, "rope_type": "default", "turns": 3}},
            "turns is not a key of rope_parameters",
        ),
        ("qwen2", {"layer_types": ["sliding_attention"] * 3}, "layer_types must be 'full_atten"),
        ("bert", {"add_cross_attention": True}, "add_cross_attention must be False"),
        ("marian", {"normalize_before": True}, "normalize_before must be False"),
        ("marian", {"num_hidden_layers": 7}, "num_hidden_layers must be encoder_layers, 2; got 7"),
    ],
)
def test_a_key_that_nobody_follows_or_that_contradicts_another_is_refused(
    name: str, options: Any, says: str, tmp_path: Path
) -> None:
    write(name, tmp_path)
    change_config(tmp_path, **options)
    with pytest.raises((ValueError, TypeError), match=says):
        from_pretrained(tmp_path)


def published_config(**options: Any) -> dict[str, Any]:
    return {"transformers_version": "4.0.0", "use_cache": True, **options}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        # What stands in the published files of GPT-2, Llama, BERT and Marian, beside the sizes.
        (
            "gpt2",
            {
                "n_ctx": 320,
                "summary_type": "cls_index",
                "task_specific_params": {"text-generation": {"do_sample": True}},
            },
        ),
        ("llama", {"rope_scaling": None, "pretraining_tp": 1, "torch_dtype": "float16"}),
        ("qwen2", {"use_mrope": False, "sliding_window": 131072, "max_window_layers": 21}),
        ("bert", {"directionality": "bidi", "pooler_type": "first_token_transform"}),
        (
            "marian",
            {
                "add_bias_logits": False,
                "add_final_layer_norm": False,
                "normalize_embedding": False,
                "extra_pos_embeddings": 50,
                "bad_words_ids": [[49]],
                "num_hidden_layers": 2,
                "pruned_heads": {},
            },
        ),
    ],
)
def test_what_published_files_say_beside_is_known(name: str, options: Any, tmp_path: Path) -> None:
    write(name, tmp_path)
    change_config(tmp_path, **published_config(**options))
    from_pretrained(tmp_path)


def test_a_weight_that_lies_in_two_parts_is_refused(tmp_path: Path) -> None:
    """Which of the two would it be? The index says one, and the file of the other has it too."""
    write("gpt2", tmp_path, max_shard_size="20KB")
    one, *_, last = sorted(tmp_path.glob("*.safetensors"))
    tensors = load_file(last)
    name = next(iter(load_file(one)))
    save_file(tensors | {name: load_file(one)[name]}, last, {"format": "pt"})
    with pytest.raises(ValueError, match=r"once; .* has it again"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "offsets",
    [([0, 8], [4, 12]), ([0, 4], [8, 12]), ([0, 4], [4, 2**63]), ([4, 8], [8, 12])],
    ids=["overlap", "gap", "beyond the end", "late start"],
)
def test_tensors_lie_one_after_the_other_and_fill_the_file(offsets: Any, folder: Path) -> None:
    tensors = {
        name: {"dtype": "F32", "shape": [(end - start) // 4], "data_offsets": [start, end]}
        for name, (start, end) in zip("ab", offsets, strict=True)
    }
    (folder / "model.safetensors").write_bytes(header(**tensors) + bytes(8))
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        from_pretrained(folder)
