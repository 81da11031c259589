// The bars of TemperatureLab, and on each of them the words that were drawn, as bricks.
//
// The height of the picture is a probability of 1. With n draws, 10 at least, a brick is an n-th of
// it: a heap and the bar behind it are equally high where the draws came out as expected.

import * as kit from "../kit/kit.js";
const { h } = kit;

const FEW = 10; // draws that fill the picture, and the most whose bricks have room for a word
const PACE = 70; // milliseconds from one brick to the next
const FINE = 40; // draws, beyond which a line between two bricks would be all there is of one
const MOTION = 12; // steps that any number of new draws takes at most

const percent = (share) => (share > 0 && share < 0.005 ? "<1%" : `${(100 * share).toFixed()}%`);

/** The picture: { el, draw(rows, texts, draws), stop }; texts are the words that were drawn, in order. */
export function heap({ context }) {
  const word = h("b", {});
  const key = h("span", { class: "tl-key" }, h("i"), "how probable", h("i"), "drawn");
  const said = h("p", { class: "tl-said" }, context ? `${context} ` : "", word, key);
  const columns = h("div", { class: "tl-columns", "aria-hidden": "true" });
  const el = h("div", { class: "tl-heap", role: "group", "aria-label": "Bars and drawn words" }, columns);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let made = "";
  let parts = [];
  let state = null;
  let down = null; // draws whose brick has landed
  let timer = 0;

  function build(rows) {
    parts = rows.map(({ name, ids }) => {
      const [bar, stack] = [h("i", { class: "tl-bar" }), h("div", { class: "tl-stack" })];
      const number = h("span", { class: "tl-number" });
      const title = h("span", { class: `tl-name${ids ? "" : " tl-rest"}`, title: name }, name);
      const shaft = h("div", { class: "tl-shaft" }, bar, stack);
      return { bar, stack, number, title, column: h("div", { class: "tl-column" }, shaft, title, number) };
    });
    columns.replaceChildren(said, ...parts.map(({ column }) => column));
  }

  /** The first so many of the draws. */
  function show(n) {
    const { rows, texts, draws } = state;
    const size = Math.max(FEW, n);
    columns.style.setProperty("--tl-size", size);
    const own = new Map(rows.flatMap(({ ids }, r) => (ids ?? []).map((id) => [id, r])));
    const heaps = rows.map(() => []);
    for (let i = 0; i < n; i += 1) heaps[own.get(draws[i]) ?? rows.length - 1].push(texts[i]);
    rows.forEach(({ share, count }, r) => {
      const { bar, stack, title, number } = parts[r];
      bar.style.height = `${100 * share}%`;
      bar.dataset.value = share;
      stack.style.height = `${(100 * heaps[r].length) / size}%`;
      stack.dataset.count = heaps[r].length;
      const bricks = n <= FEW ? heaps[r] : [];
      if (bricks.join() !== stack.dataset.words) {
        stack.dataset.words = bricks.join();
        stack.replaceChildren(...bricks.reverse().map((text) => h("span", {}, text)));
      }
      title.classList.toggle("tl-out", share === 0);
      number.textContent = `${percent(share)}${draws.length ? `\n${kit.format(count)} ×` : ""}`;
      stack.classList.toggle("tl-fine", n > FINE);
    });
    word.textContent = n ? texts[n - 1] : "…";
    down = n;
    el.dataset.down = n;
  }

  function step() {
    timer = 0;
    const left = state.draws.length - down;
    if (left <= 0) return;
    show(down + Math.min(left, state.pace));
    timer = setTimeout(step, PACE);
  }

  function draw(rows, texts, draws) {
    const names = rows.map(({ name }) => name).join("\n");
    if (names !== made) build(rows);
    made = names;
    const fresh = draws.length - (down ?? draws.length);
    state = { rows, texts, draws, pace: Math.ceil(Math.max(1, fresh) / MOTION) };
    const fall = fresh > 0 && !calm.matches;
    show(fall ? down : draws.length);
    if (fall && !timer) step();
  }
  return { el, draw, stop: () => clearTimeout(timer) };
}
