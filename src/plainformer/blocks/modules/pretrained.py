"""Published weights: a folder with a config.json and safetensors files becomes a model, and back.

Pickles are refused, because opening one runs code from it. Safetensors files are mapped into memory
instead of copied, and a weight that is transposed in the file becomes a view. A weight that is
missing, unexpected or of the wrong shape raises an error that names it, so a model is never
returned half loaded.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from tqdm import tqdm

from plainformer.arrays import check_choice
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.models import DecoderOnly, EncoderDecoder, EncoderOnly
from plainformer.blocks.published import LAYOUTS, Layout, StoredWeight, read_keys
from plainformer.files import atomic_open, atomic_write

__all__ = ["from_pretrained", "save_pretrained"]

Model = DecoderOnly | EncoderOnly | EncoderDecoder
MODELS: dict[str, type[Model]] = {
    "decoder": DecoderOnly,
    "encoder": EncoderOnly,
    "encoder_decoder": EncoderDecoder,
}
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.ckpt", "tf_model.h5")
LARGE = 100  # a model with this many weights shows a progress bar
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def from_pretrained(
    folder: str | Path,
    *,
    impl: Literal["formula", "sdpa"] = "sdpa",
) -> Any:
    """Load the model in a folder: a `DecoderOnly`, `EncoderOnly` or `EncoderDecoder`.

    It is in evaluation mode and has the file's dtype. Its weights are mapped from the file, which
    therefore has to stay in place. Training changes copies of them, and never the file.

    Args:
        folder: contains config.json, and model.safetensors or the parts that
            model.safetensors.index.json lists. The layouts are those of GPT-2, Llama 2 and 3,
            Mistral, Qwen2, Qwen3, Gemma 2, the text models of Gemma 3, BERT and Marian.
        impl: "formula", or "sdpa" for torch's fused kernels.

    Raises:
        FileNotFoundError: a file is missing, or there are only pickles.
        ValueError: an option that we do not support, weights that are not finite or not floats of
            one dtype, or a file that is damaged or does not match its config.json.
    """
    folder = Path(folder)
    given = _read_json(folder / "config.json")
    kind = given.get("model_type")
    known = "config.json: model_type"
    layout = LAYOUTS[check_choice(kind, known, list(LAYOUTS))]
    config = read_keys(given, layout.read_config)
    with torch.device("meta"):  # only the shapes, without allocating memory
        model: Model = MODELS[config.family](config, impl=impl)
    weights = _Weights(_weight_files(folder), layout)
    wanted = dict(model.named_parameters())  # contains a tied table once
    stored = [each for each in layout.weights(config) if each[0] in wanted]
    few = len(stored) < LARGE
    found = {
        ours: weights.take(each, tuple(wanted[ours].shape))
        for ours, each in tqdm(stored, "weights", disable=few, leave=False)
    }
    weights.refuse_rest(stored, config)
    _put(model, found)
    return model.eval()


def save_pretrained(model: Model, folder: str | Path, model_type: str) -> None:
    """Write a folder that `from_pretrained` and transformers can open.

    Args:
        model: any of the three families.
        folder: created if it does not exist.
        model_type: "gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text", "bert" or
            "marian". If that layout cannot describe the model, a ValueError is raised.
    """
    layout = LAYOUTS[check_choice(model_type, "model_type", list(LAYOUTS))]
    given = _describe(model.config.resolved(), layout)
    parts: dict[str, dict[int, Tensor]] = {}
    ours = dict(model.named_parameters())
    for name, stored in layout.weights(model.config):
        if name in ours:
            weight = ours[name].detach()
            weight = weight.mT if stored.transposed else weight
            weight = weight[None] if stored.row else weight
            parts.setdefault(stored.name, {})[stored.part[0] if stored.part else 0] = weight
    tensors = {
        name: torch.cat([pieces[i] for i in sorted(pieces)], dim=-1).contiguous()
        for name, pieces in parts.items()
    }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Written elsewhere and then renamed, because a loaded model may still map the old file.
    with atomic_open(folder / "model.safetensors") as file:
        named = {layout.written(name): tensor for name, tensor in tensors.items()}
        file.write(save(named, metadata={"format": "pt"}))
    atomic_write(folder / "config.json", json.dumps(given, indent=2) + "\n")


def _describe(config: TransformerConfig, layout: Layout) -> dict[str, Any]:
    """The config.json of a model, if a layout can describe it."""
    cannot = f"the model must be one that {layout.model_type}'s layout can describe"
    try:
        given = layout.write_config(config)
        theirs = layout.read_config(given).resolved()
    except KeyError as error:  # an activation for which the layout has no name
        raise ValueError(f"{cannot}; it has no {error}") from None
    except ValueError as error:  # reading it back would be refused
        raise ValueError(f"{cannot}; {str(error).removeprefix('config.json: ')}") from None
    for field in fields(config):
        value, read = getattr(config, field.name), getattr(theirs, field.name, field.default)
        if read != value and field.name not in ("dropout", "activation_dropout"):
            raise ValueError(
                f"{cannot}; its {field.name} is {value!r}, and would be read as {read!r}"
            )
    return given


class _Weights:
    """The weights of a folder by their published names, each mapped only when it is needed."""

    def __init__(self, files: list[Path], layout: Layout) -> None:
        self.layout = layout
        self.files: dict[str, Any] = {}  # the file that contains each weight
        self.stored: dict[str, str] = {}  # its name in that file
        self.dtype: torch.dtype | None = None  # of all weights so far
        for path in files:
            try:
                opened: Any = safe_open(path, framework="pt")
            except SafetensorError as error:
                raise ValueError(f"{path} must be a whole safetensors file; {error}") from None
            for stored in opened.keys():  # noqa: SIM118 - not a dict
                name = self._modern(stored)
                if name in self.files:
                    raise ValueError(f"the weights must contain {name} once; {path} has it again")
                self.files[name], self.stored[name] = opened, stored

    def take(self, stored: StoredWeight, shape: tuple[int, ...]) -> Tensor:
        """The tensor for a parameter of this shape, as a view of the file if possible."""
        if stored.name not in self.files:
            raise ValueError(f"the weights must contain {stored.name}, which is missing")
        weight: Tensor = self.files[stored.name].get_tensor(self.stored[stored.name])
        self.dtype = self.dtype or weight.dtype
        _check_numbers(weight, self.dtype, stored.name)
        if (got := tuple(weight.shape)) != (there := stored.shape_of(shape)):
            raise ValueError(f"{stored.name} must have the shape {there} here; got {got}")
        if stored.part is not None:
            index, count = stored.part
            weight = weight.chunk(count, dim=-1)[index]
        weight = weight.mT if stored.transposed else weight
        return weight.squeeze(0) if stored.row else weight

    def refuse_rest(
        self, stored: list[tuple[str, StoredWeight]], config: TransformerConfig
    ) -> None:
        """Refuse a weight that the model does not use and the layout does not list."""
        taken = {each.name for _, each in stored}
        tied = {each.name for ours, each in self.layout.once.items() if ours == "head.table"}
        known = taken | (tied if config.tied else set())
        for name in self.files:
            if name not in known and not name.endswith(self.layout.unused):
                raise ValueError(f"the weights must contain only those of the model; got {name}")

    def _modern(self, name: str) -> str:
        """A stored name without its prefix, and with outdated endings replaced."""
        name = name.removeprefix(self.layout.prefix)
        for old, new in self.layout.renamed.items():
            if name.endswith(old):
                return name.removesuffix(old) + new
        return name


def _check_numbers(weight: Tensor, dtype: torch.dtype, name: str) -> None:
    """Refuse a weight that is not float, differs in dtype from the others, or is not finite."""
    theirs, others = (str(each).removeprefix("torch.") for each in (weight.dtype, dtype))
    if weight.dtype not in DTYPES:
        raise ValueError(
            f"the weights must be float16, bfloat16, float32 or float64; {name} is {theirs}, as in "
            "a quantized model, which we do not support"
        )
    if theirs != others:
        raise ValueError(
            f"the weights must all have one dtype; {name} is {theirs} and the weights before it "
            f"are {others}"
        )
    wide = torch.float64 if weight.dtype == torch.float64 else torch.float32
    if not math.isfinite(weight.sum(dtype=wide)):  # this needs no copy of the weight
        raise ValueError(f"the weights must be finite; {name} has NaN or ∞")


def _put(model: nn.Module, found: dict[str, Tensor]) -> None:
    """Make these the parameters of a model on the meta device, keeping tied ones tied."""
    made = {}
    for name, parameter in model.named_parameters():
        if name not in found:
            raise ValueError(f"the layout must say how {name} is stored; it does not")
        made[parameter] = nn.Parameter(found[name])
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            setattr(module, name, made[parameter])


def _weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder: one, or those that its index lists."""
    if (whole := folder / "model.safetensors").is_file():
        return [whole]
    if (index := folder / "model.safetensors.index.json").is_file():
        weight_map = _read_json(index).get("weight_map")
        if not isinstance(weight_map, dict):
            raise ValueError(f"{index} must have a weight_map from names to files")
        for name in weight_map.values():
            if not isinstance(name, str) or Path(name).name != name:
                raise ValueError(f"the index must name files of its own folder; got {name!r}")
            if not (folder / name).is_file():
                raise FileNotFoundError(f"{folder} must contain {name}, which its index lists")
        return sorted({folder / name for name in weight_map.values()})
    for name in PICKLES:
        if (folder / name).exists():
            raise FileNotFoundError(
                f"{folder} must contain model.safetensors; it has {name}, and opening a "
                "pickle runs code from it. transformers' save_pretrained writes safetensors."
            )
    raise FileNotFoundError(f"{folder} must contain model.safetensors, or an index of its parts")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON; {error}") from None
    if not isinstance(given, dict):
        raise ValueError(f"{path} must contain a JSON object; got a {type(given).__name__}")
    return given
