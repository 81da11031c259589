// LogitLens: what a model would say after every layer, and of a chosen cell the likeliest tokens.
//
// Python gives all numbers, the lowest depth first, or the engine, of a text that a reader types
// (own_text.js). On the screen the lowest stands at the bottom, as the stream climbs. Tokens that
// really follow are underlined wherever they stand.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as scales from "../kit/scales.js";
import * as heatmap from "../kit/heatmap.js";
import * as tokenBars from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
import * as texts from "./own_text.js";
const { h } = kit;

const PROMPT = ["Go up, cell by cell.", "See from which layer on the right next token is likely."];
const LIMITS = [0.1, 0.25, 0.5, 1]; // where the bars of the climb may end
const ROOMY = 8; // rows that may be high

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const weights = model.get("weights");
  if (!weights) return drawLens({ model, el });
  const place = h("div");
  let stop = drawLens({ model, el: place });
  function show(data) {
    stop();
    stop = drawLens({ model: data ? passing(data) : model, el: place });
  }
  const wait = (whether) => place.setAttribute("aria-busy", String(whether));
  const own = texts.ownText({ weights, given: model.get("data").model, show, wait });
  el.replaceChildren(place, own.el);
  return () => {
    stop();
    own.stop();
  };
}

/** A model for a lens that nobody else knows of: its last token's top is chosen. */
function passing(data) {
  const values = { data, row: data.names.length - 1, column: data.tokens.length - 1 };
  const heard = new Map();
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      heard.get(`change:${name}`)?.();
    },
    on: (event, listener) => heard.set(event, listener),
    off: (event) => heard.delete(event),
    save_changes() {},
  };
}

