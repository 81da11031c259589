// One layer: what its heads look at, and the chosen token's stream before, within and after it.
//
// Each strip holds the D (or F) numbers of one step for the chosen token. A press opens the number
// under the pointer; Enter opens the strongest.

import * as kit from "../kit/kit.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
import * as paint from "./paint.js";
import * as places from "./selection.js";
const { h } = kit;

/** The layer: { el, items, draw(now), tables }. */
export function layer({ config, T, tokens, go, layer: l }) {
  const { n_heads: H } = config;
  let now = null;
  const maps = Array.from({ length: H }, (_, k) => {
    const picture = paint.picture("gm-cells");
    const box = h("div", { class: "gm-map" }, picture.el);
    const note = h("div", { class: "gm-says" });
    return { canvas: picture.el, box, note, el: h("div", { class: "gm-big" }, h("div", { class: "gm-head", title: numbering.inCode(l, k) }, numbering.headTitle(k)), box, note) };
  });
  const steps = [
    [l > 0 ? `layers.${l - 1}.residual_2` : "embedding", "The stream before"],
    [`layers.${l}.attention.output`, "Attention writes"],
    [`layers.${l}.residual_1`, "The stream between"],
    [`layers.${l}.feed_forward.activations`, "Feed-forward: units"],
    [`layers.${l}.feed_forward.output`, "Feed-forward writes"],
    [`layers.${l}.residual_2`, "The stream after"],
  ];
  const strips = steps.map(([name, text]) => {
    const picture = paint.picture("gm-cells");
    const box = h("div", { class: "gm-strip" }, picture.el);
    const size = h("span", { class: "gm-share" });
    return { ...picture, name, text, box, size, row: h("div", { class: "gm-step" }, h("span", {}, text), box, size) };
  });
  const waits = h("p", { class: "pf-note" }, "The stream’s numbers come with the weights.");
  const el = h(
    "div",
    { class: "gm-layer" },
    h("div", { class: "gm-bigs", style: `--gm-heads:${Math.min(H, 6)}` }, maps.map((map) => map.el)),
    waits,
    strips.map(({ row }) => row),
  );

  const values = (name) => {
    const { shape, data } = now.steps.get(name);
    return data.subarray(now.place * shape[1], (now.place + 1) * shape[1]);
  };
  const strongest = (name) => {
    const all = values(name);
    return all.reduce((best, each, i) => (Math.abs(each) > Math.abs(all[best]) ? i : best), 0);
  };
  const items = [
    ...maps.map((map, k) => ({
      el: map.el,
      say: () => `${numbering.headTitle(k)}: ${map.note.textContent}`,
      act: () => go(`layers.${l}.heads.${k}`),
    })),
    ...strips.map(({ box, text, name }) => ({
      el: box,
      say() {
        if (!now?.steps) return `${text}: not here yet`;
        const most = strongest(name);
        return `${text}: the strongest of ${values(name).length} numbers is number ${numbering.ordinal(most)}, ${kit.format(values(name)[most], 3)}`;
      },
      act(event) {
        if (!now?.steps) return;
        const { left, width } = box.getBoundingClientRect();
        const size = values(name).length;
        const at = event ? Math.floor(((event.clientX - left) / width) * size) : strongest(name);
        go(places.numberAt(name, now.place, kit.clamp(at, 0, size - 1)));
      },
    })),
  ];

  function draw(next) {
    const anew = !now || now.summary !== next.summary || now.dark !== next.dark || String(now.hidden) !== String(next.hidden);
    now = next;
    const { summary, place, dark, off, hidden } = now;
    maps.forEach(({ canvas, box, note, el: big }, k) => {
      big.classList.toggle("gm-off", off.includes(String(l)) || off.includes(`${l}.${k}`));
      box.style.setProperty("--gm-top", `${(place / T) * 100}%`);
      box.style.setProperty("--gm-high", `${100 / T}%`);
      if (anew) paint.weights(canvas, T, (t) => summary.row(l, k, t), hidden, dark);
      const row = tokens.map((_, s) => summary.weight(l, k, place, s));
      const most = row.indexOf(Math.max(...row));
      note.textContent = `looks at “${tokens[most]}” ${written.share(row[most])}`;
    });
    waits.hidden = Boolean(now.steps);
    strips.forEach(({ draw: fill, row, size, name }) => {
      row.hidden = !now.steps;
      if (!now.steps) return;
      const all = values(name);
      paint.strip({ draw: fill }, all, dark);
      size.textContent = `size ${kit.format(Math.hypot(...all), 1)}`;
    });
  }

  function tables() {
    const found = [
      {
        caption: `${numbering.layerTitle(l)}: where “${tokens[now.place]}” looks`,
        columns: ["Token", ...maps.map((_, k) => `#${numbering.headTitle(k)}`)],
        rows: tokens.map((token, s) => [token, ...maps.map((_, k) => kit.format(now.summary.weight(l, k, now.place, s), 4))]),
      },
    ];
    if (!now.steps) return found;
    const streams = strips.filter(({ name }) => !name.endsWith("activations"));
    const columns = streams.map(({ name }) => values(name));
    return [
      ...found,
      {
        caption: `${numbering.layerTitle(l)}: the numbers of “${tokens[now.place]}”`,
        columns: ["#Number", ...streams.map(({ text }) => `#${text}`)],
        rows: Array.from(columns[0], (_, d) => [numbering.ordinal(d), ...columns.map((all) => kit.format(all[d], 4))]),
      },
    ];
  }
  return { el, items, first: () => 0, draw, tables };
}
