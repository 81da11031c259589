"""The icons of the theme, cut out of its icon font: 3 KB instead of 540 KB.

The theme marks an icon by a class, ``fa-bars``. Here a style sheet is made that knows the icons in
`ICONS` alone and carries their outlines in itself. `unknown_icons` finds classes on built pages
that it does not know, so that a missing icon is an error and not an empty square.
"""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ICONS = (
    "angle-left",
    "angle-right",
    "arrow-up",
    "bars",
    "chevron-down",
    "chevron-up",
    "chevron-right",
    "circle-half-stroke",
    "list",
    "magnifying-glass",
    "moon",
    "sun",
    "xmark",
)
FAMILY_CLASSES = {"fa-solid", "fa-lg", "fa-fw"}
RULES = """\
@font-face { font-family: "Book icons"; font-weight: 900; font-display: block;
  src: url("data:font/woff2;base64,%s") format("woff2"); }
.fa-solid, .fas { font: 900 1em/1 "Book icons"; display: inline-block; text-rendering: auto;
  -webkit-font-smoothing: antialiased; }
.fa-lg { font-size: 1.25em; line-height: 0.05em; vertical-align: -0.075em; }
"""


def codepoints(style_sheet: str) -> dict[str, int]:
    r"""Return the code point of every icon that the theme's style sheet names.

    >>> codepoints('.fa-bars:before,.fa-navicon:before{content:"\\f0c9"}')
    {'bars': 61641, 'navicon': 61641}
    """
    found = {}
    for names, content in re.findall(r'([^{}]+)\{content:"(\\?[^"]+)"', style_sheet):
        value = int(content[1:], 16) if content.startswith("\\") else ord(content[0])
        for name in re.findall(r"\.fa-([\w-]+):+before", names):
            found[name] = value
    return found


def make_style_sheet(fontawesome: Path) -> str:
    """Return a style sheet with the icons in it, from the theme's folder of the icon font.

    Raises KeyError where the font has no icon of that name.
    """
    named = codepoints((fontawesome / "css" / "all.min.css").read_text(encoding="utf-8"))
    wanted = {name: named[name] for name in ICONS}
    options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=False)
    font = TTFont(fontawesome / "webfonts" / "fa-solid-900.woff2")
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted.values())
    cutter.subset(font)
    font.flavor = "woff2"
    data = io.BytesIO()
    font.save(data)
    rules = RULES % base64.b64encode(data.getvalue()).decode()
    marks = [f'.fa-{name}::before {{ content: "\\{code:x}"; }}' for name, code in wanted.items()]
    return rules + "\n".join(marks) + "\n"


def unknown_icons(html: str) -> set[str]:
    """Return the icon classes of a page that the style sheet does not know.

    >>> unknown_icons('<i class="fa-solid fa-bars"></i><i class="fas fa-skull"></i>')
    {'fa-skull'}
    """
    classes = " ".join(re.findall(r'class="([^"]*\bfa-[^"]*)"', html)).split()
    known = FAMILY_CLASSES | {f"fa-{name}" for name in ICONS}
    return {name for name in classes if name.startswith("fa-") and name not in known}
