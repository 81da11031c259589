r"""Convert formulas from TeX to MathML, which browsers draw without a script.

Sphinx calls its *math renderer* for every formula, whether it is in running text, a title, a table,
a box, or a list that is collected from other pages. This renderer converts formulas with math-core,
which produces only what all browsers can draw (MathML Core). It keeps the TeX in an annotation, for
screen readers and for people who copy the formula. In the notebooks, formulas stay ``$…$`` and
Jupyter draws them with MathJax, so they may only use TeX that both converters understand.

The font that the formulas are drawn with is in `math_font`.
"""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from . import math_font

LOGGER = logging.getLogger(__name__)
CONVERTER = LatexToMathML(annotation=True, fancy_error=False)
ROWS = re.compile(r"\\begin\b|\\end\b|\\substack\s*\{[^{}]*\}|\\\\")
ANNOTATION = re.compile(r"<annotation [^>]*>.*?</annotation>", re.DOTALL)
NAMED = re.compile(r"&(?!amp;|lt;|gt;|quot;)\w+;")  # entities of HTML, which XML does not know


def convert(tex: str, *, display: bool) -> str:
    r"""Return a formula as a ``<math>`` element, in display style if ``display`` is true.

    >>> convert("x^2", display=False)  # doctest: +ELLIPSIS
    '<math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation ...>x^2</annotation>...</math>'

    Raises ValueError if the TeX uses something that MathML would not show or the font cannot draw.
    """
    if re.search(r"\\\\\s*\[", tex):
        raise ValueError(r"MathML cannot show a line break with a length, \\[…]: use \\ instead")
    if has_row_outside_environment(tex):
        raise ValueError(
            r"a line break (\\) needs an environment such as \begin{aligned} … \end{aligned}"
        )
    try:
        made = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as problem:
        raise ValueError(f"it cannot be converted to MathML: {problem}") from problem
    made = NAMED.sub(lambda entity: html.unescape(entity[0]), made)
    shown = html.unescape(re.sub(r"<[^>]*>", "", ANNOTATION.sub("", made)))
    if missing := math_font.undrawn(shown):
        raise ValueError(f"the font lacks {missing}: add this to CHARACTERS in math_font.py")
    return made


def has_row_outside_environment(tex: str) -> bool:
    r"""Return whether a line ends with ``\\`` outside of an environment that has lines.

    >>> has_row_outside_environment(r"a \\ b")
    True
    >>> has_row_outside_environment(r"\begin{cases} a \\ b \end{cases}")
    False
    """
    depth = 0
    for found in ROWS.findall(tex):
        depth += {r"\begin": 1, r"\end": -1}.get(found, 0)
        if found == r"\\" and depth == 0:
            return True
    return False


def written(node: nodes.Element, *, display: bool) -> str:
    """Return the HTML of a formula; if it cannot be converted, warn and show its TeX.

    The warning makes the build of the book fail.
    """
    tex = node.astext()
    try:
        return convert(tex, display=display)
    except ValueError as problem:
        LOGGER.warning("the formula %r: %s", tex, problem, location=node)
        return f"<code>{html.escape(tex, quote=False)}</code>"


def visit_math(translator: Any, node: nodes.math) -> None:
    """Write an inline formula."""
    translator.body.append(written(node, display=False))
    raise nodes.SkipNode


def visit_math_block(translator: Any, node: nodes.math_block) -> None:
    """Write a displayed formula, in a box that scrolls if the formula is too wide."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{written(node, display=True)}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer, which Sphinx then prefers to its own."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
