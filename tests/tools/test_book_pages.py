"""What the engine writes: boxes, folds, and only the files that a page needs."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tests.tools.toy_book import HEAD, PAGES, ToyBook

BOXES = """# Boxes

This page holds one box of every kind, so that each of them can be looked at.

:::{glance}
:time: 20 minutes
:before: Python
:after: write `bpe`
- **What**: this.
:::

:::{guess}
How many?
```{dropdown} The *answer*
Six.
```
:::

:::{math-box} One step
$$ y = x^2 $$
:::

:::{derivation}
It follows.
:::

:::{misconception} A token is a `word`
:source: a friend
People say so.
:::

```{code-cell} python
:tags: [hide-input]
print(1 < 2)
```

:::{truth}
It is a piece.
:::

:::{qa} Why & how?
Because.
:::

:::{eli5}
Bricks.
:::

(two-names)=
(for-one-box)=
:::{cost}
Little. See {ref}`one name <two-names>`, {ref}`the other <for-one-box>`.
:::

:::{margin-note} By the way
Beside it.
:::

:::{next}
More.
:::

## Exercises

:::{exercise} Count
:label: ex-1
Count.
:::

:::{solution} ex-1
:class: dropdown
One.
:::

:::{exercise} Again
:label: ex-2
Count again.
:::

:::{solution} ex-2
:class: dropdown
Two.
:::
"""
WIDGET = """# Widget

This page has a widget on it, and no formula; the page that comes next has some.

```{raw} html
<div class="pf-widget" data-pf-widget="bpe_merges"><script type="application/json">{}</script>
<div class="pf-fallback">A picture.</div></div>
```

:::{exercise} Watch
:label: ex-3
Look.
:::
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> ToyBook:
    """A book with a page of boxes and a page with a widget."""
    pages = {"index": PAGES["index"], "boxes": HEAD + BOXES, "widget": WIDGET}
    book = ToyBook(tmp_path_factory.mktemp("pages"), pages)
    outcome = book.build()
    assert outcome.status == 0, outcome.said
    return book


@pytest.fixture(scope="module")
def boxes(book: ToyBook) -> BeautifulSoup:
    """The page of boxes, parsed."""
    return BeautifulSoup(book.read("boxes"), "html.parser")


def words(tag: object) -> str:
    """Return the text of a tag, spaces evened out."""
    return " ".join(tag.get_text(" ").split())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("glance", "At a glance"),
        ("guess", "Before you read"),
        ("math-box", "Math One step"),
        ("misconception", "Misconception A token is a word"),
        ("truth", "What is true"),
        ("margin-note", "Aside By the way"),
        ("next", "Next Widget"),
    ],
)
def test_an_open_box_is_a_note_named_by_its_title(
    boxes: BeautifulSoup, kind: str, title: str
) -> None:
    [box] = boxes.select(f"div.pf-box.pf-{kind}[role=note]")
    [name] = box.select(f"#{box['aria-labelledby']}")
    assert words(name) == title


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("dropdown", "The answer"),
        ("derivation", "Derivation"),
        ("qa", "Q&A Why & how?"),
        ("eli5", "Like I’m five"),
        ("cost", "Cost"),
        ("solution", "Solution to Exercise 1 (Count)"),
    ],
)
def test_a_fold_needs_no_script(boxes: BeautifulSoup, kind: str, title: str) -> None:
    """Without scripts all that a view may fold stands open; an answer waits for the reader."""
    fold = boxes.select(f"details.pf-box.pf-{kind}")[0]
    waits = kind in ("dropdown", "solution")
    assert fold.has_attr("open") is not waits
    assert fold.get("data-from") == (None if waits else "everything")
    summary = fold.find("summary", recursive=False)
    assert words(summary) == title
    assert summary is not None
    assert not summary.find("a"), "a link inside the handle cannot be reached"


def test_the_facts_of_a_glance_are_labelled(boxes: BeautifulSoup) -> None:
    terms = [words(each) for each in boxes.select(".pf-glance .pf-facts dt")]
    assert terms == ["Time", "Know before", "Able to do after"]
    assert boxes.select(".pf-glance .pf-facts code")


def test_every_name_of_a_box_leads_to_it(boxes: BeautifulSoup) -> None:
    for name in ("two-names", "for-one-box"):
        [link] = boxes.select(f'a[href="#{name}"]')
        [target] = boxes.select(f"#{name}")
        assert link.find_parent(class_="pf-cost") in (target, target.find_parent(class_="pf-cost"))


