"""Figures for the book, in one style with a colour for each role, for light and dark pages.

A cell draws a figure with Matplotlib and ends in ``picture(fig, alt="what it shows")``. The result
is inline SVG, which is sharp at any size. Screen readers read its alternative text, and the page's
CSS variables set its colours, so that the same SVG works in both colour modes.

Colours that are not defined here, such as those of a colour map, are the same in both modes. Text
is set in the page's font, which may be a little narrower or wider than the font that Matplotlib
measured.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.figure import Figure

__all__ = [
    "ACCENT",
    "INK",
    "LINE",
    "MUTED",
    "ROLE",
    "SIGNED",
    "STYLE",
    "SURFACE",
    "WEIGHT",
    "Picture",
    "picture",
    "subplots",
]

ROLE = {
    "query": "#0072B2",
    "key": "#E69F00",
    "value": "#009E73",
    "weight": "#CC79A7",
    "output": "#D55E00",
    "position": "#56B4E9",
}
"""The colour of each role, which is the same in every figure (Okabe and Ito's palette)."""

ACCENT = "#0A5CA8"  # for anything without a role
INK = "#1A1A1A"  # text and axes
MUTED = "#5F6368"  # less important text
LINE = "#D0D4D9"  # grid lines and frames
SURFACE = "#FFFFFF"  # the background of a label

SIGNED = "PuOr_r"
"""The colour map for signed values, which the widgets also use in light mode."""


_STOPS = [
    "#ffffff", "#f6e4ed", "#edc9db", "#e3aeca", "#d894b8", "#cc79a7", "#b86794", "#a45481",
    "#91436e", "#7e315c", "#6b1f4b",
]  # fmt: skip
_EVEN = LinearSegmentedColormap.from_list("even", _STOPS)
WEIGHT = ListedColormap(_EVEN(np.linspace(0, 1, 256) ** 0.6), "weight")
"""The widgets' colour map for weights, which changes faster where most weights are, near 0."""

# If a page does not define these variables (a notebook without a widget, a viewer), the value after
# the comma is used: the page's own text colour, and greys that are legible in both modes.
_VARIABLES = {
    **{colour.lower(): f"var(--pf-{role}, {colour})" for role, colour in ROLE.items()},
    ACCENT.lower(): f"var(--pf-accent, {ACCENT})",
    INK.lower(): "var(--pf-ink, currentColor)",
    "#000000": "var(--pf-ink, currentColor)",  # Matplotlib's own choice for text added later
    MUTED.lower(): "var(--pf-muted, #767676)",
    LINE.lower(): "var(--pf-line, #9a9a9a)",
    SURFACE.lower(): "var(--pf-surface, none)",
}

STYLE: dict[Any, Any] = {
    "figure.figsize": (4.2, 2.9),  # small, so that the text stays readable on a phone
    "figure.facecolor": "none",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=list(ROLE.values())),
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "text.color": INK,
    "font.size": 11,
    "font.family": ["DejaVu Sans"],
    "lines.linewidth": 2.0,
    "image.composite_image": False,  # otherwise neighbouring heat maps would be merged
    "svg.fonttype": "none",  # text stays text, which is smaller and uses the reader's font
    "svg.hashsalt": "plainformer",  # the same figure gives the same bytes
}
"""The book's Matplotlib settings, which `subplots` applies without changing the global ones."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_FONT = "var(--pst-font-family-base, system-ui, sans-serif)"
_NUMERIC = {"d", "x", "y", "width", "height", "points", "transform"}
_drawn: Counter[str] = Counter()  # how often each picture was drawn in this process


class Picture:
    """A finished figure: SVG for browsers, and its alternative text for everything else."""

    def __init__(self, svg: str, alt: str) -> None:
        self.svg = svg
        self.alt = alt

    def _repr_html_(self) -> str:
        return f'<div class="pf-picture">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"[picture: {self.alt}]"


def subplots(rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """Create a figure and its axes in the style of the book, outside pyplot's global state.

    Arguments are those of ``Figure.subplots``, except that ``figsize`` (in inches) is passed to the
    figure. Matplotlib neither shows nor stores the figure, which is meant for `picture`.

    >>> fig, ax = subplots(figsize=(4, 3))
    >>> _ = ax.plot([1, 2, 3], [3, 1, 2], color=ROLE["query"])
    >>> picture(fig, alt="A line that falls, then rises.")
    [picture: A line that falls, then rises.]
    """
    size = options.pop("figsize", None)
    with mpl.rc_context(STYLE):
        fig = Figure(figsize=size)
        return fig, fig.subplots(rows, columns, **options)


def picture(fig: Figure, alt: str) -> Picture:
    """Convert a figure to inline SVG that follows the page's light or dark mode.

    The colours of `ROLE`, `ACCENT`, `INK`, `MUTED`, `LINE` and `SURFACE` become CSS variables, ids
    become unique on the page, and the SVG does not depend on anything outside it. The alternative
    text says in a sentence or two what the figure shows: the finding, and not the kind of chart.
    """
    alt = " ".join(alt.split())
    if not alt:
        raise ValueError("alt must say what the picture shows; got an empty string")
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        fig.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(out.getvalue())
    _remove_page_styles(root)
    _name_ids(root, alt)
    _restyle(root)
    _describe(root, alt)
    if getattr(fig, "number", None) is not None:  # pyplot made it, and would show it again
        import matplotlib.pyplot as plt

        plt.close(fig)
    return Picture(_serialise(root), alt)


def _remove_page_styles(root: ElementTree.Element) -> None:
    """Remove the metadata, and the style sheet, which would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            empty_defs = child.tag == f"{_SVG}defs" and all(c.tag == f"{_SVG}style" for c in child)
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style") or empty_defs:
                parent.remove(child)


