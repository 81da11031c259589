"""The picture of `Translator` without scripts: the translation, and the map of its alignment."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plainformer.widgets.kit.token_words import label, weight

__all__ = ["draw"]

WIDTH, SIDE, ROW, LETTER = 480, 110, 24, 7.4  # of the drawing; LETTER is about a letter's width
MOST = 14  # letters of a word that are shown
INK = "var(--pf-ink, currentColor)"
LINE, WEIGHT = "var(--pf-line, #9a9a9a)", "var(--pf-weight, #cc79a7)"


def draw(
    written: Sequence[str],
    read: Sequence[str],
    weights: Sequence[Sequence[float]],
    translation: str,
) -> str:
    """Return the drawing as HTML.

    Args:
        written: the words of the translation that are shown, the end included.
        read: S words of the source.
        weights: (T, S), of which the first rows are shown.
        translation: the whole text.
    """
    wide = min(56.0, (WIDTH - SIDE) / len(read))
    names = [_cut(each) for each in read]
    top = LETTER * max(map(len, names)) + 14
    parts = [
        _text(SIDE + wide * (s + 0.5) + 4, top - 6, name, "start", turned=True)
        for s, name in enumerate(names)
    ]
    for t, word in enumerate(written):
        y = top + ROW * t
        parts.append(_text(SIDE - 6, y + 16, _cut(word), "end"))
        for s, share in enumerate(weights[t]):
            x = SIDE + wide * s
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{ROW}" fill="{WEIGHT}" '
                f'fill-opacity="{share:.2f}" stroke="{LINE}"/>'
            )
            if wide >= 36:
                parts.append(_text(x + wide / 2, y + 16, weight(share), "middle"))
    high = top + ROW * len(written) + 4
    return (
        f'<p class="tl-said">{escape(translation)}</p>'
        f'<svg viewBox="0 0 {WIDTH} {high:.0f}" aria-hidden="true" font-size="13" '
        f'style="display: block; width: 100%; max-width: 32rem">{"".join(parts)}</svg>'
        '<p class="pf-note">A row for each word that was written: where it looked.</p>'
    )


def _cut(word: str) -> str:
    text = label(word)
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def _text(x: float, y: float, words: str, anchor: str, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{INK}"{turn}>{escape(words)}</text>'
