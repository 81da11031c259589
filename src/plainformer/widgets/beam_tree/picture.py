"""The picture of `BeamTree` without scripts: every step of the search, and what it finished."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from plainformer.widgets.kit import equations

from .data import STATUSES

__all__ = ["draw", "percent", "plain", "quotient", "signed", "text_of"]

STATES = {"kept": "kept", "finished": "■ end", "limit": "■ limit", "pruned": "died"}
MAX_DRAWN = 60  # with more nodes than these, those that died are left out


def signed(value: float) -> str:
    """A number with two decimals and a minus sign that is one: −1.02; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def quotient(value: float) -> str:
    """As `signed`, or with two digits that count: a high power of the length makes it tiny.

    >>> quotient(-0.46), quotient(-0.000111), quotient(0)
    ('−0.46', '−0.00011', '0.00')
    """
    return f"{value:.2g}".replace("-", "−") if 0 < abs(value) < 0.095 else signed(value)


def percent(log_prob: float) -> str:
    """A probability with two digits: 40%, 2.9%, <0.001%; near 100% with three."""
    value = 100 * math.exp(log_prob)
    return f"{value:.{2 if value < 99 else 3}g}%" if value >= 0.001 else "<0.001%"


def plain(text: str) -> str:
    """A text on one line, without the space that its first token may begin with."""
    return text.strip().replace("\n", "↵")


def visible(word: str) -> str:
    """A token with its spaces and line ends to be seen."""
    return word.replace(" ", "␣").replace("\n", "↵") or "(empty)"


def text_of(data: dict[str, Any], place: int) -> str:
    """The words on the path to a node, without the end of text."""
    words = []
    while place > 0:
        _, parent, _, word, _, _, status = data["nodes"][place]
        if STATUSES[status] != "finished":
            words.append(data["words"][word])
        place = parent
    text: str = data["joint"].join(reversed(words))
    return text


def draw(data: dict[str, Any], ranking: Sequence[Any], alpha: float) -> str:
    """Return the levels of the tree, and the ranking, as HTML.

    Args:
        data: as `pack` returns it.
        ranking: the finished texts, the best first.
        alpha: what they are ranked with.
    """
    many = len(data["nodes"]) > MAX_DRAWN
    greedy = set(data["greedy"]["path"][1:])
    levels = []
    for step, more in enumerate(data["more"], start=1):
        nodes = [(p, node) for p, node in enumerate(data["nodes"]) if node[2] == step]
        shown = [(p, n) for p, n in nodes if not (many and STATUSES[n[6]] == "pruned")]
        more += len(nodes) - len(shown)
        groups = "".join(_node(data, place, place in greedy) for place, _ in shown)
        rest = f'<div class="bt-more">and {more} more died</div>' if more else ""
        levels.append(
            f'<div class="bt-level"><div class="bt-title">Step {step}</div>{groups}{rest}</div>'
        )
    rows = "".join(
        f'<li><span class="bt-text">{html.escape(plain(each.text))}</span> '
        f'<span class="bt-sum">{_division(data, each, alpha)}</span></li>'
        for each in ranking
    )
    took = html.escape(plain(data["greedy"]["text"]))
    return (
        f'<div class="bt-tree"><div class="bt-root">{html.escape(plain(data["prompt"]))}</div>'
        f"{''.join(levels)}</div>"
        f'<p class="bt-head">Finished texts, ranked by sum / {data["rule"]}^α, '
        f"α = {alpha:g}</p>"
        f'<ol class="bt-ranking">{rows}</ol>'
        f'<p class="pf-note">Greedy search, which keeps one beam, took “{took}”. In each box: the '
        "token, its probability, the logarithm of it, and the sum Σ from the prompt on.</p>"
    )


def _node(data: dict[str, Any], place: int, greedy: bool) -> str:
    _, parent, _, word, log_prob, score, status = data["nodes"][place]
    state = STATUSES[status]
    before = html.escape(plain(text_of(data, parent))) or "the prompt"
    tag = ' <span class="bt-tag">greedy</span>' if greedy else ""
    return (
        f'<div class="bt-node bt-{state}">'
        f'<span class="bt-word">{html.escape(visible(data["words"][word]))}</span>{tag} '
        f'<span class="bt-after">after {before}</span> '
        f'<span class="bt-numbers">{percent(log_prob)} · {signed(log_prob)} · '
        f'Σ {signed(score)} <span class="bt-state">{STATES[state]}</span></span></div>'
    )


def _division(data: dict[str, Any], each: Any, alpha: float) -> str:
    given = [each.score, data["lengths"][each.length], alpha]
    left, right, sign = equations.equation(
        given, [each.normalised], lambda x: [x[0] / x[1] ** x[2]]
    )
    length, power = (equations.text(number, left) for number in given[1:])
    result = equations.fixed(each.normalised, right)
    return f"{equations.fixed(each.score, left)} / {length}^{power} {sign} {result}"
