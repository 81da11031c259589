"""A page's blocks: fences of any length, nested, with options, and where each thing stands."""

import pytest

from notebook_engine.blocks import Directive, PageError, parse


def kinds(text):
    return [
        block.name if isinstance(block, Directive) else block.kind for block in parse(text, "p")
    ]


def test_prose_code_and_directives_in_order():
    text = "a\n```python\nx\n```\nb\n:::{note}\nc\n:::"
    assert kinds(text) == ["paragraph", "fence", "paragraph", "note"]
    assert [block.line for block in parse(text, "p")] == [1, 2, 5, 6]


def test_a_list_is_one_block_with_all_that_is_in_it():
    text = "- a\n\n  - b\n\n- c\n\nd"
    assert kinds(text) == ["bullet_list", "paragraph"]
    assert parse(text, "p")[0].text == "- a\n\n  - b\n\n- c"


def test_a_longer_fence_holds_shorter_ones():
    (outer,) = parse("::::{guess}\n:::{dropdown} Answer\nx\n:::\n::::", "p")
    (inner,) = parse(outer.body, "p", outer.body_line)
    assert (inner.name, inner.argument, inner.body, inner.line) == ("dropdown", "Answer", "x", 2)


def test_colons_hold_backticks_and_the_other_way_round():
    (outer,) = parse(":::{note}\n```{tip}\nx\n```\n:::", "p")
    assert parse(outer.body, "p")[0].name == "tip"
    (outer,) = parse("````{note}\n:::{tip}\nx\n:::\n````", "p")
    assert parse(outer.body, "p")[0].name == "tip"


def test_a_directive_shown_as_code_stays_code():
    assert kinds("````md\n```{note}\nx\n```\n````") == ["fence"]


def test_options_stand_before_the_body():
    (glance,) = parse(":::{glance}\n:time: 5 min\n:after: `go`\n\nBody.\n:::", "p")
    assert glance.options == {"time": "5 min", "after": "`go`"}
    assert (glance.body, glance.body_line) == ("Body.", 5)


def test_a_code_span_of_three_backticks_opens_no_fence():
    assert kinds("```x``` is a span") == ["paragraph"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n:::{note}\nx", 3),
        ("```python\nx", 1),
        (":::", 1),
        ("x\n\n:::note\nx\n:::", 3),
        (":::{note}\n---\nclass: x\n---\nx\n:::", 1),
    ],
)
def test_errors_name_page_and_line(text, line):
    with pytest.raises(PageError, match=rf"^page\.md:{line}: "):
        parse(text, "page.md")
