"""``listing``: a function of the package, folded, as its source has it but for the docstring.

What the docstring says (shapes, errors, examples) is for those who call the function. Who opens
the listing wants to see how it is done.
"""

from __future__ import annotations

import ast
import textwrap
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude

from .boxes import box, box_title

OPTIONS = ("pyobject", "dedent", "language", "class", "name")


def without_docstring(source: str) -> str:
    r'''Return the source of one function or class without its docstring.

    A class keeps its methods' docstrings, and a body of nothing else stays as it is.

    >>> print(without_docstring('def f(x):\n    """Double."""\n\n    return 2 * x\n'))
    def f(x):
        return 2 * x
    >>> without_docstring('def f(x):\n    """Double."""')
    'def f(x):\n    """Double."""'
    '''
    source = textwrap.dedent(source).strip("\n")  # a method stands at the left edge, too
    (outer,) = ast.parse(source).body
    if not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return source
    if ast.get_docstring(outer) is None or len(outer.body) == 1:
        return source
    docstring, lines = outer.body[0], source.split("\n")
    end = docstring.end_lineno or docstring.lineno
    after = lines[end:]
    while not after[0].strip():
        after.pop(0)
    return "\n".join([*lines[: docstring.lineno - 1], *after])


def title_of(path: str, options: dict[str, Any]) -> str:
    """Return what the fold is called, as MyST.

    >>> title_of("/src/plainformer/plots.py", {"pyobject": "picture"})
    '`picture` in plainformer/plots.py'
    """
    return f"`{options['pyobject']}` in {path.lstrip('/').removeprefix('src/')}"


class Listing(LiteralInclude):
    """The directive. ``:pyobject:`` is required.

    Of the other options of ``literalinclude`` most count lines, which a docstring less makes wrong,
    or put the code in a frame of their own; they are refused.
    """

    option_spec: ClassVar[Any] = {name: LiteralInclude.option_spec[name] for name in OPTIONS}

    def run(self) -> list[nodes.Node]:
        """Return the fold with the code in it."""
        if "pyobject" not in self.options:
            raise self.error("a listing names what it shows: :pyobject: attention")
        self.options.setdefault("language", "python")
        found = super().run()
        for node in found:
            if not isinstance(node, nodes.literal_block):
                return found  # an error, which says itself what is wrong
            text = without_docstring(node.astext())
            node.rawsource = text
            node.children = [nodes.Text(text)]
        number = self.env.new_serialno("pf-box")
        made = box("", kind="listing", folded=True, title_id=f"pf-box-{number}")
        title = box_title("", "", label="Code", title_id=made["title_id"], folded=True)
        children, _ = self.parse_inline(title_of(self.arguments[0], self.options))
        title += children
        made += [title, *found]
        return [made]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("listing", Listing)
