"""Compare a folder of published weights with transformers: the same logits, the same tokens?

    python -m plainformer.blocks.compare path/to/gpt2
    python -m plainformer.blocks.compare path/to/gpt2 --text "your cat is a lovely"

Rounding grows with the logits, so the tolerance is a share of the largest one. In trials with
random weights, 12 to 24 layers deep, rounding stayed below 0.000006 of it, and a wrong bend or a
wrong ε moved more than 0.0002. But: in a very small model, a wrong ε may move less than 0.00005,
and then it passes.

Exit code: 0 if both are the same model, 1 if they differ, 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from plainformer.inputs import BPETokenizer

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code.

    Args:
        arguments: what stands after the command; None: those of the shell.
    """
    asked = _parser().parse_args(arguments)
    if importlib.util.find_spec("transformers") is None:
        return _refuse("transformers is not installed; `pip install transformers` brings it")
    # Not at the top: --help answers at once, and without torch.
    from plainformer.blocks.modules.side_by_side import compare_with_transformers, peak_memory

    before = peak_memory()
    try:
        tokenizer = None if asked.text is None else _tokenizer(asked.folder)
        ids = None if tokenizer is None else tokenizer.encode(asked.text)
        if ids == []:
            raise ValueError("--text must have at least one token")
        found = compare_with_transformers(asked.folder, ids, asked.tokens)
    except (OSError, ValueError, TypeError) as error:
        return _refuse(str(error))
    config = found.model.config
    weights = sum(weight.numel() for weight in found.model.parameters())
    print(f"model       {config.family}, {config.n_layers} layers, {weights:,} weights")
    print(f"logits      largest difference {found.difference:.2g}, largest {found.largest:.3g}")
    for name, tokens in (("ours", found.ours), ("theirs", found.theirs)):
        print(f"{name:11}", tokens if tokenizer is None else repr(tokenizer.decode(tokens)))
    if found.memory is not None and before is not None:
        print(
            f"memory      peak {found.memory / 1e6:,.0f} MB, {before / 1e6:,.0f} MB of it before "
            f"loading; the weights in float32 are {4 * weights / 1e6:,.0f} MB"
        )
    close = found.difference <= asked.tolerance * found.largest
    same = close and found.ours == found.theirs
    print(f"verdict     {'the same model' if same else 'NOT the same model'}")
    return 0 if same else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.blocks.compare",
        description="Load a folder of published weights here and with transformers, and compare "
        "logits, greedy tokens and memory.",
        epilog="Exit code: 0 if both are the same model, 1 if they differ, 2 if there is nothing "
        "to compare.",
    )
    parser.add_argument(
        "folder", type=Path, help="holds config.json and model.safetensors, or its parts"
    )
    parser.add_argument(
        "--text", help="what both read, by the folder's tokenizer.json; without it, random tokens"
    )
    parser.add_argument("--tokens", type=int, default=20, help="how many to write (20)")
    parser.add_argument(
        "--tolerance", type=float, default=5e-5,
        help="how far two logits may be apart, as a share of the largest (0.00005)",
    )  # fmt: skip
    return parser


def _tokenizer(folder: Path) -> BPETokenizer:
    """The folder's own; it alone knows what its ids mean."""
    if not (folder / "tokenizer.json").is_file():
        raise FileNotFoundError(
            f"{folder} must hold tokenizer.json for --text; without --text, random tokens are read"
        )
    return BPETokenizer.load(folder / "tokenizer.json")


def _refuse(why: str) -> int:
    print(f"compare: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
