// PositionalWaves: one position as the hands of clocks, then as a row of numbers, its fingerprint; then
// all positions as a heat map whose columns are waves; and at last how similar any two of them are.
// It opens with the clocks alone, and a button with a name brings each of the others.
//
// The numbers come from formulas/sinusoidal.js, the words from words.js, the pictures from
// drawing.js; here are the state and the controls. What a mouse points at is shown at once
// and forgotten when it leaves (`pointed`); what is pressed, tapped or reached by key is kept in
// the model.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as sinusoids from "../formulas/sinusoidal.js";
import * as curves from "../kit/curves.js";
import * as words from "./words.js";
import * as scales from "../kit/scales.js";
import * as drawing from "./drawing.js";
import * as hands from "./clocks.js";
const { h } = kit;

const PROMPT = ["Drag the position from one “cat” to the next.", "See which hands tell the two apart."];
// The views in the order in which a reader comes to them: name, label, and the button that leads on.
const VIEWS = [
  ["clocks", "Clocks", "Write the hands as numbers"],
  ["fingerprint", "Fingerprint", "Show all positions"],
  ["waves", "Waves", "Which positions are alike?"],
  ["similarity", "Similarity", ""],
];
const NAMES = VIEWS.map(([name]) => name);
const BASES = [10, 100, 1000, 10000, 100000];
const MOST_PINNED = 3;
const LENGTHS = [2, 128];
const WIDTHS = [2, 64];
const TRAITS = ["d_model", "length", "base", "position", "dimension", "other", "pinned", "view"];

