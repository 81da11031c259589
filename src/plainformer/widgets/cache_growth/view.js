// CacheGrowth: decoding token by token, without a cache and with one.
//
// The state is a history: the length of the text after every step, rewind and reset. Everything
// that is shown, pictures and counts, follows from it.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as steps from "../kit/steps.js";
const { h, many } = kit;

const PROMPT = [
  "Write tokens.",
  "Without a cache the work grows with every token; with one it is only the new one.",
];
const LIMIT = 200; // as MAX_HISTORY in Python
const WIDEST = 16384;
const PACE = 1100; // milliseconds a token stays while it plays
const SIDES = [
  ["Without a cache", false],
  ["With a cache", true],
];
const NOTE =
  "Full cells: computed in this step. Framed: kept. Dashed: still there, never read again. " +
  "Crossed: scores that the causal mask throws away.";

const number = (value) => kit.format(value);

/** What one step costs that computes so many tokens of a text of length t. */
function cost(tokens, t, width, shared) {
  const scores = tokens * t;
  const projections = 2 * width * width + 2 * width * shared; // queries, output; keys, values
  return { tokens, scores, multiplications: tokens * projections + scores * 2 * width };
}

const NOTHING = { tokens: 0, scores: 0, multiplications: 0 };
const plus = (a, b) =>
  Object.fromEntries(Object.keys(NOTHING).map((name) => [name, a[name] + b[name]]));

/** Every step with its costs: [{ length, wrote, sides: [{ step, total }, …], kept }]. */
function replay(history, width, heads, groups) {
  const shared = (width / heads) * groups;
  let before = { length: 0, reach: 0, wrote: false, kept: 0 };
  before.sides = SIDES.map(() => ({ step: NOTHING, total: NOTHING }));
  const rows = [before];
  for (const length of history) {
    const wrote = length > before.length;
    const sides = SIDES.map(([, cached], i) => {
      const step = wrote ? cost(cached ? 1 : length, length, width, shared) : NOTHING;
      return { step, total: plus(before.sides[i].total, step) };
    });
    const reach = Math.max(before.reach, length);
    before = { length, reach, wrote, sides, kept: 2 * shared * length };
    rows.push(before);
  }
  return rows;
}

