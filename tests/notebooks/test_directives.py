"""What each directive becomes, alone and nested."""

import re

import pytest
from tests.notebooks.committed import ROOT
from tests.notebooks.samples import rendered

from notebook_engine.blocks import PageError
from notebook_engine.directives import BOXES, HANDLERS


def fence(name, body="Body.", argument="", options=""):
    return f":::{{{name}}} {argument}\n{options}\n{body}\n:::\n"


TITLED = [*sorted(BOXES), "dropdown"]


@pytest.mark.parametrize("name", TITLED)
def test_every_box_is_a_titled_quote_or_a_fold(tmp_path, name):
    text = rendered(tmp_path, fence(name, argument="About *it*, {doc}`page <page>`"))
    assert "Body." in text
    if text.startswith("> **"):
        assert text.split("\n")[0].endswith("About *it*, page**")
    else:
        assert text.startswith("> <details>\n> <summary><b>")
        assert "About <em>it</em>, page</b>" in text


USED = re.compile(r"^[ >]*(?:`{3,}|:{3,})\{([^}]+)\}", re.MULTILINE)


def test_every_directive_that_is_known_is_used_by_a_chapter():
    """And the other way round, or `make notebooks` would stop."""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*/*.md")]
    notebooks = [page for page in pages if "{code-cell}" in page]
    used = {name for page in notebooks for name in USED.findall(page)}
    assert used - {"literalinclude"} == HANDLERS.keys()  # that one shows solutions


def test_a_glance_shows_its_facts(tmp_path):
    text = rendered(
        tmp_path, fence("glance", "- **What**: x", options=":time: 5 min\n:after: go\n")
    )
    facts = "> * **Time:** 5 min\n> * **Able to do after:** go"
    assert text == f"> **At a glance**\n>\n> - **What**: x\n>\n{facts}"


def test_a_question_folds_its_answer(tmp_path):
    text = rendered(tmp_path, "::::{guess}\nHow many?\n\n:::{dropdown} Answer\nSix.\n:::\n::::\n")
    assert text == (
        "> **Before you read**\n>\n> How many?\n>\n"
        "> <details>\n> <summary><b>Answer</b></summary>\n>\n> Six.\n>\n> </details>"
    )


def test_a_misconception_keeps_its_claim(tmp_path):
    text = rendered(tmp_path, fence("misconception", argument="A token is a *word*."))
    assert text.startswith("> **Misconception: A token is a *word*.**")
    text = rendered(tmp_path, fence("misconception", "x", "A claim.", ":source: note 3\n"))
    assert text.endswith("> x"), "where it was heard is a note to the authors"


def test_a_heading_is_not_said_twice(tmp_path):
    assert rendered(tmp_path, "## Next\n\n" + fence("next")) == "## Next\n\n> Body."


def test_a_fold_s_title_is_html(tmp_path):
    text = rendered(tmp_path, fence("qa", argument="What is `<unk>`?"))
    assert "<summary><b>Q&amp;A: What is <code>&lt;unk&gt;</code>?</b></summary>" in text


def test_a_solution_goes_with_everything_in_it(tmp_path):
    inside = "Secret.\n\n```{literalinclude} /src/thing/box.py\n:pyobject: twice\n```"
    text = rendered(
        tmp_path, f"Before.\n\n::::{{solution}} ex-1\n:class: dropdown\n\n{inside}\n::::\n"
    )
    assert text == "Before."


def test_an_exercise_keeps_title_and_text(tmp_path):
    text = rendered(tmp_path, "# T\n\n## Exercises\n\n" + fence("exercise", argument="Count"))
    assert text.endswith("### Exercise 1 · Count\n\nBody.")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ":pyobject: twice",
            "@functools.cache\ndef twice(n: int) -> int:\n    # why not\n    return 2 * n",
        ),
        (":pyobject: Box.open", 'def open(self) -> str:\n    return "open"'),
        (":pyobject: Box.open\n:dedent:", 'def open(self) -> str:\n    return "open"'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/src/thing/box.py", "../../src/thing/box.py"])
def test_a_listing_is_the_very_source_folded(tmp_path, path, options, expected):
    text = rendered(tmp_path, f"```{{listing}} {path}\n{options}\n```\n")
    assert text.startswith("> <details>\n> <summary><b>Code: <code>")
    assert f"```python\n{expected}\n```" in text.replace("\n> ", "\n").replace("\n>\n", "\n\n")


def test_three_levels_deep(tmp_path):
    myst = ":::::{guess}\n::::{truth}\n:::{qa} Why?\n$$\na\n$$\n:::\n::::\n:::::\n"
    text = rendered(tmp_path, myst)
    assert "> > $$ a $$" in text and "> > </details>" in text


def test_targets_vanish(tmp_path):
    assert rendered(tmp_path, "(here)=\n\nText.\n") == "Text."


def test_a_table_keeps_its_rows_and_loses_its_roles(tmp_path):
    table = "| a | b |\n| --- | --- |\n| 1 | {doc}`page <page>` |\n| 1 | *1* |"
    plain = table.replace("{doc}`page <page>`", "page")
    assert rendered(tmp_path, table) == plain


def test_a_list_keeps_its_lines_and_loses_its_roles(tmp_path):
    myst = "1. One,\n   {doc}`page <page>`.\n\n   $$\n   a &= b\n   $$\n\n2. ```sh\n   make\n   ```"
    text = rendered(tmp_path, myst)
    math = "$$ \\begin{aligned} a &= b \\end{aligned} $$"
    assert text == f"1. One,\n   page.\n\n   {math}\n\n2. ```sh\n   make\n   ```"


def test_the_bibliography_lists_what_the_page_cites(tmp_path):
    text = rendered(tmp_path, "{cite:p}`sennrich2016`\n\n```{bibliography}\n```\n")
    assert text.endswith(
        "**References**\n\n- Sennrich, Haddow and Birch (2016). "
        "[Rare Words](https://arxiv.org/abs/1508.07909). *arXiv:1508.07909*."
    )


@pytest.mark.parametrize(
    ("myst", "problem"),
    [
        (":::{sparkle}\nx\n:::", "{sparkle}"),
        ("```{figure} dot.png\n```", "{figure}"),
        ("```{listing} /src/thing/gone.py\n:pyobject: f\n```", "gone.py"),
        ("```{listing} /src/thing/box.py\n:pyobject: gone\n```", "'gone'"),
        ("```{listing} /src/thing/box.py\n```", "pyobject"),
        ("```{listing} /src/thing/box.py\n:pyobject: twice\n:lines: 1\n```", "no other option"),
        ("```{listing} /references.bib\n:pyobject: gone\n```", "references.bib"),
        ("```{listing} /src/plainformer/exercises/x.py\n:pyobject: f\n```", "holds solutions"),
        ("```{literalinclude} /src/thing/box.py\n```", "{literalinclude}"),
        (":::{truth}\n```{code-cell}\n1\n```\n:::", "{code-cell}"),
        ("- One\n\n  :::{truth}\n  x\n  :::", "{truth}"),
        ("text\n:::", "':::'"),
        (":::::", "':::::'"),
        ("> a quote", "blockquote"),
        ("<div>\nx\n</div>", "html_block"),
    ],
)
def test_what_is_unknown_is_an_error_with_page_and_line(tmp_path, myst, problem):
    with pytest.raises(PageError) as caught:
        rendered(tmp_path, f"# Page\n\n{myst}\n")
    assert str(caught.value).startswith("book/inputs/page.md:")
    assert problem in str(caught.value)
