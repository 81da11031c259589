// The sentence of PositionalWaves, with the word that can be dragged along it.

import * as kit from "../kit/kit.js";
import * as words from "./words.js";
const { h } = kit;

const MOST = 16; // words that have room in a line

/** Let a pointer drag along an element with count() places; onPlace(place) is told at which it is. */
export function draggable(el, count, onPlace) {
  function move({ clientX }) {
    const box = el.getBoundingClientRect();
    onPlace(kit.clamp(Math.floor(((clientX - box.left) / box.width) * count()), 0, count() - 1));
  }
  el.classList.add("pw-draggable");
  el.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    el.setPointerCapture(event.pointerId);
    if (event.pointerType !== "touch") move(event); // a finger may be about to scroll
  });
  el.addEventListener("pointermove", (event) => el.hasPointerCapture(event.pointerId) && move(event));
  el.addEventListener("click", move);
  el.addEventListener("dragstart", (event) => event.preventDefault());
}

/** The sentence, its slider and a button: { el, draw(now) }; onMove(position) is told where the word is. */
export function strip({ walk, onMove }) {
  const line = h("div", { class: "pw-words", "aria-hidden": "true" });
  const slider = kit.slider({ label: "Position", onInput: onMove });
  slider.label.classList.add("pf-sr-only");
  const [number, here] = [h("b", {}), h("b", {})];
  const name = h("p", { class: "pw-position", "aria-hidden": "true" }, "position ", number);
  const el = h("div", { class: "pw-split pw-strip" }, name, line, walk, slider.el);
  let [length, others] = [0, []];
  const place = (p) => `left:${(100 * (p + 0.5)) / length}%`;
  draggable(line, () => length, onMove);

  function draw({ length: T, position: p }) {
    if (T !== length) {
      length = T;
      const step = Math.ceil(T / MOST);
      others = Array.from({ length: Math.ceil(T / step) }, (_, i) => [step * i, h("span", {}, words.word(step * i))]);
      for (const [at, each] of others) each.style.cssText = place(at);
      line.replaceChildren(...others.map(([, each]) => each), here);
    }
    here.style.cssText = place(p);
    here.textContent = words.word(p);
    for (const [at, each] of others) each.classList.toggle("pw-gone", at === p);
    number.textContent = p;
    slider.set({ max: T - 1, value: p, text: `${p}, ${words.word(p)}`, label: `Position: ${p}` });
  }
  return { el, draw };
}
