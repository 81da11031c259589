"""Fences of any length, nested and indented, with options, and where each thing stands."""

import pytest

from notebook_engine.blocks import Code, Directive, PageError, Prose, parse


def test_prose_code_and_directives_in_order():
    blocks = parse("a\n```python\nx\n```\nb\n:::{note}\nc\n:::", "p")
    assert [type(block) for block in blocks] == [Prose, Code, Prose, Directive]
    assert [block.line for block in blocks] == [1, 2, 5, 6]


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
    (code,) = parse("````md\n```{note}\nx\n```\n````", "p")
    assert isinstance(code, Code)


@pytest.mark.parametrize(
    "text",
    [":::{figure} a.png\n:alt: A cat\n:width: 50%\n\nCaption\n:::",
     ":::{figure} a.png\n---\nalt: A cat\nwidth: 50%\n---\nCaption\n:::"],
)  # fmt: skip
def test_options_as_lines_and_as_yaml(text):
    (figure,) = parse(text, "p")
    assert figure.options == {"alt": "A cat", "width": "50%"}
    assert figure.body == "Caption"
    assert text.split("\n")[figure.body_line - 1] == "Caption"


def test_an_indented_directive_loses_and_keeps_its_indentation():
    _, note = parse("1. one\n\n   :::{note}\n   x\n     y\n   :::", "p")
    assert (note.prefix, note.body) == ("   ", "x\n  y")


def test_a_code_span_of_three_backticks_opens_no_fence():
    assert [type(block) for block in parse("```x``` is a span", "p")] == [Prose]


@pytest.mark.parametrize(
    ("text", "line"), [("a\n\n:::{note}\nx", 3), ("```python\nx", 1), ("x\n\n:::note\nx\n:::", 3)]
)
def test_errors_name_page_and_line(text, line):
    with pytest.raises(PageError, match=rf"^page\.md:{line}: "):
        parse(text, "page.md")
