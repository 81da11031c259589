"""What axe-core finds on an open page, asked once, of as few elements as tell all.

Its time is that of its own picture of the page, which it makes anew in each run and of every
element there is. Most are words of code; before a run they are taken out where they say nothing to
any rule, and a text is asked for its contrast where no other had the same colours. What each of
these may not hide is in `test_axe.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page

SCRIPT = Path(__file__).with_name("axe.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CONTRAST = "color-contrast"
KINDS: dict[str, dict[str, Any]] = {
    "all": {"runOnly": {"type": "tag", "values": RULES}},
    "structure": {
        "runOnly": {"type": "tag", "values": RULES},
        "rules": {CONTRAST: {"enabled": False}},
    },
    "contrast": {"runOnly": {"type": "rule", "values": [CONTRAST]}},
}


def axe_problems(page: Page, within: str | Locator = "html", rules: str = "all") -> list[str]:
    """Report what axe-core finds inside what ``within`` names, three elements for each rule.

    ``rules`` are "all", "structure" (all but contrast) or "contrast". Afterwards the page is as it
    was.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    root = page.locator(within) if isinstance(within, str) else within
    options = {
        **KINDS[rules],
        "resultTypes": ["violations"],
        "preload": False,  # it would load the style sheets once more
    }
    found = root.evaluate_all(f"(include, options) => {{ {SCRIPT}\nreturn run(); }}", options)
    problems = []
    for violation in found:
        rule, nodes = f"{violation['id']} ({violation['impact']})", violation["nodes"]
        problems += [f"{rule}: {node['html'][:160]}: {summary(node)}" for node in nodes[:3]]
        if len(nodes) > 3:
            problems.append(f"{rule}: and {len(nodes) - 3} more")
    return problems


def summary(node: dict[str, Any]) -> str:
    """Return axe's reason for one element in one line."""
    return " ".join(str(node.get("failureSummary", "")).split())[:300]
