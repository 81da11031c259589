"""A widget in which a word is dragged along a sentence, and clocks turn with its position.

Each pair of dimensions of the sinusoidal table is the hand of a clock, whose tip draws a wave as
the word moves. Further views show the numbers of a position, those of all positions as a heat map,
and the similarity of one position with every other, PE(p)·PE(q) / (D/2). The front end
(``view.js``) computes the sines itself; a browser test holds its numbers against `sinusoidal`.

It shows whole positions from 0 on, and only as many as fit on a screen; `sinusoidal` does not have
this limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, check_base
from plainformer.inputs.positions import sinusoidal, wavelengths
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

__all__ = ["MAX_D_MODEL", "MAX_LENGTH", "PositionalWaves"]

MAX_LENGTH, MAX_D_MODEL = 128, 64  # the most positions and dimensions that the widget shows
VIEWS = ("waves", "fingerprint", "matrix", "similarity")


def _whole(name: str, least: int, last: Callable[[Any], int]) -> Callable[[Any, Any], int]:
    """A check for a whole number from ``least`` to what ``last(widget)`` says."""

    def check(widget: Any, value: Any) -> int:
        return check_whole(value, name, least, last(widget))

    return check


def _check_view(widget: Any, value: Any) -> str:
    if value not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(VIEWS)}; got {value!r}")
    return str(value)


class PositionalWaves(Widget):
    """Drag a word along a sentence, and watch the clocks of its position turn.

    Arguments: ``length``, how many positions (2 to 128; the sentence has 16 words and starts again
    at its end); ``d_model``, how many dimensions (2 to 64, odd ones too); ``base``, above 1;
    ``position`` and ``dimension``, which are chosen; ``view``: "waves" (the clocks and what their
    tips draw), "fingerprint" (the numbers of ``position``), "matrix" (those of all positions) or
    "similarity"; ``other``, the position with which the last view compares ``position``.

    In Jupyter all of these are live: what the reader chooses can be read here, and what is set here
    is drawn. A shorter ``length`` or ``d_model`` moves the chosen cell into what is left. ``value``
    is the chosen cell's, or in the last view the similarity.

    >>> widget = PositionalWaves(d_model=32, position=3, dimension=4)
    >>> round(widget.value, 4)
    0.8126
    >>> widget.d_model = 3
    >>> widget.dimension
    2

    Raises TypeError when an argument has the wrong type, ValueError when it is out of range.
    """

    front_end: ClassVar[str] = "positional_waves"

    length = ValidatedTrait(16, _whole("length", 2, lambda _: MAX_LENGTH)).tag(sync=True)
    d_model = ValidatedTrait(8, _whole("d_model", 2, lambda _: MAX_D_MODEL)).tag(sync=True)
    base = ValidatedTrait(10000.0, lambda _, value: check_base(value)).tag(sync=True)
    position = ValidatedTrait(0, _whole("position", 0, lambda self: self.length - 1)).tag(sync=True)
    other = ValidatedTrait(0, _whole("other", 0, lambda self: self.length - 1)).tag(sync=True)
    dimension = ValidatedTrait(0, _whole("dimension", 0, lambda self: self.d_model - 1)).tag(
        sync=True
    )
    view = ValidatedTrait("waves", _check_view).tag(sync=True)

    def __init__(
        self,
        length: int = 16,
        d_model: int = 8,
        base: float = 10000.0,
        position: int = 0,
        dimension: int = 0,
        view: str = "waves",
        *,
        other: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(length=length, d_model=d_model, base=base, view=view, **options)
        self.position, self.dimension, self.other = position, dimension, other

    @property
    def table(self) -> Array:
        """All values, (T, D): what `sinusoidal` returns."""
        return sinusoidal(self.length, self.d_model, base=self.base)

    @property
    def similarities(self) -> Array:
        """PE(p)·PE(q) / (D/2) for all pairs of positions, (T, T)."""
        table = self.table
        return table @ table.T / (self.d_model / 2)

    @property
    def value(self) -> float:
        """The number in the chosen cell of the view."""
        if self.view == "similarity":
            return float(self.similarities[self.position, self.other])
        return float(self.table[self.position, self.dimension])

    @traitlets.observe("length", "d_model")
    def _stay_inside(self, change: Any) -> None:
        """Fewer rows or columns: the chosen cell moves to the last of them."""
        self.position = min(self.position, self.length - 1)
        self.other = min(self.other, self.length - 1)
        self.dimension = min(self.dimension, self.d_model - 1)

    def description(self) -> str:
        """Return what the heat map shows and what the chosen cell holds."""
        p, q, value = self.position, self.other, f"{self.value:.3f}".replace("-", "−")
        if self.view == "similarity":
            return (
                f"Heat map of the similarity of {self.length} positions with one another, computed "
                f"from {self.d_model} dimensions: highest on the diagonal, lower with distance. "
                f"Positions {p} and {q}: {value}. Below it, the curve of position {p}."
            )
        return (
            f"Heat map of sinusoidal values, {self.length} positions by {self.d_model} dimensions: "
            "the columns are waves, fast on the left and slower to the right. "
            f"Position {p}, {self._name(self.dimension)}: {value}. "
            "Below it, the waves of up to three dimensions."
        )

    def picture(self) -> str:
        """Return the heat map, and curves below it, as SVG."""
        from plainformer import plots  # here, for it brings Matplotlib

        similar, last = self.view == "similarity", (self.d_model - 1) // 2
        waves = [2 * pair for pair in sorted({0, (last + 1) // 2, last})]
        fig, (map_, curves) = plots.subplots(
            2, 1, figsize=(4.4, 4.6), gridspec_kw={"height_ratios": [1.6, 1]}
        )
        shown = self.similarities if similar else self.table
        image = map_.imshow(
            shown, cmap=plots.SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="none"
        )
        map_.grid(visible=False)
        chosen = self.other if similar else self.dimension
        for line, place in ((map_.axhline, self.position), (map_.axvline, chosen)):
            line(place, color=plots.SURFACE, linewidth=3)
            line(place, color=plots.INK, linewidth=1)
        map_.set(xlabel="compared with position" if similar else "dimension", ylabel="position")
        fig.colorbar(image, ax=map_, ticks=[-1, 0, 1])
        if similar:
            curves.plot(shown[self.position], color=plots.ROLE["position"])
            label = f"similarity of position {self.position} with each"
        else:
            label = f"position: the waves of dimensions {', '.join(map(str, waves))}"
            fine = np.linspace(0, self.length - 1, 4 * self.length)
            for values, style in zip(
                sinusoidal(fine, self.d_model, base=self.base)[:, waves].T,
                ("-", "--", ":"),
                strict=False,
            ):
                curves.plot(fine, values, style, color=plots.ROLE["position"])
        curves.set(ylim=(-1.1, 1.1), xlabel=label)
        return plots.picture(fig, alt=self.description()).svg

    def _name(self, dimension: int) -> str:
        """A dimension as a reader sees it: its number, its wave, its wavelength."""
        long = wavelengths(self.d_model, self.base)[dimension // 2]
        size = f"{long:,.0f}" if long >= 100 else f"{long:.3g}"
        return f"dimension {dimension} ({'cosine' if dimension % 2 else 'sine'}, wavelength {size})"
