"""Roles, links, citations, footnotes and mathematics inside a paragraph."""

import pytest
from tests.notebooks.samples import rendered

from notebook_engine.blocks import PageError
from notebook_engine.render import one_line_math

PAGE = """# Page

(first)=
## First *part*

:::{exercise} Count
:label: ex-1
x
:::
"""


@pytest.mark.parametrize(
    ("myst", "plain"),
    [
        ("{cite:p}`sennrich2016`", "([Sennrich et al., 2016](https://arxiv.org/abs/1508.07909))"),
        ("{cite:t}`rust2021`", "[Rust and Vulić (2021)](https://doi.org/10.1/x)"),
        ("{cite:p}`gage1994,rust2021`", "(Gage, 1994; [Rust and Vulić, 2021](https://doi.org/10.1/x))"),
        ("{cite:t}`gage1994,rust2021`", "Gage (1994) and [Rust and Vulić (2021)](https://doi.org/10.1/x)"),
        ("{ref}`first`", "[First *part*](#First-part)"),
        ("{ref}`so <first>`", "[so](#First-part)"),
        ("{ref}`ex-1`", "[Exercise 1 · Count](#Exercise-1-·-Count)"),
        ("[there](#first)", "[there](#First-part)"),
        ("{doc}`other`", "[Other page](other.ipynb)"),
        ("{doc}`/book/blocks/far`", "[Far page](../blocks/far.ipynb)"),
        ("{ref}`far`", "[Deep](../blocks/far.ipynb#Deep)"),
        ("[it](../blocks/far.md#far)", "[it](../blocks/far.ipynb#Deep)"),
        ("[](#first)", "[First *part*](#First-part)"),
        ("*a `b`* and **c**", "*a `b`* and **c**"),
        ("a \\*star\\* and &amp;", "a \\*star\\* and &amp;"),
        ("[it](other)", "[it](other.ipynb)"),
        ("[the map](../index.md)", "the map"),
        ("{doc}`/book/index`", "The course"),
        ("{toy}`see it <blocks/far: {\"a\": [1]}>`", "[see it](../blocks/far.ipynb)"),
        ("[code](../../src/thing/box.py)", "code (`src/thing/box.py`)"),
        ("[code](/src/thing/box.py)", "code (`src/thing/box.py`)"),
        ("{download}`the code <../../src/thing/box.py>`", "the code (`src/thing/box.py`)"),
        ("{download}`/src/thing/box.py`", "`src/thing/box.py`"),
        ("{download}`this one <../../notebooks/inputs/page.ipynb>`", "this one"),
        ("{download}`../../notebooks/inputs/page.ipynb`", "this notebook"),
        ("{download}`its sheet </notebooks/inputs/page_exercises.ipynb>`",
         "[its sheet](page_exercises.ipynb)"),
        ("{download}`next <../../notebooks/inputs/other.ipynb>`", "[next](other.ipynb)"),
        ("{download}`../../notebooks/blocks/far.ipynb`", "[far.ipynb](../blocks/far.ipynb)"),
        ("[x](https://a.org/b_(c))", "[x](https://a.org/b_(c))"),
        ("[a *{doc}`page`*](https://a.org)", "[a *Page*](https://a.org)"),
        ("`{ref}` and ``{cite:p}`x` `` then", "`{ref}` and ``{cite:p}`x` `` then"),
        (r"$\{a\}$ costs \$5", r"$\{a\}$ costs \$5"),
    ],
)  # fmt: skip
def test_inline(tmp_path, myst, plain):
    others = {
        "inputs__other": "# Other page\n",
        "blocks__far": "# Far page\n\n(far)=\n## Deep\n",
        "index": "# The course\n",
    }
    text = rendered(tmp_path, f"{PAGE}\n{myst}\n", **others)
    assert text.endswith(f"\n\n{plain}")


def test_an_equation_is_one_line(tmp_path):
    text = rendered(tmp_path, ":::{truth}\n$$\na &= b \\\\\n&= c  % why\n$$\n\nSo.\n:::\n")
    math = "> $$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} $$"
    assert text == f"> **What is true**\n>\n{math}\n>\n> So."
    whole = "\\begin{aligned} a &= b \\end{aligned}"
    assert one_line_math(whole) == f"$$ {whole} $$"


@pytest.mark.parametrize(
    ("myst", "problem"),
    [
        ("{sparkle}`x`", "{sparkle}"),
        ("{cite:p}`nobody`", "'nobody'"),
        ("{ref}`nowhere`", "'nowhere'"),
        ("[x](#nowhere)", "'nowhere'"),
        ("[x](gone.md)", "gone"),
        ("{download}`x <../../notebooks/inputs/gone.ipynb>`", "gone"),
        ("{download}`x <../../notebooks/inputs/page_exercises.ipynb>`", "page_exercises"),
        ("{download}`x <../../notebooks/inputs/gone.ipynb>`", "gone"),
        ("{doc}`gone`", "'gone'"),
        ("{numref}`first`", "{numref}"),
        ("![A cat](cat.png)", "image"),
        ("<b>loud</b>", "html_inline"),
        ("one\\\ntwo", "hardbreak"),
        ("see[^1]\n\n[^1]: note", "footnote_ref"),
        ("[loud]{.big}", "span_open"),
    ],
)
def test_what_is_unknown_is_an_error_with_page_and_line(tmp_path, myst, problem):
    with pytest.raises(PageError) as caught:
        rendered(tmp_path, f"# Page\n\nFine.\nAlso fine.\n\n{myst}\n")
    assert str(caught.value).startswith("book/inputs/page.md:6: ")
    assert problem in str(caught.value)


def test_the_line_of_a_role_inside_nested_boxes(tmp_path):
    myst = "# Page\n\n::::{guess}\n:class: x\n\n:::{truth}\nfine\nbad {sparkle}`x`\n:::\n::::\n"
    with pytest.raises(PageError, match=r"^book/inputs/page\.md:8: "):
        rendered(tmp_path, myst)