const isDimension = (each) => Number.isInteger(each) && each >= 0 && each < WIDTHS[1];

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let pointed = null; // the cell under the mouse: [row, column]
  let drawn = {}; // the state that the page shows
  let bases = BASES;
  let values = []; // the table, row by row
  let similar = []; // and the similarities of its rows
  let reached = 0; // the last of the views that the reader has come to

  const within = (trait) => kit.within(0, () => get(trait) - 1);
  const traits = kit.mount({
    model,
    traits: TRAITS, // those first on which the range of others depends
    draw,
    checks: {
      d_model: kit.within(...WIDTHS),
      length: kit.within(...LENGTHS),
      position: within("length"),
      other: within("length"),
      dimension: within("d_model"),
    },
    links: {
      base: kit.oneOf(BASES),
      pinned: (list) => [...new Set(list)].slice(0, MOST_PINNED).filter(isDimension),
      view: kit.oneOf(NAMES),
    },
  });
  const { get, set, redraw } = traits;
  const start = traits.all();

  /** What a control does: the walk ends, the mouse no longer counts. */
  const choose = (changes) => (play.stop(), (pointed = null), set(changes), redraw());

  const cellOf = ([row, col]) =>
    get("view") === "similarity"
      ? { position: row, other: col }
      : { position: row, dimension: col };

  function pin(dimension) {
    const old = get("pinned");
    const rest = old.filter((each) => each !== dimension);
    if (rest.length === old.length) rest.push(dimension);
    choose({ pinned: rest.slice(-MOST_PINNED) });
  }

  const play = kit.player({
    tick() {
      set({ position: get("position") + 1 });
      return get("position") < get("length") - 1;
    },
    every: () =>
      matchMedia("(prefers-reduced-motion: reduce)").matches
        ? 900
        : Math.max(120, Math.min(450, 14000 / get("length"))),
    onChange: (on) =>
      playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Walk" }),
  });

  const views = choices.choice({
    label: "View",
    options: VIEWS.map(([name, label]) => [name, label]),
    value: get("view"),
    onChoose: (view) => choose({ view }),
  });
  const further = kit.button({
    label: "",
    onPress() {
      choose({ view: NAMES[Math.min(NAMES.indexOf(get("view")) + 1, NAMES.length - 1)] });
    },
  });
  further.el.classList.add("pw-further");
  const text = h("p", { class: "pw-text", "aria-hidden": "true" });
  const formula = h("p", { class: "pw-formula" });
  const live = kit.liveRegion();

  const picture = drawing.pictures({
    pins: MOST_PINNED,
    onPoint(cell) {
      if (play.playing() || String(cell) === String(pointed)) return;
      pointed = cell;
      redraw();
    },
    onKeep: (cell) => choose(cellOf(cell)),
    onEnter: () => get("view") !== "similarity" && pin(get("dimension")),
  });
  const clocks = hands.clocks({
    most: WIDTHS[1] / 2,
    onPick: (dimension) => choose({ dimension }),
  });
  const position = kit.slider({
    label: "Position",
    onInput: (number) => choose({ position: number }),
  });
  const second = kit.slider({
    label: "Dimension",
    onInput: (number) =>
      choose(get("view") === "similarity" ? { other: number } : { dimension: number }),
  });
  const playButton = kit.button({
    label: "Walk",
    icon: "play",
    text: true,
    onPress() {
      pointed = null;
      if (!play.playing() && get("position") >= get("length") - 1) set({ position: 0 });
      play.toggle();
    },
  });
  const pinButton = kit.button({ label: "Pin", onPress: () => pin(get("dimension")) });
  const chips = Array.from({ length: MOST_PINNED }, (_, i) => {
    const text = h("span");
    const unpin = () => {
      const pinned = get("pinned")[i];
      if (pinned === undefined) return; // it is gone, and this chip with the next frame
      pin(pinned);
      if (get("pinned").length <= i) pinButton.el.focus(); // this chip goes: keep the focus
    };
    const chip = h(
      "button",
      { type: "button", class: "pf-button pw-chip", onclick: unpin },
      curves.sample(i + 1),
      h("span", {}, h("span", { class: "pf-sr-only" }, "Unpin "), text),
      h("span", { class: "pw-cross", "aria-hidden": "true" }, "×"),
    );
    return { el: chip, text };
  });
  const shown = h("span");
  const moved = h("span");
  const movedKey = h("p", { class: "pw-key" }, curves.sample(MOST_PINNED + 1), moved);
  const chosenKey = h("p", { class: "pw-key" }, curves.sample(0), shown);

  const width = kit.slider({
    label: "d_model",
    min: WIDTHS[0],
    max: WIDTHS[1],
    onInput: (number) => choose({ d_model: number }),
  });
  const length = kit.slider({
    label: "Length",
    min: LENGTHS[0],
    max: LENGTHS[1],
    onInput: (number) => choose({ length: number }),
  });
  const base = kit.slider({
    label: "Base",
    onInput: (number) => choose({ base: bases[number] }),
  });
  const reset = kit.button({
    label: "Reset",
    onPress: () => choose({ ...start, view: get("view") }),
  });
  const table = kit.tableToggle(() => words.tables(drawn));
  const secondRow = h("div", { class: "pw-control" }, second.el, pinButton.el);
  const pinned = h("div", { class: "pw-chips" }, chips.map((chip) => chip.el));
  const more = h(
    "details",
    { class: "pw-more" },
    h("summary", {}, "Other sizes, and how to use it"),
    h("div", { class: "pw-settings" }, width.el, length.el, base.el),
  );
  const note = h("p", { class: "pf-note pw-note" });
  const root = kit.card(
    el,
    "Sinusoidal positions: heat map, fingerprints and waves",
    prompts.prompt(...PROMPT),
    h(
      "div",
      { class: "pw-root" },
      views.el,
      text,
      h("div", { class: "pw-columns" }, h("div", { class: "pw-control" }, position.el, playButton.el), secondRow),
      clocks.el,
      formula,
      live.el,
      h(
        "div",
        { class: "pw-columns" },
        h("div", {}, ...picture.table),
        h("div", {}, ...picture.curves, chosenKey, movedKey, pinned),
      ),
      h("div", { class: "pf-row pw-foot" }, further.el, reset.el, table.button),
      more,
      note,
      table.box,
    ),
  );
  // In which views a part is seen.
  const parts = [
    [formula, "fingerprint waves similarity"],
    [secondRow, "fingerprint waves similarity"],
    [clocks.el, "clocks fingerprint"],
    [text, "clocks fingerprint"],
    [pinButton.el, "waves"],
    [chosenKey, "waves similarity"],
    [movedKey, "similarity"],
    [pinned, "waves"],
    [more, "waves similarity"],
    ...picture.parts,
  ].map(([part, names]) => [part, names.split(" ")]);
  const ground = scales.ground(root, redraw);

  function drawControls(now) {
    const { view, position: p, other: q, dimension: d, d_model: D, base: b, length: T } = now;
    const waves = view !== "similarity";
    const set = (control, label, text, options, said = text) =>
      control.set({ ...options, text: said, label: `${label}: ${text}` });
    set(position, "Position", String(p), { max: T - 1, value: p });
    if (waves) {
      const said = words.nameOf(d, now).replace("dimension ", "");
      set(second, "Dimension", String(d), { max: D - 1, value: d }, said);
    } else {
      set(second, "Compared with position", String(q), { max: T - 1, value: q });
    }
    set(width, "d_model", String(D), { value: D });
    set(length, "Length", String(T), { value: T }, words.places(T));
    set(base, "Base", words.whole(b), { max: bases.length - 1, value: bases.indexOf(b) });
    views.set(view);
    const at = NAMES.indexOf(view);
    reached = Math.max(reached, at);
    views.el.hidden = reached === 0;
    views.el.querySelectorAll("label").forEach((label, i) => (label.hidden = i > reached));
    const isLast = at === NAMES.length - 1;
    if (isLast && document.activeElement === further.el) views.el.querySelector(":checked").focus();
    further.el.hidden = isLast;
    further.set({ label: VIEWS[at][2] || "Similarity" });
    text.replaceChildren(...words.around(p, T));
    for (const [part, names] of parts) part.hidden = !names.includes(view);
    pinButton.set({ label: now.pinned.includes(d) ? "Unpin" : "Pin" });
    const named = (each) => `dimension ${each}, wavelength ${words.wave(each, now)}`;
    shown.textContent = waves ? named(d) : `position ${p} with every position`;
    moved.textContent = `the curve of position 0, moved to ${p}`;
    chips.forEach((chip, i) => {
      const each = now.pinned[i];
      chip.el.hidden = each === undefined;
      if (chip.el.hidden) return;
      const beyond = each >= D;
      chip.el.classList.toggle("pw-beyond", beyond);
      chip.text.textContent = beyond ? `dimension ${each}, beyond d_model ${D}` : named(each);
    });
    note.textContent = words.explain(now, MOST_PINNED);
  }

  function draw() {
    const now = { ...traits.all(), dark: ground.dark() };
    if (pointed) {
      Object.assign(now, cellOf(pointed));
      now.position = Math.min(now.position, now.length - 1); // the table may have become smaller
      now.other = Math.min(now.other, now.length - 1);
      now.dimension = Math.min(now.dimension, now.d_model - 1);
    }
    now.row = (row) => values.subarray(row * now.d_model, (row + 1) * now.d_model);
    now.at = (row, col) => values[row * now.d_model + col];
    now.like = (row, col) => similar[row * now.length + col];
    now.negative = () => similar.some((each) => each < 0);
    const before = drawn;
    const other = ["length", "d_model", "base"].some((name) => now[name] !== before[name]);
    drawn = now;
    if (other) {
      values = sinusoids.table(now.length, now.d_model, now.base);
      similar = [];
      bases = [...new Set([...BASES, now.base])].sort((a, b) => a - b);
    }
    if (now.view === "similarity" && similar.length === 0) {
      similar = sinusoids.similarities(values, now.length, now.d_model);
    }
    for (const name of NAMES) root.classList.toggle(`pw-${name}-view`, name === now.view);
    picture.draw(now, other || now.view !== before.view || now.dark !== before.dark);
    drawControls(now);
    if (!clocks.el.hidden) clocks.draw(now);
    formula.replaceChildren(...words.formula(now));
    live.say(words.sentence(now, before));
    table.update();
  }

  return traits.start(play, live, table, ground);
}

export default { render };
