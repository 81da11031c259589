r"""Formulas as MathML, which browsers draw by themselves: TeX goes in, and no script is needed.

Sphinx asks its *math renderer* for every formula of a page, wherever it is: in a line, a title, a
table, a box, or a list that is collected from other pages when they are written. This one converts
with math-core, whose output keeps to what all browsers draw (MathML Core), with the TeX inside it
as an annotation, for screen readers and for whoever copies the formula. The notebooks keep their
``$…$``, which Jupyter draws with MathJax; so a formula is written in what both understand.

`math_font` is the font that the formulas are drawn with.
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
    r"""Return a formula as an element ``<math>``, of a line of its own where ``display`` is true.

    >>> convert("x^2", display=False)  # doctest: +ELLIPSIS
    '<math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation ...>x^2</annotation>...</math>'

    Raises ValueError where TeX asks for what MathML would not show, or the font cannot draw.
    """
    if re.search(r"\\\\\s*\[", tex):
        raise ValueError(r"a line may not end with \\[a length], which MathML cannot show: use \\")
    if has_row_outside_environment(tex):
        raise ValueError(r"lines that end with \\ must be in \begin{aligned} … \end{aligned}")
    try:
        made = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as problem:
        raise ValueError(f"it cannot be converted to MathML: {problem}") from problem
    made = NAMED.sub(lambda entity: html.unescape(entity[0]), made)
    shown = html.unescape(re.sub(r"<[^>]*>", "", ANNOTATION.sub("", made)))
    if missing := math_font.undrawn(shown):
        raise ValueError(f"math_font.py must name in CHARACTERS what it draws: {missing}")
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
    """Return a formula of a page as it is written; one that has a fault is reported, and stays TeX.

    The report is a warning, which fails the build of the book.
    """
    tex = node.astext()
    try:
        return convert(tex, display=display)
    except ValueError as problem:
        LOGGER.warning("the formula %r: %s", tex, problem, location=node)
        return f"<code>{html.escape(tex, quote=False)}</code>"


def visit_math(translator: Any, node: nodes.math) -> None:
    """Write a formula that is part of a line."""
    translator.body.append(written(node, display=False))
    raise nodes.SkipNode


def visit_math_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that has lines of its own, in the box that scrolls when it is too wide."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{written(node, display=True)}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Become the renderer: Sphinx takes the one that is not its own."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
