"""The picture that stands beside a shared link: one for each chapter, and one for the course.

A card is drawn once for its words and kept between builds, outside of the site; a build puts those
that it needs into the site. It takes a third of a second and some ten kilobytes.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from dataclasses import astuple, dataclass
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from matplotlib.textpath import TextPath
from PIL import Image

from plainformer.plots import INK, LINE, MUTED, ROLE, SURFACE

SIZE = (1200, 630)  # pixels; what every site that shows cards crops least
MARGIN = 84
COLOURS = 48  # enough for smooth letters
FONT = "DejaVu Sans"  # comes with Matplotlib, so a card is the same everywhere
KEPT = Path("_static/cards")  # in the site


@dataclass(frozen=True)
class Card:
    """The words of one card."""

    title: str
    part: str
    sentence: str

    @property
    def alt(self) -> str:
        """What the card shows, for those who do not see it."""
        return " – ".join(word for word in (self.part, self.title, self.sentence) if word)


def wrap(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    """Return the lines of a text of so many pixels' height, none wider than `width` pixels.

    >>> wrap("A number becomes a row of a table", 30, 300)
    ['A number becomes', 'a row of a table']
    """
    font = FontProperties(family=FONT, weight="bold" if bold else "normal")
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and TextPath((0, 0), longer, size=size, prop=font).get_extents().x1 > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def draw(card: Card) -> bytes:
    """Return a card as a PNG."""
    wide, high = SIZE
    figure = Figure(figsize=(wide / 100, high / 100), dpi=100, facecolor=SURFACE)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, wide), ylim=(high, 0))
    axes.axis("off")

    def line(text: str, y: float, size: float, colour: str, weight: str = "normal") -> None:
        points = size * 0.72  # 100 pixels to an inch, 72 points
        axes.text(
            MARGIN, y, text, size=points, color=colour, weight=weight, va="baseline", family=FONT,
            parse_math=False,
        )  # fmt: skip

    # The course's mark, as in the menu of every page.
    axes.add_patch(
        FancyBboxPatch(
            (MARGIN + 8, 72), 48, 48, boxstyle="round,pad=8,rounding_size=14",
            facecolor="#0b3c5d", edgecolor="none",
        )
    )  # fmt: skip
    places = [(MARGIN + 16, 115), (MARGIN + 32, 82), (MARGIN + 48, 115)]
    axes.plot(*zip(*places, strict=True), color="#9fc0d6", linewidth=2.4)
    for place, colour in zip(places, (ROLE["position"], "#ffffff", ROLE["key"]), strict=True):
        axes.add_patch(Circle(place, 7, facecolor=colour, edgecolor="none"))
    axes.text(
        MARGIN + 88, 107, "Plainformer", size=22, color=INK, weight="bold", va="baseline",
        family=FONT,
    )  # fmt: skip

    width = wide - 2 * MARGIN
    sizes = (84, 72, 60)
    size = next((it for it in sizes if len(wrap(card.title, it, width, bold=True)) == 1), sizes[-1])
    titles = wrap(card.title, size, width, bold=True)[:2]
    words = wrap(card.sentence, 36, width)
    if len(words) > 3:
        words = [*words[:2], f"{words[2]} …"]
    y = 226.0
    if card.part:
        line(card.part, y, 32, MUTED)
    y += 24 + size
    for text in titles:
        line(text, y, size, INK, "bold")
        y += size * 1.18
    y += 4
    for text in words:
        line(text, y, 36, MUTED)
        y += 50
    axes.add_patch(Rectangle((0, high - 16), wide, 16, facecolor=LINE, edgecolor="none"))
    for number, colour in enumerate(ROLE.values()):
        step = wide / len(ROLE)
        axes.add_patch(Rectangle((number * step, high - 16), step, 16, facecolor=colour))
    drawn, packed = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png")
    few = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def card_name(page: str) -> str:
    """Return the file of a page's card.

    >>> card_name("book/inputs/embedding"), card_name("index")
    ('inputs-embedding.png', 'index.png')
    """
    return page.removeprefix("book/").replace("/", "-") + ".png"


def put(cards: dict[str, Card], site: Path, kept: Path) -> None:
    """Put the cards of some pages into the site, and take away all others.

    What was drawn for the same words by the same code is taken from the folder `kept`.
    """
    folder = site / KEPT
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept.mkdir(parents=True, exist_ok=True)
    code = Path(__file__).read_bytes()
    wanted = set()
    for page, card in cards.items():
        words = repr(astuple(card)).encode()
        drawn = kept / f"{hashlib.sha256(code + words).hexdigest()[:20]}.png"
        if not drawn.is_file():
            unfinished = drawn.with_suffix(".unfinished")
            unfinished.write_bytes(draw(card))
            unfinished.replace(drawn)
        wanted.add(drawn)
        shutil.copyfile(drawn, folder / card_name(page))
    for old in set(kept.glob("*.png")) - wanted:
        old.unlink()
