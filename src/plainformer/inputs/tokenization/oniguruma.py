r"""Two dialects of regular expressions: ours, of the `regex` module, and that of `tokenizer.json`.

`tokenizers` gives its patterns to Oniguruma, which reads them as Ruby does. Most patterns mean the
same in both, but some mean something else without any warning:

| written | to `regex` | to Oniguruma |
|---|---|---|
| `x{1,3}+` | one to three, without backtracking | one to three, once or more |
| `x{2}?` | two | two, or none |
| `^` and `$` | begin and end of the text | of each line |
| `\Z` | the end | the end, or before a last line feed |
| `\h` | a space or tab | a hexadecimal digit |
| `(?s:.)` | any character, line feed too | an error; there it is `(?m:.)` |
| `[a&&b]` | a, & or b | the intersection of a and b |
| `x{e<=1}` | x, with one mistake at most | these characters literally |
| `[[:digit:]]` | 0 to 9 | a digit of any script |
| `(?i:\p{Lu})` | a letter, small or capital | a capital |

Patterns are therefore translated when a file is written and when it is read. A part that cannot be
translated is refused by name.

`\w`, `\b` and `\s` are passed on unchanged, although the two may differ on rare characters. When
case is ignored, Oniguruma also matches "ß" with "ss", and `regex` matches "İ" with "i". A pattern
that matches the empty string may split at different places, because the two disagree on where to
continue after it.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

__all__ = ["from_oniguruma", "to_oniguruma"]


def to_oniguruma(pattern: str) -> str:
    r"""Write a pattern of the `regex` module so that `tokenizers` splits at the same places.

    Raises:
        ValueError: a part of it cannot be translated; the message names the part.

    >>> to_oniguruma(r"\p{N}{1,3}+| ?\p{L}+|^#")
    '(?>\\p{N}{1,3})| ?\\p{L}+|\\A#'
    """
    return _translate(pattern, _TO)


def from_oniguruma(pattern: str) -> str:
    r"""Write a pattern of a `tokenizer.json` so that `regex` splits at the same places.

    Raises:
        ValueError: a part of it cannot be translated; the message names the part.

    >>> from_oniguruma(r"\p{N}{1,3}+| ?\p{L}+")
    '(?:\\p{N}{1,3})+| ?\\p{L}+'
    """
    return _translate(pattern, _FROM)


@dataclass(frozen=True)
class _Rules:
    """How to translate, in one direction, the parts in which the dialects differ."""

    parts: dict[str, str]  # a character or an escape, outside of square brackets
    signs_in_sets: dict[str, str | None]  # a character between square brackets; None: refused
    flags: dict[str, str]  # the letters of (?i:...)
    possessive: str  # x{1,3}+, where {0} is x{1,3}
    optional: str  # x{2}?, where {0} is x{2}


_TO = _Rules(
    parts={"^": r"\A", "$": r"\Z", r"\Z": r"\z", r"\z": r"\z"},
    signs_in_sets={"[": r"\[", "&": r"\&"},  # plain characters to `regex`
    flags={"i": "i", "s": "m"},
    possessive="(?>{0})",
    optional="{0}",
)
_FROM = _Rules(
    parts={
        "^": r"(?:\A|(?<=\n)(?!\Z))",  # no line begins after a final line feed,
        "$": r"(?:(?=\n)|(?<!\n)\Z)",  # and none ends there
        r"\Z": r"(?=\n?\Z)",
        r"\z": r"\Z",
        r"\h": "[0-9A-Fa-f]",
    },
    signs_in_sets={"[": None, "&": None},
    flags={"i": "i", "m": "s"},
    possessive="(?:{0})+",
    optional="(?:{0})?",
)

_SAME = "pPsSdDwWbBrntfvaAuRX"  # the letters of the escapes that mean the same to both
_ESCAPE = r"\\(?:[pP]\{[^}]*\}|[pP]\w|x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)"
_POSIX = r"\[:\^?\w+:\]"
_PART = regex.compile(
    rf"""
      (?P<set>     \[\^?\]? (?: {_ESCAPE} | {_POSIX} | [^\]\\] )* \] )
    | (?P<escape>  {_ESCAPE} )
    | (?P<comment> \(\?\#[^)]*\) )
    | (?P<flags>   \(\?[a-zA-Z-]+\) )
    | (?P<open>    \( (?: \?[:=!>] | \?<[=!] | \?[a-zA-Z-]+: | \?. )? )
    | (?P<close>   \) )
    | (?P<repeat>  (?: [*+?] | \{{\d+(?:,\d*)?\}} | \{{,\d+\}} ) [+?]? )
    | (?P<fuzzy>   \{{[^{{}}]*[eids][^{{}}]*\}} | \{{,\}} )
    | (?P<sign>    . )
    """,
    regex.VERBOSE | regex.DOTALL,
)
_CASED = regex.compile(r"\\[pP]\{\^?(?:L[ult]|(?:upper|lower|title)\w*)\}", regex.IGNORECASE)
_IN_SET = regex.compile(rf"(?P<escape>{_ESCAPE})|(?P<posix>{_POSIX})|(?P<sign>.)", regex.DOTALL)


def _translate(pattern: str, rules: _Rules) -> str:
    out: list[str] = []
    # For each open group: where in `out` it begins, and whether case was ignored before it.
    opened: list[tuple[int, bool]] = []
    ignores_case = False
    last = 0  # where in `out` the part begins that a repeat would apply to
    for found in _PART.finditer(pattern):
        part = found[0]
        match found.lastgroup:
            case "repeat":
                out[last:] = [_repeat("".join(out[last:]), part, rules)]
            case "open":
                opened.append((len(out), ignores_case))
                ignores_case = _ignores_case(part, ignores_case)
                out.append(_open(part, rules))
            case "close":
                last, ignores_case = opened.pop() if opened else (0, False)
                out.append(part)
            case "flags":  # Ruby's apply from here on, ours everywhere, so only the start is safe
                if found.start() > 0:
                    raise _refused(part)
                ignores_case = _ignores_case(part, ignores_case)
                out.append(_open(part, rules))
            case "set" | "escape" if ignores_case and (cased := _CASED.search(part)):
                raise _refused(f"{cased[0]} without regard to case")
            case "set":
                last = len(out)
                out.append(_set(part, rules))
            case "escape":
                last = len(out)
                out.append(rules.parts.get(part) or _escape(part))
            case "fuzzy":
                raise _refused(part)
            case "sign":
                last = len(out)
                out.append(rules.parts.get(part, part))
    return "".join(out)


def _repeat(repeated: str, sign: str, rules: _Rules) -> str:
    """Translate `x{1,3}+` and `x{2}?`, which the dialects read differently."""
    count, mark = sign[:-1], sign[-1]
    if count.endswith("}") and mark == "+":
        return rules.possessive.format(repeated + count)
    if count.endswith("}") and mark == "?" and "," not in count:
        return rules.optional.format(repeated + count)
    return repeated + sign


def _open(part: str, rules: _Rules) -> str:
    """Translate the beginning of a group, with the letters of flags such as (?i:."""
    if part in ("(", "(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!"):
        return part
    letters = part[2:-1]
    if not letters or not set(letters) <= {*rules.flags, "-"}:
        raise _refused(part)
    return "(?" + "".join(rules.flags.get(letter, letter) for letter in letters) + part[-1]


def _ignores_case(part: str, before: bool) -> bool:
    """Whether case is ignored after (?i: or (?-i: or another beginning of a group."""
    on, _, off = part[2:-1].partition("-")
    return ("i" in on or before) and "i" not in off


def _set(part: str, rules: _Rules) -> str:
    """Translate a set in square brackets."""
    head = "[^" if part.startswith("[^") else "["
    head += "]" * part.startswith("]", len(head))  # the first ] is a plain one
    out = [head]
    for found in _IN_SET.finditer(part[len(head) : -1]):
        each = found[0]
        if found.lastgroup == "escape":
            if (
                each in rules.parts or each[1] in "bBARX"
            ):  # positions and sequences, which are not characters
                raise _refused(f"{each} between square brackets")
            each = _escape(each)
        elif found.lastgroup == "posix":
            raise _refused(each)
        elif found.lastgroup == "sign" and each in rules.signs_in_sets:
            each = rules.signs_in_sets[each] or ""
            if not each:
                raise _refused(f"{found[0]} between square brackets")
        out.append(each)
    return "".join([*out, "]"])


def _escape(part: str) -> str:
    """Write an escape that means the same in both dialects in a form that both can read."""
    if part[:2] == r"\x":  # \x41 or \x{41}
        code = int(part[2:].strip("{}"), 16)
        return rf"\u{code:04x}" if code < 0x10000 else chr(code)
    if part[1] in "pP" and not regex.fullmatch(r"\\[pP]\{\^?(?!(?i:XDigit\}))\w+\}", part):
        raise _refused(part)
    if part[1].isascii() and part[1].isalnum() and part[1] not in _SAME:
        raise _refused(part)
    return part


def _refused(part: str) -> ValueError:
    return ValueError(
        "pattern must mean the same to `regex` and to `tokenizers`, which reads it as Ruby does; "
        f"{part} does not"
    )
