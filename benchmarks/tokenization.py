"""Measure `BPETokenizer` beside `tokenizers`: time and memory, on one thread, on the same text.

    python benchmarks/tokenization.py [--text FILE] [--vocab-size 4096] [--repeats 5]

First the two must agree: the same merges, the same ids. Times are medians of wall-clock time; the
two take turns, so that a busy machine troubles both. Memory is by how much the peak resident set
grows, in a fresh process that has already imported both libraries and read the text.
"""

from __future__ import annotations

import os

# Both on one thread: to be set before `tokenizers` is imported.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import tokenizers
from race import seconds
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from plainformer.inputs.tokenization import BPETokenizer, bytes_to_unicode

LIMITS = {"train, s": 2.0, "encode, s": 1.0, "train, peak MB": 2.0, "encode, peak MB": 2.0}


# The two libraries, made to do the same


def train_ours(text: str, vocab_size: int) -> BPETokenizer:
    return BPETokenizer.train(text, vocab_size)


def train_theirs(text: str, vocab_size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def load_ours(file: Path) -> BPETokenizer:
    return BPETokenizer.load(file)


def load_theirs(file: Path) -> Tokenizer:
    return Tokenizer.from_file(str(file))


def check_that_they_agree(text: str, vocab_size: int, file: Path) -> int:
    """Train and encode with both, and save ours for the measurements. The number of ids."""
    ours, theirs = train_ours(text, vocab_size), train_theirs(text, vocab_size)
    merges = [[bytes_to_unicode(first), bytes_to_unicode(second)] for first, second in ours.merges]
    if merges != json.loads(theirs.to_str())["model"]["merges"]:
        sys.exit("the merges differ: there is nothing to compare")
    ids = ours.encode(text)
    if ids != theirs.encode(text).ids or ours.decode(ids) != text:
        sys.exit("the ids differ: there is nothing to compare")
    ours.save(file)
    return len(ids)


# Measuring


def measure_times(text: str, vocab_size: int, file: Path, repeats: int) -> dict[str, list[float]]:
    """Median seconds, ours and theirs."""
    taken: dict[str, tuple[list[float], list[float]]] = {
        name: ([], []) for name in ("train, s", "encode, s", "encode again, s")
    }
    for _ in range(repeats):
        taken["train, s"][0].append(seconds(lambda: train_ours(text, vocab_size)))
        taken["train, s"][1].append(seconds(lambda: train_theirs(text, vocab_size)))
        ours, theirs = load_ours(file), load_theirs(file)  # with nothing in their caches
        for name in ("encode, s", "encode again, s"):
            taken[name][0].append(seconds(lambda: ours.encode(text)))  # noqa: B023  # called at once
            taken[name][1].append(seconds(lambda: theirs.encode(text).ids))  # noqa: B023  # called at once
    return {name: [*map(statistics.median, times)] for name, times in taken.items()}


def measure_memory(text_file: Path, vocab_size: int, file: Path) -> dict[str, list[float]]:
    """Megabytes, ours and theirs: each the median of three fresh processes."""
    command = [sys.executable, __file__, "--text", str(text_file), "--vocab-size", str(vocab_size)]
    return {
        f"{work}, peak MB": [
            statistics.median(
                float(subprocess.check_output([*command, "--job", work, whose, str(file)]))
                for _ in range(3)
            )
            for whose in ("ours", "theirs")
        ]
        for work in ("train", "encode")
    }


def growth_of_one_job(text: str, vocab_size: int, work: str, whose: str, file: Path) -> float:
    """In the fresh process: the megabytes by which this one job raises the peak."""
    before = peak_megabytes()
    if work == "train":
        result: object = (train_ours if whose == "ours" else train_theirs)(text, vocab_size)
    elif whose == "ours":
        result = load_ours(file).encode(text)
    else:
        result = load_theirs(file).encode(text).ids
    after = peak_megabytes()
    del result
    return after - before


def peak_megabytes() -> float:
    """The peak resident set of this process. (On Linux `ru_maxrss` would include its parent's.)"""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts in bytes


# The table


def show(rows: dict[str, list[float]]) -> None:
    print(f"{'':16}{'ours':>10}{'theirs':>10}{'ratio':>8}{'at most':>10}")
    for name, (ours, theirs) in rows.items():
        line = f"{name:16}{ours:10.2f}{theirs:10.2f}{ours / theirs:8.2f}"
        if name in LIMITS:
            line += f"{LIMITS[name]:10.1f}{'' if ours <= LIMITS[name] * theirs else '  missed'}"
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description="BPETokenizer beside tokenizers.")
    parser.add_argument("--text", type=Path, help="a text file; without it, tinyshakespeare")
    parser.add_argument("--vocab-size", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--job", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    vocab_size = arguments.vocab_size
    if arguments.job:
        text = arguments.text.read_bytes().decode("utf-8")
        work, whose, file = arguments.job
        print(growth_of_one_job(text, vocab_size, work, whose, Path(file)))
        return

    with tempfile.TemporaryDirectory() as folder:
        if arguments.text is None:
            from plainformer.data import load

            arguments.text = Path(folder) / "text.txt"
            arguments.text.write_bytes(load("tinyshakespeare").encode("utf-8"))
        text = arguments.text.read_bytes().decode("utf-8")
        file = Path(folder) / "tokenizer.json"
        n_ids = check_that_they_agree(text, vocab_size, file)
        print(
            f"{len(text):,} characters, vocabulary {vocab_size:,}: "
            f"the same merges, the same {n_ids:,} ids.\n"
            f"Python {platform.python_version()}; tokenizers {tokenizers.__version__}; one thread; "
            f"medians of {arguments.repeats}.\n"
        )
        times = measure_times(text, vocab_size, file, arguments.repeats)
        show(times | measure_memory(arguments.text, vocab_size, file))


if __name__ == "__main__":
    main()
