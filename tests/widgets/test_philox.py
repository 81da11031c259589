"""The page's random numbers are Python's, bit for bit: philox.js against CounterRNG."""

from typing import TYPE_CHECKING, Any

import pytest
from tests.decoding.test_philox import KNOWN

from plainformer.decoding import CounterRNG
from plainformer.widgets.kit.front_end import source

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMPORT = """(code) => import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))
    .then((module) => { window.philox = module; })"""


@pytest.fixture
def philox(page: "Page") -> "Page":
    page.evaluate(IMPORT, source("formulas/philox.js"))
    return page


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_the_published_answers(
    counter: tuple[int, ...], key: tuple[int, ...], words: str, philox: "Page"
) -> None:
    found: Any = philox.evaluate("([c, k]) => philox.philox4x32(c, k)", [counter, key])
    assert " ".join(f"{word:08x}" for word in found) == words


# Their low and high halves are both used: seeds and counters beyond 2³².
SEEDS = [0, 1, 7, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 0x12345_6789ABCD, 2**53 - 1]
STARTS = [0, 2**32 - 500, 2**40 + 3, 2**53 - 1001]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_numbers_are_the_same_to_the_last_bit(seed: int, philox: "Page") -> None:
    for start in STARTS:
        found = philox.evaluate(
            """([seed, start]) => Array.from({ length: 1000 },
                (_, i) => philox.randomAt(seed, start + i))""",
            [seed, start],
        )
        assert found == CounterRNG(seed, start).random(1000).tolist()
