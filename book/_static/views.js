// Read, Code, Everything: opens and closes the folds of a page for the view that the reader chose.
//
// The view stands in <html data-view> from the first paint (layout.html). A fold names in data-from
// the first view that opens it.
"use strict";

const VIEWS = ["read", "code", "everything"];
const root = document.documentElement;
const folds = () => document.querySelectorAll("details[data-from]");

/** Open what the view shows and close the rest. */
function show(view) {
  root.dataset.view = view;
  for (const fold of folds()) {
    const from = VIEWS.indexOf(fold.dataset.from); // −1: none opens it
    fold.open = from >= 0 && VIEWS.indexOf(view) >= from;
  }
  for (const choice of document.querySelectorAll(".pf-views input")) {
    choice.checked = choice.value === view;
  }
}

/** Change the view: remember it, and keep in place what the reader is looking at. */
function choose(view) {
  const seen = [...document.querySelectorAll(".bd-article :is(h1, h2, h3, p, .pf-box, .pf-widget)")];
  const here = seen.find((each) => each.checkVisibility() && each.getBoundingClientRect().bottom > 80);
  const before = here?.getBoundingClientRect().top;
  show(view);
  if (here?.checkVisibility()) scrollBy(0, here.getBoundingClientRect().top - before);
  try {
    localStorage.setItem("view", view);
  } catch {
    // Storage is refused: the view lasts as long as the page.
  }
  const address = new URL(location.href);
  if (address.searchParams.has("view")) {
    address.searchParams.delete("view"); // or it would win over the choice when the page is loaded again
    history.replaceState(null, "", address);
  }
}

/** Open every fold around an element; true where one was closed. */
function unfold(element) {
  let closed = false;
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    closed ||= !fold.open;
    fold.open = true;
  }
  return closed;
}

/** Open what the address leads to: a section's own fold, and all around it. */
function follow() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // A lone % is part of the name.
  }
  const target = name && document.getElementById(name);
  if (!target) return;
  // A section's second name is a span at its beginning.
  const place = target.matches("section > span") ? target.parentElement : target;
  const own = place.matches("details") ? place : place.querySelector(":scope > .pf-further");
  const closed = own && !own.open;
  if (own) own.open = true;
  if (unfold(target.parentElement) || closed) target.scrollIntoView({ behavior: "instant" });
}

show(root.dataset.view);
root.dataset.ready = "";
follow();
if (location.hash && performance.getEntriesByType("navigation")[0]?.type === "navigate") {
  // Formulas and widgets that come later push the place away, so go there again; but not under the
  // hands of a reader who has gone elsewhere meanwhile.
  let moved = false;
  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(kind, () => (moved = true), { once: true, passive: true });
  }
  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    const target = document.getElementById(location.hash.slice(1));
    if (!moved) target?.scrollIntoView({ behavior: "instant" });
  });
}
addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  // A link to where the page already is changes no address.
  if (event.target.closest?.("a[href^='#']")) setTimeout(follow);
});
document.addEventListener("change", (event) => {
  if (event.target.name === "pf-view") choose(event.target.value);
});
document.addEventListener("keydown", (event) => {
  if (event.code !== "KeyV" || !event.altKey || event.ctrlKey || event.metaKey) return;
  const typed = "input:not([type=radio], [type=range], [type=checkbox]), textarea, [contenteditable]";
  if (event.target.closest(typed)) return;
  event.preventDefault();
  const next = VIEWS[(VIEWS.indexOf(root.dataset.view) + 1) % VIEWS.length];
  choose(next);
  document.querySelector(".pf-views input:checked")?.focus({ preventScroll: true });
});

// Words that a search has found are marked a little later (sphinx_highlight.js); what holds them opens.
function searched() {
  try {
    if (localStorage.getItem("sphinx_highlight_terms")) return true;
  } catch {
    // Storage is refused: the words stand in the address.
  }
  return new URLSearchParams(location.search).has("highlight");
}
const article = document.querySelector(".bd-article");
if (article && searched()) {
  const watch = new MutationObserver(() => {
    const marks = article.querySelectorAll(".highlighted");
    if (!marks.length) return;
    watch.disconnect();
    const told = [...marks].filter((mark) => !mark.closest(".pf-answers, .pf-solution, .pf-dropdown"));
    (told.length ? told : marks).forEach(unfold); // answers only where nothing else holds the word
  });
  watch.observe(article, { childList: true, subtree: true });
}
