"""The picture of `GenerateBox` without scripts: the text, and bars of what may come next.

It uses the classes of ``view.css``, so that it looks as the live box does.
"""

from __future__ import annotations

import codecs
from html import escape

import numpy as np

from plainformer.arrays import Array
from plainformer.inputs import BPETokenizer

__all__ = ["SHOWN", "draw", "probability", "quoted"]

SHOWN = 8
"""Bars, as many as the live box has."""


def probability(p: float) -> str:
    """A probability for people: 0.31, 0.004, or that it is all but 0, or all but 1.

    >>> [probability(p) for p in (0, 1e-9, 0.0042, 0.314, 0.9999, 1)]
    ['0', '< 0.001', '0.004', '0.31', '> 0.99', '1.00']
    """
    if p == 0:
        return "0"
    if 0.995 < p < 1:
        return "> 0.99"
    return "< 0.001" if p < 0.0005 else f"{p:.{3 if p < 0.0995 else 2}f}"


def quoted(tokenizer: BPETokenizer, number: int) -> str:
    """A token in quotation marks."""
    return f"“{_visible(tokenizer.decode([number])).replace('·', ' ')}”"


def draw(
    tokenizer: BPETokenizer,
    prompt: str,
    added: list[int],
    probabilities: Array | None,
    at_end: bool,
) -> str:
    """Return the picture as HTML.

    Args:
        tokenizer: what spells the ids.
        prompt: the text that was given.
        added: the ids that follow it.
        probabilities: (V,) of the next token, or None if no one has asked the model.
        at_end: whether they belong after ``added``, or after the prompt.
    """
    tokens = "".join(
        f'<span class="gen-token gen-{"odd" if i % 2 else "even"}">{escape(text)}</span>'
        for i, text in enumerate(_pieces(tokenizer, added))
    )
    text = f'<div class="gen-text"><span class="gen-prompt">{escape(prompt)}</span>{tokens}</div>'
    if probabilities is None:
        note = "The model behind this box runs in Python: open the page as a notebook to go on."
        return f'{text}<p class="pf-note">{note}</p>'
    best = np.argsort(-probabilities, kind="stable")[:SHOWN].tolist()
    bars = "".join(
        f'<span class="gen-name">{escape(_visible(tokenizer.decode([number])))}</span>'
        '<span class="gen-bar"><i class="gen-after" '
        f'style="width: {100 * probabilities[number]:.2f}%"></i></span>'
        f'<span class="gen-number">{probability(float(probabilities[number]))}</span>'
        for number in best
        if probabilities[number] > 0
    )
    where = "The next token" if at_end else "The first token after the prompt"
    return (
        f'{text}<div class="gen-panel"><p class="gen-title">{where}</p>'
        f'<div class="gen-bars">{bars}</div></div>'
    )


def _pieces(tokenizer: BPETokenizer, ids: list[int]) -> list[str]:
    """What each token adds to the text; one that ends within a character adds a sign."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    special = {number: token for token, number in tokenizer.special_tokens.items()}
    token_of = {number: token for token, number in tokenizer.vocab.items()} | special
    pieces = []
    for i, number in enumerate(ids):
        token = token_of[number]
        raw = token.encode("utf-8") if isinstance(token, str) else token
        text = decoder.decode(raw, final=i + 1 == len(ids))
        pieces.append(text.replace("\n", "↵\n") or "⋯")
    return pieces


def _visible(text: str) -> str:
    """The text of a token with its spaces and line breaks to be seen."""
    return text.translate({ord(" "): "·", ord("\n"): "↵", ord("\t"): "⇥", ord("\r"): "␍"})
