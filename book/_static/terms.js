// A term's definition, where the term is used: on hover, on focus, and on tap.
//
// The build has made links of first uses (a.pf-term) and has written what they say (glossary.js).
// What is shown can be reached with the pointer, stays as long as the pointer or the focus is there,
// and goes with Escape. A finger's first tap shows it, and the second follows the link.
"use strict";

const said = document.createElement("div");
said.id = "pf-definition";
said.className = "pf-definition";
said.setAttribute("role", "tooltip");
said.hidden = true;
(document.querySelector("article") ?? document.body).append(said);

let shown = null; // the link whose definition is shown

function hide() {
  shown?.removeAttribute("aria-describedby");
  shown = null;
  said.hidden = true;
}

/** Show a link's definition below its last line, or above its first where there is no room. */
function define(link) {
  const entry = window.pfGlossary?.[decodeURIComponent(link.hash.slice(1))];
  if (!entry || link === shown) return;
  hide();
  const name = document.createElement("strong");
  name.textContent = entry[0];
  said.replaceChildren(name, ` ${entry[1]}`);
  said.hidden = false;
  said.style.left = said.style.top = "0";
  const origin = said.getBoundingClientRect();
  const lines = link.getClientRects();
  const first = lines[0];
  const last = lines[lines.length - 1];
  const room = document.documentElement.clientWidth - origin.width - 8;
  const left = Math.max(8, Math.min(last.left, room));
  // One pixel over the link: no gap that the pointer would have to jump.
  const below = last.bottom - 1;
  const fits = below + origin.height <= innerHeight || first.top < origin.height;
  const top = fits ? below : first.top + 1 - origin.height;
  said.style.left = `${left - origin.left}px`;
  said.style.top = `${top - origin.top}px`;
  link.setAttribute("aria-describedby", said.id);
  shown = link;
}

const term = (target) => target?.closest?.("a.pf-term") ?? null;
const stays = (target) => term(target) === shown || said.contains(target);

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "touch" && term(event.target)) define(term(event.target));
});
document.addEventListener("pointerout", (event) => {
  if (!shown || event.pointerType === "touch" || shown === document.activeElement) return;
  if (stays(event.target) && !stays(event.relatedTarget)) hide();
});
document.addEventListener("focusin", (event) => {
  if (term(event.target)) define(term(event.target));
});
document.addEventListener("focusout", (event) => {
  if (event.target === shown && !said.matches(":hover")) hide();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});

let tapped = null; // the link that a finger is on, unless its definition was there before
document.addEventListener(
  "pointerdown",
  (event) => {
    const link = term(event.target);
    tapped = event.pointerType === "touch" && link !== shown ? link : null;
    if (shown && !stays(event.target)) hide();
  },
  true,
);
document.addEventListener("click", (event) => {
  const link = term(event.target);
  if (!link || link !== tapped) return;
  event.preventDefault();
  tapped = null;
  define(link);
});
addEventListener("resize", hide);
