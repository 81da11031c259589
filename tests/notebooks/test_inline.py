"""Roles, links, citations, footnotes and mathematics inside a paragraph."""

import pytest
from tests.notebooks.samples import rendered

from notebook_engine.blocks import PageError
from notebook_engine.inline import leftovers, one_line_math

PAGE = """# Page

(first)=
## First *part*

(fig)=
:::{figure} dot.png
:alt: A dot
A caption.
:::

$$ a = b $$ (same)

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
        ("{cite}`gage1994,rust2021`", "(Gage, 1994; [Rust and Vulić, 2021](https://doi.org/10.1/x))"),
        ("{ref}`first`", "[First *part*](#First-part)"),
        ("{ref}`so <first>`", "[so](#First-part)"),
        ("{ref}`ex-1`", "[Exercise 1 · Count](#Exercise-1-·-Count)"),
        ("{numref}`fig`", "Figure 1"),
        ("{numref}`Picture %s <fig>`", "Picture 1"),
        ("{eq}`same`", "(1)"),
        ("[there](#first)", "[there](#First-part)"),
        ("[](#first)", "[First *part*](#First-part)"),
        ("{doc}`other`", "[Other page](other.ipynb)"),
        ("{doc}`/book/blocks/far`", "[Far page](../blocks/far.ipynb)"),
        ("{ref}`far`", "[Deep](../blocks/far.ipynb#Deep)"),
        ("[it](../blocks/far.md#deep)", "[it](../blocks/far.ipynb#Deep)"),
        ("[it](other)", "[it](other.ipynb)"),
        ("<project:other.md>", "[Other page](other.ipynb)"),
        ("[the map](../index.md)", "the map"),
        ("{doc}`/book/index`", "The course"),
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
        ("[a {term}`token`](https://a.org)", "[a token](https://a.org)"),
        ("{term}`pieces <token>`", "pieces"),
        ("{math}`x_1`", "$x_1$"),
        ("{abbr}`BPE (byte-pair encoding)`", "BPE (byte-pair encoding)"),
        ("{kbd}`Tab`", "<kbd>Tab</kbd>"),
        ("{sub}`2`", "<sub>2</sub>"),
        ("{py:func}`~a.b.merge`", "`merge()`"),
        ("{class}`a.B`", "`a.B`"),
        ("{code}`a b`", "`a b`"),
        ("[loud]{.big}", "loud"),
        ("![A dot](dot.png){width=50%}", "![A dot](attachment:dot.png)"),
        ("`{ref}` and ``{cite:p}`x` ``", "`{ref}` and ``{cite:p}`x` ``"),
        (r"$\{a\}$ costs \$5", r"$\{a\}$ costs \$5"),
        ("a <!-- hidden --> b", "a  b"),
        ("$$ a &= b \\\\ &= c $$", "$$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} $$"),
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
    assert leftovers(text) == []


def test_a_footnote_stands_at_the_end_of_its_cell(tmp_path):
    text = rendered(tmp_path, "One[^a] and two[^b].\n\n[^b]: Bee {kbd}`b`.\n[^a]: Ay,\n    long.\n")
    assert text == "One¹ and two².\n\n¹ Ay, long.\n\n² Bee <kbd>b</kbd>."


def test_link_definitions_come_along(tmp_path):
    text = rendered(tmp_path, "See [it][Home].\n\n[home]: https://a.org\n")
    assert text == "See [it][Home].\n\n[home]: https://a.org"


def test_an_equation_in_a_quote_is_one_line_with_its_number(tmp_path):
    myst = ":::{note}\n```{math}\n:label: eq\na &= b \\\\\n&= c\n```\nSee {eq}`eq`.\n:::\n"
    text = rendered(tmp_path, myst)
    math = "> $$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} \\tag{1} $$"
    assert text == f"> **Note**\n>\n{math}\n>\n> See (1)."


def test_amsmath_becomes_something_that_every_notebook_draws(tmp_path):
    text = rendered(tmp_path, "\\begin{align}\na &= b\\\\\nc &= d\n\\end{align}\n")
    assert text == "$$ \\begin{aligned} a &= b\\\\ c &= d \\end{aligned} $$"
    assert one_line_math("\\begin{equation} a \\label{x} \\end{equation}") == "$$ a $$"


@pytest.mark.parametrize(
    ("myst", "problem"),
    [
        ("{sparkle}`x`", "unknown role {sparkle}"),
        ("{cite:p}`nobody`", "references.bib has no entry 'nobody'"),
        ("{ref}`nowhere`", "nothing is labelled 'nowhere'"),
        ("[x](#nowhere)", "nothing is labelled 'nowhere'"),
        ("[x](gone.md)", "leads nowhere"),
        ("{download}`x <../../notebooks/inputs/gone.ipynb>`", "leads nowhere"),
        ("{download}`x <../../notebooks/inputs/page_exercises.ipynb>`", "leads nowhere"),
        ("{download}`x <../../notebooks/inputs/gone.ipynb>`", "leads nowhere"),
        ("{doc}`gone`", "there is no page"),
        ("![](dot.png)", "has no alternative text"),
        ("![A cat](gone.png)", "there is no picture"),
        ("![A cat](https://a.org/cat.png)", "is not a file of the book"),
        ("see[^gone]", "there is no footnote"),
        ("\\begin{multline}\na\n\\end{multline}", "unknown environment"),
    ],
)
def test_what_is_unknown_is_an_error_with_page_and_line(tmp_path, myst, problem):
    with pytest.raises(PageError) as caught:
        rendered(tmp_path, f"# Page\n\nFine.\nAlso fine.\n\n{myst}\n")
    assert str(caught.value).startswith("book/inputs/page.md:6: ")
    assert problem in str(caught.value)


def test_the_line_of_a_role_inside_nested_boxes(tmp_path):
    myst = "# Page\n\n::::{note}\n:class: x\n\n:::{tip}\nfine\nbad {sparkle}`x`\n:::\n::::\n"
    with pytest.raises(PageError, match=r"^book/inputs/page\.md:8: "):
        rendered(tmp_path, myst)


@pytest.mark.parametrize(
    "text",
    ["::: x", "{ref}`a`", "```{note}\nx", "(label)=", "see[^1]", ":alt: x", "{.big}", "% x",
     "> (label)=", "~~~{tip}", "<project:x.md>"],
)  # fmt: skip
def test_leftovers_are_found(text):
    assert leftovers(f"Fine.\n\n{text}\n")


@pytest.mark.parametrize(
    "text", ["`{ref}`", "```text\n(label)=\n:::{note}\n```", "50 % of it", "a:b:c"]
)
def test_code_and_plain_text_are_no_leftovers(text):
    assert leftovers(f"Fine.\n\n{text}\n") == []
