"""How much of a chapter a reader sees in each view: words, pixels, pages of paper, the first toy.

Words are all visible text of the article, code included, widgets, figures and tables not; a formula
is one word. Pixels are the article's height in a window 1280 wide. The first toy is the top of the
first widget or picture.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

VIEWS = ("read", "code", "everything")
WORDS, PIXELS, SHEETS = 2100, 12_000, 12  # the most that Read holds
SCREEN = 900  # pixels of a window's height
FIRST_TOY = SCREEN

COUNT = """() => {
  const article = document.querySelector("article");
  const shown = "table, svg, .pf-widget, .pf-map";
  const left = `${shown}, script, style, noscript, a.headerlink, button.copybtn`;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  let words = 0;
  for (let node; (node = walker.nextNode()); ) {
    const parent = node.parentElement;
    if (parent.closest(`math, ${left}`) || !parent.checkVisibility()) continue;
    words += node.data.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
  }
  const seen = (each) => each.checkVisibility() && !each.closest(left);
  words += [...article.querySelectorAll("math")].filter(seen).length;
  const top = article.getBoundingClientRect().top;
  const drawn = ".pf-widget, .pf-map, .pf-picture, .cell_output img, figure";
  const toys = [...article.querySelectorAll(drawn)];
  const first = toys.find((each) => each.checkVisibility());
  return {
    words,
    pixels: Math.round(article.getBoundingClientRect().height),
    toy: first ? Math.round(first.getBoundingClientRect().top + scrollY) : null,
    claims: Number(/(\\d+|One) claim/.exec(
      article.querySelector(".pf-checked")?.textContent)?.[1].replace("One", "1") ?? 0),
  };
}"""


@dataclass(frozen=True)
class Reading:
    """One view of one chapter; `toy` is None where nothing is drawn."""

    words: int
    pixels: int
    toy: int | None
    claims: int


def choose(page: "Page", view: str) -> None:
    """Press the switch in the page's header."""
    page.locator(f".pf-views input[value={view}]").check(force=True)


def measure(page: "Page") -> Reading:
    """Return what the page shows now."""
    return Reading(**page.evaluate(COUNT))


def problems(page: "Page") -> list[str]:
    """Report what makes the view that a page opens with too long, or its first toy too late."""
    found, printed = measure(page), sheets(page)
    limits = (
        ("words", found.words, WORDS),
        ("pixels", found.pixels, PIXELS),
        ("pages of paper", printed, SHEETS),
        ("pixels above the first toy", found.toy or 0, FIRST_TOY),
    )
    said = [f"{n} {what}; at most {most} may be" for what, n, most in limits if n > most]
    said += [] if found.toy is not None else ["nothing to look at or to play with"]
    said += [] if found.claims > 0 else ["says of no claim that it was checked"]
    return [f"Read: {each}" for each in said]


def sheets(page: "Page") -> int:
    """Return on how many A4 pages the page prints."""
    printed = page.pdf(format="A4")
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
