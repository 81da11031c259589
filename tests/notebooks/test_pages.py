"""From a page to cells: the title, the set-up, no solution, and the same file each time."""

import json

import nbformat
import pytest
from tests.notebooks.samples import make_book, notebooks, sources

from notebook_engine.blocks import PageError
from notebook_engine.files import expected, out_of_step, write
from notebook_engine.setup_cell import EXERCISE_IMPORTS

PAGE = """---
kernelspec:
  display_name: Python 3
  name: python3
---

# Counting *things*

One sentence.

:::{glance}
Three lines.
:::

```{code-cell} ipython3
:tags: [hide-input]
import math
from collections import Counter as C
import tokenizers
```

Text with a {ref}`prompt <ex-one>`.

## Exercises

Do them all.

:::{exercise} One
:label: ex-one

Write f.
:::

```{code-cell} ipython3
:tags: [exercise]
def f(x):
    ...

C(f(math.pi))
```

::::{solution} ex-one
:class: dropdown

The secret answer.

:::{literalinclude} /src/thing/box.py
:pyobject: twice
:::
::::

:::{exercise} Two
:label: ex-two
Write g, after {ref}`ex-one`.
:::

```{code-cell} ipython3
:tags: [exercise, raises-exception]
1 / 0
```

## Next

The end.

```{code-cell} ipython3
:tags: [remove-cell]
assert True
```
"""


def test_the_title_comes_first_then_the_set_up(tmp_path):
    chapter, _ = notebooks(tmp_path, PAGE)
    kinds = [cell["cell_type"] for cell in chapter["cells"]]
    assert kinds[:4] == ["markdown", "code", "markdown", "code"]
    first, setup = ("".join(cell["source"]) for cell in chapter["cells"][:2])
    assert first.startswith("# Counting *things*\n\nOne sentence.\n\n*This notebook is")
    assert "[page_exercises.ipynb](page_exercises.ipynb)" in first
    assert "plainformer, tokenizers." in setup and "math" not in setup


def test_headings_and_exercises_start_cells(tmp_path):
    chapter, _ = notebooks(tmp_path, PAGE)
    starts = [text.split("\n")[0] for text in sources(chapter, "markdown")[2:]]
    assert starts == [
        "Text with a [prompt](#Exercise-1-·-One).",
        "## Exercises",
        "### Exercise 1 · One",
        "### Exercise 2 · Two",
        "## Next",
    ]


def test_solutions_are_in_neither_notebook(tmp_path):
    for notebook in notebooks(tmp_path, PAGE):
        text = json.dumps(notebook)
        assert "secret" not in text and "return 2 * n" not in text


def test_the_sheet_holds_the_exercises_alone(tmp_path):
    _, sheet = notebooks(tmp_path, PAGE)
    texts = sources(sheet, "markdown")
    assert texts[0].startswith("# Counting *things*: exercises\n\n2 exercises for the chapter")
    assert texts[1:] == [
        "## Exercise 1 · One\n\nWrite f.",
        "## Exercise 2 · Two\n\nWrite g, after [Exercise 1 · One](#Exercise-1-·-One).",
        "## Your points",
    ]
    setup, start, *stubs = sources(sheet, "code")
    assert start == f"{EXERCISE_IMPORTS}\nimport math\nfrom collections import Counter as C"
    assert "plainformer." in setup and "tokenizers" not in setup
    assert len(stubs) == 3 and stubs[-1] == "points()"


def test_help_is_at_hand_before_the_first_exercise(tmp_path):
    code = sources(notebooks(tmp_path, PAGE)[0], "code")
    assert code.index(EXERCISE_IMPORTS) == 2 and "def f(x)" in code[3]


def test_a_sheet_refers_to_the_chapter(tmp_path):
    page = "# T\n\n(a)=\n## A\n\n## E\n\n:::{exercise} One\nSee {ref}`a`.\n:::\n"
    _, sheet = notebooks(tmp_path, page)
    assert sources(sheet, "markdown")[1].endswith("See [A](page.ipynb#A).")


