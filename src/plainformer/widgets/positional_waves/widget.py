"""A widget that shows sinusoidal positions: as clocks, as fingerprints, as waves, by similarity.

It opens with one position, which the reader drags along a text, and the hands of its clocks. The
hands as numbers are the row of a table; all rows are a heat map whose columns are waves; and the
last view shows the similarity of any two positions, PE(p)·PE(q) / (D/2).
The front end (``view.js``) computes the sines itself; a browser test holds its numbers
against `sinusoidal`.

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

__all__ = ["MAX_D_MODEL", "MAX_LENGTH", "MAX_PINNED", "PositionalWaves"]

MAX_LENGTH = 128
"""The most positions that the widget shows."""

MAX_D_MODEL = 64
"""The most dimensions that it shows."""

MAX_PINNED = 3
"""The most waves beside the chosen one."""

VIEWS = ("clocks", "fingerprint", "waves", "similarity")


def _whole(name: str, least: int, last: Callable[[Any], int]) -> Callable[[Any, Any], int]:
    """A check for a whole number from ``least`` to what ``last(widget)`` says."""

    def check(widget: Any, value: Any) -> int:
        return check_whole(value, name, least, last(widget))

    return check


def _check_pinned(widget: Any, value: Any) -> list[int]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise TypeError(f"pinned must be a list of dimensions; got {type(value).__name__}")
    check = _whole("every dimension in pinned", 0, lambda _: MAX_D_MODEL - 1)
    pinned = [check(widget, each) for each in value]
    if len(pinned) > MAX_PINNED or len(set(pinned)) < len(pinned):
        raise ValueError(f"pinned must be at most {MAX_PINNED} different dimensions; got {value}")
    return pinned


def _check_view(widget: Any, value: Any) -> str:
    if value not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(map(repr, VIEWS))}; got {value!r}")
    return str(value)


class PositionalWaves(Widget):
    """Show sinusoidal positions: clocks, rows of numbers, waves, and how similar two positions are.

    Arguments: ``length``, how many positions (2 to 128); ``d_model``, how many dimensions (2 to 64,
    odd ones too); ``base``, above 1; ``position`` and ``dimension``, the chosen cell; ``view``,
    "clocks", "fingerprint", "waves" or "similarity"; ``other``, the position with which the last
    view compares ``position``; ``pinned``, up to three dimensions whose waves stay (None: two
    slower ones).

    In Jupyter all of these are live: what the reader chooses can be read here, and what is set here
    is drawn. A shorter ``length`` or ``d_model`` moves the chosen cell into what is left; a pinned
    dimension beyond ``d_model`` waits until there is room for it. ``value`` is the chosen cell's.

    >>> widget = PositionalWaves(position=3, dimension=4)
    >>> round(widget.value, 4)
    0.8126
    >>> widget.d_model = 3
    >>> widget.dimension
    2

    Raises TypeError when an argument has the wrong type, ValueError when it is out of range.
    """

    front_end: ClassVar[str] = "positional_waves"

    length = ValidatedTrait(48, _whole("length", 2, lambda _: MAX_LENGTH)).tag(sync=True)
    d_model = ValidatedTrait(32, _whole("d_model", 2, lambda _: MAX_D_MODEL)).tag(sync=True)
    base = ValidatedTrait(10000.0, lambda _, value: check_base(value)).tag(sync=True)
    position = ValidatedTrait(1, _whole("position", 0, lambda self: self.length - 1)).tag(sync=True)
    other = ValidatedTrait(0, _whole("other", 0, lambda self: self.length - 1)).tag(sync=True)
    dimension = ValidatedTrait(0, _whole("dimension", 0, lambda self: self.d_model - 1)).tag(
        sync=True
    )
    pinned = ValidatedTrait(list[int](), _check_pinned).tag(sync=True)
    view = ValidatedTrait("clocks", _check_view).tag(sync=True)

    def __init__(
        self,
        length: int = 48,
        d_model: int = 32,
        base: float = 10000.0,
        position: int = 1,
        dimension: int = 0,
        view: str = "clocks",
        *,
        other: int = 0,
        pinned: list[int] | tuple[int, ...] | Array | None = None,
        **options: Any,
    ) -> None:
        super().__init__(length=length, d_model=d_model, base=base, view=view, **options)
        if pinned is None:
            pinned = sorted({self.d_model // 5 // 2 * 2, self.d_model // 5 * 2} - {0})
        self.position, self.dimension = position, dimension
        self.other, self.pinned = other, pinned

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
        """Return what the view shows: the hands of the clocks, or the map and its chosen cell."""
        p, q, value = self.position, self.other, f"{self.value:.3f}".replace("-", "−")
        if self.view in ("clocks", "fingerprint"):
            n_clocks, long = (self.d_model + 1) // 2, wavelengths(self.d_model, self.base)
            numbers = " and, below them, as numbers" * (self.view == "fingerprint")
            return (
                f"Position {p} as the hands of {n_clocks} clocks{numbers}. The fastest goes round "
                f"in {long[0]:.3g} positions, the slowest in {long[-1]:,.0f}."
            )
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
            "Below it, the waves of some dimensions."
        )

    def picture(self) -> str:
        """Return the clocks, or the heat map with the chosen curves below it, as SVG."""
        from plainformer import plots  # here, for it brings Matplotlib

        if self.view in ("clocks", "fingerprint"):
            return self._picture_of_clocks()
        waves = self.view == "waves"
        fig, (map_, curves) = plots.subplots(
            2, 1, figsize=(4.4, 4.6), gridspec_kw={"height_ratios": [1.6, 1]}
        )
        shown = self.table if waves else self.similarities
        image = map_.imshow(
            shown, cmap=plots.SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="none"
        )
        map_.grid(visible=False)
        chosen = self.dimension if waves else self.other
        for line, place in ((map_.axhline, self.position), (map_.axvline, chosen)):
            line(place, color=plots.SURFACE, linewidth=3)
            line(place, color=plots.INK, linewidth=1)
        map_.set(xlabel="dimension" if waves else "compared with position", ylabel="position")
        fig.colorbar(image, ax=map_, ticks=[-1, 0, 1])
        styles = ["-", "--", ":", "-."]
        positions = np.arange(self.length)
        if waves:
            fine = np.linspace(0, self.length - 1, 4 * self.length)
            values = sinusoidal(fine, self.d_model, base=self.base)
            lines = [self.dimension, *(d for d in self.pinned if d < self.d_model)]
            for each, style in zip(dict.fromkeys(lines), styles, strict=False):
                colour = plots.ROLE["position"] if each == self.dimension else plots.MUTED
                curves.plot(fine, values[:, each], style, color=colour, label=self._name(each))
            curves.legend(
                fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.38), frameon=False
            )
        else:
            curves.plot(positions, shown[self.position], color=plots.ROLE["position"])
        curves.plot([positions[self.position] if waves else self.other], [self.value], "o",
                    color=plots.INK)  # fmt: skip
        curves.set(
            ylim=(-1.1, 1.1),
            xlabel="position" if waves else f"similarity of position {self.position} with each",
        )
        return plots.picture(fig, alt=self.description()).svg

    def _picture_of_clocks(self) -> str:
        from plainformer import plots

        row, (n_rows, a_row) = self.table[self.position], (-(-self.d_model // 16), 8)
        numbers, round_ = self.view == "fingerprint", np.linspace(0, 2 * np.pi, 40)
        fig, axes = plots.subplots(1 + numbers, 1, figsize=(4.4, 0.6 * n_rows + 1.4 * numbers))
        clocks = axes[0] if numbers else axes
        for i in range(0, self.d_model, 2):
            x, y = 2.3 * (i // 2 % a_row), -2.3 * (i // 2 // a_row)
            up = row[i + 1] if i + 1 < self.d_model else 0.0
            clocks.plot(x + np.cos(round_), y + np.sin(round_), color=plots.MUTED, linewidth=0.8)
            clocks.plot([x, x + 0.85 * row[i]], [y, y + 0.85 * up], color=plots.ROLE["position"])
        clocks.set(xlim=(-1.2, 2.3 * a_row - 1.1), ylim=(1.2 - 2.3 * n_rows, 1.2), aspect="equal")
        clocks.axis("off")
        if numbers:
            axes[1].bar(range(self.d_model), row, color=plots.ROLE["position"])
            axes[1].set(xlabel="dimension", ylim=(-1.1, 1.1))
        return plots.picture(fig, alt=self.description()).svg

    def _name(self, dimension: int) -> str:
        """A dimension as a reader sees it: its number, its wave, its wavelength."""
        long = wavelengths(self.d_model, self.base)[dimension // 2]
        size = f"{long:,.0f}" if long >= 100 else f"{long:.3g}"
        return f"dimension {dimension} ({'cosine' if dimension % 2 else 'sine'}, wavelength {size})"
