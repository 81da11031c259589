"""BeamTree for its tests: a search in a random model, and the parts of one on a page."""

from typing import TYPE_CHECKING, Any

from tests.widgets.test_beam_tree import LETTERS, model

from plainformer.widgets import BeamTree

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def real(seed: int, **options: Any) -> BeamTree:
    """A search in a random model, of texts that end early or late."""
    return BeamTree.search(
        model(seed), [3, 4], num_beams=3, max_new_tokens=6, eos_token_id=8, words=LETTERS, **options
    )


def said(live: "Locator") -> str:
    """What stands in the visible sentence; the spoken one is the same, a little later."""
    return live.locator(".pf-sentence").inner_text()


def ranked(live: "Locator") -> list[tuple[str, float]]:
    """The texts of the ranking with their numbers in full."""
    rows = live.locator(".bt-ranking li:visible")
    found = "rows => rows.map(r => [r.children[0].textContent, r.children[1].dataset.value])"
    return [(text, float(value)) for text, value in rows.evaluate_all(found)]
