"""Make the book's text face from the npm package of Source Serif 4: 25 KB upright, 27 KB italic.

    npm pack @fontsource-variable/source-serif-4@5.3.1
    python tools/text_font.py fontsource-variable-source-serif-4-5.3.1.tgz

The result is committed in ``book/_static``, so nobody needs this to build the book. These lines
made it, and they show what was taken away: the weights that no page uses, every character beyond
English, and the hinting, which today's screens ignore. Greek letters and arrows come from the
formulas' font (``book_engine/math_font.py``), whose letters are as high to within two thousandths
of an em.

The SIL Open Font License lets us serve a part of the face under another name and asks that the
licence travels with it, so it is written into the files.
"""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

STATIC = Path(__file__).parents[1] / "book" / "_static"
FACES = {"text": "normal", "text-italic": "italic"}  # our file, and the package's name for it
INSIDE = "package/files/source-serif-4-latin-wght-{}.woff2"
FAMILY = "Book text"
CHARACTERS = frozenset(
    {
        *range(0x20, 0x7F),
        *map(ord, "\u00a0°±²³·¹×÷§©«»¼½¾ÄÖÜßàáâäçèéêëìíîïñòóôöùúûüýŒœ"),
        *map(ord, "–—‘’“”„•…′″‹›€−"),
    }
)
LICENCE = (
    "This Font Software is licensed under the SIL Open Font License, Version 1.1. "
    "This is a part of the original under another name."
)


def make_font(data: bytes, style: str) -> bytes:
    """Return the part of a face that the book needs, in the format that browsers load."""
    font = TTFont(io.BytesIO(data))
    instancer.instantiateVariableFont(font, {"wght": (400, 400, 700)}, inplace=True)
    options = subset.Options(flavor="woff2", hinting=False)
    options.layout_features = ["kern", "liga", "ccmp", "tnum"]
    options.name_IDs = [*range(7), 13, 14]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    names = {1: FAMILY, 2: style, 4: f"{FAMILY} {style}", 6: f"BookText-{style}"}
    for number, text in {**names, 13: LICENCE, 14: "https://openfontlicense.org"}.items():
        font["name"].removeNames(nameID=number)
        font["name"].setName(text, number, 3, 1, 0x409)
    font.flavor = "woff2"
    made = io.BytesIO()
    font.save(made)
    return made.getvalue()


def main(package: str) -> None:
    """Write both faces from the package's archive."""
    with tarfile.open(package) as archive:
        for name, style in FACES.items():
            member = archive.extractfile(INSIDE.format(style))
            assert member is not None, "the member is a file"
            made = make_font(member.read(), style.title())
            (STATIC / f"{name}.woff2").write_bytes(made)
            print(f"{name}.woff2: {len(made):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