/** A history without what cannot follow: one token more than before, or fewer, is possible. */
function possible(lengths, most) {
  const follows = (to, i) => to !== (lengths[i - 1] ?? 0) && to <= (lengths[i - 1] ?? 0) + 1;
  const end = lengths.findIndex((to, i) => to < 0 || to > most || i >= LIMIT || !follows(to, i));
  return end < 0 ? lengths : lengths.slice(0, end);
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { tokens, heads } = model.get("data");
  const T = tokens.length;
  const traits = kit.mount({
    model,
    traits: ["history", "d_model", "n_kv_heads"],
    draw,
    checks: { history: (lengths) => possible(lengths, T) },
    links: {
      history: (lengths) => possible(lengths.filter(Number.isInteger), T),
      d_model: (width) => (width % heads ? heads : kit.clamp(width, heads, WIDEST)),
      n_kv_heads: (count) => (heads % count ? 1 : kit.clamp(count, 1, heads)),
    },
  });
  const { set } = traits;
  const history = () => traits.get("history");
  const length = () => history()[history().length - 1] ?? 0;
  const full = () => history().length >= LIMIT;

  const add = (to) => set({ history: [...history(), to] });
  const straight = (to) => set({ history: Array.from({ length: to }, (_, i) => i + 1) });

  const walk = steps.controls({
    atStart: () => history().length === 0,
    atEnd: () => length() === T || full(),
    goBack: () => set({ history: history().slice(0, -1) }),
    goOn: () => add(length() + 1),
    startOver: () => straight(0),
    pace: PACE,
  });
  const written = kit.slider({
    label: "Tokens written",
    max: T,
    onInput: walk.halting(straight),
  });
  const rewind = kit.button({
    label: "Rewind one token",
    when: () => length() > 1 && !full(),
    onPress: walk.halting(() => add(length() - 1)),
  });
  const reset = kit.button({
    label: "Reset the cache",
    when: () => length() > 0 && !full(),
    onPress: walk.halting(() => add(0)),
  });

  // Widths that double, and those that Python has set. Groups that divide the heads.
  const doubling = Array.from({ length: 6 }, (_, i) => heads * 8 * 2 ** i);
  const widths = doubling.filter((width) => width <= WIDEST);
  function placeOf(width) {
    if (!widths.includes(width)) widths.push(width);
    return widths.sort((a, b) => a - b).indexOf(width);
  }
  const groups = Array.from({ length: heads }, (_, i) => i + 1).filter((g) => heads % g === 0);
  const wide = kit.slider({
    label: "Width D",
    onInput: walk.halting((i) => set({ d_model: widths[i] })),
  });
  const grouped = kit.slider({
    label: "Heads of keys G",
    max: groups.length - 1,
    onInput: walk.halting((i) => set({ n_kv_heads: groups[i] })),
  });
  grouped.el.hidden = groups.length === 1;
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);

  const sides = SIDES.map(([title, cached]) => {
    const rows = tokens.map((token) => ({
      name: h("span", { class: "cg-name" }, token),
      parts: ["q", "k", "v"].map((role) => h("i", { class: `cg-cell cg-${role}` })),
      scores: tokens.map(() => h("i", { class: "cg-cell cg-s" })),
    }));
    const grid = h(
      "div",
      { class: "cg-grid", style: `--cg-keys: ${T}`, "aria-hidden": "true" },
      ["", "q", "k", "v"].map((name) => h("b", { class: "cg-head" }, name)),
      h("b", { class: "cg-head", style: `grid-column: span ${T}` }, "scores"),
      rows.flatMap(({ name, parts, scores }) => [name, ...parts, ...scores]),
    );
    const facts = ["tokens projected", "scores", "multiplications"].map((name) => ({
      name,
      step: h("td", { class: "cg-number" }),
      total: h("td", { class: "cg-number cg-total" }),
    }));
    const columns = ["this step", "so far"].map((text) => h("th", { scope: "col" }, text));
    const sums = h(
      "table",
      { class: "cg-facts", "aria-label": `Computed ${title.toLowerCase()}` },
      h("thead", {}, h("tr", {}, h("td"), columns)),
      h(
        "tbody",
        {},
        facts.map(({ name, step, total }) =>
          h("tr", {}, h("th", { scope: "row" }, name), step, total),
        ),
      ),
    );
    const bar = h("span", { class: "cg-bar", "aria-hidden": "true" }, h("i", {}));
    const parts = [h("p", { class: "cg-title" }, title), grid, sums, bar];
    return { cached, rows, facts, bar: bar.firstChild, el: h("div", { class: "cg-side" }, parts) };
  });
  const memory = h("p", { class: "cg-memory" });

  kit.card(
    el,
    "Decoding with and without a cache",
    prompts.prompt(...PROMPT),
    h("div", { class: "cg-controls" }, written.el, walk.back, walk.play, walk.next),
    live.el,
    h("div", { class: "cg-sides" }, sides.map((side) => side.el)),
    memory,
    h("div", { class: "cg-foot" }, wide.el, grouped.el),
    h(
      "div",
      { class: "pf-row" },
      rewind.el,
      reset.el,
      table.button,
      folds.fold("How to read it", h("p", { class: "pf-note cg-note" }, NOTE)),
    ),
    table.box,
  );

  function happened(rows) {
    const { length: now, wrote } = rows[rows.length - 1];
    const before = rows[rows.length - 2]?.length ?? 0;
    if (rows.length === 1) {
      const of = `${traits.get("n_kv_heads")} of ${heads} heads of keys`;
      return `Nothing is written yet. The layer is ${number(traits.get("d_model"))} wide, with ${of}.`;
    }
    if (now === 0) return "Reset: the cache is empty; no work is given back.";
    if (!wrote) {
      const gone = "nothing is computed, nothing refunded";
      return `Rewound from ${before} to ${many(now, "token")}: ${gone}.`;
    }
    const all = `without a cache all ${now} tokens are projected, with one only this`;
    return `Token ${now}, “${tokens[now - 1]}”: ${now === 1 ? "both project it" : all}.`;
  }

  function sentence(rows) {
    const { sides: both } = rows[rows.length - 1];
    const [a, b] = both.map(({ total }) => total.multiplications);
    const ratio = b ? `: ${kit.format(a / b, 2)} times as many` : "";
    const sums = `So far ${number(a)} multiplications against ${number(b)}${ratio}.`;
    return `${happened(rows)} ${sums}`;
  }

  function paint(cell, kind) {
    if (cell.dataset.kind === kind) return;
    for (const each of ["now", "kept", "stale", "masked"]) {
      cell.classList.toggle(`cg-${each}`, each === kind);
    }
    cell.dataset.kind = kind;
  }

  function drawSide({ cached, rows, facts, bar }, i, { length: now, reach, wrote, sides: both }) {
    const last = now - 1;
    rows.forEach(({ name, parts, scores }, r) => {
      const fresh = wrote && (r === last || (!cached && r < last));
      const old = !cached ? "" : r <= last ? "kept" : r < reach ? "stale" : "";
      name.classList.toggle("cg-written", r <= last);
      parts.forEach((cell, role) => paint(cell, fresh ? "now" : role === 0 ? "" : old));
      scores.forEach((cell, key) => {
        paint(cell, fresh && key <= last ? (key <= r ? "now" : "masked") : "");
      });
    });
    const { step, total } = both[i];
    Object.keys(NOTHING).forEach((name, f) => {
      facts[f].step.textContent = number(step[name]);
      facts[f].total.textContent = number(total[name]);
      facts[f].total.dataset.value = total[name];
    });
    const most = both[0].total.multiplications || 1;
    bar.style.width = `${(100 * total.multiplications) / most}%`;
  }

  function tables() {
    const rows = replay(history(), traits.get("d_model"), heads, traits.get("n_kv_heads"));
    return [
      {
        caption: "Step by step, sums so far",
        columns: [
          ...["#Step", "What", "#Length", "#Tokens without", "#Tokens with"],
          ...["#Multiplications without", "#Multiplications with", "#Numbers kept"],
        ],
        rows: rows.map(({ length: now, wrote, sides: [a, b], kept }, i) => [
          i,
          i === 0 ? "start" : wrote ? `write “${tokens[now - 1]}”` : now ? "rewind" : "reset",
          now,
          number(a.total.tokens),
          number(b.total.tokens),
          number(a.total.multiplications),
          number(b.total.multiplications),
          number(kept),
        ]),
        current: rows.length - 1,
      },
    ];
  }

  function draw() {
    const width = traits.get("d_model");
    const group = traits.get("n_kv_heads");
    const rows = replay(history(), width, heads, group);
    const state = rows[rows.length - 1];
    sides.forEach((side, i) => drawSide(side, i, state));
    const K = width / heads;
    const count = `2 × ${group} × ${K} × ${state.length} = ${number(state.kept)} numbers`;
    memory.textContent = `Kept (2 × G × K × tokens): ${count}`;
    memory.dataset.value = state.kept;
    written.set({
      value: state.length,
      text: many(state.length, "token"),
      label: `Tokens written: ${state.length} of ${T}`,
    });
    const place = placeOf(width);
    wide.set({
      max: widths.length - 1,
      value: place,
      text: `D = ${width}`,
      label: `Width D: ${number(width)}`,
    });
    wide.el.hidden = widths.length === 1;
    grouped.set({
      value: Math.max(0, groups.indexOf(group)),
      text: `${group} of ${heads}`,
      label: `Heads of keys G: ${group} of ${heads}`,
    });
    walk.draw();
    rewind.set();
    reset.set();
    live.say(sentence(rows));
    table.update();
  }

  return traits.start(walk, live, table);
}

export default { render };
