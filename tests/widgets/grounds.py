"""A widget in a reader's own colours, as the contrast themes of Windows force them.

There a browser paints every ground alike. What says something by its ground alone, such as a bar or
a chosen segment, must still differ from what is around it.
"""

from typing import TYPE_CHECKING, Any

from tests.widgets.pages import FRAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEEN = 1.5  # contrast from which on a ground says something; a bar's trough has less
# Of every element: how much its ground differs from what is around it, whether it is a gradient,
# and whether it says something. A number on a scale of colours says the same as its colour.
GROUNDS = """live => {
  const parse = (css) => (css.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const picture = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map(); // to read a picture back takes long
  const painted = (css) => {
    if (!known.has(css)) known.set(css, paint(css));
    return known.get(css);
  };
  const paint = (css) => {
    picture.clearRect(0, 0, 1, 1);
    picture.fillStyle = css;
    picture.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = picture.getImageData(0, 0, 1, 1).data;
    return a < 128 ? null : [r, g, b];
  };
  const ground = (el) => {
    for (let at = el; at; at = at.parentElement) {
      const found = painted(getComputedStyle(at).backgroundColor);
      if (found) return found;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const el of live.querySelectorAll(".pf-card *")) {
    if (el.closest("svg, .pf-table-box") || el.matches("input, textarea")) continue;
    if (!el.checkVisibility()) continue;
    const style = getComputedStyle(el);
    const [mine, around] = [ground(el), ground(el.parentElement)].map(light);
    const contrast = (Math.max(mine, around) + 0.05) / (Math.min(mine, around) + 0.05);
    const drawn = style.backgroundImage !== "none";
    const words = el.textContent.trim() !== "";
    const says = (contrast >= SEEN || drawn) && !(words && (drawn || el.style.background !== ""));
    found.push({ name: `${el.localName}.${el.className}`, contrast, drawn, says });
  }
  return found;
}""".replace("SEEN", str(SEEN))


def grounds(page: "Page", live: Any) -> list[dict[str, Any]]:
    page.evaluate(FRAME)
    found: list[dict[str, Any]] = live.evaluate(GROUNDS)
    return found


def lost_in_forced_colours(page: "Page", live: Any) -> list[str]:
    """Report what says something by its ground, and says it no more in a reader's own colours."""
    page.emulate_media(reduced_motion="reduce")
    usual = grounds(page, live)
    lost = []
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
        forced = grounds(page, live)
        lost += [
            f"{was['name']}, {scheme}: contrast {was['contrast']:.1f}, then {now['contrast']:.1f}"
            for was, now in zip(usual, forced, strict=True)
            if was["says"] and now["contrast"] < SEEN and not now["drawn"]
        ]
    return lost
