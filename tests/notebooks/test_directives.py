"""What each directive becomes, alone and nested."""

import pytest
from tests.notebooks.samples import rendered

from book_engine.boxes import KINDS
from notebook_engine.blocks import PageError
from notebook_engine.boxes import BOXES
from notebook_engine.inline import leftovers


def fence(name, body="Body.", argument="", options=""):
    return f":::{{{name}}} {argument}\n{options}\n{body}\n:::\n"


@pytest.mark.parametrize("name", sorted(BOXES))
def test_every_box_is_a_titled_quote_or_a_fold(tmp_path, name):
    text = rendered(tmp_path, fence(name, argument="About {kbd}`Tab`"))
    assert "Body." in text and "About <kbd>Tab</kbd>" in text
    assert text.startswith(("> **", "> <details>\n> <summary><b>"))
    assert leftovers(text) == []


def test_the_book_s_own_boxes_are_all_known():
    assert {kind.name for kind in KINDS} <= set(BOXES)


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


def test_an_admonition_with_class_dropdown_folds(tmp_path):
    text = rendered(tmp_path, fence("note", argument="", options=":class: dropdown\n"))
    assert text.startswith("> <details>")


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


def test_included_source_is_the_very_source(tmp_path):
    text = rendered(tmp_path, "```{literalinclude} /src/thing/box.py\n:pyobject: twice\n```\n")
    source = "@functools.cache\ndef twice(n: int) -> int:\n    # why not\n    return 2 * n"
    assert text == f"```python\n{source}\n```\n\n*`twice` in `src/thing/box.py`*"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (":pyobject: Box.open", '    def open(self) -> str:\n        return "open"'),
        (":pyobject: Box.open\n:dedent:", 'def open(self) -> str:\n    return "open"'),
        (
            ":start-at: LIMIT\n:lines: 1,4-5",
            "LIMIT = 3\n@functools.cache\ndef twice(n: int) -> int:",
        ),
        (":lines: 3\n:prepend: # the limit\n:linenos:", "# the limit\nLIMIT = 3"),
        (":lines: 1,3", "import functools\nLIMIT = 3"),
        (":start-at: class Box\n:end-at: def open", "class Box:\n    def open(self) -> str:"),
        (":start-after: LIMIT\n:end-before: def twice", "@functools.cache"),
    ],
)
def test_pieces_of_a_file(tmp_path, options, expected):
    text = rendered(tmp_path, f"```{{literalinclude}} ../../src/thing/box.py\n{options}\n```\n")
    assert text.startswith(f"```python\n{expected}\n```")


def test_figures_are_numbered_and_come_along(tmp_path):
    text = rendered(tmp_path, fence("figure", "A {kbd}`x`.", "dot.png", ":alt: A dot\n:name: d\n"))
    assert text == "![A dot](attachment:dot.png)\n\n**Figure 1.** A <kbd>x</kbd>."


def test_svg_travels_in_the_text_because_jupyterlab_shows_no_svg_attachment(tmp_path):
    rendered(tmp_path, "x")
    (tmp_path / "book/inputs/dot.svg").write_text("<svg/>")
    text = rendered(tmp_path, "![A dot](dot.svg)")
    assert text == "![A dot](data:image/svg+xml;base64,PHN2Zy8+)"


def test_tabs_become_headings(tmp_path):
    tabs = "::::{tab-set}\n:::{tab-item} One\na\n:::\n:::{tab-item} Two\nb\n:::\n::::\n"
    assert rendered(tmp_path, f"## H\n\n{tabs}") == "## H\n\n### One\n\na\n\n### Two\n\nb"


