"""Tokenizers to look at, and a page in the browser that fails on any error in its console."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.widgets.pages import watched

from plainformer.data import python_manual
from plainformer.inputs import BPETokenizer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def tokenizer() -> BPETokenizer:
    """Byte-level, trained on real English, with a special token in front."""
    return BPETokenizer.train(python_manual(), 4096, special_tokens=["<|endoftext|>"])


@pytest.fixture(scope="session")
def character_tokenizer() -> BPETokenizer:
    """The plain six steps on characters; what it has not met is <unk>."""
    return BPETokenizer.train(
        python_manual()[:100_000], 600, special_tokens=["<unk>"], byte_level=False
    )


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    """A fresh page; the test fails when its console or a script reports an error."""
    with watched(browser) as (page, problems):
        yield page
    assert problems == []
