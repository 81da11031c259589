// Two texts, side by side: how far their streams lie apart, token by token after each layer, and what
// comes next after each. A cell of the map can be taken from the second text into the first.
//
// Tokens are paired from the ends of the texts: of equal lengths, each with the one at its place.

import * as kit from "../kit/kit.js";
import * as heatmap from "../kit/heatmap.js";
import * as scales from "../kit/scales.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
const { h } = kit;

const LABEL = 14; // pixels that a name needs
const ROW = 22; // pixels of a token, at most
const HIGH = 260; // pixels of the map, at most
const BARS = 6;

/** The token of the second text, of `there` tokens, that stands for token t of `here`; or null. */
export function partner(t, here, there) {
  const at = t + there - here;
  return at >= 0 && at < there ? at : null;
}

/** ‖a − b‖ ÷ ‖b‖ of two rows of D numbers. */
function distance(a, b, D) {
  let [apart, size] = [0, 1e-12];
  for (let d = 0; d < D; d += 1) {
    apart += (a[d] - b[d]) ** 2;
    size += b[d] ** 2;
  }
  return Math.sqrt(apart / size);
}

/** The two texts: { el, own, draw(now), tables }; own is what the keys are pressed on. */
export function compare({ config, T, tokens, second, onPatch, cell }) {
  const { n_layers: L, d_model: D } = config;
  const S = second.ids.length;
  const pair = (t) => partner(t, T, S);
  const name = (t) => (pair(t) === null ? "–" : second.tokens[pair(t)]);
  let now = null;
  let [l, t] = [Math.min(cell[0], L - 1), cell[1] === null ? null : Math.min(cell[1], T - 1)];

  const map = heatmap.heatmap({
    label: "How far the two texts’ streams lie apart: a row for each pair of tokens, a column for each layer",
    onPoint() {},
    onKeep([row, col]) {
      [cell[0], cell[1]] = [l, t] = [col, row];
      mark();
    },
    onEnter: () => take(),
    room: [12, 12],
  });
  const high = Math.min(ROW * T, HIGH);
  const each = Math.max(1, Math.ceil((LABEL * T) / high));
  const side = (text) =>
    tokens.map((_, i) =>
      h("span", { class: i % each ? "gm-hide" : "", title: `${text(i)}, in code token ${i}`, style: `top:${((i + 0.5) / T) * 100}%` }, h("bdi", {}, text(i))),
    );
  const sides = [(i) => tokens[i], name].map((text) => h("div", { class: "gm-side" }, side(text)));
  const says = h("p", { class: "gm-cell" });
  const note = h("p", { class: "pf-note" });
  function take() {
    [cell[0], cell[1]] = [l, t];
    onPatch([l, t]);
  }
  const patch = kit.button({ label: "Take it in", when: () => distanceAt() !== null, onPress: take });
  const after = h("div", { class: "gm-head" });
  const bars = Array.from({ length: BARS }, () => {
    const fills = [h("i"), h("i", { class: "gm-minus" })];
    const [word, shares, more] = [h("bdi", { class: "gm-name" }), h("span", { class: "gm-share" }), h("span", { class: "gm-share" })];
    return { el: h("div", { class: "gm-pair" }, word, h("div", {}, fills.map((fill) => h("b", {}, fill))), shares, more), word, fills, shares, more };
  });
  const el = h(
    "div",
    { class: "gm-two" },
    h(
      "div",
      { class: "gm-apart", style: `--gm-tall:${high}px;--gm-layers:${L}` },
      h("div", { class: "gm-corner", "aria-hidden": "true" }, "first"),
      h("div", { class: "gm-corner", "aria-hidden": "true" }, "second"),
      h("div", { class: "gm-depths", "aria-hidden": "true" }, Array.from({ length: L }, (_, i) => h("span", {}, L > 6 ? null : h("span", { class: "gm-word" }, "layer "), numbering.ordinal(i)))),
      sides,
      h("div", { class: "gm-field" }, map.el),
    ),
    h("div", {}, after, bars.map((bar) => bar.el)),
    h("div", { class: "gm-wide" }, h("div", { class: "pf-row" }, says, patch.el), note),
  );

  /** How far apart a pair is after a layer; null where there is no pair, or no stream yet. */
  function distanceAt(row = t, col = l) {
    const at = pair(row);
    const [mine, theirs] = [now?.steps, now?.second.steps].map((steps) => steps?.get(`layers.${col}.residual_2`).data);
    if (at === null || !mine || !theirs) return null;
    return distance(mine.subarray(row * D, (row + 1) * D), theirs.subarray(at * D, (at + 1) * D), D);
  }
  const isTaken = () => now.patch?.layer === l && now.patch?.token === t;

  function mark() {
    const apart = distanceAt();
    const first = numbering.tokenName(tokens, t);
    let text = `After ${numbering.layerName(l)}, the streams of ${first} and “${name(t)}” differ by ${kit.format(apart ?? 0, 2)} of the second’s size.`;
    if (pair(t) === null) text = `${first} has no partner in the second text.`;
    else if (apart === null) text = "The streams come with the weights.";
    else if (isTaken()) text = `After ${numbering.layerName(l)}, ${first} goes on with the stream of “${name(t)}” from the second text.`;
    map.mark({ row: t, col: l, text });
    says.textContent = text;
    patch.set({ label: isTaken() ? "Take it out again" : "Take the second’s stream in here" });
    for (const { children } of sides) [...children].forEach((span, i) => span.classList.toggle("gm-here", i === t));
  }

  /** The likeliest tokens of both texts: [{ id, first, second }]; second is null without a partner. */
  function likeliest() {
    const { summary, place, temperature, second: other } = now;
    const at = pair(place);
    const [mine, theirs] = [summary.shares?.(place, temperature), at === null ? null : other.summary?.shares?.(at, temperature)];
    if (!mine) return [];
    const half = (all, spot) => all.next(spot, temperature).slice(0, BARS / 2).map(({ id }) => id);
    const ids = new Set([...half(summary, place), ...(theirs ? half(other.summary, at) : [])]);
    return [...ids].map((id) => ({ id, first: mine[id], second: theirs ? theirs[id] : null }));
  }

  /** The token whose streams are furthest apart after the first layer: where the texts differ. */
  function furthest() {
    const all = tokens.map((_, row) => distanceAt(row, 0) ?? 0);
    return all.indexOf(Math.max(...all));
  }

  function draw(next) {
    now = next;
    if (cell[1] === null || t === null) t = furthest();
    map.paint(
      T,
      L,
      (row, col) => {
        const apart = distanceAt(row, col);
        return apart === null ? null : scales.weight(Math.min(apart, 1), now.dark);
      },
      (row, col) => {
        const apart = distanceAt(row, col);
        return apart === null ? "" : kit.format(apart, 2);
      },
    );
    mark();
    const same = T === S;
    const equal = String(now.ids) === String(second.ids);
    note.textContent = equal ? "Both texts are the same so far: change a word of the second one." : same ? "" : `The texts have ${T} and ${S} tokens, so they are paired from their ends.`;
    note.hidden = same && !equal;
    after.textContent = "Next: first text above, second below";
    const list = likeliest();
    bars.forEach((bar, i) => {
      bar.el.hidden = !list[i];
      if (!list[i]) return;
      const { id, first, second: other } = list[i];
      bar.word.textContent = now.word(id);
      bar.fills[0].style.width = `${100 * first}%`;
      bar.fills[1].style.width = `${100 * (other ?? 0)}%`;
      bar.shares.textContent = `${written.share(first)} | ${other === null ? "–" : written.share(other)}`;
      bar.more.textContent = other === null ? "" : signed(other - first, 2);
    });
  }
  const signed = (number, digits) => `${number < 0 ? "−" : "+"}${kit.format(Math.abs(number), digits)}`;

  function tables() {
    const figure = (number, digits = 4) => (number === null ? "" : kit.format(number, digits));
    return [
      {
        caption: `The likeliest tokens after “${tokens[now.place]}” in the first text, and after “${name(now.place)}” in the second`,
        columns: ["Token", "#First", "#Second", "#Difference"],
        rows: likeliest().map(({ id, first, second: other }) => [now.word(id), figure(first), figure(other), other === null ? "" : figure(other - first)]),
      },
      {
        caption: "How far the streams lie apart, in sizes of the second text’s stream",
        columns: ["First", "Second", ...Array.from({ length: L }, (_, i) => `#${numbering.layerTitle(i)}`)],
        rows: tokens.map((token, row) => [`${numbering.ordinal(row)}: ${token}`, name(row), ...Array.from({ length: L }, (_, col) => figure(distanceAt(row, col)))]),
      },
    ];
  }
  return { el, own: map.el, draw, tables };
}
