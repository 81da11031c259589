// PositionalWaves: the sinusoidal table as a heat map, each row as a fingerprint, each column as a
// wave; and, in a second view, how similar any two positions are.
//
// The numbers come from sinusoids.js, the words from waves_words.js, the grid from heatmap.js, the
// curves from curves.js, the ticks from axes.js. What a mouse points at is shown at once and
// forgotten when it leaves (`pointed`); what is pressed, tapped or reached by key is kept in the
// model.

import * as kit from "./kit.js";
import * as scales from "./scales.js";
import * as sinusoids from "./sinusoids.js";
import * as axes from "./axes.js";
import * as grid from "./heatmap.js";
import * as curves from "./curves.js";
import * as words from "./waves_words.js";
const { h } = kit;
const { signed } = words;

const BASES = [10, 100, 1000, 10000, 100000];
const MOST_PINNED = 3;
const OVER = MOST_PINNED + 1; // the curve that lies over all others
const MOST_DOTS = 64;
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

  const map = grid.heatmap({
    label: "Heat map",
    onPoint(cell) {
      if (play.playing() || String(cell) === String(pointed)) return;
      pointed = cell;
      frame.ask();
    },
    onKeep: (cell) => choose(cellOf(cell)),
    onEnter: () => model.get("view") === "waves" && pin(model.get("dimension")),
  });
  const legend = grid.legend({ low: -1, high: 1, rgb: (share) => scales.signed(2 * share - 1) });
  const mapFrame = axes.frame({ content: map.el, className: "pw-map" });
  const bars = curves.bars();
  const barsFrame = axes.frame({ content: bars.el, className: "pw-bars" });
  const chart = curves.chart({ lines: MOST_PINNED + 2 });
  const chartFrame = axes.frame({ content: chart.el, className: "pw-chart", near: 0.1 });
  const [mapTitle, barsTitle, chartTitle] = ["", "", ""].map(() => h("p", { class: "pw-title" }));


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
  for (const each of [barsTitle, barsFrame.el, pinButton.el]) each.classList.add("pw-if-waves");
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
  const movedKey = h("p", { class: "pw-key pw-if-similar" }, curves.sample(OVER), moved);
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
        h("div", {}, mapTitle, mapFrame.el, legend, barsTitle, barsFrame.el),
        h(
          "div",
          {},
          chartTitle,
          chartFrame.el,
          chosenKey,
          movedKey,
          h("div", { class: "pw-chips" }, chips.map((chip) => chip.el)),
          h("div", { class: "pw-control" }, position.el, playButton.el),
          h("div", { class: "pw-control" }, second.el, pinButton.el),
        ),
      ),
      note,
      h("div", { class: "pf-row pw-foot" }, reset.el, table.button),
      table.box,
    ),
  );

  /** The heat map, painted anew when its numbers are others. */
  function drawMap(now, fresh) {
    const { view, length: T, d_model: D, position: p } = now;
    const waves = view === "waves";
    const [cols, col] = waves ? [D, now.dimension] : [T, now.other];
    const read = waves ? now.at : now.like;
    const colour = (r, c) => scales.signed(read(r, c));
    if (fresh) map.paint(T, cols, colour, (r, c) => signed(read(r, c), 2));
    map.mark({
      row: p,
      col,
      columns: waves ? now.pinned.filter((each) => each < D) : [],
      text: words.cell(now),
    });
    const positions = axes.ticks(T, [1, 2, 5, 10, 20]);
    const columns = waves ? axes.ticks(D, [1, 2, 4, 8]) : axes.ticks(T, [1, 2, 5, 10, 20], 7);
    mapFrame.setY({ title: "position", ticks: positions, mark: spot(p, T) });
    mapFrame.setX({
      title: waves ? "dimension" : "compared with position",
      ticks: columns,
      mark: spot(col, cols),
    });
    mapTitle.textContent = waves
      ? "Every value: one row a position"
      : "How similar any two positions are";
  }

  const spot = (index, count) => ({ at: (index + 0.5) / count, text: String(index) });

  function drawBars({ position: p, dimension: d, d_model: D }) {
    bars.draw(values.subarray(p * D, (p + 1) * D), d);
    barsTitle.textContent = `Row: the fingerprint of position ${p}`;
    barsFrame.setX({ ticks: axes.ticks(D, [1, 2, 4, 8]), mark: spot(d, D) });
    barsFrame.setY({
      ticks: [
        { at: bars.share(1), text: "1" },
        { at: bars.share(-1), text: "−1" },
      ],
    });
  }

  /** The curves on the right; those that stand are left alone. */
  function drawChart(now) {
    const { view, length: T, d_model: D, base: b, position: p } = now;
    const waves = view === "waves";
    const most = !waves && D % 2 ? (D + 1) / D : 1; // an odd D: the last sine alone may add 1
    const least = waves || similar.some((each) => each < 0) ? -1 : 0;
    chart.range(T, least * 1.1, most * 1.1);
    if (waves) {
      const line = (d) => (d < D ? (x) => sinusoids.value(x, d, D, b) : null);
      const fine = (d) => Math.min(8, Math.ceil(50 / sinusoids.wavelength(d, D, b)));
      const key = (d) => `${d} ${D} ${b} ${T}`;
      for (let i = 0; i <= MOST_PINNED; i += 1) {
        const d = [now.dimension, ...now.pinned][i] ?? D;
        chart.line(i, key(d), line(d), fine(d));
      }
      if (T <= MOST_DOTS) chart.dots(key(now.dimension), line(now.dimension));
      else chart.dots("", null);
      chart.line(OVER, "", null);
    } else {
      const key = `similarity ${p} ${D} ${b} ${T}`;
      chart.line(0, key, (q) => now.like(p, q), 1);
      chart.dots("", null);
      for (let i = 1; i <= MOST_PINNED; i += 1) chart.line(i, "", null);
      chart.line(OVER, key, (q) => now.like(0, Math.abs(q - p)), 1);
    }
    const here = waves ? [p, now.at(p, now.dimension)] : [now.other, now.like(p, now.other)];
    chart.mark(...here);
    const level = (each, text) => ({ at: chart.share(each), text });
    const ticks = [level(1, "1"), level(0, "0"), level(-1, "−1")].slice(0, 2 - least);
    chartFrame.setY({ ticks, mark: level(here[1], signed(here[1], 2)) });
    chartFrame.setX({
      title: waves ? "position" : "compared with position",
      ticks: axes.ticks(T, [1, 2, 5, 10, 20], 7),
      mark: spot(here[0], T),
    });
    chartTitle.textContent = waves
      ? `Column: dimension ${now.dimension} as a wave`
      : `Row: position ${p} with every position`;
  }

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
    now.at = (row, col) => values[row * now.d_model + col];
    now.like = (row, col) => similar[row * now.length + col];
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
    drawMap(now, other || now.view !== before.view);
    if (now.view === "waves") drawBars(now);
    drawChart(now);
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
