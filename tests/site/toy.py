"""A small site without a fault, to spoil in one place at a time: see test_checkers.py."""

from __future__ import annotations

from pathlib import Path

ICON = '<link rel="icon" href="data:image/png;base64,iVBORw0KGgo=">'
HEAD = f"""<meta charset="utf-8"><title>TITLE</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A page of a small site on which nothing is wrong.">
{ICON}<link rel="stylesheet" href="UPstyle.css">"""

STYLE = """
:root { color-scheme: light dark; }
html[data-theme=light] body { background: #ffffff; color: #111111; }
html[data-theme=dark] body { background: #111111; color: #eeeeee; }
html[data-theme=dark] a { color: #9ecbff; }
body { margin: 0 1rem; font: 16px sans-serif; }
.skip { position: absolute; top: -99px; } .skip:focus { top: 0; }
input, button, summary { min-height: 24px; }
:focus-visible { outline: 3px solid #cc5500; }
[data-pf-ready] > .pf-fallback { display: none; }
@media print { .pf-live { display: none; } [data-pf-ready] > .pf-fallback { display: block; } }
"""

MODE = """<script>
document.documentElement.dataset.theme =
  matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
</script>"""

WIDGET = """<div class="pf-widget" data-pf-widget="toy">
<script type="application/json">{"at": 3}</script>
<div class="pf-fallback"><div role="img" aria-label="Three of nine steps are done.">
step 3 of 9</div></div></div>
<script>
const root = document.querySelector("[data-pf-widget]");
const el = document.createElement("div");
el.className = "pf-live";
el.innerHTML = `<label>Step <input type="range" min="0" max="9" value="3"></label>
  <button>Next</button><p aria-live="polite"></p><p class="bar"></p>
  <details><summary>Show as table</summary><table><caption>Steps</caption>
    <tr><th scope="col">step</th></tr><tr><td>3</td></tr></table></details>`;
root.append(el);
const slider = el.querySelector("input"), said = el.querySelector("p");
const draw = () => {
  said.textContent = `At step ${slider.value}, ${9 - slider.value} are left.`;
  el.querySelector(".bar").textContent = "#".repeat(slider.value);
  el.querySelector("td").textContent = slider.value;
};
slider.addEventListener("input", draw);
el.querySelector("button").addEventListener("click", () => { slider.value++; draw(); });
draw();
root.dataset.pfReady = "";
</script>"""

DRAWING = """<svg role="img" aria-label="A dark box that says yes." width="120" height="40">
<rect width="120" height="40" fill="#222222"></rect>
<text x="40" y="25" fill="#ffffff">yes</text></svg>"""

FIRST = f"""<!DOCTYPE html><html lang="en"><head>{HEAD}{MODE}</head><body>
<a class="skip" href="#main">Skip to main content</a>
<nav aria-label="Pages"><a href="part/second.html#deep">Second</a></nav>
<main id="main" tabindex="-1"><h1>First</h1><p>Some <a href="#below">text</a>.</p>
<h2 id="below">Below</h2>{DRAWING}{WIDGET}</main></body></html>"""

SECOND = f"""<!DOCTYPE html><html lang="en"><head>{HEAD}{MODE}</head><body>
<a class="skip" href="#main">Skip to main content</a>
<main id="main" tabindex="-1"><h1>Second</h1><p id="deep"><a href="../first.html">Back</a></p>
</main></body></html>"""


def build(folder: Path) -> Path:
    """Write the site into ``folder`` and return it."""
    pages = {
        "first.html": FIRST.replace("TITLE", "First").replace("UP", ""),
        "part/second.html": SECOND.replace("TITLE", "Second").replace("UP", "../"),
        "style.css": STYLE,
    }
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def spoil(folder: Path, name: str, old: str, new: str) -> None:
    """Replace ``old``, which must be there, by ``new`` in one file."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"old must stand in {name}; {old!r} does not")
    path.write_text(text.replace(old, new), encoding="utf-8")
