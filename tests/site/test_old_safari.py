"""Safari 16, which many tablets cannot leave: what it lacks is guarded, or not used at all."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.site.conftest import Open
from tests.site.walk import ROOT

# Safari reads a script with one of these only since the version that is named, and the whole script
# fails, or calls what is not there.
TOO_NEW = {
    r"\(\?<[=!]": "a look behind in a regular expression: 16.4",
    r"\bstatic \{": "a static block in a class: 16.4",
    r"\b(Object|Map)\.groupBy\b|\bPromise\.withResolvers\b": "17.4",
    r"\bURL\.canParse\b|\.isWellFormed\b|\bArray\.fromAsync\b": "16.4 or 17",
    r"\.(values|entries|keys)\(\)\.(map|filter|find|some|every|reduce|forEach)\b": "18.4",
    r"\bfor await\b": "of a stream: never",
    r"\brequestIdleCallback\(": "never",
}


def scripts() -> Iterator[Path]:
    """Every script of ours that a page can load."""
    for folder in ("book/_static", "src/plainformer/widgets"):
        yield from sorted((ROOT / folder).rglob("*.js"))


@pytest.mark.parametrize("pattern", TOO_NEW)
def test_no_script_needs_what_safari_16_lacks(pattern: str) -> None:
    found = [
        f"{script.relative_to(ROOT)}: {match[0]} ({TOO_NEW[pattern]})"
        for script in scripts()
        for match in re.finditer(pattern, script.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_view_is_switched_without_check_visibility(open_http: Open) -> None:
    with open_http("book/attention/self_attention.html") as visit:
        page = visit.page
        page.add_init_script("delete Element.prototype.checkVisibility")
        page.reload()
        page.locator(".pf-views input[value=read]").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.documentElement.dataset.view") == "code"
        page.keyboard.press("Alt+KeyV")
        assert page.evaluate("document.documentElement.dataset.view") == "everything"
        page.wait_for_function("() => document.querySelector('.pf-rests')")  # rest.js asks, too
        assert visit.problems == []