def test_a_sheet_links_to_the_chapter_s_notebook_and_not_to_itself(tmp_path):
    there = "{download}`%s </notebooks/inputs/page%s.ipynb>`"
    both = f"{there % ('the chapter', '')} and {there % ('the sheet', '_exercises')}"
    chapter, sheet = notebooks(tmp_path, f"# T\n\n:::{{exercise}} One\n{both}.\n:::\n")
    assert sources(chapter, "markdown")[1].endswith(
        "\n\nthe chapter and [the sheet](page_exercises.ipynb)."
    )
    assert sources(sheet, "markdown")[1].endswith("\n\n[the chapter](page.ipynb) and the sheet.")


def test_a_page_without_exercises_has_no_sheet(tmp_path):
    assert notebooks(tmp_path, "# T\n\nText.\n")[1] is None


def test_tags_become_metadata(tmp_path):
    chapter, _ = notebooks(tmp_path, PAGE)
    cells = [cell for cell in chapter["cells"] if cell["cell_type"] == "code"]
    assert [cell["metadata"] for cell in cells] == [
        {"jupyter": {"source_hidden": True}, "tags": ["setup"]},
        {"cellView": "form", "jupyter": {"source_hidden": True}},
        {},  # what the exercises import
        {"tags": ["exercise"]},
        {"tags": ["exercise", "raises-exception"]},
        {"cellView": "form", "jupyter": {"outputs_hidden": True, "source_hidden": True}},
    ]


def test_notebooks_are_valid_and_bare(tmp_path):
    for notebook in notebooks(tmp_path, PAGE):
        nbformat.validate(notebook)
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)
        for cell in notebook["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None


def test_a_change_moves_no_other_cell_s_id(tmp_path):
    before, _ = notebooks(tmp_path, PAGE)
    after, _ = notebooks(tmp_path, PAGE.replace("The end.", "The very end."))
    changed = {cell["id"] for cell in before["cells"]} - {cell["id"] for cell in after["cells"]}
    assert len(changed) == 1


def test_writing_checking_and_cleaning_up(tmp_path):
    make_book(tmp_path, {"inputs/page": PAGE, "index": "# The index\n", "map/parts": "# Map\n"})
    assert out_of_step(tmp_path) == [
        "notebooks/inputs/page.ipynb is missing",
        "notebooks/inputs/page_exercises.ipynb is missing",
    ]
    assert len(write(tmp_path)) == 2
    assert out_of_step(tmp_path) == [] and write(tmp_path) == []
    path = tmp_path / "notebooks/inputs/page.ipynb"
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n") and text == expected(tmp_path)["inputs/page.ipynb"]
    path.write_text(text + "\n", encoding="utf-8")
    path.with_name("gone.ipynb").write_text(text, encoding="utf-8")
    path.with_name("mine.ipynb").write_text('{"metadata": {}}', encoding="utf-8")
    assert out_of_step(tmp_path) == [
        "notebooks/inputs/page.ipynb differs from what its chapter makes",
        "notebooks/inputs/gone.ipynb is made from no chapter",
    ]
    assert write(tmp_path) == [
        "wrote notebooks/inputs/page.ipynb",
        "deleted notebooks/inputs/gone.ipynb",
    ]
    assert path.with_name("mine.ipynb").is_file()  # a person's own notebook stays


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("Text first.\n", "a page starts with its title"),
        ("# T\n\n```{solution-start} x\n```\nS\n", "{solution-start}"),
        ("# T\n\n```{raw-cell}\nx\n```\n", "{raw-cell}"),
        ("# T\n\n- ```{truth}\n  x\n  ```\n", "{truth}"),
        ("# T\n\n```{code-cell}\n1\n", "```{code-cell}"),
    ],
)
def test_pages_that_cannot_become_notebooks(tmp_path, page, problem):
    with pytest.raises(PageError, match=r"^book/inputs/page\.md:\d+: ") as caught:
        notebooks(tmp_path, page)
    assert problem in str(caught.value)
