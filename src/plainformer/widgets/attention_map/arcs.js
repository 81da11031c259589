// The words of AttentionMap, and over them the arcs from the chosen one to what it attends to.
//
// An arc is as thick as its weight. Where the keys are another text, they have lines of their own
// above. Words are measured when their place changes; what follows a pointer only moves.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as written from "../kit/token_words.js";
import * as sums from "./weights.js";
import * as words from "./words.js";
const { h } = kit;

const THICK = 1.1; // letters, of a weight of 1
const LETTER = 0.55; // of its height, how wide a letter is
const ROUND = 1.55; // letters, what is around a word

/** How many letters high fit into a line that is as wide as these words need. */
const lengthOf = (tokens) =>
  tokens.reduce((sum, each) => sum + Math.max(1.6, LETTER * words.plain(each).length) + ROUND, 0);

/** The words: { el, build(text), draw(now), stop }; onPoint(null) says that no word is pointed at. */
export function arcs({ onPoint, onKeep }) {
  const svg = h("svg", { class: "am-arcs", "aria-hidden": "true" });
  const el = h("div", { class: "am-words" });
  let queries = []; // labels with a radio button each
  let keys = []; // the same ones, or those of another text
  let paths = [];
  let places = new Map(); // a word's box in the drawing
  let letter = 16; // pixels
  let drawn = null;

  function chip(token, i, tokens, radio) {
    const glued = i > 0 && spaced(tokens) && !/^\s/.test(token);
    const label = written.label(token);
    const parts = [h("bdi", {}, words.plain(token)), h("small", { class: "am-number", "aria-hidden": "true" })];
    const look = { class: `am-word${glued ? " am-glued" : ""}`, title: label };
    if (!radio) return h("span", look, parts);
    const input = h("input", {
      ...{ type: "radio", name: radio, value: i, ...kit.OWN_KEYS },
      "aria-label": `${label}, position ${i}`,
    });
    return h("label", look, input, parts);
  }

  /** Other words: { tokens, keys }, the same list where the text attends to itself. */
  function build({ tokens, keys: others }) {
    const radio = kit.uid();
    queries = tokens.map((token, i) => chip(token, i, tokens, radio));
    const cross = others !== tokens;
    keys = cross ? others.map((token, i) => chip(token, i, others)) : queries;
    paths = keys.map(() => h("path"));
    svg.replaceChildren(...paths);
    const line = (list) => h("div", { class: "am-line" }, list);
    const asking = h("fieldset", {}, h("legend", { class: "pf-sr-only" }, "Token that attends"), line(queries));
    const name = (text) => h("p", { class: "am-side" }, text);
    el.style.setProperty("--am-long", Math.max(lengthOf(tokens), lengthOf(others)).toFixed(1));
    el.classList.toggle("am-cross", cross);
    if (cross) el.replaceChildren(svg, name("The tokens to attend to"), line(keys), asking, name("Point at or tap a token here"));
    else el.replaceChildren(svg, asking);
    drawn = null;
    for (const each of el.querySelectorAll(".am-word")) sizes.observe(each);
    sizes.observe(el);
  }

  const at = (event) => queries.findIndex((each) => each.contains(event.target));
  el.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") onPoint(at(event) < 0 ? null : at(event));
  });
  el.addEventListener("pointerleave", () => onPoint(null));
  el.addEventListener("change", (event) => onKeep(Number(event.target.value)));

  function measure() {
    const wide = el.clientWidth;
    if (wide === 0) return; // hidden: what is drawn will be drawn again when it is shown
    svg.setAttribute("viewBox", `0 0 ${wide} ${el.clientHeight}`);
    places = new Map(
      [...queries, ...keys].map((each) => {
        const { offsetLeft: x, offsetTop: top, offsetWidth, offsetHeight } = each;
        return [each, { x: x + offsetWidth / 2, wide: offsetWidth, top, bottom: top + offsetHeight }];
      }),
    );
    letter = Number.parseFloat(getComputedStyle(el).fontSize);
    const lines = [...new Set([...places.values()].map(({ top }) => top))].sort((a, b) => a - b);
    const low = [...places.values()].filter(({ top }) => top === lines[0]).map(({ bottom }) => bottom);
    const gap = lines.length > 1 ? lines[1] - Math.max(...low) : 0;
    for (const each of places.values()) each.room = each.top === lines[0] ? lines[0] : gap;
    el.classList.toggle("am-one", lines.length === 1);
    if (drawn) drawArcs(drawn);
  }
  const sizes = new ResizeObserver(measure);

  function drawArcs({ query, shown, shape: [, , , S] }) {
    const from = places.get(queries[query]);
    if (!from) return;
    paths.forEach((path, j) => {
      const weight = shown[query * S + j];
      path.setAttribute("d", weight > 0 ? arc(from, places.get(keys[j]), letter) : "");
      path.style.strokeWidth = `${weight * THICK * letter}px`;
      path.style.opacity = 0.35 + 0.65 * weight;
    });
  }

  function draw(now, dark) {
    const { query, shown, shape: [, , , S], padding } = now; // prettier-ignore
    if (!places.size) measure();
    queries.forEach((each, i) => {
      each.classList.toggle("am-query", i === query);
      each.querySelector("input").checked = i === now.kept;
    });
    keys.forEach((each, j) => {
      const weight = shown[query * S + j];
      const seen = sums.sees(query, j, now);
      const colour = scales.weight(weight, dark);
      const plain = !seen || each.classList.contains("am-query");
      each.style.background = plain ? "" : scales.css(colour);
      each.style.color = plain ? "" : scales.inkOn(colour);
      each.classList.toggle("am-masked", !seen);
      each.classList.toggle("am-padding", padding[j]);
      const text = seen ? written.share(weight) : "–";
      const number = each.lastChild;
      if (number.textContent !== text) number.textContent = text;
    });
    drawn = now;
    drawArcs(now);
  }

  return { el, build, draw, stop: () => sizes.disconnect() };
}

/** Whether a text's words bring the space before them. */
const spaced = (tokens) => tokens.some((token) => /^ [^ ]/.test(token));

/** From one word to another: over both in a line, else between the lines; to itself, a loop. */
function arc(from, to, letter) {
  const round = (...numbers) => numbers.map((each) => each.toFixed(1)).join(" ");
  if (to.top === from.top) {
    const [x1, x2] = to === from ? [from.x - 0.3 * from.wide, from.x + 0.3 * from.wide] : [from.x, to.x];
    const high = Math.min(from.room - 0.5 * letter, letter + 0.3 * Math.abs(x2 - x1)); // of its top
    return `M${round(x1, from.top)}c${round(0, -high / 0.75, x2 - x1, -high / 0.75, x2 - x1, 0)}`;
  }
  const [y1, y2] = to.top < from.top ? [from.top, to.bottom] : [from.bottom, to.top];
  const middle = (y1 + y2) / 2;
  return `M${round(from.x, y1)}C${round(from.x, middle, to.x, middle, to.x, y2)}`;
}
