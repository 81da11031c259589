"""Strings on which tokenizers go wrong: one list, used by the package's tests and the browser's."""

import sys
import unicodedata

# Everything that Python, the `regex` module or Unicode's White_Space property calls a space, and
# the characters on which these three disagree (U+001C-1F, U+0085, U+180E, U+200B, U+FEFF).
SPACES = sorted(
    {c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace()}
    | set("\x1c\x1d\x1e\x1f\x85\u180e\u200b\ufeff")
)

AWKWARD: list[str] = [
    "",
    " ",
    "a",
    "your cat is a lovely cat",
    # spaces: in runs, at the ends, alone, before and after words
    "  two  spaces   three    ",
    " leading and trailing ",
    "tabs\tand\nnew\r\nlines\n\n\nand \n mixed\t\n ",
    "".join(f"a{space}b{space}{space}c " for space in SPACES),
    "".join(SPACES),
    "zero\u200bwidth\u200cnon\u200djoiner\u2060word joiner\ufeffbyte order mark",
    "\ufeffstarts with a byte order mark",
    "next\x85line, \x1c\x1d\x1e\x1f separators\x1c \x1f1 \x1ea",
    # control characters
    "NUL\x00in the middle\x00",
    "\x00",
    "".join(map(chr, range(0x20))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0))),
    # contractions: the pattern of GPT-2 knows the lower-case ones only, and one apostrophe
    "I'm you're he's we'll they'd I've don't 'tis",
    "I'M YOU'RE HE'S WE'LL THEY'D I'VE DON'T 'TIS",
    "it\u2019s o\u2019clock, rock \u2018n\u2019 roll, ''s 's's 'sss 'll'll",
    # combining marks: composed, decomposed, stacked, without a base
    "caf\u00e9 cafe\u0301 \u1e9b\u0323 e\u0301\u0302\u0303\u0304\u0305 "
    "Z\u0351\u036f\u0303a\u0335l\u0336g\u0337o\u0338",
    "\u0301\u0302 alone, \u0915\u094d\u0937\u093f \u0e19\u0e49\u0e33 \uac01 \u1100\u1161\u11a8",
    # emoji: joiners, skin tones, flags, keycaps, variation selectors
    "👩\u200d👩\u200d👧\u200d👦 👍🏽 🇮🇹🇬🇧 "
    "1\ufe0f\u20e3 ❤️ ❤ 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "🙂🙂🙂🙂 🙂cat🙂",
    # right to left, and with directional controls
    "שלום עולם، مرحبا بالعالم ١٢٣ \u202eabc\u202c \u2067קטן\u2069 שָׁלוֹם",
    # scripts without spaces, and outside the basic plane
    "我的猫是一只可爱的猫。吾輩は猫である。 고양이 แมวน่ารัก",
    "𐍈 𝔊𝔬𝔱𝔥𝔦𝔠 𠮷野家 𓃠 𒀀𒀁",
    # numbers: digits of other scripts, letters that are numbers, fractions
    "٣٤٥ ४५६ ７８９ ¾ Ⅷ ² ₃ ① 一二三 𝟘𝟙 3.14159 1,000,000 0x1F",
    # private use, unassigned, noncharacters, the last code point
    "\ue000 \uf8ff \U000f0000 \U0010fffd",
    "\u0378 \u0e00 \U000e0fff \u2fe0",
    "\ufdd0 \ufffe \uffff \U0001ffff \U0010ffff \ufffd",
    # letters that change length or bytes with case
    "ß ẞ İ ı ﬁ ŉ ǰ Σίσυφος ΣΊΣΥΦΟΣ ǅ",
    # text that looks like special tokens, markup or code
    "<unk> <|endoftext|> <|end <s></s> [CLS] <0x0A> <0xE2><0x82>",
    '<script>alert("x")</script> &amp; &lt;b&gt; </pre> \\n \\u0041 {"a": [1]}',
    "def f(x):\n    return x**2  # squared\n\n\nprint(f(3))\n",
    "Ġ Ċ ĉ Ā ġ Ń looks like the byte alphabet",
    # one of each kind in a row, and long ones
    "a1!a1! _x_ __init__ --- ... ?!?! $100 #tag @you e-mail http://x.y/z?q=1&r=%20",
    "a" * 3000,
    "ab" * 1500 + " " + "abc" * 700,
    " " * 1000,
    "!" * 1000 + "?" * 500,
    "".join(c for c in map(chr, range(0x250)) if unicodedata.category(c) != "Cs"),
]

# Text that no UTF-8 can hold: half a surrogate pair. Tokenizers refuse it with a ValueError.
LONE_SURROGATES: list[str] = ["\ud800", "a\udfffb", "ok \ude00\ud83d reversed"]
