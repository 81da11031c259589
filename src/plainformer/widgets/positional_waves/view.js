// PositionalWaves: a word that can be dragged along a sentence, and clocks that turn with it.
//
// The tips of the hands draw waves, as far as the word has been. The numbers of a position, those of
// all positions and their similarity are views of their own, each offered once the one before has
// been seen. What a mouse points at in the heat map is forgotten when it leaves (`pointed`); what is
// pressed, dragged or reached by key is kept in the model.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as folds from "../kit/fold.js";
import * as prompts from "../kit/prompt.js";
import * as sinusoids from "../formulas/sinusoidal.js";
import * as scales from "../kit/scales.js";
import * as curves from "../kit/curves.js";
import * as words from "./words.js";
import * as strips from "./strip.js";
import * as hands from "./clocks.js";
import * as panels from "./panels.js";
const { h } = kit;

const PROMPT = ["Drag the word along the sentence.", "Watch the hands of the clocks."];
const BASES = [10, 100, 1000, 10000, 100000];
const LENGTHS = [2, 128];
const WIDTHS = [2, 64];
const NAMED = { waves: "Clocks", fingerprint: "As numbers", matrix: "All positions", similarity: "Similarity" };
const NAMES = Object.keys(NAMED);
const TRAITS = ["d_model", "length", "base", "position", "dimension", "other", "view"];

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let pointed = null; // the cell under the mouse: { position, dimension }
  let drawn = {}; // the state that the page shows
  let reached = 0; // the farthest position so far: the waves are drawn up to it
  let asked = 0; // the last view so far: the next one is offered
  let bases = BASES;
  let values = []; // the table, row by row
  let similar = []; // and the similarities of its rows

  const within = (trait) => kit.within(0, () => get(trait) - 1);
  const traits = kit.mount({
    model,
    traits: TRAITS, // those first on which the range of others depends
    draw,
    checks: {
      ...{ d_model: kit.within(...WIDTHS), length: kit.within(...LENGTHS) },
      ...{ position: within("length"), other: within("length"), dimension: within("d_model") },
    },
    links: { base: kit.oneOf(BASES), view: kit.oneOf(NAMES) },
  });
  const { get, set, redraw } = traits;
  const start = traits.all();

  /** What a control does: the walk ends, the mouse no longer counts. */
  const choose = (changes) => (play.stop(), (pointed = null), set(changes), redraw());
  const onMove = (position) => choose({ position });
  const onPick = (dimension) => choose({ dimension });

  const play = kit.player({
    tick() {
      set({ position: get("position") + 1 });
      return get("position") < get("length") - 1;
    },
    every: () =>
      matchMedia("(prefers-reduced-motion: reduce)").matches ? 900 : kit.clamp(9000 / get("length"), 120, 450),
    onChange: (on) => walk.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Walk" }),
  });
  const walk = kit.button({
    label: "Walk",
    icon: "play",
    onPress() {
      pointed = null;
      if (!play.playing() && get("position") >= get("length") - 1) set({ position: 0 });
      play.toggle();
    },
  });

  const strip = strips.strip({ walk: walk.el, onMove });
  const waves = hands.waves();
  strips.draggable(waves.plots, () => get("length"), onMove);
  const most = WIDTHS[1] / 2;
  const shown = {
    waves,
    fingerprint: panels.fingerprint({ most, onPick }),
    matrix: panels.matrix({
      ...{ most, onPick },
      onPoint(cell) {
        if (play.playing() || String(cell) === String(pointed)) return;
        pointed = cell;
        redraw();
      },
      onKeep: ([position, dimension]) => choose({ position, dimension }),
    }),
    similarity: panels.similarity({ onPick: (other) => choose({ other }) }),
  };
  const lines = [curves.sample(0), "how high the tip is, the cosine", curves.sample(1), "how far right, the sine"];
  const key = h("p", { class: "pw-key" }, lines);
  const formula = h("p", { class: "pw-formula" });
  const live = kit.liveRegion();
  const second = kit.slider({
    label: "Dimension",
    onInput: (number) => choose(get("view") === "similarity" ? { other: number } : { dimension: number }),
  });
  const views = choices.choice({ label: "View", options: Object.entries(NAMED), onChoose: (view) => choose({ view }) });
  views.el.classList.add("pw-views");
  const size = (label, [min, max], name) =>
    kit.slider({ label, min, max, onInput: (number) => choose({ [name]: number }) });
  const width = size("d_model", WIDTHS, "d_model");
  const length = size("Length", LENGTHS, "length");
  const base = kit.slider({ label: "Base", onInput: (number) => choose({ base: bases[number] }) });
  const reset = kit.button({ label: "Reset", onPress: () => choose({ ...start, view: get("view") }) });
  const table = kit.tableToggle(() => words.tables(drawn));
  const odd = h("p", { class: "pf-note" }, words.ODD);
  const sizes = h("div", { class: "pw-settings" }, length.el, width.el, base.el);
  const root = kit.card(
    el,
    "Sinusoidal positions: clocks and waves",
    prompts.prompt(...PROMPT),
    h(
      "div",
      { class: "pw-root" },
      ...[strip.el, NAMES.map((name) => shown[name].el), key, formula, live.el, second.el, odd],
      h("div", { class: "pf-row pw-foot" }, views.el, folds.fold("Sizes", sizes, reset.el), table.button),
      table.box,
    ),
  );
  const ground = scales.ground(root, redraw);

  function drawControls(now) {
    const { view, other: q, dimension: d, d_model: D, base: b, length: T } = now;
    const set = (control, label, text, options, said = text) =>
      control.set({ ...options, text: said, label: `${label}: ${text}` });
    second.el.hidden = view === "waves";
    const named = words.nameOf(d, now).replace("dimension ", "");
    if (view === "similarity") set(second, "Compared with position", String(q), { max: T - 1, value: q });
    else set(second, "Dimension", String(d), { max: D - 1, value: d }, named);
    set(width, "d_model", String(D), { value: D });
    set(length, "Length", String(T), { value: T }, kit.many(T, "position"));
    set(base, "Base", words.whole(b), { max: bases.length - 1, value: bases.indexOf(b) });
    views.set(view);
    views.el.querySelectorAll("label").forEach((each, i) => {
      each.hidden = i > asked + 1;
      each.classList.toggle("pw-next", i > asked);
    });
    for (const name of NAMES) shown[name].el.hidden = name !== view;
    key.hidden = view !== "waves" || !now.both;
    odd.hidden = view !== "similarity" || D % 2 === 0;
  }

  function draw() {
    const now = { ...traits.all(), dark: ground.dark() };
    if (pointed && now.view === "matrix") {
      now.position = Math.min(pointed[0], now.length - 1); // the table may have become smaller
      now.dimension = Math.min(pointed[1], now.d_model - 1);
    }
    const { length: T, d_model: D, view } = now;
    reached = Math.min(Math.max(reached, now.position), T - 1);
    asked = Math.max(asked, NAMES.indexOf(view));
    Object.assign(now, { reached, both: asked > 0 });
    now.row = (row) => values.subarray(row * D, (row + 1) * D);
    now.at = (row, col) => values[row * D + col];
    now.like = (row, col) => similar[row * T + col];
    now.negative = () => similar.some((each) => each < 0);
    const before = drawn;
    const other = ["length", "d_model", "base"].some((name) => now[name] !== before[name]);
    drawn = now;
    if (other) {
      values = sinusoids.table(T, D, now.base);
      similar = [];
      bases = [...new Set([...BASES, now.base])].sort((a, b) => a - b);
    }
    if (view === "similarity" && similar.length === 0) similar = sinusoids.similarities(values, T, D);
    const sizes = { length: T, at: (now.position + 0.5) / T, rows: hands.shownPairs(now).length, pairs: D >> 1 };
    for (const [name, value] of Object.entries(sizes)) root.style.setProperty(`--pw-${name}`, value);
    strip.draw(now);
    drawControls(now);
    shown[view].draw(now, other || view !== before.view || now.dark !== before.dark);
    formula.replaceChildren(...words.formula(now));
    live.say(words.sentence(now, before));
    table.update();
  }

  return traits.start(play, live, table, ground);
}

export default { render };
