"""Formulas become MathML while the book is built, and their font draws all that is in them."""

import io
import re

import pytest
from fontTools.ttLib import TTFont
from lxml import etree

from book_engine import formulas, math_font


def read(tex: str, *, display: bool = False) -> etree._Element:
    """Return a formula as a tree; it must be well formed, with no entity that only HTML knows."""
    return etree.fromstring(formulas.convert(tex, display=display))


def shown(tex: str) -> str:
    """Return the characters of a formula without its annotation."""
    tree = read(tex)
    for note in tree.findall(".//annotation"):
        note.getparent().remove(note)
    return "".join(tree.itertext())


@pytest.mark.parametrize(
    ("tex", "elements"),
    [
        (r"\frac{1}{\sqrt{d_k}}", ["mfrac", "msqrt", "msub"]),
        (r"\sum_{i=1}^n \hat{y}_i", ["munderover", "mover"]),
        (r"\begin{aligned} a &= b \\ &< c \end{aligned}", ["mtable", "mtr", "mtd"]),
        (r"\left(\begin{pmatrix} 1 & 0 \end{pmatrix}\right)", ["mo", "mtable"]),
        (r"\begin{cases} 1 & \text{if } x \\ 0 \end{cases}", ["mtable", "mtext"]),
    ],
)
def test_what_is_written_in_tex_is_built_in_mathml(tex: str, elements: list[str]) -> None:
    tree = read(tex, display=True)
    assert tree.get("display") == "block"
    assert [name for name in elements if tree.find(f".//{name}") is None] == []


def test_lines_inside_lines_are_no_mistake() -> None:
    inner = r"\begin{cases} 1 & x \\ 0 & y \end{cases}"
    read(r"\begin{aligned} a &= " + inner + r" \\ b &= c \end{aligned}", display=True)


def test_the_tex_goes_along_for_screen_readers_and_for_copies() -> None:
    [note] = read(r"a < b \text{ & c}".replace("& ", "")).findall(".//annotation")
    assert (note.get("encoding"), note.text) == ("application/x-tex", r"a < b \text{ c}")


@pytest.mark.parametrize(
    ("tex", "told"),
    [
        (r"\nonsense x", "cannot be converted"),
        (r"\begin{aligned} a \\[1em] b \end{aligned}", "length"),
        (r"a \\ b", r"\begin{aligned}"),
        ("x + ☃", "☃"),
    ],
)
def test_what_would_be_shown_wrongly_is_refused_with_a_reason(tex: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        formulas.convert(tex, display=True)


def test_the_font_is_light_and_has_what_browsers_build_formulas_with() -> None:
    data = math_font.make_font()
    assert len(data) < 45_000
    font = TTFont(io.BytesIO(data))
    drawn = font.getBestCmap()
    holes = {0x1D455, 0x3A2}  # unassigned in Unicode; the italic h is in another place
    assert math_font.CHARACTERS - holes <= drawn.keys()
    variants = font["MATH"].table.MathVariants
    tall = dict(zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True))
    assert all(len(tall[drawn[ord(each)]].MathGlyphVariantRecord) > 3 for each in "([{√")


def test_a_part_of_the_font_has_a_name_of_its_own_and_the_licence() -> None:
    """The licence (OFL 1.1) asks for both."""
    names = TTFont(io.BytesIO(math_font.make_font()))["name"]
    assert {str(names.getName(each, 3, 1, 0x409)) for each in (1, 4)} == {math_font.FAMILY}
    assert "STIX" not in str(names.getName(6, 3, 1, 0x409))
    assert "Open Font License" in str(names.getName(13, 3, 1, 0x409))
    assert names.getName(14, 3, 1, 0x409)


def test_radical_signs_grow_in_height_alone() -> None:
    """Chromium keeps room for the widest, so another width would be a gap behind every root."""
    font = TTFont(io.BytesIO(math_font.make_font()))
    variants = font["MATH"].table.MathVariants
    root = variants.VertGlyphConstruction[
        variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[ord("√")])
    ]
    signs = root.MathGlyphVariantRecord
    names = [each.VariantGlyph for each in signs]
    names += [each.glyph for each in root.GlyphAssembly.PartRecords]
    assert len({font["hmtx"][name][0] for name in names}) == 1
    heights = [each.AdvanceMeasurement for each in signs]
    assert heights == sorted(set(heights))
    for each in signs:
        glyph = font["glyf"][each.VariantGlyph]
        assert abs(glyph.yMax - glyph.yMin - each.AdvanceMeasurement) < 20


def test_a_prime_is_small_where_it_is_a_superscript() -> None:
    font, whole = TTFont(io.BytesIO(math_font.make_font())), TTFont(math_font.find_font())

    def height(of: TTFont) -> int:
        glyph = of["glyf"][of.getBestCmap()[0x2032]]
        return int(glyph.yMax)

    assert height(font) < height(whole)


@pytest.mark.parametrize("tex", [r"\alpha", r"\Phi", r"\boldsymbol\beta", r"\mathbf{x}", "x'"])
def test_no_character_of_a_formula_is_left_to_another_font(tex: str) -> None:
    assert math_font.undrawn(shown(tex)) == ""
