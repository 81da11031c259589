"""What the appendix is made from: pairs of claim and truth, terms and where they are linked."""

from __future__ import annotations

from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document

from book_engine import glossary
from book_engine.boxes import box, box_title
from book_engine.glossary import Finder, GlossaryError, Term
from book_engine.misconceptions import find_pairs
from book_engine.views import fold

ROOT = Path(__file__).resolve().parents[2]
TERMS = [
    Term("mask", "A table.", "p/a"),
    Term("causal mask", "Another.", "p/a"),
    Term("query", "A vector.", "p/a"),
    Term("GPT-2", "A model.", "p/a"),
]


def page(*children: nodes.Node) -> nodes.document:
    """Return a page of these blocks."""

    document = new_document("page")
    document += list(children)
    return document


def boxes(*kinds: str) -> nodes.document:
    """Return a page with these boxes."""
    return page(*(box("", kind=kind, folded=False, title_id="t") for kind in kinds))


def test_a_claim_goes_with_the_truth_after_it() -> None:
    found = find_pairs(boxes("glance", "misconception", "truth", "qa", "misconception", "truth"))
    assert [(claim["kind"], truth["kind"]) for claim, truth in found] == [
        ("misconception", "truth")
    ] * 2
    assert find_pairs(boxes("qa")) == []


@pytest.mark.parametrize(
    "kinds", [["misconception"], ["truth"], ["misconception", "misconception", "truth", "truth"]]
)
def test_a_claim_without_a_truth_is_reported(kinds: list[str]) -> None:
    with pytest.raises(ValueError, match="followed by what is true"):
        find_pairs(boxes(*kinds))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A causal mask, a mask.", ["causal mask", "mask"]),
        ("Masks and queries: “query”", ["mask", "query", "query"]),
        ("Causal\nmasks (GPT-2) gpt-2", ["causal mask", "GPT-2"]),
        ("unmasked, mask-like, key/query, a_mask, the mask’s edge, mask—no", []),
        ("‘mask’ is a mask", ["mask", "mask"]),
    ],
)
def test_whole_words_and_plurals_are_terms(text: str, found: list[str]) -> None:
    """And none that would split what counts as one word."""
    assert [term.name for *_, term in Finder(TERMS).find(text)] == found


def linked(document: nodes.document) -> list[str]:
    """Return what is linked on a page after first uses were."""
    done = set[str]()
    texts = [text for text in document.findall(nodes.Text) if glossary.may_link(text)]
    for text in sorted(texts, key=glossary.is_folded):
        glossary.put_links(text, Finder(TERMS), done, "glossary.html")
    return [
        f"{each.parent.tagname}: {each.astext()} {each['refuri'].split('#')[1]}"
        for each in document.findall(nodes.reference)
        if "refuri" in each
    ]


def test_first_uses_are_linked_and_nothing_in_their_way() -> None:
    said = "a mask"
    busy = box("", nodes.paragraph("", said), kind="question", folded=False)
    document = page(
        nodes.section("", nodes.title("", said)),
        box("", box_title("", said), kind="truth", folded=False),
        busy,
        nodes.paragraph("", "", nodes.literal("", said), nodes.reference("", said)),
        fold("", nodes.paragraph("", "a query")),
        nodes.paragraph("", "a mask"),
        nodes.paragraph("", "a mask"),
        nodes.paragraph("", "queries"),
    )
    assert linked(document) == ["paragraph: mask term-mask", "paragraph: queries term-query"]
    assert document.children[4].astext() == "a query", "Read uses it, so the fold has no link"
    assert [each.astext() for each in document.children[5:7]] == ["a mask", "a mask"]
    assert document.children[5].children[1].tagname == "reference", (
        "the first of two that are equal"
    )


def test_a_term_that_only_a_fold_uses_is_linked_there() -> None:
    assert linked(page(fold("", nodes.paragraph("", "the mask")))) == ["paragraph: mask term-mask"]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("- {term: a, says: One.}", "lacks page"),
        ("- {term: a, says: One, page: p/a}", "in one sentence"),
        ("- {term: a, says: One. Two., page: p/a}", "in one sentence"),
        (
            "- {term: a, says: One., page: p/a}\n- {term: A, says: One., page: p/a}",
            "is 'a' and 'A'",
        ),
    ],
)
def test_a_bad_entry_is_reported(tmp_path: Path, entries: str, said: str) -> None:
    file = tmp_path / glossary.FILE
    file.parent.mkdir(parents=True)
    file.write_text(entries)
    with pytest.raises(GlossaryError, match=said):
        glossary.load(tmp_path)


def test_the_terms_of_the_course_are_taught_by_its_chapters() -> None:
    terms = glossary.load(ROOT)
    assert 80 <= len(terms) <= 180
    assert not [term for term in terms if not (ROOT / "book" / f"{term.page}.md").is_file()]
    assert not [term for term in terms if len(term.says.split()) > 30], "a long sentence"
    elsewhere = {place for term in terms for place in term.not_on}
    assert not {each for each in elsewhere if not list((ROOT / "book").glob(f"{each}*"))}
