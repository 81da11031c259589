"""The pages of the API: every public name, as its source says it, and where chapters mention it."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from book_engine import api
from book_engine.docstrings import as_nodes, items, read
from book_engine.public_names import Name, names_of

ROOT = Path(__file__).resolve().parents[2]


@cache
def all_names() -> dict[str, list[Name]]:
    """Return the public names of each part."""
    return {part: names_of(ROOT, part) for part in api.PARTS}


@cache
def taught() -> dict[str, str]:
    """Return the chapter of every name; every page of the book is read for it."""
    return api.taught_in(ROOT, [name for names in all_names().values() for name in names])


@pytest.mark.parametrize("part", api.PAGES)
def test_every_public_name_is_found_with_its_own_docstring(part: str) -> None:
    """As Python finds them when it imports the part: the same names, and the same words."""
    module = import_module(f"plainformer.{part}")
    names = names_of(ROOT, part)
    assert sorted(name.name for name in names) == sorted(module.__all__)
    for name in names:
        value = getattr(module, name.name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.cleandoc(name.doc) == inspect.cleandoc(value.__doc__ or ""), name.name
        assert max(map(len, name.signature.split("\n"))) <= 77, name.signature
        assert all(node.astext() for node in as_nodes(name.doc)), name.name


def test_every_name_of_a_part_leads_to_a_chapter() -> None:
    for names in all_names().values():
        assert {name.name for name in names} <= taught().keys()


def test_a_chapter_teaches_what_its_file_is_named_after() -> None:
    for name, chapter in {
        "causal_mask": "attention/masking",
        "sample": "decoding/sampling",
        "softmax": "attention/lookup",
        "BPETokenizer": "inputs/tokenization",
        "TransformerConfig": "blocks/transformer",
    }.items():
        assert taught()[name] == f"book/{chapter}"


def test_a_docstring_is_read_head_by_head() -> None:
    blocks = read(
        "Do it.\n\nAt length:\n\n- one\n- two\n\nArgs:\n    x: (T,) this,\n        and that.\n\n"
        "    *rest: more.\n\nReturns:\n    (T,) it.\n\nSource: Somebody 2017,\nsection 3.\n\n"
        ">>> 1\n1\n\n>>> 2\n2"
    )
    heads = [block.head for block in blocks]
    assert heads == ["", "", "", "Args", "Returns", "Source", "example", "example"]
    assert items(blocks[3].lines) == [("x", "(T,) this, and that."), ("*rest", "more.")]


def test_only_what_a_page_imports_from_a_part_is_known_there() -> None:
    page = (
        "from plainformer.attention import (\n    attention, softmax)\nfrom torch import softmax\n"
    )
    page += "from plainformer.attention.example import X\n"
    assert api.imported(page) == {("attention", "attention"), ("attention", "softmax")}
