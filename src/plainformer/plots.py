"""Pictures for the book: one calm style, one colour per role, one SVG for light and dark.

A figure cell draws with Matplotlib and ends in ``picture(fig, alt="what it shows")``. The picture
is inline SVG: sharp at any size, read aloud by a screen reader through its alternative text, and
coloured by the page's own CSS variables, so that the same file serves both colour modes.

But: a colour that is not one of ours (a colour map's, say) is left as it is in both modes, and
text is set in the page's font, a little narrower or wider than the one Matplotlib measured.
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
from matplotlib.colors import Colormap, LinearSegmentedColormap, ListedColormap
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
"""The colour of each role, the same on every picture (Okabe and Ito's palette)."""

ACCENT = "#0A5CA8"  # for what has no role
INK = "#1A1A1A"  # text and axes
MUTED = "#5F6368"  # second-rank text
LINE = "#D0D4D9"  # grid lines and frames
SURFACE = "#FFFFFF"  # what lies behind a label

SIGNED = "PuOr_r"
"""Matplotlib's name of the map for signed values, as widgets have it on light ground."""


def _weight_map() -> Colormap:
    """The widgets' colours of weights: fast at first, for most weights are small."""
    stops = [
        "#ffffff", "#f6e4ed", "#edc9db", "#e3aeca", "#d894b8", "#cc79a7", "#b86794", "#a45481",
        "#91436e", "#7e315c", "#6b1f4b",
    ]  # fmt: skip
    even = LinearSegmentedColormap.from_list("even", stops)
    return ListedColormap(even(np.linspace(0, 1, 256) ** 0.6), "weight")


WEIGHT = _weight_map()
"""The map for weights, from 0 to 1, as widgets have it on light ground."""

# Where a page has no variables of ours (a notebook without a widget, a viewer), the value after
# the comma is used: the text colour of the page itself, and greys that can be read on both.
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
    "figure.figsize": (4.2, 2.9),  # small on purpose: the text stays readable on a phone
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
    "image.composite_image": False,  # several heat maps stay several, with nothing between them
    "svg.fonttype": "none",  # text stays text: small, and set in the reader's font
    "svg.hashsalt": "plainformer",  # the same figure gives the same bytes
}
"""Matplotlib settings of the book; `subplots` applies them without touching the global ones."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_FONT = "var(--pst-font-family-base, system-ui, sans-serif)"
_NUMERIC = {"d", "x", "y", "width", "height", "points", "transform"}
_drawn: Counter[str] = Counter()  # how often each picture was drawn in this process


class Picture:
    """A finished picture: SVG for a browser, its alternative text for everyone else."""

    def __init__(self, svg: str, alt: str) -> None:
        self.svg = svg
        self.alt = alt

    def _repr_html_(self) -> str:
        return f'<div class="pf-picture">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"[picture: {self.alt}]"


def subplots(rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """Return a figure and its axes in the style of the book, outside pyplot's global state.

    Arguments are those of ``Figure.subplots``; ``figsize`` (inches) goes to the figure. Nothing is
    shown or kept by Matplotlib: the figure lives until it is handed to `picture`.

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
    """Return a figure as inline SVG that follows the page's light or dark mode.

    ``alt`` says in a sentence or two what the picture *shows* (the finding, not the kind of
    chart). `ROLE`'s colours, `ACCENT`, `INK`, `MUTED`, `LINE` and `SURFACE` become CSS variables,
    ids become unique on the page, and nothing in the SVG refers to anything outside it.

    Raises TypeError when ``fig`` is not a Matplotlib figure or ``alt`` not a string, ValueError
    when ``alt`` is empty.
    """
    if not isinstance(fig, Figure):
        raise TypeError(f"fig must be a matplotlib Figure; got {type(fig).__name__}")
    if not isinstance(alt, str):
        raise TypeError(f"alt must be a string; got {type(alt).__name__}")
    alt = " ".join(alt.split())
    if not alt:
        raise ValueError("alt must say what the picture shows; got an empty string")
    root = ElementTree.fromstring(_matplotlib_svg(fig))
    _drop_what_a_page_must_not_inherit(root)
    _name_ids(root, alt)
    _restyle(root)
    _describe(root, alt)
    _close(fig)
    return Picture(_serialise(root), alt)


def _matplotlib_svg(fig: Figure) -> str:
    """Matplotlib's own SVG of the figure, without a date in it."""
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        fig.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def _drop_what_a_page_must_not_inherit(root: ElementTree.Element) -> None:
    """Remove metadata, and the style sheet, which would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            empty_defs = child.tag == f"{_SVG}defs" and all(c.tag == f"{_SVG}style" for c in child)
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style") or empty_defs:
                parent.remove(child)


def _name_ids(root: ElementTree.Element, alt: str) -> None:
    """Keep only the ids that something refers to, and make those unique on any page."""
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
    """Swap our colours for CSS variables, Matplotlib's font for the page's, and round numbers."""
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
    """Give the SVG its role, its name, and a size that follows the column's width."""
    width = float(root.attrib["viewBox"].split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    root.set(
        "style",
        f"display: block; width: 100%; max-width: {width * 1.45:.0f}px; height: auto; "
        "stroke-linejoin: round; stroke-linecap: butt",
    )
    title = ElementTree.Element(f"{_SVG}title")
    title.text = alt
    root.insert(0, title)


def _close(fig: Figure) -> None:
    """Close a figure that pyplot made, or a notebook would show it a second time."""
    if getattr(fig, "number", None) is not None:
        import matplotlib.pyplot as plt

        plt.close(fig)


def _serialise(root: ElementTree.Element) -> str:
    """The SVG as text for an HTML page: no XML declaration, no prefixes, no idle white space."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.tail = ""
        if len(element):
            element.text = ""
    root.set("xmlns", "http://www.w3.org/2000/svg")
    return ElementTree.tostring(root, encoding="unicode")