def test_tables(tmp_path):
    pipe = "| a | b |\n| --- | --- |\n| 1 | {kbd}`2` |"
    text = rendered(tmp_path, f":::{{table}} Counts\n\n{pipe}\n:::\n")
    assert text == "**Table 1.** Counts\n\n| a | b |\n| --- | --- |\n| 1 | <kbd>2</kbd> |"
    rows = "* - a\n  - b\n* - 1\n  - {kbd}`2`"
    text = rendered(tmp_path, f"```{{list-table}}\n:header-rows: 1\n{rows}\n```\n")
    assert text == "| a | b |\n| --- | --- |\n| 1 | <kbd>2</kbd> |"
    text = rendered(tmp_path, '```{csv-table}\n:header: a, b\n1, "{kbd}`2`"\n```\n')
    assert text == "| a | b |\n| --- | --- |\n| 1 | <kbd>2</kbd> |"


def test_definition_lists_and_glossaries(tmp_path):
    assert rendered(tmp_path, "Token\n: A piece.\n") == "- **Token**: A piece."
    assert rendered(tmp_path, "```{glossary}\nToken\n  A piece.\n```\n") == "- **Token**: A piece."


def test_raw_html_stays_without_what_would_not_run(tmp_path):
    text = rendered(tmp_path, "```{raw} html\n<b>x</b>\n\n<script>\nrun()\n</script>\n```\n")
    assert text == "<b>x</b>"
    assert rendered(tmp_path, "```{raw} latex\nx\n```\n") == ""


def test_a_directive_in_a_list_stays_in_the_list(tmp_path):
    text = rendered(tmp_path, "1. One\n\n   :::{note}\n   Mind.\n   :::\n\n2. Two\n")
    assert text == "1. One\n\n   > **Note**\n   >\n   > Mind.\n\n2. Two"


def test_three_levels_deep(tmp_path):
    myst = ":::::{note}\n::::{tip}\n:::{qa} Why?\n```{math}\na\n```\n:::\n::::\n:::::\n"
    text = rendered(tmp_path, myst)
    assert "> > $$ a $$" in text and "> > </details>" in text


def test_comments_and_targets_vanish(tmp_path):
    assert rendered(tmp_path, "(here)=\n\n% hidden\n\n{.big}\nText.\n") == "Text."


def test_the_bibliography_lists_what_the_page_cites(tmp_path):
    text = rendered(tmp_path, "{cite:p}`sennrich2016`\n\n```{bibliography}\n```\n")
    assert text.endswith(
        "**References**\n\n- Sennrich, Haddow and Birch (2016). "
        "[Rare Words](https://arxiv.org/abs/1508.07909). *arXiv:1508.07909*."
    )


@pytest.mark.parametrize(
    ("myst", "problem"),
    [
        (":::{sparkle}\nx\n:::", "unknown directive {sparkle}"),
        ("```{literalinclude} /src/thing/gone.py\n```", "there is no file"),
        ("```{literalinclude} /src/thing/box.py\n:pyobject: gone\n```", "'gone' not found"),
        ("```{literalinclude} /src/thing/box.py\n:start-at: gone\n```", "gone"),
        ("```{literalinclude} /src/thing/box.py\n:dedent: x\n```", "'x'"),
        ("```{literalinclude} /references.bib\n:pyobject: gone\n```", "references.bib"),
        ("```{literalinclude} /src/thing/box.py\n:diff: x\n```", "no option ['diff']"),
        ("```{literalinclude} /src/plainformer/exercises/x.py\n```", "holds solutions"),
        (":::{image} dot.png\n:::", "no alternative text"),
        (":::{note}\n```{code-cell}\n1\n```\n:::", "stands inside another directive"),
        ("```{raw} html\n<svg></svg>\n```", "inline SVG"),
        ("text\n:::", "a colon fence"),
        (":::::", "a colon fence"),
    ],
)
def test_what_is_unknown_is_an_error_with_page_and_line(tmp_path, myst, problem):
    with pytest.raises(PageError) as caught:
        rendered(tmp_path, f"# Page\n\n{myst}\n")
    assert str(caught.value).startswith("book/inputs/page.md:")
    assert problem in str(caught.value)
