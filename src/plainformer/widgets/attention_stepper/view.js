// AttentionStepper: attention on small matrices, one step at a time, each number with its sum.
//
// sums.js writes the sums, words.js speaks, edit.js holds the boxes of q, k and v, grid.js draws a
// matrix; here are the other controls, and who tells whom.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as prompts from "../kit/prompt.js";
import * as steps from "../kit/steps.js";
import * as attention from "../formulas/self_attention.js";
import * as math from "./sums.js";
import * as words from "./words.js";
import * as edit from "./edit.js";
import * as grids from "./grid.js";
const { h } = kit;

const PACE = 2600; // milliseconds a step stays while it plays
const HURRY = 200; // milliseconds: a reader who goes on sooner has no time for a motion
const NAMES = ["q", "k", "v", "causal", "step", "query", "key", "column"];
const LAST = math.STEPS.length - 1;
const PROMPT = [
  "Press Next and follow one row.",
  "Each number is made of the framed ones.",
];
const CLASSES = { q: "as-q", k: "as-k", v: "as-v", w: "as-w", s: "as-s", r: "as-r", x: "as-x" };

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { tokens, keys } = model.get("data");
  const start = Object.fromEntries(["q", "k", "v"].map((name) => [name, model.get(name)]));
  const columns = start.v[0].map((_, d) => String(d));
  let drawn = {}; // the state that is on the screen
  let pointed = null; // the cell under the mouse
  let refused = ""; // a complaint about a box that is still to be said
  let flow = 0; // which name the motion of the last step has
  let moved = -Infinity; // when that was
  let settled = false; // whether a complaint about a box is settled since then
  const traits = kit.mount({
    model,
    traits: NAMES,
    draw,
    checks: {
      step: (value) => math.shownStep(kit.clamp(value, 0, LAST), model.get("causal")),
      query: kit.within(0, tokens.length - 1),
      key: kit.within(0, keys.length - 1),
      column: kit.within(0, columns.length - 1),
    },
    links: {
      q: edit.like(start.q),
      k: edit.like(start.k),
      v: edit.like(start.v),
      causal: (on) => on === true && keys.length >= tokens.length,
    },
  });
  const { set } = traits;
  const at = () => traits.get("step");

  // The steps: there is one for the mask while there is a mask.
  const path = () => math.stepsOf(traits.get("causal"));
  const nth = (place) => path()[kit.clamp(place, 0, path().length - 1)];
  const move = (by) => set({ step: nth(path().indexOf(at()) + by) });
  const walk = steps.controls({
    atStart: () => at() === 0,
    atEnd: () => at() === LAST,
    goBack: () => move(-1),
    goOn: () => move(1),
    startOver: () => set({ step: 0 }),
    pace: PACE,
  });
  const change = walk.halting(set); // by the reader: it no longer plays
  const go = (step) => change({ step });
  const slider = kit.slider({ label: "", max: LAST, onInput: (place) => go(nth(place)) });
  const marks = math.STEPS.map((name, step) =>
    h("span", { class: "as-step", onclick: () => go(step) }, name),
  );
  slider.el.append(h("div", { class: "as-steps", "aria-hidden": "true" }, marks));

  // The mask, the numbers, the cell that is looked at.
  const box = h("input", {
    type: "checkbox",
    disabled: keys.length < tokens.length,
    onchange: () => change({ causal: box.checked }),
  });
  const causal = h("label", { class: "as-causal" }, box, "Causal mask: no look ahead");
  const editor = edit.editor({
    matrices: start,
    names: { q: tokens, k: keys, v: keys },
    onChange: (name, rows) => change({ [name]: rows }),
    onRefuse: walk.halting((sentence) => {
      refused = sentence;
      traits.redraw();
    }),
    onSettle() {
      refused = "";
      settled = true;
      traits.redraw();
    },
  });
  const isChanged = () =>
    ["q", "k", "v"].some((name) => String(traits.get(name)) !== String(start[name]));
  const reset = kit.button({
    label: "Back to the first numbers",
    when: isChanged,
    onPress() {
      editor.settle();
      change(start);
    },
  });
  reset.el.hidden = true; // until a number is changed
  const isOutput = () => at() === LAST;
  const result = grids.grid({
    onPoint(cell) {
      if (String(cell) === String(pointed)) return;
      pointed = cell;
      traits.redraw();
    },
    onKeep([i, j]) {
      change(isOutput() ? { query: i, column: j } : { query: i, key: j });
    },
  });
  const strip = grids.grid({ className: "as-strip" });

  const live = kit.liveRegion();
  const table = kit.tableToggle(() => words.tables(drawn, traits.get("query")));
  const title = h("p", { class: "as-title" });
  const sumName = h("span", { class: "as-sum-name" });
  const sum = h("span", {});
  const stripName = h("p", { class: "pf-note" });
  const scroll = (...children) => h("div", { class: "as-scroll" }, children);
  const places = [scroll(editor.el), scroll(result.el), scroll(strip.el)];
  const root = kit.card(
    el,
    "Attention, step by step",
    prompts.prompt(...PROMPT),
    h(
      "div",
      { class: "as-controls" },
      slider.el,
      h("div", { class: "as-buttons" }, walk.back, walk.next, walk.play),
    ),
    live.el,
    h(
      "div",
      { class: "as-main" },
      h("div", { class: "as-from" }, places[0], h("div", { class: "as-row" }, stripName, places[2])),
      h("div", {}, title, places[1]),
    ),
    h("p", { class: "as-sum" }, sumName, " ", sum),
    h("div", { class: "pf-row as-foot" }, causal, reset.el, table.button),
    table.box,
  );
  root.classList.add("as-card");
  const ground = scales.ground(root, traits.redraw);

  // A matrix wider than the card scrolls sideways, by keyboard too: in the first two something takes
  // focus, and the third takes it itself.
  const row = places[2];
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "The row one step before");

  function now() {
    const values = traits.all();
    return { ...values, tokens, keys, all: attention.attention(values) };
  }
  const chosen = ({ step, query, key, column }) => [query, step === LAST ? column : key];

  const largest = (rows) => Math.max(0, ...rows.flat().filter(Number.isFinite).map(Math.abs)) || 1;

  /** One matrix of the state as a grid shows it. */
  function matrix({ all }, step, rows = all[math.STEPS[step]], names = tokens) {
    const kind = math.STEPS[step] === "weights" ? "weights" : "signed";
    const heads = step === LAST ? columns : keys;
    const limit = largest(all[math.STEPS[step]]);
    return { rows, kind, limit, names, columns: heads, dark: ground.dark() };
  }
  const forbidden = ({ all }, step, i) => (r, c) =>
    step >= 2 && step < LAST && all.masked[i ?? r][c] === -Infinity;

  function drawSum(state, i, j) {
    const parts = math.sum(state.step, i, j, state);
    sumName.textContent = `${words.cellName(state.step, i, j, state)}:`;
    while (sum.children.length < parts.length) sum.append(h("span"));
    [...sum.children].forEach((part, p) => {
      const [kind, text] = parts[p] ?? ["", ""]; // a shorter sum leaves some of them empty
      part.className = CLASSES[kind] ?? "";
      if (part.textContent !== text) part.textContent = text;
    });
    return `${words.cellName(state.step, i, j, state)}: ${math.text(parts)}`;
  }

  function drawStrip(state, i, j) {
    const { step, all } = state;
    const last = path()[path().indexOf(step) - 1];
    const before = math.STEPS[last];
    strip.el.classList.toggle("as-idle", step === 0);
    stripName.textContent =
      step === 0
        ? "From a row of q and a row of k, framed."
        : `One step before, ${words.called(before)} of ${words.nameIn(tokens, i)}:`;
    if (step === 0) return;
    strip.set({
      ...matrix(state, last, [all[before][i]], [""]),
      forbidden: forbidden(state, last, i),
    });
    strip.mark({ i: 0, j: -1, sources: (_, c) => step >= 3 || c === j });
  }

  function draw() {
    const before = drawn;
    const state = (drawn = now());
    const { step, all } = state;
    const name = math.STEPS[step];
    let cell = chosen(state);
    if (pointed && all[name][pointed[0]]?.[pointed[1]] !== undefined) cell = pointed;
    const [i, j] = cell;
    const { formula } = words.about(step, state);

    const ways = path();
    const where = words.place(state);
    slider.set({
      max: ways.length - 1,
      value: ways.indexOf(step),
      text: `${where}, ${name}`,
      label: `${where[0].toUpperCase()}${where.slice(1)}: ${name}`,
    });
    marks.forEach((mark, s) => {
      mark.hidden = !ways.includes(s);
      mark.classList.toggle("as-on", s === step);
    });
    walk.draw();
    box.checked = state.causal;

    editor.set(state);
    if (isChanged()) reset.el.hidden = false;
    reset.set();
    editor.mark({ q: step < LAST ? i : null, k: step < 3 ? j : null, v: step === LAST ? j : null });

    title.textContent = formula;
    result.set({ ...matrix(state, step), forbidden: forbidden(state, step) });
    const text = drawSum(state, i, j);
    result.mark({ i, j, label: `${words.called(name)}, a row for each query`, text });
    drawStrip(state, i, j);
    const changed = NAMES.some((each) => String(state[each]) !== String(before[each]));
    if (refused) {
      live.say(refused); // not talked over by a number that was typed in the same frame
      refused = "";
      settled = false;
    } else if (settled || changed) {
      settled = false;
      const news = before.q ? words.edited(state, before) : "";
      live.say(news + words.sentence(state, before, chosen(state)));
    }
    root.dataset.step = step;
    drawFlow(before.q && before.step !== step);
    table.update();
  }

  /** At a new step numbers flow; at another cell or number nothing does, nor while a key is held. */
  function drawFlow(isNewStep) {
    const last = moved;
    if (isNewStep) moved = performance.now();
    if (isNewStep && moved - last > HURRY) root.dataset.flow = flow = 1 - flow;
    else delete root.dataset.flow;
  }

  return traits.start(walk, live, table, ground, kit.reachable(row));
}

export default { render };
