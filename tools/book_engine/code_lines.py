"""Mark each line of code on a page, so that a phone can wrap it with a hanging indent.

A line of code that is wider than the screen is continued below. CSS can indent the continuation
only if every line is an element of its own that knows its indentation, but Pygments makes a single
element of the whole block, so its formatter is extended here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pygments.formatters import HtmlFormatter
from pygments.token import Token
from sphinx.highlighting import PygmentsBridge

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TAG = re.compile(r"<[^>]*>")
LEADING = re.compile(r"(?:<[^>]*>| )*")  # the spaces a line begins with, inside any tags
DEEPEST = 16  # spaces: what is indented further has no room on a phone for a hanging indent
CODE = (Token.Name, Token.Keyword, Token.Literal, Token.Operator, Token.Punctuation, Token.Comment)


class LineFormatter(HtmlFormatter):  # type: ignore[misc]  # Pygments has no types
    """Pygments' HTML with a span around each line, whose style says how far it is indented.

    >>> from pygments.lexers import PythonLexer
    >>> from pygments import highlight
    >>> highlight("if a:\\n    b", PythonLexer(), LineFormatter()).count('style="--indent: 4"')
    1
    """

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Look whether this is code: what a program has printed keeps its columns, and no marks."""
        tokens = list(tokensource)
        self._is_code = any(kind in each for kind, _ in tokens for each in CODE)
        super().format(tokens, outfile)

    def wrap(self, source: Iterable[tuple[int, str]]) -> Any:
        """Wrap the lines one by one before the block as a whole is wrapped."""
        return super().wrap(self._marked(source) if self._is_code else source)

    @staticmethod
    def _marked(source: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for is_code, line in source:
            margin = LEADING.match(line)
            indent = TAG.sub("", margin[0]).count(" ") if margin else 0
            if indent > DEEPEST:
                yield is_code, line
                continue
            style = f' style="--indent: {indent}"' if indent else ""
            yield is_code, f'<span class="pf-line"{style}>{line}</span>'


def setup(app: Sphinx) -> None:
    """Make Sphinx highlight code with this formatter."""
    PygmentsBridge.html_formatter = LineFormatter