def _name_ids(root: ElementTree.Element, alt: str) -> None:
    """Keep only the ids that are referred to, and make them unique on any page."""
    source = ElementTree.tostring(root, encoding="unicode")
    digest = hashlib.sha256((alt + source).encode()).hexdigest()[:8]
    _drawn[digest] += 1
    prefix = f"pf-{digest}-{_drawn[digest]}-"
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', source))
    for element in root.iter():
        if element.get("id") in used:
            element.set("id", prefix + element.attrib["id"])
        else:
            element.attrib.pop("id", None)
        target = element.attrib.pop(f"{_XLINK}href", None)
        if target is not None:
            element.set("href", "#" + prefix + target[1:] if target.startswith("#") else target)
        for name, value in element.attrib.items():
            element.set(name, value.replace("url(#", f"url(#{prefix}"))


def _restyle(root: ElementTree.Element) -> None:
    """Replace colours by CSS variables and Matplotlib's font by the page's, and round numbers."""
    for element in root.iter():
        style = element.get("style")
        if style is not None:
            style = re.sub(r"#\w{6}\b", lambda m: _VARIABLES.get(m[0].lower(), m[0]), style)
            style = re.sub(r"'DejaVu Sans'(, [^;]*)?", _FONT, style)
            if element.tag == f"{_SVG}text" and "fill:" not in style:
                style += f"; fill: {_VARIABLES['#000000']}"
            element.set("style", style)
        for name in _NUMERIC & element.attrib.keys():
            short = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.2f}", element.attrib[name])
            element.set(name, " ".join(short.split()))


def _describe(root: ElementTree.Element, alt: str) -> None:
    """Set the SVG's role, its name, and a size that depends on the width of the column."""
    width = float(root.attrib["viewBox"].split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    root.set(
        "style",
        f"display: block; width: 100%; max-width: {width * 1.65:.0f}px; height: auto; "
        "stroke-linejoin: round; stroke-linecap: butt",
    )
    title = ElementTree.Element(f"{_SVG}title")
    title.text = alt
    root.insert(0, title)


def _serialise(root: ElementTree.Element) -> str:
    """Return the SVG as HTML, without an XML declaration, prefixes and superfluous white space."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.tail = ""
        if len(element):
            element.text = ""
    root.set("xmlns", "http://www.w3.org/2000/svg")
    return ElementTree.tostring(root, encoding="unicode")
