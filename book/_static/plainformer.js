// Small things that a page can do without: nothing here is needed to read.
"use strict";

// On paper, the page is light. It shows what the view shows; of Everything, what waits for a reader too.
addEventListener("beforeprint", () => {
  const root = document.documentElement.dataset;
  root.pfTheme = root.theme;
  root.theme = "light";
  if (root.view !== "everything") return;
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.dataset.pfPrinted = "";
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  const root = document.documentElement.dataset;
  if (root.pfTheme) root.theme = root.pfTheme;
  for (const fold of document.querySelectorAll("details[data-pf-printed]")) {
    delete fold.dataset.pfPrinted;
    fold.open = false;
  }
});

// What scrolls sideways can be scrolled from the keyboard: tables and long formulas, while they do.
const WIDE = ".pst-scrollable-table-container, div.math";
function reach() {
  for (const box of document.querySelectorAll(WIDE)) {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", () => {
  const watch = new ResizeObserver(reach);
  for (const box of document.querySelectorAll(WIDE)) watch.observe(box);
});

// Copied, a formula is its TeX: a browser would copy each of its letters on a line of its own.
addEventListener("copy", (event) => {
  const chosen = getSelection();
  if (!chosen.rangeCount || event.target.closest?.("input, textarea")) return;
  const copy = document.createElement("div");
  copy.append(chosen.getRangeAt(0).cloneContents());
  const formulas = copy.querySelectorAll("math");
  if (!formulas.length) return;
  for (const formula of formulas) {
    const tex = (formula.querySelector("annotation") ?? formula).textContent;
    formula.replaceWith(formula.getAttribute("display") ? `$$${tex}$$` : `$${tex}$`);
  }
  // A copied radio button would take the choice from the page's own, and marks of links and buttons
  // that copy cannot be selected. On phones a line of code is a block, which would double its break.
  const dropped = "input, select, textarea, a.headerlink, button.copybtn";
  for (const each of copy.querySelectorAll(dropped)) each.remove();
  for (const line of copy.querySelectorAll(".pf-line")) line.style.display = "inline";
  document.body.append(copy); // only what is laid out has its lines
  event.clipboardData.setData("text/plain", copy.innerText);
  event.clipboardData.setData("text/html", copy.innerHTML);
  copy.remove();
  event.preventDefault();
});
