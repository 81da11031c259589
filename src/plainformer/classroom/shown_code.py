"""A student's text as HTML: every character escaped, long lines wrapped, code in colours.

What is shown is what is there. Characters that have no picture, and those that turn the direction
of a line, so that code reads otherwise than it runs, are shown by their numbers.
"""

from __future__ import annotations

import html

try:
    from pygments.lexers.python import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, String
except ImportError:  # then without colours
    PythonLexer = None

__all__ = ["CODE_STYLE", "as_lines", "visible"]

COLOURED = 20_000  # characters; of more, none are, as a lexer may take long for some
LONGEST = 300  # characters of a line, likewise
CODE_STYLE = """\
pre.answer { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4;
  font: .875rem/1.5 ui-monospace, monospace; unicode-bidi: isolate; }
.tk { color: light-dark(#8b1a9c, #d7a6f0); } .ts { color: light-dark(#0b5d1e, #8fd19e); }
.tc { color: light-dark(#57606a, #a6afb9); font-style: italic; }
.tn { color: light-dark(#8a3b00, #f0b27a); } .tf { color: light-dark(#0a4f94, #8cc4ff); }
"""


def visible(text: str) -> str:
    """Text in which every character can be seen.

    >>> visible("a\\u202eb")
    'a⟨202E⟩b'
    """
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"⟨{ord(letter):04X}⟩"
        for letter in text.replace("\r\n", "\n")
    )


def as_lines(source: str, *, code: bool = True) -> str:
    """A block that shows a source, or a text; long lines are wrapped.

    >>> as_lines("x = '<b>'", code=False)
    '<pre class="answer">x = &#x27;&lt;b&gt;&#x27;</pre>'
    """
    text = visible(source)
    few = len(text) <= COLOURED and max(map(len, text.split("\n"))) <= LONGEST
    shown = _coloured(text) if code and few and PythonLexer is not None else html.escape(text)
    # A line end right after <pre> is dropped by a browser, so one is put there to be dropped.
    start = "\n" if shown.startswith("\n") else ""
    return f'<pre class="answer">{start}{shown}</pre>'


def _coloured(text: str) -> str:
    parts = []
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        escaped = html.escape(value)
        parts.append(f'<span class="{name}">{escaped}</span>' if name else escaped)
    return "".join(parts)


def _class(kind: object) -> str:
    for parent, name in (
        (Comment, "tc"),
        (String, "ts"),
        (Number, "tn"),
        (Keyword, "tk"),
        (Name.Function, "tf"),
        (Name.Class, "tf"),
    ):
        if kind in parent:
            return name
    return ""
