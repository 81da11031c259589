"""Write a run to disk, whole or not at all, and go on from there as if nothing had happened.

The file is safetensors: weights, the optimiser's averages and torch's generator are tensors, and
the rest is JSON in its header. Nothing in it can run. A run that is loaded again takes the same
steps, bit for bit, as one that never stopped.

But: the schedule, the loss and the texts are not in the file. They must be made again as they were;
the command of each task does so from its configuration. Nor is the generator of a GPU: a run with
dropout there goes on with other draws.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from plainformer.files import atomic_write
from plainformer.training.loop import Run

__all__ = ["load_checkpoint", "save_checkpoint"]

FORMAT = "plainformer checkpoint 1"


def save_checkpoint(path: str | os.PathLike[str], run: Run) -> None:
    """Replace a file by a run as it stands; whatever goes wrong, one of the two is whole.

    Raises:
        OSError: the folder does not exist, the disk is full, and so on.
    """
    tensors = {f"model.{name}": tensor for name, tensor in _weights(run).items()}
    given = run.optimizer.state_dict()
    numbers: dict[str, Any] = {}
    for index, state in given["state"].items():
        for key, value in state.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{key}"] = value
            else:
                numbers[f"{index}.{key}"] = value
    tensors["rng"] = torch.get_rng_state()
    said = {
        "format": FORMAT,
        "step": json.dumps(run.step),
        "groups": json.dumps(given["param_groups"]),
        "numbers": json.dumps(numbers),
        "batches": json.dumps(run.batches.state_dict()),
    }
    atomic_write(path, save({name: t.contiguous() for name, t in tensors.items()}, said))


def load_checkpoint(path: str | os.PathLike[str], run: Run) -> None:
    """Bring a run to where a checkpoint stands; it must be of the same model.

    Nothing of the run has changed when this raises.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is cut short, no checkpoint, or one of another
            model, another optimiser or other batches.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"path must be a checkpoint; there is no file {file}")
    try:
        with safe_open(file, framework="pt") as opened:
            said: dict[str, str] = opened.metadata() or {}
            tensors: dict[str, Tensor] = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{file} must be a whole safetensors file; {error}") from None
    if said.get("format") != FORMAT:
        raise ValueError(f"{file} must be a checkpoint of a run; got other weights")
    weights = _weights(run)
    stored = {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("model.")}
    _check_same(file, weights, stored)
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, index, key = name.split(".", 2)
            state.setdefault(int(index), {})[key] = tensor
    for name, number in json.loads(said["numbers"]).items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = number
    groups = json.loads(said["groups"])
    ours = [len(group["params"]) for group in run.optimizer.param_groups]
    if ours != (theirs := [len(group["params"]) for group in groups]):
        raise ValueError(f"{file} must be of the same optimiser: groups of {ours}; got {theirs}")
    for group, saved in zip(run.optimizer.param_groups, groups, strict=True):
        if odd := sorted(group.keys() ^ saved.keys()):
            raise ValueError(f"{file} must be of the same optimiser; only one of them has {odd[0]}")
    try:
        run.batches.load_state_dict(json.loads(said["batches"]))
    except ValueError as error:
        raise ValueError(f"{file} must be of the same batches; {error}") from None
    run.optimizer.load_state_dict({"state": state, "param_groups": groups})
    with torch.no_grad():
        for name, tensor in stored.items():
            weights[name].copy_(tensor)
    torch.set_rng_state(tensors["rng"])
    run.step = json.loads(said["step"])


def _weights(run: Run) -> dict[str, Tensor]:
    """A model's parameters and buffers by name, shared ones once."""
    found: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in run.model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[name] = tensor
    return found


def _check_same(file: Path, ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> None:
    if odd := sorted(ours.keys() ^ theirs.keys()):
        lacks = "lacks" if odd[0] in ours else "has"
        raise ValueError(f"{file} must be a checkpoint of this model; it {lacks} {odd[0]}")
    for name, tensor in ours.items():
        if tensor.shape != theirs[name].shape:
            got = tuple(theirs[name].shape)
            raise ValueError(f"{file}: {name} must be {tuple(tensor.shape)}; got {got}")
        if tensor.dtype != theirs[name].dtype:  # rounded weights take other steps
            raise ValueError(f"{file}: {name} must be {tensor.dtype}; got {theirs[name].dtype}")
