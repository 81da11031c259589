"""Three views of one page: what each block opens with, badges, listings, questions."""

import re

import pytest
from bs4 import BeautifulSoup
from tests.tools.toy_book import HEAD, PAGES, ToyBook

VIEWS = f"""{HEAD}# Views

This page has a block of every kind that a view may fold, and a question.

:::{{glance}}
- **What**: this.
:::

```{{code-cell}} python
:tags: [hide-input]
import base64
```

```{{code-cell}} python
total = 1 + 1
print("two:", total)
```

```{{code-cell}} python
:tags: [essential]
print("three:", total + 1)
```

```{{code-cell}} python
:tags: [checks]
more = total + 1
# One and one are two.
assert total == 2
# And one more is <three>:
# by counting.
assert more == 3
print("off by 0")
```

```{{listing}} toy/gamma.py
:pyobject: double
```

:::{{question}} How many are *two* and two?
- [ ] Three: That is one too few.
- [x] Four: Count
  them.
:::

:::{{question}} And three and three?
:answer: 6
:within: 0.5
- 6: Yes.
- 33: Side by side.
- else: Count again.
:::

(further)=
{{.deeper}}
## Further down

Here it gets long.

```{{code-cell}} python
print("far below")
```

:::{{exercise}} Stub
:label: ex-stub
Write it.
:::

```{{code-cell}} python
:tags: [exercise]
print("nothing here yet")
```
"""


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    """The page of views, built and parsed."""
    book = ToyBook(tmp_path_factory.mktemp("views"), {"index": PAGES["index"], "views": VIEWS})
    outcome = book.build()
    assert outcome.status == 0, outcome.said
    return BeautifulSoup(book.read("views"), "html.parser")


def words(tag: object) -> str:
    """Return the text of a tag, spaces evened out."""
    return " ".join(tag.get_text(" ").split())  # type: ignore[attr-defined]


def level(views: BeautifulSoup, text: str) -> str | None:
    """Return the first view in which a text is open; None where no fold is around it."""
    [node] = views.find("article").find_all(string=re.compile(text))  # type: ignore[union-attr]
    fold = node.find_parent("details")
    return fold and fold["data-from"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("two: 2", "code"),
        ("three: 3", None),
        ("^One and one are two.$", "everything"),
        ("^off by 0$", "everything"),
        ("How many are", None),
        ("Further down", "everything"),
        ("Here it gets long", "everything"),
        ("^far below$", "code"),
        ("Write it", "code"),
    ],
)
def test_each_block_opens_with_its_view(views: BeautifulSoup, text: str, first: str) -> None:
    assert level(views, text) == first


def test_imports_are_folded_in_every_view(views: BeautifulSoup) -> None:
    [fold] = [each for each in views.select("details") if "base64" in each.text]
    assert fold["data-from"] == "asked"
    assert not fold.has_attr("open")


def test_a_stub_shows_nothing_that_it_printed(views: BeautifulSoup) -> None:
    [fold] = views.select(".pf-exercise")
    assert fold.text.count("nothing here yet") == 1  # in its code
    assert fold["id"] == "ex-stub"


def test_what_was_checked_is_told_in_words_and_summed_up_at_the_top(views: BeautifulSoup) -> None:
    [badge] = views.select(".pf-checks > summary")
    assert words(badge) == "✓ 2 claims checked"
    claims = [words(each) for each in views.select(".pf-claim")]
    assert claims == ["One and one are two.", "And one more is <three>: by counting."]
    [line] = views.select(".pf-glance .pf-checked")
    assert words(line) == "✓ 2 claims on this page were checked when it was built."


def test_a_listing_has_no_docstring(views: BeautifulSoup) -> None:
    [listing] = views.select("details.pf-listing")
    assert "double in toy/gamma.py" in words(listing.find("summary"))
    assert "return 2 * x" in listing.text
    assert "Double it" not in listing.text


def test_a_question_can_be_read_without_scripts(views: BeautifulSoup) -> None:
    choice, number = views.select("div.pf-question[role=group]")
    assert [words(each) for each in choice.select(".pf-choices > li")] == ["Three", "Four"]
    assert [words(each) for each in choice.select("dt.pf-right, dt.pf-right + dd")] == [
        "Four",
        "Count them.",
    ]
    assert not number.select(".pf-choices")
    assert [words(each) for each in number.select("dt")] == ["6", "33", "Any other"]
    assert (number["data-answer"], number["data-within"]) == ("6", "0.5")
    assert not choice.select_one("details").has_attr("open")  # type: ignore[union-attr]
