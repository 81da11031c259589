"""The font of the formulas: STIX Two Math, cut down to what a course needs, 40 KB of 1.5 MB.

Browsers draw MathML with a font that says how formulas are built (its table MATH): where scripts
go, how thick a fraction's rule is, which pieces a tall bracket is made of. Few systems have one.
The package ``ziamath`` ships STIX Two Math, under the SIL Open Font License, which lets a part of
it be served under another name; here it is cut, and fitted to what MathML makes of it (`fit`).
"""

from __future__ import annotations

import functools
import importlib.metadata
import io
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

FAMILY = "Book formulas"
FILE = "formulas.woff2"
RADICAL = "uni221A"  # the name of the radical sign's glyph
LOW = 0.84  # of its height, where an x is all that is under it
# What the characters are drawn with; the letters of formulas are italic, and bold for vectors.
CHARACTERS = frozenset(
    {
        *range(0x20, 0x7F),
        *range(0x1D400, 0x1D468),  # bold, italic and bold italic letters, without the last part
        *range(0x391, 0x3CA),  # Greek
        *range(0x1D6E2, 0x1D756),  # italic and bold italic Greek
        *map(ord, "ℎℓ𝛀𝒩ℒ𝒱ℝ𝔼𝟙"),
        *map(ord, "¯ˆ˜˙→←↔↦⇒⇔↑↓∀∂∃∅∇∈∉∏∑−±∓∗∘√∝∞∣∥∧∨∩∪∫≈≔≠≡≤≥≪≫⊂⊆⊕⊖⊗⊙⊤⊥⋅×÷⋮⋯⋱…⌈⌉⌊⌋⟨⟩′″"),
    }
)
# Drawn by nothing: a space, the sign of application, a separator, and the choice of a form.
SILENT = frozenset(map(ord, "\u00a0\u2061\u2062\u2063\u2064\ufe00\ufe01"))

# Thousandths of the font's size, as TeX's own fonts have them where STIX Two Math departs.
CONSTANTS = {
    # A letter's scripts are where they are on every letter: TeX ignores how far a p or a q goes
    # down, and MathML would set their subscripts lower than those beside them.
    "SubscriptBaselineDropMin": -40,
    "SuperscriptBaselineDropMax": 400,
    # One pixel at the size of the text; a part more is one here and two there.
    "FractionRuleThickness": 50,
    "RadicalRuleThickness": 50,
    "OverbarRuleThickness": 50,
    # Percent: scripts are read on screens, where a pixel is larger than on paper.
    "ScriptPercentScaleDown": 76,
    "ScriptScriptPercentScaleDown": 60,
    # A small fraction, whose parts are script-sized, is not torn apart.
    "FractionNumeratorShiftUp": 430,
    "FractionDenominatorShiftDown": 400,
}


def find_font() -> Path:
    """Return where the installed package keeps STIX Two Math.

    Raises FileNotFoundError where the package has no such font.
    """
    for file in importlib.metadata.files("ziamath") or []:
        if file.name == "STIXTwoMath-Regular.ttf":
            return Path(str(file.locate()))
    raise FileNotFoundError("the package ziamath has no STIXTwoMath-Regular.ttf")


def fit(font: Any) -> None:
    """Fit the font to MathML: its constants, its prime, and its radical signs.

    A prime is small and raised by itself, so as a superscript it takes the form for scripts.
    """
    table = font["MATH"].table
    for name, value in CONSTANTS.items():
        constant = getattr(table.MathConstants, name)
        if isinstance(constant, int):
            setattr(table.MathConstants, name, value)
        else:
            constant.Value = value
    for each in font["cmap"].tables:
        if 0x2032 in getattr(each, "cmap", {}):
            each.cmap[0x2032] = "minute.ssty"
    variants = table.MathVariants
    signs = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(RADICAL)]
    fit_radicals(font, signs.MathGlyphVariantRecord, signs.GlyphAssembly.PartRecords)


def fit_radicals(font: Any, signs: list[Any], pieces: list[Any]) -> None:
    """Make the radical signs equally wide, and put one before them that is low enough for an x.

    Chromium keeps room in a line for the widest sign, whichever it draws, and TeX would raise a
    sign that is too high where MathML lets it hang below the line. So the signs move up by one:
    the second is what the first was, and the last but one is left out.
    """
    shapes = font.getGlyphSet()
    width = shapes[RADICAL].width
    first, second, third, fourth = (each.VariantGlyph for each in signs)
    taken = [(first, first, LOW), (second, first, 1.0), (third, second, 1.0), (fourth, fourth, 1.0)]
    heights = {each.VariantGlyph: each.AdvanceMeasurement for each in signs}
    taken += [(each, each, 1.0) for each in dict.fromkeys(piece.glyph for piece in pieces)]
    made = {}
    for name, shape, share in taken:
        pen = TTGlyphPen(None)
        shapes[shape].draw(TransformPen(pen, (width / shapes[shape].width, 0, 0, share, 0, 0)))
        made[name] = pen.glyph()
    for name, glyph in made.items():
        glyph.recalcBounds(font["glyf"])
        font["glyf"][name] = glyph
        font["hmtx"][name] = (width, glyph.xMin)
    for sign, (_, shape, share) in zip(signs, taken, strict=False):
        sign.AdvanceMeasurement = round(heights[shape] * share)


@functools.cache
def make_font() -> bytes:
    """Return the font as a browser loads it, cut to `CHARACTERS`."""
    font = TTFont(find_font())
    fit(font)
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False)
    options.name_IDs = [*range(7), 13, 14]  # with the licence and its address, as it asks for
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS | SILENT)
    cutter.subset(font)
    for name in (1, 4, 6):  # of the family, in full, and for PostScript, which allows no space
        font["name"].setName(FAMILY.replace(" ", "") if name == 6 else FAMILY, name, 3, 1, 0x409)
        font["name"].removeNames(nameID=name, platformID=1)
    font.flavor = "woff2"
    data = io.BytesIO()
    font.save(data)
    return data.getvalue()


def undrawn(text: str) -> str:
    """Return the characters that the font was not cut for, each once.

    >>> undrawn("∑ x≤ ☃")
    '☃'
    """
    return "".join(sorted({each for each in text if ord(each) not in CHARACTERS | SILENT}))
