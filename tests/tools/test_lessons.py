"""What teachers get from chapters: items with their answers, links to widgets, what needs what."""

from __future__ import annotations

import pytest
from docutils import nodes
from sphinx import addnodes
from tests.tools.test_look_up import page

from book_engine.asked import (
    LessonError,
    find_item,
    items_of,
    query_for,
    widgets_of,
)
from book_engine.boxes import box, box_title
from book_engine.chapters import ChapterError
from book_engine.lessons import Toy
from book_engine.needs import all_before, check_order, drawing, nearest, needs_of


def titled(kind: str, words: str, *body: nodes.Node) -> box:
    """Return a box with a title."""
    made = box("", kind=kind, folded=False, title_id=f"t-{kind}")
    made += box_title("", "", nodes.Text(words), label="", title_id=f"t-{kind}", folded=False)
    made += list(body)
    return made


def replies(*pairs: tuple[str, str, bool]) -> nodes.definition_list:
    """Return the list of answers, as `questions` makes it."""
    listed = nodes.definition_list()
    for text, reply, right in pairs:
        term = nodes.term("", text, classes=["pf-right"] if right else [])
        told = nodes.definition("", nodes.paragraph("", reply))
        listed += nodes.definition_list_item("", term, told)
    return listed


def chapter() -> nodes.document:
    """Return a page with a guess, a question of each kind, and a claim."""
    fold = nodes.container("", nodes.rubric("", "Answer"), nodes.paragraph("", "Six."))
    fold["design_component"] = "dropdown"
    choices = nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "a")))
    two = (("a", "No, because.", False), ("b", "Yes.", True))
    return page(
        titled("guess", "", nodes.paragraph("", "How many pieces?"), fold),
        titled("question", "Which “one”?", choices, titled("answers", "", replies(*two))),
        titled("question", "What sum?", titled("answers", "", replies(*two))),
        titled("misconception", "Masks are all alike."),
        titled("truth", "", nodes.paragraph("", "They differ.")),
    )


def test_a_chapter_s_items_are_found_with_all_that_is_said_to_them() -> None:
    guess, choice, number, claim = items_of(chapter())
    assert [each.kind for each in (guess, choice, claim)] == ["guess", "question", "misconception"]
    assert guess.words == "How many pieces?" and guess.told[0].astext() == "Six."
    said = [(text[0].astext(), reply[0].astext(), right) for text, reply, right in choice.answers]
    assert said == [("a", "No, because.", False), ("b", "Yes.", True)]
    assert (choice.number, number.number) == (False, True)
    assert claim.told[0].astext() == "They differ." and not claim.answers


def test_an_item_is_named_by_how_it_begins() -> None:
    items = items_of(chapter())
    assert find_item(items, 'Which "one').words == "Which “one”?"
    for start in ("Where", "", "W"):
        with pytest.raises(LessonError, match="of its questions begin with"):
            find_item(items, start)


def test_a_link_to_a_widget_names_only_what_the_widget_has() -> None:
    script = '<script type="application/json">{"on": true, "at": 1, "way": "x", "n": null}</script>'
    made = f'<div class="pf-widget" data-pf-widget="dial">{script}</div>'
    document = page(nodes.raw("", made * 2, format="html"))
    widgets = widgets_of(document)
    assert [name for name, _ in widgets] == ["dial", "dial"]
    assert query_for(widgets, "", {"on": False, "at": 2.5, "n": 3}) == (
        "?toy=dial&toy.on=false&toy.at=2.5&toy.n=3"
    )
    assert query_for(widgets, "dial.1", {"way": "a b"}) == "?toy=dial.1&toy.way=a+b"
    wrong = [("dial.2", {}), ("map", {}), ("", {"off": 1}), ("", {"on": 1}), ("", {"way": 1})]
    for toy, wanted in wrong:
        with pytest.raises(LessonError):
            query_for(widgets, toy, wanted)
    with pytest.raises(LessonError, match="no widget"):
        query_for([], "", {})


def test_what_a_chapter_needs_are_the_links_of_its_line() -> None:
    def glance(*targets: str) -> box:
        links = [addnodes.pending_xref("", reftarget=each) for each in targets]
        term, told = nodes.term("", "Know before"), nodes.definition("", *links)
        listed = nodes.definition_list("", nodes.definition_list_item("", term, told))
        return titled("glance", "", listed)

    pages = ["book/a/one", "book/a/two", "book/b/three"]
    document = page(glance("one#part", "../b/three", "one", "two", "../appendix/basics"))
    assert needs_of(document, "book/a/two", pages) == ["book/a/one", "book/b/three"]
    assert needs_of(page(), "book/a/two", pages) == []
    needs = {"three": ["two", "one"], "two": ["one"], "one": ["two"]}
    assert all_before(needs, "one") == {"one", "two"}  # two that need each other are no endless way
    assert nearest({"c": ["a", "b"], "b": ["a"], "a": []}, "c") == ["b"]
    with pytest.raises(ChapterError, match="it comes later"):
        check_order({"a": ["b"], "b": []}, ["a", "b"])
    assert drawing([], {}).startswith('<div class="pf-needs"><svg')


def test_a_toy_in_a_sentence_has_words_a_page_and_traits() -> None:
    found = Toy.TEXT.match('open the head <glass: {"off": ["0.2"], "place": 3}>')
    assert found.groups() == ("open the head", "glass", '{"off": ["0.2"], "place": 3}')
    for wrong in ("open <glass>", "open", '<glass: {"a": 1}>'):
        assert not Toy.TEXT.match(wrong)
