"""BLEU and chrF of translations, computed as sacreBLEU does with its default options.

Both compare translations with one reference each, and go from 0 to 100. BLEU counts matching
sequences of up to four words, and chrF matching sequences of up to six characters, which penalises
a wrong word ending less.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import regex

__all__ = ["bleu", "chrf"]

# The "13a" tokenization of the WMT evaluations: punctuation is separated, but not inside a number.
_RULES = (
    (r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 "),
    (r"([^0-9])([\.,])", r"\1 \2 "),
    (r"([\.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)


def bleu(translations: Sequence[str], references: Sequence[str]) -> float:
    """Compute the BLEU of a corpus, from 0 to 100, with one reference for each translation.

    Sequence lengths without a single match are smoothed by halving ("exp"), as sacreBLEU does.

    Source: Papineni et al. 2002; Post 2018 for the tokenization.

    >>> round(bleu(["the cat is on the mat."], ["the cat sat on the mat."]), 2)
    48.89
    """
    _check(translations, references)
    matches, totals, lengths = [0] * 4, [0] * 4, [0, 0]
    for translation, reference in zip(translations, references, strict=True):
        ours, theirs = _words(translation), _words(reference)
        lengths = [lengths[0] + len(ours), lengths[1] + len(theirs)]
        for n in range(4):
            found, wanted = _ngrams(ours, n + 1), _ngrams(theirs, n + 1)
            matches[n] += (found & wanted).total()
            totals[n] += found.total()
    if not all(totals) or not any(matches):
        return 0.0
    logs, smooth = [], 1.0
    for match, total in zip(matches, totals, strict=True):
        if match == 0:
            smooth *= 2
        logs.append(math.log(match / total if match else 1 / (smooth * total)))
    brevity = min(0.0, 1 - lengths[1] / lengths[0])
    return 100 * math.exp(brevity + sum(logs) / 4)


def chrf(translations: Sequence[str], references: Sequence[str]) -> float:
    """Compute the chrF of a corpus, from 0 to 100, with one reference for each translation.

    It is an F-score of character sequences of 1 to 6, without spaces, in which recall counts twice
    as much as precision.

    Source: Popović 2015.

    >>> round(chrf(["the cat is on the mat."], ["the cat sat on the mat."]), 2)
    64.58
    """
    _check(translations, references)
    precisions, recalls = [], []
    texts = [["".join(text.split()) for text in side] for side in (translations, references)]
    for n in range(1, 7):
        match = ours = theirs = 0
        for translation, reference in zip(*texts, strict=True):
            found, wanted = _ngrams(translation, n), _ngrams(reference, n)
            match += (found & wanted).total()
            ours += found.total() if wanted else 0
            theirs += wanted.total()
        if ours and theirs:
            precisions.append(match / ours)
            recalls.append(match / theirs)
    if not sum(precisions):
        return 0.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * 5 * precision * recall / (4 * precision + recall)


def _words(text: str) -> list[str]:
    text = f" {text} "
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    for pattern, replacement in _RULES:
        text = regex.sub(pattern, replacement, text)
    return text.split()


def _ngrams(items: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    windows: Iterable[tuple[str, ...]] = zip(*(items[i:] for i in range(n)), strict=False)
    return Counter(windows)


def _check(translations: Sequence[str], references: Sequence[str]) -> None:
    if len(translations) != len(references) or not references:
        raise ValueError(
            "each translation must have a reference, and there must be at least one; got "
            f"{len(translations)} translations and {len(references)} references"
        )
