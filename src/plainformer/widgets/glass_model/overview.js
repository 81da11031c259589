// The whole model: tokens on the left, the stream as a river to the right, a card for each layer with
// the maps of its heads and its feed-forward network, and bars for the next token.
//
// In the river every token has a line. Into the chosen token's line run, in each layer, bands from
// the tokens that it looks at, as wide as the heads' mean weight.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
import * as caches from "./cache.js";
import * as paint from "./paint.js";
import * as places from "./selection.js";
const { h } = kit;

const TALL = 150; // pixels of the river, as long as all names fit into it
const MOST = 312; // pixels of the river, at most
const ROW = 19; // pixels of a token, at most
const LABEL = 16; // pixels that a name needs
const BARS = 6;
const FEW = 0.04; // of a weight: less is no band
const UNITS = 8; // rows of the picture of a feed-forward network

/**
 * The overview: { el, items, read(tokens), draw(now) }. One serves all texts, for a letter that a reader
 * types changes little of it: read takes the tokens of another text.
 */
export function overview({ config, go, choose }) {
  const { n_layers: L, n_heads: H, d_ff: F } = config;
  let tokens = [];
  let T = 0;
  let each = 1; // every so many tokens have a name
  let now = null;

  const names = [];
  const column = h("div", { class: "gm-tokens" });
  const lines = h("path", { class: "gm-line" });
  const here = h("path", { class: "gm-line gm-here" });
  const bands = h("g", { class: "gm-bands" });
  const river = h(
    "svg",
    { class: "gm-river", preserveAspectRatio: "none", "aria-hidden": "true" },
    lines,
    here,
    bands,
  );

  // For a pointer; the keys reach the same by the tokens and the maps.
  const targets = []; // of each band: its layer and the token that it comes from
  river.addEventListener("click", ({ clientX, clientY }) => {
    const near = [0, -3, 3, -6, 6].map((off) => document.elementFromPoint(clientX, clientY + off));
    const found = targets[near.map((each) => [...bands.children].indexOf(each)).find((i) => i >= 0)];
    if (found) {
      const [l, s] = found;
      const shares = cards[l].maps.map((_, k) => now.summary.weight(l, k, now.place, s));
      return go(`layers.${l}.heads.${shares.indexOf(Math.max(...shares))}`, s);
    }
    const { top, height } = river.getBoundingClientRect();
    choose(kit.clamp(Math.floor(((clientY - top) / height) * T), 0, T - 1));
  });

  const columns = Math.ceil(Math.sqrt(H));
  const cards = Array.from({ length: L }, (_, l) => {
    const maps = Array.from({ length: H }, () => {
      const picture = paint.picture("gm-cells");
      return { ...picture, box: h("div", { class: "gm-map" }, picture.el) };
    });
    const head = h("div", { class: "gm-head", title: numbering.inCode(l) }, numbering.layerTitle(l));
    const units = paint.picture("gm-cells gm-units");
    const says = h("div", { class: "gm-says" });
    const cache = caches.cache();
    const el = h(
      "div",
      { class: "gm-card" },
      head,
      h("div", { class: "gm-maps", style: `--gm-columns:${columns}` }, maps.map(({ box }) => box)),
      h("div", { class: "gm-strip" }, units.el),
      says,
      cache.el,
    );
    return { el, head, maps, units, strip: units.el.parentElement, says, cache };
  });
  const bars = Array.from({ length: BARS }, () => {
    const [name, fill, number] = [h("bdi", { class: "gm-name" }), h("i"), h("span", { class: "gm-share" })];
    return { el: h("div", { class: "gm-bar" }, name, h("b", {}, fill), number), name, fill, number };
  });
  const after = h("div", { class: "gm-head" });
  const held = h("p", { class: "pf-note gm-held" });
  const el = h(
    "div",
    { class: "gm-model", style: `--gm-layers:${L}` },
    column,
    river,
    h("div", { class: "gm-next" }, after, bars.map((each) => each.el)),
    h("div", { class: "gm-key" }, h("span", {}, "heads: who looks at whom"), h("span", {}, "feed-forward"), h("span", {}, "would say"), h("span", { class: "gm-cached" }, "cache: K, V")),
    h("div", { class: "gm-cards" }, cards.map((card) => card.el)),
    held,
  );

  const spot = (t) => now?.summary.next(t, now.temperature) ?? []; // none where it is not known yet
  const parts = [
    ...cards.flatMap((card, l) => [
      { el: card.head, say: () => numbering.layerTitle(l), act: () => go(`layers.${l}`) },
      ...card.maps.map(({ box }, k) => ({
        el: box,
        say: () => `${numbering.layerTitle(l)}, ${numbering.headName(k)}: ${lookOf(l, k)}`,
        act: () => go(`layers.${l}.heads.${k}`),
      })),
      {
        el: card.strip,
        say: () => `${numbering.layerTitle(l)}, feed-forward: unit ${numbering.ordinal(strongest(l)[1])} of ${F} is the strongest`,
        act: () => go(places.numberAt(`layers.${l}.feed_forward.activations`, now.place, strongest(l)[1])),
      },
    ]),
    ...bars.map((bar, i) => ({
      el: bar.el,
      say: () => `Next token: “${bar.name.textContent}”, probability ${bar.number.textContent}`,
      act: () => spot(now.place)[i] && go(places.numberAt("logits", now.place, spot(now.place)[i].id)),
    })),
  ];

  const nameItem = (el, i) => ({
    el,
    say: () => `Token ${numbering.ordinal(i)}, “${tokens[i]}”${now.hidden.includes(i) ? ", hidden" : ""}`,
    act: () => choose(i),
  });

  /** Another text: names that stand are changed, not made anew. */
  function read(next) {
    [tokens, T, now] = [next, next.length, null];
    const row = Math.min(ROW, Math.max(TALL / T, Math.min(LABEL, MOST / T)));
    each = Math.max(1, Math.ceil(LABEL / row));
    while (names.length > T) names.pop().remove();
    while (names.length < T) names.push(h("span", { class: "gm-token" }, h("bdi")));
    names.forEach((name, i) => {
      if (name.firstChild.textContent !== tokens[i]) {
        name.firstChild.textContent = tokens[i];
        name.title = `${tokens[i]}, in code token ${i}`;
      }
      name.style.top = `${((i + 0.5) / T) * 100}%`;
    });
    column.append(...names.slice(column.children.length));
    lines.setAttribute("d", tokens.map((_, i) => `M0 ${i + 0.5}H${L}`).join(""));
    river.setAttribute("viewBox", `0 0 ${L} ${T}`);
    el.style.setProperty("--gm-tall", `${Math.max(row * T, 60)}px`);
    el.style.setProperty("--gm-thin", `${Math.min(1.5, row / 5)}px`); // or many lines are one block
    level.items = [...names.map(nameItem), ...parts];
  }

  /** Where the chosen token looks most. */
  function lookOf(l, k) {
    const weights = tokens.map((_, s) => now.summary.weight(l, k, now.place, s));
    const most = weights.indexOf(Math.max(...weights));
    return `“${tokens[now.place]}” looks most at “${tokens[most]}”, ${written.share(weights[most])}`;
  }

  /** The strongest unit of a layer for the chosen token. */
  function strongest(l) {
    let best = [0, 0];
    for (let f = 0; f < F; f += 1) {
      const size = Math.abs(now.summary.activation(l, now.place, f));
      if (size > best[0]) best = [size, f];
    }
    return best;
  }

  function drawRiver({ summary, place, off, hidden }) {
    here.setAttribute("d", `M0 ${place + 0.5}H${L}`);
    let drawn = 0;
    names.forEach((name, i) => {
      name.classList.toggle("gm-here", i === place);
      name.classList.toggle("gm-unseen", hidden.includes(i));
      const near = i !== place && Math.abs(i - place) < each;
      name.classList.toggle("gm-hide", i !== place && (i % each !== 0 || near));
    });
    for (let l = 0; l < L; l += 1) {
      const on = Array.from({ length: H }, (_, k) => k).filter((k) => !off.includes(`${l}.${k}`));
      if (off.includes(String(l))) continue;
      const rows = on.map((k) => summary.row(l, k, place));
      const mean = tokens.map((_, s) => rows.reduce((sum, row) => sum + (row[s] ?? 0), 0) / H);
      const order = mean.map((_, s) => s).filter((s) => s !== place && mean[s] > FEW);
      order.sort((a, b) => mean[b] - mean[a]);
      for (const s of order) {
        if (!bands.children[drawn]) bands.append(h("path", { class: "gm-band" }));
        const [band, from, to] = [bands.children[drawn], s + 0.5, place + 0.5];
        band.setAttribute("d", `M${l + 0.08} ${from}C${l + 0.4} ${from} ${l + 0.3} ${to} ${l + 0.62} ${to}`);
        targets[drawn] = [l, s];
        band.setAttribute("stroke-width", (1 + 9 * mean[s]).toFixed(1));
        drawn += 1;
      }
    }
    while (bands.children.length > drawn) bands.lastChild.remove();
  }

  function drawCard(card, l, { summary, place, dark, off, hidden }, anew) {
    card.el.classList.toggle("gm-off", off.includes(String(l)));
    card.maps.forEach(({ box, el: canvas }, k) => {
      box.classList.toggle("gm-off", off.includes(`${l}.${k}`));
      box.style.setProperty("--gm-top", `${(place / T) * 100}%`);
      box.style.setProperty("--gm-high", `${100 / T}%`);
      if (!anew) return;
      paint.weights(canvas, T, (t) => summary.row(l, k, t), hidden, dark);
    });
    const wide = Math.ceil(F / UNITS);
    card.units.draw(UNITS, wide, (r, c) => {
      const f = r * wide + c;
      return f < F ? scales.signed(summary.activation(l, place, f), 1, dark) : null;
    });
  }

  /** What a layer would say, which may come a little later than the rest. */
  function sayLayer(card, l) {
    const said = now.summary.lens(l, now.place);
    const text = said ? `“${now.word(said[0])}” ${written.share(said[1])}` : "…";
    if (card.says.textContent !== text) card.says.textContent = text;
  }

  function draw(next) {
    const other = (each) => !now || String(now[each]) !== String(next[each]);
    const anew = !now || now.summary !== next.summary || other("dark") || other("hidden");
    const moved = anew || other("place") || other("off");
    now = next;
    if (moved) drawRiver(now);
    if (moved) cards.forEach((card, l) => drawCard(card, l, now, anew));
    cards.forEach(sayLayer);
    el.classList.toggle("gm-caches", Boolean(now.cache));
    cards.forEach(({ cache }) => cache.draw(T, now.cache));
    held.textContent = now.cache ? caches.sentence({ config, T, tokens, ...now.cache }) : "";
    held.hidden = !now.cache;
    after.textContent = `after “${tokens[now.place]}”`;
    const list = spot(now.place);
    bars.forEach((bar, i) => {
      bar.el.hidden = !list[i];
      if (!list[i]) return;
      bar.name.textContent = now.word(list[i].id);
      bar.fill.style.width = `${100 * list[i].share}%`;
      bar.number.textContent = written.share(list[i].share);
    });
  }

  /** Tables of what is drawn. */
  function tables() {
    const list = spot(now.place);
    return [
      {
        caption: `The likeliest tokens after “${tokens[now.place]}”`,
        columns: ["Token", "#Probability"],
        rows: list.map(({ id, share }) => [now.word(id), kit.format(share, 4)]),
      },
      {
        caption: `Where “${tokens[now.place]}” looks in each head: the weight of each token`,
        columns: ["Layer, head", ...tokens.map((token, i) => `#${numbering.ordinal(i)}: ${token}`)],
        rows: cards.flatMap((_, l) =>
          Array.from({ length: H }, (__, k) => [
            `${numbering.ordinal(l)}, ${numbering.ordinal(k)}`,
            ...tokens.map((___, s) => kit.format(now.summary.weight(l, k, now.place, s), 3)),
          ]),
        ),
      },
      {
        caption: "What the model would say if it stopped after a layer",
        columns: ["Layer", "Token", "#Probability"],
        rows: cards.map((_, l) => {
          const said = now.summary.lens(l, now.place);
          const name = numbering.ordinal(l);
          return said ? [name, now.word(said[0]), kit.format(said[1], 4)] : [name, "…", ""];
        }),
      },
      ...(now.cache ? [caches.table(config, T)] : []),
    ];
  }
  const level = { el, items: [], first: () => level.items.length - BARS, read, draw, tables };
  return level;
}
