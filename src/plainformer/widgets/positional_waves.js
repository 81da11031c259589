// PositionalWaves: the sinusoidal table as a heat map, each row as a fingerprint, each column as a
// wave; and, in a second view, how similar any two positions are.
//
// The numbers come from sinusoids.js, the words from waves_words.js, the pictures from
// waves_drawing.js; here are the state and the controls. What a mouse points at is shown at once
// and forgotten when it leaves (`pointed`); what is pressed, tapped or reached by key is kept in
// the model.

import * as kit from "./kit.js";
import * as sinusoids from "./sinusoids.js";
import * as curves from "./curves.js";
import * as words from "./waves_words.js";
import * as drawing from "./waves_drawing.js";
const { h } = kit;

const BASES = [10, 100, 1000, 10000, 100000];
const MOST_PINNED = 3;
const LENGTHS = [2, 128];
const WIDTHS = [2, 64];
const TRAITS = ["d_model", "length", "base", "position", "dimension", "other", "pinned", "view"];

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const start = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  let pointed = null; // the cell under the mouse: [row, column]
  let drawn = {}; // the state that the page shows
  let bases = BASES;
  let values = []; // the table, row by row
  let similar = []; // and the similarities of its rows

  const frame = kit.redraw(draw);

  /** Set traits, in an order in which each is valid; position and other stay within the length. */
  function put(changes) {
    const { length = model.get("length"), d_model: width = model.get("d_model") } = changes;
    const within = (name, count) => Math.min(changes[name] ?? model.get(name), count - 1);
    const all = {
      ...changes,
      position: within("position", length),
      other: within("other", length),
      dimension: within("dimension", width),
    };
    for (const name of TRAITS) if (name in all) model.set(name, all[name]);
    model.save_changes();
    frame.ask();
  }

  /** What a control does: the walk ends, the mouse no longer counts. */
  const choose = (changes) => (play.stop(), (pointed = null), put(changes));

  const cellOf = ([row, col]) =>
    model.get("view") === "waves"
      ? { position: row, dimension: col }
      : { position: row, other: col };

  function pin(dimension) {
    const old = model.get("pinned");
    const rest = old.filter((each) => each !== dimension);
    if (rest.length === old.length) rest.push(dimension);
    choose({ pinned: rest.slice(-MOST_PINNED) });
  }

  const play = kit.player({
    tick() {
      put({ position: model.get("position") + 1 });
      return model.get("position") < model.get("length") - 1;
    },
    every: () =>
      matchMedia("(prefers-reduced-motion: reduce)").matches
        ? 900
        : Math.max(120, Math.min(450, 14000 / model.get("length"))),
    onChange: (on) =>
      playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Walk" }),
  });

  const views = kit.choice({
    label: "View",
    options: [
      ["waves", "Values and waves"],
      ["similarity", "Similarity"],
    ],
    value: model.get("view"),
    onChoose: (view) => choose({ view }),
  });
  const formula = h("p", { class: "pw-formula" });
  const live = kit.liveRegion();

  const picture = drawing.pictures({
    pins: MOST_PINNED,
    onPoint(cell) {
      if (play.playing() || String(cell) === String(pointed)) return;
      pointed = cell;
      frame.ask();
    },
    onKeep: (cell) => choose(cellOf(cell)),
    onEnter: () => model.get("view") === "waves" && pin(model.get("dimension")),
  });
  const position = kit.slider({
    label: "Position",
    onInput: (number) => choose({ position: number }),
  });
  const second = kit.slider({
    label: "Dimension",
    onInput: (number) =>
      choose(model.get("view") === "waves" ? { dimension: number } : { other: number }),
  });
  const playButton = kit.button({
    label: "Walk",
    icon: "play",
    text: true,
    onPress() {
      pointed = null;
      if (!play.playing() && model.get("position") >= model.get("length") - 1) put({ position: 0 });
      play.toggle();
    },
  });
  const pinButton = kit.button({ label: "Pin", onPress: () => pin(model.get("dimension")) });
  pinButton.el.classList.add("pw-if-waves");
  const chips = Array.from({ length: MOST_PINNED }, (_, i) => {
    const text = h("span");
    const unpin = () => {
      pin(model.get("pinned")[i]);
      if (model.get("pinned").length <= i) pinButton.el.focus(); // this chip goes: keep the focus
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
  const movedKey = h("p", { class: "pw-key pw-if-similar" }, curves.sample(MOST_PINNED + 1), moved);
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
    onPress: () => choose({ ...start, view: model.get("view") }),
  });
  const table = kit.tableToggle(() => words.tables(drawn));
  const note = h("p", { class: "pf-note pw-note" });
  const root = kit.card(
    el,
    "Sinusoidal positions: heat map, fingerprints and waves",
    h(
      "div",
      { class: "pw-root" },
      views.el,
      h("div", { class: "pw-settings" }, width.el, length.el, base.el),
      formula,
      live.el,
      h(
        "div",
        { class: "pw-columns" },
        h("div", { class: "pw-control" }, position.el, playButton.el),
        h("div", { class: "pw-control" }, second.el, pinButton.el),
      ),
      h(
        "div",
        { class: "pw-columns" },
        h("div", {}, picture.table),
        h(
          "div",
          {},
          picture.curves,
          chosenKey,
          movedKey,
          h("div", { class: "pw-chips" }, chips.map((chip) => chip.el)),
        ),
      ),
      note,
      h("div", { class: "pf-row pw-foot" }, reset.el, table.button),
      table.box,
    ),
  );

  function drawControls(now) {
    const { view, position: p, other: q, dimension: d, d_model: D, base: b, length: T } = now;
    const waves = view === "waves";
    const set = (control, label, text, options, said = text) => {
      control.set({ ...options, text: said });
      const full = `${label}: ${text}`;
      if (control.label.textContent !== full) control.label.textContent = full;
    };
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
    pinButton.set({ label: now.pinned.includes(d) ? "Unpin" : "Pin" });
    const named = (each) => `dimension ${each}, wavelength ${words.wave(each, now)}`;
    shown.textContent = waves ? named(d) : `position ${p} with every position`;
    moved.textContent = `the curve of position 0, moved to ${p}`;
    chips.forEach((chip, i) => {
      const each = now.pinned[i];
      chip.el.hidden = !waves || each === undefined;
      if (chip.el.hidden) return;
      const beyond = each >= D;
      chip.el.classList.toggle("pw-beyond", beyond);
      chip.text.textContent = beyond ? `dimension ${each}, beyond d_model ${D}` : named(each);
    });
    note.textContent = words.explain(now, MOST_PINNED);
  }

  function draw() {
    const now = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    if (pointed) Object.assign(now, cellOf(pointed));
    now.position = Math.min(now.position, now.length - 1); // Python may be about to say so
    now.other = Math.min(now.other, now.length - 1);
    now.dimension = Math.min(now.dimension, now.d_model - 1);
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
    root.classList.toggle("pw-similar", now.view === "similarity");
    picture.draw(now, other || now.view !== before.view);
    drawControls(now);
    formula.replaceChildren(...words.formula(now));
    live.say(words.sentence(now, before));
    table.update();
  }

  const changes = TRAITS.map((name) => `change:${name}`);
  for (const change of changes) model.on(change, frame.ask);
  draw();

  return () => {
    for (const change of changes) model.off(change, frame.ask);
    for (const part of [frame, play, live, table]) part.stop();
  };
}

export default { render };
