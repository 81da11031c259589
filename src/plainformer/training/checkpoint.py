"""Save a training run to disk and resume it as if it had never stopped.

The file is in the safetensors format, so opening it cannot run any code. The schedule, the loss and
the data are not in it, so they have to be created again as they were. A run that is resumed then
takes the same steps, bit for bit, as an uninterrupted one, except with dropout on a GPU, whose
random generator is not saved.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from plainformer.files import atomic_write
from plainformer.training.loop import Run

__all__ = ["check_fit", "load_checkpoint", "save_checkpoint"]

FORMAT = "plainformer checkpoint 1"


def save_checkpoint(path: str | os.PathLike[str], run: Run) -> None:
    """Write the state of a run to a file, replacing the file as a whole or not at all."""
    tensors = {f"model.{name}": tensor for name, tensor in _weights(run).items()}
    given, numbers = run.optimizer.state_dict(), {}
    for index, state in given["state"].items():
        for key, value in state.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{key}"] = value
            else:
                numbers[f"{index}.{key}"] = value
    tensors["rng"] = torch.get_rng_state()
    header = {
        "format": FORMAT,
        "step": json.dumps(run.step),
        "groups": json.dumps(given["param_groups"]),
        "numbers": json.dumps(numbers),
        "batches": json.dumps(run.batches.state_dict()),
    }
    atomic_write(path, save({name: t.contiguous() for name, t in tensors.items()}, header))


def load_checkpoint(path: str | os.PathLike[str], run: Run) -> None:
    """Restore the state of a run with the same model, optimizer and batches.

    If the file is damaged or belongs to another run, the error says so, and the run is left
    unchanged.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"path must be a checkpoint; there is no file {file}")
    try:
        with safe_open(file, framework="pt") as opened:
            header: dict[str, str] = opened.metadata() or {}
            tensors: dict[str, Tensor] = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{file} must be a whole safetensors file; {error}") from None
    if header.get("format") != FORMAT:
        raise ValueError(f"{file} must be a checkpoint of a run; got other weights")
    try:
        step, groups, numbers, position = (
            json.loads(header[key]) for key in ("step", "groups", "numbers", "batches")
        )
        rng = tensors.pop("rng")
        torch.Generator().set_state(rng)  # raises if it is not the state of a generator
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise ValueError(f"{file} must be a whole checkpoint; {error!r}") from None
    weights = _weights(run)
    stored = {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("model.")}
    wanted, found = (
        {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in each.items()}
        for each in (weights, stored)
    )
    check_fit(file, wanted, found)  # dtypes too, because rounded weights lead to different steps
    kept = {name[10:]: tensor for name, tensor in tensors.items() if name.startswith("optimizer.")}
    state: dict[int, dict[str, Any]] = defaultdict(dict)
    for name, value in (kept | numbers).items():
        index, key = name.split(".", 1)
        state[int(index)][key] = value
    ours = [len(group["params"]) for group in run.optimizer.param_groups]
    if ours != (theirs := [len(group["params"]) for group in groups]):
        raise ValueError(f"{file} must be of the same optimizer: groups of {ours}; got {theirs}")
    for group, saved in zip(run.optimizer.param_groups, groups, strict=True):
        if odd := sorted(group.keys() ^ saved.keys()):
            raise ValueError(f"{file} must be of the same optimizer; only one of them has {odd[0]}")
    try:
        run.batches.load_state_dict(position)
    except ValueError as error:
        raise ValueError(f"{file} must be of the same batches; {error}") from None
    run.optimizer.load_state_dict({"state": state, "param_groups": groups})
    with torch.no_grad():
        for name, tensor in stored.items():
            weights[name].copy_(tensor)
    torch.set_rng_state(rng)
    run.step = step


def _weights(run: Run) -> dict[str, Tensor]:
    """Return a model's parameters and buffers by name, with tied ones listed only once."""
    found: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in run.model.state_dict(keep_vars=True).items():
        found.setdefault(id(tensor), (name, tensor))
    return dict(found.values())


def check_fit(path: Path, wanted: dict[str, Any], found: dict[str, Any]) -> None:
    """Check that a file has the tensors of a model, each of them described by its shape."""
    if odd := sorted(key for key in wanted | found if wanted.get(key) != found.get(key)):
        raise ValueError(
            f"{path} must hold the weights of this model; {odd[0]} must be "
            f"{wanted.get(odd[0], 'absent')}, and is {found.get(odd[0], 'absent')}"
        )
