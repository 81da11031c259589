"""Three views of one page: what each block opens with, badges, listings, questions."""

import re
from pathlib import Path

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

(first-name)=
(second-name)=
```{{code-cell}} python
total = 1 + 1
print("two:", total)
```

See {{ref}}`the sum <first-name>` and {{ref}}`again <second-name>`.

```{{code-cell}} python
:tags: [hide-output]
print("nine:", total + 7)
```

```{{code-cell}} python
:tags: [hide-input, hide-output]
print("ten:", total + 8)
```

```{{code-cell}} python
:tags: [hide-cell]
print("eleven:", total + 9)
```

(drawing)=
```{{code-cell}} python
from IPython.display import HTML
HTML('<svg role="img" aria-label="Nothing."></svg>')
```

See {{ref}}`what is drawn <drawing>`.

```{{code-cell}} python
:tags: [essential, hide-output]
print("three:", total + 1)
```

```{{code-cell}} python
:tags: [essential]
print("four:", total + 2)
```

:::{{misconception}} Two is <odd>
People say so.
:::

```{{code-cell}} python
print("even:", total % 2 == 0)
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


CHECKED = f"""{HEAD}# Checked

This page checks one claim and has no boxes.

```{{code-cell}} python
:tags: [checks]
# One and one are two.
assert 1 + 1 == 2
```
"""
COUNTED = f"""{HEAD}# Counted

This page has a listing that takes lines by their numbers, which a docstring less makes wrong.

```{{listing}} toy/gamma.py
:pyobject: double
:lines: 1
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
        ("^nine: 9$", "asked"),
        ("^ten: 10$", "asked"),
        ("^eleven: 11$", "asked"),
        ("three: 3", "asked"),
        ("four: 4", None),
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


def test_what_is_hidden_is_named_for_what_it_is(views: BeautifulSoup) -> None:
    for text, label in (
        ("^nine: 9$", "Output"),
        ("^ten: 10$", "Output"),
        ("three: 3", "Output"),
        ("^eleven: 11$", "Code"),
    ):
        [node] = views.find("article").find_all(string=re.compile(text))  # type: ignore[union-attr]
        assert words(node.find_parent("details").find("summary")) == label  # type: ignore[union-attr]


def test_each_fold_is_heard_under_a_name_of_its_own(views: BeautifulSoup) -> None:
    summaries = views.select(".pf-view-fold:not(.pf-exercise, .pf-further) > summary")
    heard = [str(each["aria-label"]) for each in summaries]
    assert len(heard) == len(set(heard)) > 8
    assert all(name.startswith(words(each)) for name, each in zip(heard, summaries, strict=True))
    for name in (
        "Code of the picture: Views",
        "Code: Two is <odd>",
        "Code: Further down",
        "✓ 2 claims checked: Two is <odd>",
        "Output: Views, 1 of 3",
    ):
        assert name in heard


def test_the_names_of_a_folded_cell_lead_to_its_fold(views: BeautifulSoup) -> None:
    for name in ("first-name", "second-name"):
        assert views.select_one(f'a[href="#{name}"]')
        [target] = views.select(f"#{name}")
        fold = target if target.name == "details" else target.find_parent("details")
        assert fold is not None
        assert "two:" in fold.text
        assert target is fold or target.find_parent("summary"), "a closed fold does not show it"
    [drawing] = views.select("#drawing")
    assert "cell" in drawing["class"]
    ids = [tag["id"] for tag in views.find_all(id=True)]
    assert len(ids) == len(set(ids))


def test_imports_are_folded_in_every_view(views: BeautifulSoup) -> None:
    [fold] = [each for each in views.select("details") if "base64" in each.text]
    assert fold["data-from"] == "asked"
    assert not fold.has_attr("open")


def test_a_stub_shows_nothing_that_it_printed(views: BeautifulSoup) -> None:
    [fold] = views.select(".pf-exercise")
    assert fold.text.count("nothing here yet") == 1  # in its code
    assert fold["id"] == "ex-stub"


def test_what_was_checked_is_told_in_words_and_summed_up_at_the_end(views: BeautifulSoup) -> None:
    [badge] = views.select(".pf-checks > summary")
    assert words(badge) == "✓ 2 claims checked"
    claims = [words(each) for each in views.select(".pf-claim")]
    assert claims == ["One and one are two.", "And one more is <three>: by counting."]
    [line] = views.select("section > .pf-checked:last-child")
    said = "✓ 2 claims on this page were checked when it was built. Show everything to see how."
    assert words(line) == said


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
    assert number["data-within"] == "0.5"
    assert not number.has_attr("data-answer")
    assert not choice.select_one("details").has_attr("open")  # type: ignore[union-attr]


def test_what_a_page_cannot_say_stops_the_build(tmp_path: Path) -> None:
    """A listing by numbers of lines, which are others after the next change."""
    pages = {"index": PAGES["index"], "checked": CHECKED, "counted": COUNTED}
    book = ToyBook(tmp_path, pages)
    outcome = book.build()
    assert outcome.status != 0
    assert re.search(r"counted\.md:\d+: .*'listing'.*lines", outcome.said)
    assert "One claim on this page was checked" in book.read("checked")
    assert "pf-views" in book.read("checked")
    assert "pf-views" not in book.read("index"), "a switch that changes nothing"
