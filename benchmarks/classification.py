"""How well docstrings are classified, over several splits: ours beside scikit-learn's.

    python benchmarks/classification.py [splits]

The chapter shows one split. Here are several, each by module, with a quarter held out. The strength
of the baselines' penalty is chosen on a part of the training modules, for each split anew; of ours,
nothing is chosen by split. The same texts, the same tests.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from plainformer.blocks import TransformerConfig
from plainformer.data import FIELDS, python_docstrings, split_by
from plainformer.training.tasks.classification import (
    AverageClassifier,
    EncoderClassifier,
    Labels,
    accuracy,
    fit,
    make_examples,
    make_vocabulary,
)

PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def baseline(learn: list[Any], test: list[Any], vectorizer: Any, seed: int) -> float:
    """Bag of words with logistic regression, its penalty chosen on modules held out of `learn`."""

    def score(some: list[Any], others: list[Any], c: float) -> float:
        model = make_pipeline(vectorizer, LogisticRegression(C=c, max_iter=1000))
        model.fit([d.text for d in some], [d.field for d in some])
        return float(model.score([d.text for d in others], [d.field for d in others]))

    some, others = split_by(attrgetter("module"), learn, 0.2, seed)
    best = max(PENALTIES, key=lambda c: score(some, others, c))
    return score(learn, test, best)


def ours(learn: list[Any], test: list[Any], seed: int) -> dict[str, float]:
    """The two classifiers of the chapter, as it trains them."""
    fields = Labels(tuple(FIELDS))
    words = make_vocabulary([d.text for d in learn], 8000)
    read, unread = (
        make_examples([d.text for d in some], [d.field for d in some], words, fields, 48)
        for some in (learn, test)
    )
    config = TransformerConfig(
        family="encoder", vocab_size=words.vocab_size, d_model=128, n_layers=1, n_heads=4,
        d_ff=256, positions="learned", max_length=48, dropout=0.2,
    )  # fmt: skip
    plain = fit(
        lambda: AverageClassifier(words.vocab_size, 64, 7, word_dropout=0.4),
        read, 600, peak=1e-2, seed=seed,
    )  # fmt: skip
    deep = fit(
        lambda: EncoderClassifier(config, 7, word_dropout=0.4), read, 450, peak=3e-3, seed=seed
    )
    return {"average of embeddings": accuracy(plain, unread), "encoder": accuracy(deep, unread)}


def main() -> int:
    """Print each model's accuracy on each split, and the mean with its standard error."""
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    texts, started = python_docstrings(), time.perf_counter()
    print(f"{len(texts):,} docstrings, {splits} splits by module")
    scores: dict[str, list[float]] = defaultdict(list)
    for seed in range(splits):
        learn, test = split_by(attrgetter("module"), texts, 0.25, seed)
        scores["bag of words, counts"].append(baseline(learn, test, CountVectorizer(), seed))
        tfidf = TfidfVectorizer(sublinear_tf=True)
        scores["bag of words, tf-idf"].append(baseline(learn, test, tfidf, seed))
        for name, score in ours(learn, test, seed).items():
            scores[name].append(score)
    for name, all_ in scores.items():
        error = np.std(all_, ddof=1) / len(all_) ** 0.5 if len(all_) > 1 else float("nan")
        each = " ".join(f"{score:.1%}" for score in all_)
        print(f"{name:22} {np.mean(all_):.1%} ± {error:.1%}   {each}")
    first = np.array(scores["bag of words, counts"])
    for name in list(scores)[1:]:
        difference = np.array(scores[name]) - first
        print(
            f"{name:22} above counts by {difference.mean():+.1%}, at least {min(difference):+.1%}"
        )
    print(f"({time.perf_counter() - started:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
