"""PositionalWaves on a page, for its tests: its heat map and its sliders."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def map_of(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Heat map")


def unfold(live: "Locator") -> None:
    """Open what the widget has folded: its sizes."""
    live.locator("summary").click()


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=f"{name}:").and_(live.locator("input")).first
