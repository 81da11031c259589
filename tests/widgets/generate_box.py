"""GenerateBox on a page, for its tests: made, pressed, waited for, and its modules called."""

import re
from typing import TYPE_CHECKING, Any

from tests.widgets.pages import FRAME, trait

from plainformer.decoding.example import model, tokenizer
from plainformer.widgets import GenerateBox

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


V = tokenizer().vocab_size
SETTINGS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.7, "top_p": 0.9},
    {"temperature": 0},
    {"temperature": 1.5, "top_k": 40, "min_p": 0.02},
    {"frequency_penalty": 0.5, "presence_penalty": 0.3, "repetition_penalty": 1.2},
    {"temperature": 2.5, "top_k": 7, "top_p": 0.55, "frequency_penalty": -0.2, "seed": 999},
    {"min_p": 1, "repetition_penalty": 0.8},
    {"top_p": 1e-6},
]


def make(**options: Any) -> GenerateBox:
    return GenerateBox(model(), tokenizer(), **({"prompt": "The name of the"} | options))


def press(live: "Locator", name: str) -> None:
    live.get_by_role("button", name=name, exact=True).click()


def wait_for_tokens(page: "Page", count: int) -> list[int]:
    page.wait_for_function(
        "(count) => plainformer.widgets[0].model.get('output').length >= count", arg=count
    )
    page.evaluate(FRAME)
    found: list[int] = trait(page, "output")
    assert len(found) == count
    return found


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=re.compile(f"^{name}"))


def unfold(live: "Locator") -> None:
    live.locator("summary").click()


def status(live: "Locator", text: str) -> None:
    """Wait until the live region says a text."""
    live.get_by_role("status").get_by_text(text).wait_for()
