// Read, Code, Everything: opens and closes the folds of a page for the view that the reader chose.
//
// The view stands in <html data-view> from the first paint (layout.html). A fold names in data-from
// the first view that opens it.
"use strict";

// Safari has this since 17.4. Before, nothing in a closed fold had a box, so boxes answer as well.
Element.prototype.checkVisibility ??= function () {
  return this.getClientRects().length > 0;
};

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

/** The outermost closed fold around an element, if there is one. */
function closedAround(element) {
  let found = null;
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    if (!fold.open) found = fold;
  }
  return found;
}

const BLOCKS = ":is(h1, h2, h3, h4, p, li, dt, dd, pre, table, img, div.math, summary, .pf-widget)";
const edge = () => Math.max(0, document.querySelector(".bd-header-article")?.getBoundingClientRect().bottom ?? 0);
let left = null; // what the reader looked at when the view last changed, and how far down that left the page

/** Show another view and keep in place what the reader is looking at, or else the fold that it is in now. */
function turn(view) {
  globalThis.restAgain?.(); // where there are widgets
  if (!left || Math.abs(left.down - scrollY) > 2) {
    const seen = [...document.querySelectorAll(`.bd-article ${BLOCKS}`)];
    const here = seen.find((each) => each.checkVisibility() && each.getBoundingClientRect().bottom > edge() + 8);
    left = here ? { here, top: here.getBoundingClientRect().top } : null;
  } // else nothing has moved since: back from a view that folds it, the same passage is there again
  const focused = document.activeElement;
  show(view);
  if (focused !== document.body && !focused.checkVisibility()) {
    const fold = closedAround(focused);
    let place = fold?.firstElementChild;
    if (place && !place.checkVisibility()) { // in Read most folds have no line of their own
      place = fold;
      place.tabIndex = -1;
    }
    place?.focus({ preventScroll: true });
  }
  if (!left) return;
  const fold = closedAround(left.here);
  let place = fold?.firstElementChild ?? left.here;
  const top = place === left.here ? left.top : Math.max(left.top, edge() + 8); // a line, whole
  if (!place.checkVisibility()) place = place.closest("details"); // the view needs no word to open it
  scrollBy({ top: place.getBoundingClientRect().top - top, behavior: "instant" });
  left.down = scrollY;
}

/** The view that the reader chose last, on any page; null where none is kept. */
function chosen() {
  try {
    return localStorage.getItem("view");
  } catch {
    return null; // storage is refused
  }
}

/** Change the view at the reader's wish, and remember it. */
function choose(view) {
  turn(view);
  try {
    localStorage.setItem("view", view);
  } catch {
    // Storage is refused: the view lasts as long as the page.
  }
  const address = new URL(location.href);
  if (address.searchParams.has("view")) {
    address.searchParams.delete("view"); // or it would win over the choice when the page is loaded again
    history.replaceState(history.state, "", address);
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

// Who loads a page again, or comes back to it, finds open what was open, so that the place is the same.
const KEPT = `folds ${location.pathname}`;
const kept = () => [...document.querySelectorAll(".pf-view-fold, .pf-fold")]; // not those of widgets
const arrived = performance.getEntriesByType("navigation")[0]?.type;

/** Open and close all folds as the reader left them in this view. */
function restore() {
  const every = kept();
  try {
    const { view, open } = JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    if (view === root.dataset.view && open.length === every.length) {
      every.forEach((fold, i) => (fold.open = open[i] === "1"));
    }
  } catch {
    // Storage is refused, or holds what we did not write: the view alone decides.
  }
}
addEventListener("pagehide", () => {
  const open = kept().map((fold) => Number(fold.open)).join("");
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ view: root.dataset.view, open }));
  } catch {
    // As above.
  }
});

show(root.dataset.view);
if (arrived === "reload" || arrived === "back_forward") restore();
root.dataset.ready = "";
follow();
if (location.hash && arrived === "navigate") {
  // Fonts and widgets that come later push the place away, so go there again; but not under the
  // hands of a reader who has gone elsewhere meanwhile.
  let moved = false;
  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(kind, () => (moved = true), { once: true, passive: true });
  }
  addEventListener("load", () => {
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
  const said = document.querySelector(".pf-views-said");
  if (!said) return; // a page that is the same in every view
  const typed = "input:not([type=radio], [type=range], [type=checkbox]), textarea, [contenteditable]";
  if (event.target.closest(typed)) return;
  event.preventDefault();
  const next = VIEWS[(VIEWS.indexOf(root.dataset.view) + 1) % VIEWS.length];
  choose(next);
  said.textContent = `View: ${next}`; // the focus stays with what the reader is at
});
addEventListener("pageshow", (event) => {
  // The browser had kept the page as it was; meanwhile another view may have been chosen elsewhere.
  const view = chosen();
  if (event.persisted && VIEWS.includes(view) && view !== root.dataset.view) turn(view);
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
/** Where the words were found: the section that the address names, or the page. */
function foundIn() {
  const place = document.getElementById(location.hash.slice(1));
  return place?.closest("section, details") ?? article;
}
if (article && searched()) {
  const watch = new MutationObserver(() => {
    const marks = foundIn().querySelectorAll(".highlighted");
    if (!article.querySelector(".highlighted")) return;
    watch.disconnect();
    const told = [...marks].filter((mark) => !mark.closest(".pf-answers, .pf-solution, .pf-dropdown"));
    (told.length ? told : marks).forEach(unfold); // answers only where nothing else holds the word
  });
  watch.observe(article, { childList: true, subtree: true });
}
