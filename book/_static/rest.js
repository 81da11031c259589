// Sections far from the screen rest: the browser lays out and paints only those near it, so that a
// widget answers within a frame on a long page, too. (What resting is, text.css says.)
//
// Each keeps the height that it has, measured while all are awake. So nothing moves when it rests.
"use strict";

const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 200)); // Safari lacks it
const sections = () => [...document.querySelectorAll(".bd-article > section > section")];
const waiting = "[data-pf-widget]:not([data-pf-ready], [data-pf-error])";
const drawn = () => ![...document.querySelectorAll(waiting)].some((each) => each.checkVisibility());
let asked = 0; // how often; only the last counts

/** Wake all, since something changes their heights, and let them rest again once nothing is to do. */
function restAgain() {
  for (const section of sections()) section.classList.remove("pf-rests");
  const turn = ++asked;
  whenIdle(() => {
    if (turn !== asked) return;
    if (!drawn()) return setTimeout(restAgain, 200); // a widget that is drawn gets higher
    const heights = sections().map((section) => section.getBoundingClientRect().height);
    for (const [i, section] of sections().entries()) {
      section.style.containIntrinsicBlockSize = `auto ${heights[i]}px`;
      section.classList.add("pf-rests");
    }
  });
}

addEventListener("load", async () => {
  await document.fonts.ready;
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    restAgain();
  }).observe(document.querySelector(".bd-article") ?? document.body);
  document.addEventListener("toggle", restAgain, true); // a fold's event does not bubble
});
