"""The font of the formulas: STIX Two Math, reduced from 1.5 MB to the 40 KB that the course needs.

To draw MathML, a browser needs a font with layout data for formulas (a MATH table): where sub- and
superscripts go, how thick the rule of a fraction is, which pieces make up a tall bracket. Few
systems have one. The package ``ziamath`` ships STIX Two Math under the SIL Open Font License, which
allows us to serve a part of it under another name. This module extracts that part and adjusts it to
the way browsers lay out MathML (`fit`).
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
LOW = 0.84  # the height of the lowest radical sign, for a single x, relative to the font's own
# The characters that formulas use. Their letters are italic, or bold for vectors.
CHARACTERS = frozenset(
    {
        *range(0x20, 0x7F),
        *range(0x1D400, 0x1D468),  # bold and italic letters
        *range(0x391, 0x3CA),  # Greek
        *range(0x1D6E2, 0x1D756),  # italic and bold italic Greek
        *map(ord, "ℎℓ𝛀𝒩ℒ𝒱ℝ𝔼𝟙"),
        *map(ord, "¯ˆ˜˙→←↔↦⇒⇔↑↓∀∂∃∅∇∈∉∏∑−±∓∗∘√∝∞∣∥∧∨∩∪∫≈≔≠≡≤≥≪≫⊂⊆⊕⊖⊗⊙⊤⊥⋅×÷⋮⋯⋱…⌈⌉⌊⌋⟨⟩′″"),
    }
)
# Invisible characters: a space, function application, separators, and variation selectors.
SILENT = frozenset(map(ord, "\u00a0\u2061\u2062\u2063\u2064\ufe00\ufe01"))

# In thousandths of the font size. These follow TeX's own fonts where STIX Two Math differs.
CONSTANTS = {
    # The scripts of all letters are at the same height. TeX ignores the descender of a p or a q,
    # whereas MathML would set its subscript lower than those of the letters around it.
    "SubscriptBaselineDropMin": -40,
    "SuperscriptBaselineDropMax": 400,
    # One pixel at the normal text size; with any more, some rules would have one pixel, some two.
    "FractionRuleThickness": 50,
    "RadicalRuleThickness": 50,
    "OverbarRuleThickness": 50,
    # In percent. Scripts are larger than in print, because screens have coarser pixels than paper.
    "ScriptPercentScaleDown": 76,
    "ScriptScriptPercentScaleDown": 60,
    # Keeps the parts of a small fraction, which are set in script size, close to its rule.
    "FractionNumeratorShiftUp": 430,
    "FractionDenominatorShiftDown": 400,
}


def find_font() -> Path:
    """Return the path of STIX Two Math in the installed package.

    Raises FileNotFoundError if the package does not contain the font.
    """
    for file in importlib.metadata.files("ziamath") or []:
        if file.name == "STIXTwoMath-Regular.ttf":
            return Path(str(file.locate()))
    raise FileNotFoundError("the package ziamath has no STIXTwoMath-Regular.ttf")


def fit(font: Any) -> None:
    """Adjust the font to MathML: its constants, its prime, and its radical signs.

    The prime gets its form for superscripts, because the ordinary glyph is already small and
    raised, and MathML would shrink and raise it again.
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
    """Make all radical signs equally wide, and add one that is low enough for a single x.

    Chromium reserves the width of the widest sign, whichever of them it draws. And while TeX raises
    a sign that is too tall, MathML lets it extend below the line. There are four signs, and the new
    one, a lower copy of the first, takes the first place. The old first and second signs become the
    second and third, the tallest stays the fourth, and the old third sign is dropped.
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
    """Return the font, reduced to `CHARACTERS`, in the format that browsers load."""
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
    """Return the characters that the reduced font lacks, each of them once.

    >>> undrawn("∑ x≤ ☃")
    '☃'
    """
    return "".join(sorted({each for each in text if ord(each) not in CHARACTERS | SILENT}))