/** Draw one lens in el; returns what stops it. */
function drawLens({ model, el }) {
  const { words, size, top, shares, next, right, ...data } = model.get("data");
  const [tokens, names] = [data.tokens, data.names].map((list) => list.map(written.label));
  const [rows, columns] = [names.length, tokens.length];
  const word = (i) => written.label(words[i]);
  const best = (row, column) => top[row][column][0];
  const limit = LIMITS.find((each) => each >= Math.max(0, ...right.flat()));
  let drawn = {}; // the cell that is on the screen
  let painted; // the ground that the cells are painted for

  const checks = { row: kit.within(0, rows - 1), column: kit.within(0, columns - 1) };
  const traits = kit.mount({ model, traits: ["row", "column"], draw, checks });

  const map = heatmap.heatmap({
    label: "The likeliest next token, by layer and position",
    onPoint() {},
    onKeep: ([line, column]) => traits.set({ row: rows - 1 - line, column }),
    room: [rows, columns],
  });
  const side = (list) =>
    h("div", { class: "ll-tokens" }, list.map((text) => h("bdi", { title: text }, text)));
  const above = side(next.map((i) => (i === null ? "?" : word(i))));
  const below = side(tokens);
  const labels = ["really next", ...names.toReversed(), "read"].map((name) => h("span", {}, name));
  const box = h(
    "div",
    { class: "ll-box", role: "group", "aria-label": "What the head says" },
    h("div", { class: "ll-wide" }, above, h("div", { class: "ll-map" }, map.el), below),
  );
  const steps = names.map((name) => {
    const fill = h("i");
    const number = h("span", { class: "ll-number" });
    const line = h("div", { class: "ll-step" }, h("span", {}, name), h("b", {}, fill), number);
    return { line, fill, number };
  });
  const goal = h("p", { class: "ll-goal" });
  const climb = h(
    "div",
    { class: "ll-climb", "aria-hidden": "true" },
    goal,
    steps.map(({ line }) => line).toReversed(),
  );
  const five = tokenBars.bars();
  const depth = kit.slider({ label: "", max: rows - 1, onInput: (row) => traits.set({ row }) });
  const place = kit.slider({ label: "", max: columns - 1, onInput: (column) => traits.set({ column }) });
  depth.el.hidden = rows === 1;
  place.el.hidden = columns === 1;
  const live = kit.liveRegion();
  live.el.classList.add("ll-says");
  const table = kit.tableToggle(tables);
  const scale = h("div");
  const root = kit.card(
    el,
    "Logit lens: what a model would say after every layer",
    prompts.prompt(...PROMPT),
    live.el,
    h(
      "div",
      {
        class: `ll-grid${rows > ROOMY ? " ll-many" : ""}`,
        style: `--ll-rows: ${rows}; --ll-columns: ${columns}`,
      },
      h("div", { class: "ll-names", "aria-hidden": "true" }, labels),
      box,
      climb,
    ),
    h(
      "div",
      { class: "ll-below" },
      h("div", {}, five.el),
      h(
        "div",
        {},
        h("div", { class: "ll-sliders" }, depth.el, place.el),
        h("p", { class: "ll-note" }, h("u", {}, "Underlined"), `: what really comes next. The orange bars end at ${limit}.`),
        scale,
        h("div", { class: "pf-row ll-foot" }, table.button),
      ),
    ),
    table.box,
  );
  const ground = scales.ground(root, traits.redraw);

  function paint() {
    const dark = ground.dark();
    if (dark === painted) return;
    painted = dark;
    const cell = (line, column) => [rows - 1 - line, column];
    const rgb = (line, column) => {
      const [row] = cell(line);
      return scales.weight(shares[row][column][0], dark);
    };
    map.paint(rows, columns, rgb, (line, column) => word(best(...cell(line, column))));
    map.el.querySelectorAll(".hm-numbers > span").forEach((span, i) => {
      const [row, column] = cell(Math.floor(i / columns), i % columns);
      span.classList.toggle("ll-right", best(row, column) === next[column]);
    });
    const colour = (share) => scales.weight(share, dark);
    scale.replaceChildren(heatmap.legend({ low: 0, high: 1, rgb: colour }));
  }

  function sentence({ row, column }) {
    const name = names[row].charAt(0).toUpperCase() + names[row].slice(1);
    const [first, share] = [best(row, column), written.share(shares[row][column][0])];
    const says = `${name}, after “${tokens[column]}”: most likely “${word(first)}”, probability ${share}.`;
    if (next[column] === null) return `${says} What really follows is not known.`;
    if (next[column] === first) return `${says} That is what really follows.`;
    return `${says} “${word(next[column])}” really follows: ${written.share(right[row][column])}.`;
  }

  function tables() {
    const { row, column } = drawn;
    const up = names.map((_, i) => rows - 1 - i);
    const heads = tokens.map((token, i) => `${i}: ${token}`);
    const tried = (i, share) => `${word(i)} ${written.share(share)}`;
    return [
      {
        caption: "The likeliest next token in each cell, and its probability",
        columns: ["Depth", ...heads],
        rows: up.map((r) => [names[r], ...tokens.map((_, c) => tried(best(r, c), shares[r][c][0]))]),
        current: rows - 1 - row,
      },
      {
        caption: `The likeliest next tokens: ${names[row]}, after “${tokens[column]}”`,
        columns: ["Token", "#Probability"],
        rows: top[row][column].map((i, k) => [word(i), tokenBars.sixth(shares[row][column][k])]),
      },
      {
        caption: "The probability of the token that really comes next",
        columns: ["Depth", ...next.map((i, c) => `#${c}: ${i === null ? "?" : word(i)}`)],
        rows: up.map((r) => [names[r], ...right[r].map((p) => (p === null ? "?" : tokenBars.sixth(p)))]),
        current: rows - 1 - row,
      },
    ];
  }

  function drawFive({ row, column }) {
    const [ids, parts] = [top[row][column], shares[row][column]];
    const list = ids.map((i, k) => ({ name: word(i), shares: [parts[k]], texts: [written.share(parts[k])] }));
    const rest = Math.max(0, 1 - parts.reduce((sum, each) => sum + each, 0));
    if (size > ids.length) {
      const name = tokenBars.others(size - ids.length);
      list.push({ name, shares: [rest], texts: [written.share(rest)], sum: true });
    }
    five.draw({ heads: ["probability"], rows: list });
    five.el.querySelectorAll(".tb-name").forEach((each, k) => {
      each.classList.toggle("ll-right", k < ids.length && ids[k] === next[column]);
    });
  }

  function drawClimb({ row, column }) {
    const known = next[column] !== null;
    goal.textContent = known
      ? `probability of “${word(next[column])}”`
      : "What follows this token is not known, so there is no probability to compare.";
    climb.classList.toggle("ll-open", !known);
    steps.forEach(({ line, fill, number }, r) => {
      const share = right[r][column] ?? 0;
      line.classList.toggle("ll-here", r === row);
      fill.style.width = `${(100 * share) / limit}%`;
      number.textContent = known ? written.share(share) : "";
      number.dataset.value = share;
    });
  }

  /** Where the grid is wider than its box, let the chosen column be seen. */
  function reveal(column) {
    const wide = box.scrollWidth / columns;
    if (box.scrollWidth <= box.clientWidth) return;
    const most = column * wide;
    const least = most + wide - box.clientWidth;
    if (box.scrollLeft > most) box.scrollLeft = most;
    else if (box.scrollLeft < least) box.scrollLeft = least;
  }

  function draw() {
    const before = drawn;
    drawn = traits.all();
    const { row, column } = drawn;
    paint();
    const said = sentence(drawn);
    map.mark({ row: rows - 1 - row, col: column, text: said });
    [above, below].forEach((list) =>
      [...list.children].forEach((each, i) => each.classList.toggle("ll-here", i === column)),
    );
    labels.forEach((each, i) => each.classList.toggle("ll-here", i === rows - row));
    depth.set({ value: row, text: names[row], label: `Row: ${names[row]}` });
    const where = `${tokens[column]} (${column})`;
    place.set({ value: column, text: where, label: `Column: ${where}` });
    drawFive(drawn);
    drawClimb(drawn);
    live.say(said);
    table.update();
    if (before.column !== column) reveal(column);
  }

  return traits.start(live, table, ground, kit.reachable(box));
}

export default { render };
