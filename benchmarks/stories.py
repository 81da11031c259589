"""How well course-lm predicts stories that it has not read, beside counting and beside compressors.

    PLAINFORMER_DATA=… python benchmarks/stories.py            print the table
    PLAINFORMER_DATA=… python benchmarks/stories.py --write    and put it on the model's card

The text is that of the card, so this needs the folder in which it is. The rivals read the same
training text: an n-gram model with modified Kneser–Ney smoothing (Chen and Goodman 1999) counts the
same tokens, and bzip2 and xz compress the held-out text after as much of the training text as they
can remember. What they add to the compressed training text is what the held-out text costs.
"""

from __future__ import annotations

import argparse
import bz2
import json
import lzma
import math
from collections import Counter, defaultdict

import torch

from plainformer.data import load
from plainformer.files import atomic_write
from plainformer.training import bits_per_byte, held_out_loss, perplexity
from plainformer.training.heads import induction_scores
from plainformer.training.tasks import LanguageModelSettings, course_lm, read_corpus
from plainformer.training.tasks.saving import CHECKPOINTS

ORDER = 6
BLOCK = 900_000  # bytes that bzip2 compresses at once, and all that it remembers
PIECE = 100_000  # bytes of held-out text in such a block


class KneserNey:
    """Interpolated n-grams with modified Kneser–Ney smoothing."""

    def __init__(self, ids: list[int], order: int, vocab_size: int) -> None:
        self.order, self.vocab_size = order, vocab_size
        counts = Counter(zip(*(ids[i:] for i in range(order)), strict=False))
        self.levels = []  # from the longest n-grams to single tokens
        for _ in range(order):
            self.levels.append(self._level(counts))
            shorter: Counter[tuple[int, ...]] = Counter()
            for n_gram in counts:  # in how many different contexts, not how often
                shorter[n_gram[1:]] += 1
            counts = shorter

    @staticmethod
    def _level(counts: Counter[tuple[int, ...]]) -> tuple[dict, dict, dict, list[float]]:
        """The counts, the sum and the discounted mass of each history, and the discounts."""
        n1, n2, n3, n4 = (sum(c == k for c in counts.values()) for k in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2)
        discounts = [0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        totals: defaultdict[tuple[int, ...], int] = defaultdict(int)
        spared: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for n_gram, count in counts.items():
            totals[n_gram[:-1]] += count
            spared[n_gram[:-1]] += discounts[min(count, 3)]
        return dict(counts), totals, spared, discounts

    def probability(self, n_gram: tuple[int, ...]) -> float:
        """Of the last token of an n-gram after the others."""
        counts, totals, spared, discounts = self.levels[self.order - len(n_gram)]
        shorter = self.probability(n_gram[1:]) if len(n_gram) > 1 else 1 / self.vocab_size
        total = totals.get(n_gram[:-1], 0)
        if not total:
            return shorter
        count = counts.get(n_gram, 0)
        kept = max(0.0, count - discounts[min(count, 3)])
        return (kept + spared[n_gram[:-1]] * shorter) / total

    def loss(self, ids: list[int]) -> float:
        """Nats per token, of all tokens but the first."""
        found = [
            -math.log(self.probability(tuple(ids[max(0, i - self.order + 1) : i + 1])))
            for i in range(1, len(ids))
        ]
        return sum(found) / len(found)


def bzip2_bits(train: bytes, held_out: bytes) -> float:
    """Bits per byte of bzip2, piece by piece, each after the end of the training text."""
    added = 0
    for i in range(0, len(held_out), PIECE):
        piece = held_out[i : i + PIECE]
        before = train[-(BLOCK - len(piece) - 1000) :]
        added += len(bz2.compress(before + piece)) - len(bz2.compress(before))
    return 8 * added / len(held_out)


def xz_bits(train: bytes, held_out: bytes) -> float:
    """Bits per byte of xz, which remembers all of the training text."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    sizes = [
        len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=filters))
        for text in (train, train + held_out)
    ]
    return 8 * (sizes[1] - sizes[0]) / len(held_out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table on the model's card")
    write = parser.parse_args().write

    lm = course_lm()
    settings = LanguageModelSettings(**lm.card["settings"])
    corpus = read_corpus(settings)
    T, tokens, size = settings.context_length, len(corpus.held_out), corpus.held_out_bytes
    text = load(settings.text).encode()
    train, held_out = text[:-size], text[-size:]  # the documents are separated as in the corpus
    read = corpus.train[:tokens]
    stories = corpus.tokenizer.decode(read.tolist()).split("<sos> ")[1:]
    read_bytes = len("\n\n".join(stories).encode())
    counted = KneserNey(corpus.train.tolist(), ORDER, corpus.tokenizer.vocab_size)
    nats = {
        "course-lm": (held_out_loss(lm.model, corpus.held_out, T), size),
        "course-lm, on as much text that it has read": (
            held_out_loss(lm.model, read, T),
            read_bytes,
        ),
        f"Kneser-Ney {ORDER}-gram": (counted.loss(corpus.held_out.tolist()), size),
    }
    rows = {
        name: {
            "nats_per_token": round(loss, 4),
            "perplexity": round(perplexity(loss), 2),
            "bits_per_byte": round(bits_per_byte(loss, tokens, length), 4),
        }
        for name, (loss, length) in nats.items()
    }
    rows |= {
        "bzip2": {"bits_per_byte": round(bzip2_bits(train, held_out), 4)},
        "xz": {"bits_per_byte": round(xz_bits(train, held_out), 4)},
    }
    print(f"{size:,} bytes of held-out stories, {tokens:,} tokens   perplexity  bits per byte")
    for name, row in rows.items():
        print(f"{name:45}{row.get('perplexity', ''):>20}{row['bits_per_byte']:15.2f}")
    induction = induction_scores(lm.model)
    print(f"induction, the best head: {induction.max():.2f}")
    if write:
        path = CHECKPOINTS / "course_lm" / "card.json"
        card = json.loads(path.read_text(encoding="utf-8")) | {"rivals": rows}
        atomic_write(path, json.dumps(card, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
