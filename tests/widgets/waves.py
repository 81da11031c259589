"""PositionalWaves on a page, for its tests: its heat map and its sliders."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def map_of(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Heat map")


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=f"{name}:").and_(live.locator("input")).first


def centre(live: "Locator", row: int, col: int, rows: int, cols: int) -> tuple[float, float]:
    """The middle of a cell of the heat map, in the window."""
    map_of(live).scroll_into_view_if_needed()
    box = map_of(live).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * (col + 0.5) / cols
    return x, box["y"] + box["height"] * (row + 0.5) / rows