def test_boxes_leave_the_outline_alone(boxes: BeautifulSoup) -> None:
    headings = [words(each).rstrip("# ") for each in boxes.select("article :is(h1, h2, h3)")]
    assert headings == ["Boxes", "Exercises"]


def test_no_id_stands_twice(boxes: BeautifulSoup) -> None:
    ids = [tag["id"] for tag in boxes.find_all(id=True)]
    assert len(ids) == len(set(ids))


def test_scripts_of_widgets_are_on_pages_with_widgets_alone(book: ToyBook) -> None:
    def widget_files(page: str) -> list[str]:
        return re.findall(
            r"_static/pf/((?:kit|formulas|bpe_merges)/\w+\.(?:js|css))", book.read(page)
        )

    assert widget_files("index") == ["kit/kit.css"]
    assert widget_files("widget") == [
        *("kit/kit.css", "bpe_merges/view.css"),
        *("kit/kit.js", "formulas/formulas.js", "bpe_merges/view.js"),
    ], "the room comes last, for it is drawn as soon as it is there"


def test_formulas_are_there_without_a_script_and_their_font_is_fetched_ahead(
    book: ToyBook,
) -> None:
    [box] = BeautifulSoup(book.read("boxes"), "html.parser").select("div.math")
    assert words(box.annotation) == "y = x^2"
    assert box.math["display"] == "block"
    ahead = '<link rel="prefetch" href="../_static/pf/formulas.woff2" />'
    assert ahead in book.read("widget")
    assert ahead not in book.read("boxes"), "its own style sheet asks for it"


def test_each_page_counts_its_exercises_from_one(book: ToyBook) -> None:
    for page, expected in (("boxes", ["Exercise 1", "Exercise 2"]), ("widget", ["Exercise 1"])):
        lines = BeautifulSoup(book.read(page), "html.parser").select(".pf-exercise > summary")
        assert [words(line).split(" · ")[0] for line in lines] == expected
    solutions = BeautifulSoup(book.read("boxes"), "html.parser").select(".solution")
    assert [words(each).count(f"Exercise {n}") for n, each in enumerate(solutions, 1)] == [1, 1]


def test_a_page_that_is_only_written_again_keeps_its_numbers(tmp_path: Path) -> None:
    """Its cells and its text are as they were, so Sphinx reads no page; its HTML is gone."""
    text = "# A page\n\nThis page has an exercise of its own, as another page has as well.\n\n"
    text += "::::{exercise} Count\nCount it.\n::::\n"
    book = ToyBook(tmp_path, {"index": PAGES["index"], "one": text, "two": text})
    for turn in range(2):
        outcome = book.build()
        assert outcome.status == 0, outcome.said
        for page in ("one", "two"):
            line = BeautifulSoup(book.read(page), "html.parser").select_one(
                ".pf-exercise > summary"
            )
            assert words(line) == "Exercise 1 · Count", (turn, page)
        (book.html / "book/two.html").unlink()


def test_nothing_but_what_is_used_is_served(book: ToyBook) -> None:
    names = {path.relative_to(book.html).as_posix() for path in book.html.rglob("*")}
    assert not [name for name in names if "fontawesome" in name or name.endswith(".map")]
    assert "_static/pf/formulas.woff2" in names
    weight = sum(path.stat().st_size for path in book.html.rglob("*") if path.is_file())
    assert weight < 5_000_000


def test_every_page_is_described(book: ToyBook) -> None:
    soup = BeautifulSoup(book.read("index"), "html.parser")
    [description] = soup.select("meta[name=description]")
    assert description["content"] == PAGES["index"].split("\n")[2]


def test_the_first_page_is_the_root_itself(book: ToyBook) -> None:
    """Not a page that sends on to it, and there is no second copy to find or to keep."""
    soup = BeautifulSoup(book.read("index"), "html.parser")
    assert not soup.select("meta[http-equiv=refresh]")
    assert words(soup.h1).startswith("A toy book")
    assert [path.relative_to(book.html).as_posix() for path in book.html.rglob("index.html")] == [
        "index.html"
    ]
    below = BeautifulSoup(book.read("boxes"), "html.parser")
    assert below.select_one("a.navbar-brand.logo")["href"] == "../index.html"
