// RotaryVectors: move a query and a key along a text, and watch RoPE turn them.
//
// formulas/rope.js computes, drawing.js draws, words.js speaks, and edit.js changes the
// arrows; here are the other controls, and who tells whom.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as rotary from "../formulas/rope.js";
import * as drawing from "./drawing.js";
import * as words from "./words.js";
import * as edit from "./edit.js";
const { h } = kit;

const PROMPT = ["Shift both.", "Each arrow turns, and the score stays."];
const LAST = 64; // the last position; the same as in Python
const LARGEST = 100; // the largest number of a vector; the same as in Python
const STEP = 0.5; // between two points of the curve
const DISTANCES = Array.from({ length: (2 * LAST) / STEP + 1 }, (_, i) => i * STEP - LAST);
const EVERY = 500; // milliseconds between two steps of Play
const NAMES = ["query", "key", "m", "n", "base", "pair"];
const [LARGE, SMALL] = [84, 30]; // the longest arrow of a large and of a small dial

/** Write a text where another stands: the same one would be laid out again. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let drawn = {}; // the state that is on the screen
  let dials = []; // the main picture: { number, dial }
  let places = []; // the switch: for each pair { box, small, part }
  let choice = null;
  let scale = null; // { zoom, limits } of query and key: how long arrows are drawn, and may become
  let waves = { key: "", all: [] }; // the turns of every pair at every distance
  let rows = []; // the curves, and of which numbers they are: { of, row }
  let byHand = false; // whether the reader has changed an arrow since the last frame
  const total = h("b", { class: "rv-sum" });

  const width = model.get("query").length;
  const small = (each) => Number.isFinite(each) && Math.abs(each) <= LARGEST;
  const vector = (list) => list.length === width && list.every(small) && list;
  const traits = kit.mount({
    model,
    traits: NAMES,
    draw,
    checks: {
      m: kit.within(0, LAST),
      n: kit.within(0, LAST),
      pair: kit.within(0, () => model.get("query").length / 2 - 1, { open: true }),
    },
    links: { query: vector, key: vector },
  });
  const { get: at, set } = traits;
  const start = { query: at("query"), key: at("key") };
  const first = () => Math.min(at("m"), at("n"));
  const room = () => LAST - Math.abs(at("m") - at("n")); // how far both can go

  function shift(to) {
    const by = kit.clamp(to, 0, room()) - first();
    set({ m: at("m") + by, n: at("n") + by });
  }

  /** Give the pair that is shown large another arrow, as it is before it is turned. */
  function point(kind, vector) {
    const name = kind === "q" ? "query" : "key";
    const changed = rotary.split(at(name));
    changed[at("pair")] = vector;
    if (String(changed) === String(at(name))) return;
    byHand = true;
    set({ [name]: changed.flat() });
  }
  /** The same for a tip that is dragged, in the measure of the large dial. */
  function drag(kind, tip) {
    const [i, angle] = kind === "q" ? [0, "angleQ"] : [1, "angleK"];
    const to = rotary.rotate(tip, -drawn.all[drawn.pair][angle]);
    const limit = scale.limits[i];
    point(kind, edit.within(to.map((x) => (x / LARGE) * limit), limit)); // prettier-ignore
  }
  const editor = edit.editor({
    onChange: point,
    onReset: () => set(start),
  });

  const play = kit.player({
    tick() {
      shift(first() + 1);
      return first() < room();
    },
    every: () => EVERY,
    onChange: (on) => playButton.set(on ? PAUSE : PLAY),
  });
  const PLAY = { icon: "play", label: "Play: shift both, step by step" };
  const PAUSE = { icon: "pause", label: "Pause" };
  const playButton = kit.button({
    ...PLAY,
    when: () => room() > 0,
    onPress() {
      if (!play.playing() && first() >= room()) shift(0);
      play.toggle();
    },
  });

  /** A slider whose label ends in what can change: "Query at position m = 5". */
  function slider(kind, label, onInput) {
    const made = kit.slider({ label, max: LAST, onInput: (v) => (play.stop(), onInput(v)) });
    const end = h("b", {});
    const more = kind === "both" ? null : h("span", {}, "position "); // left out on a phone
    made.label.append(...[more, end].filter(Boolean));
    made.el.classList.add(`rv-slide-${kind}`);
    return { ...made, say: (text) => say(end, text) };
  }
  const ofQuery = slider("q", "Query at ", (m) => set({ m }));
  const ofKey = slider("k", "Key at ", (n) => set({ n }));
  const ofBoth = slider("both", "Shift both: ", shift);

  const live = kit.liveRegion();
  const sample = (kind, text) => h("span", { class: `rv-sample rv-sample-${kind}` }, text);
  const picture = h("div", { class: "rv-picture", role: "img" });
  const names = { q: sample("q", "query q"), k: sample("k", "key k") };
  const chart = drawing.chart({ last: LAST });
  const plot = h("div", { class: "rv-plot", role: "img" }, chart.el);
  const chosen = sample("pair", "");
  const others = sample("others", "");
  const about = h("p", { class: "rv-about" });
  const facts = h("dl", { class: "rv-facts" });
  const pairs = h("div", { class: "rv-pairs" });
  const table = kit.tableToggle(() => words.tables(drawn, LAST));
  const legend = (...samples) => h("p", { class: "rv-legend pf-note" }, samples);
  const root = kit.card(
    el,
    "Rotary positions: a query and a key, turned pair by pair",
    prompts.prompt(...PROMPT),
    h("div", { class: "rv-controls" }, ofQuery.el, ofKey.el, ofBoth.el, playButton.el),
    live.el,
    h(
      "div",
      { class: "rv-main" },
      h(
        "div",
        {},
        picture,
        legend(
          names.q,
          names.k,
          sample("ghost", "before turning"),
          sample("trail", "how far turned"),
          sample("wedge", "from k to q, now"),
        ),
      ),
      h("div", {}, plot, legend(sample("score", "score, the sum"), chosen, others)),
    ),
    pairs,
    h(
      "div",
      { class: "pf-row rv-foot" },
      table.button,
      folds.fold("Numbers of the pair", about, facts),
      editor.el,
    ),
    table.box,
  );
  root.classList.add("rv-card");

  /** The switch: for each pair a small dial, its name and its part of the score; then the sum. */
  function makeSwitch({ all, pair }) {
    const speed = (i) => ({ 0: " fastest", [all.length - 1]: " slowest" })[all.length > 1 ? i : -1];
    places = all.map((_, i) => {
      const small = drawing.dial({ radius: SMALL, thick: 4, large: false });
      const part = h("b", {});
      const name = h("span", {}, `Pair ${i}`, speed(i) ? h("small", {}, speed(i)) : null, " ");
      return { small, part, box: h("span", { class: "rv-option" }, small.el, name, part) };
    });
    const sum = h("small", {}, "sum = score ");
    const whole = h("span", { class: "rv-option" }, "All pairs ", sum, total);
    choice = choices.choice({
      label: "Pair of dimensions shown large",
      options: [...places.map(({ box }, i) => [String(i), box]), ["all", whole]],
      value: String(pair ?? "all"),
      onChoose: (key) => set({ pair: key === "all" ? null : Number(key) }),
    });
    pairs.replaceChildren(choice.el);
  }

  /** The main picture: one large dial, or all of them in a square. */
  function makeDials({ all, pair }) {
    const numbers = pair === null ? [...all.keys()] : [pair];
    const columns = Math.ceil(Math.sqrt(numbers.length));
    const thick = [6, 7.5, 9][columns - 1];
    dials = numbers.map((number) => ({
      number,
      dial: drawing.dial({ radius: LARGE, thick, large: true, onDrag: pair !== null && drag }),
    }));
    picture.style.setProperty("--rv-columns", columns);
    picture.style.setProperty("--rv-letter", `${12 + 5 * columns}px`);
    const name = (number) => (numbers.length > 1 ? h("span", {}, `Pair ${number}`) : null);
    picture.replaceChildren(
      ...dials.map(({ dial, number }) => h("div", {}, dial.el, name(number))),
    );
  }

  /**
   * How long vectors are drawn: as they are, but one that would be hard to see beside the other is
   * drawn longer. It stays while the reader changes them, or the dial would give way to the hand.
   */
  function makeScale(vectors) {
    const longest = vectors.map((each) => Math.max(...each.map(([x, y]) => Math.hypot(x, y))));
    const most = Math.max(...longest) || 1;
    const zoom = longest.map((each) => (each > 0 && each < 0.4 * most ? (0.4 * most) / each : 1));
    return { zoom, limits: zoom.map((times) => most / times) };
  }

  function setVectors({ query, key, pair }) {
    const vectors = [rotary.split(query), rotary.split(key)];
    scale ??= makeScale(vectors);
    const { zoom, limits } = scale;
    const set = (dial, i, radius) =>
      dial.vectors(vectors.map((each, j) => each[i].map((x) => (x * radius) / limits[j])));
    for (const { dial, number } of dials) set(dial, number, LARGE);
    places.forEach(({ small }, i) => set(small, i, SMALL));
    const longer = (times) => (times > 1 ? `, drawn ${words.brief(times)} times longer` : "");
    names.q.textContent = `query q${longer(zoom[0])}`;
    names.k.textContent = `key k${longer(zoom[1])}`;
    editor.el.hidden = pair === null;
    if (pair !== null) editor.set({ q: vectors[0][pair], k: vectors[1][pair], limits });
  }

  function setCurves({ query, key, base }) {
    if (waves.key !== `${query.length} ${base}`) {
      waves = { key: `${query.length} ${base}`, all: rotary.rotations(query.length, DISTANCES, base) };
      rows = [];
    }
    const keys = rotary.split(key);
    rows = rotary.split(query).map((q, i) => {
      const of = `${q} ${keys[i]}`;
      return rows[i]?.of === of ? rows[i] : { of, row: rotary.curve(q, keys[i], waves.all[i]) };
    });
    const sums = DISTANCES.map((_, j) => rows.reduce((total, { row }) => total + row[j], 0));
    const lines = rows.map(({ row }) => row);
    chart.curves(lines, sums, DISTANCES);
    root.dataset.scores = sums.filter((_, j) => (j * STEP) % 1 === 0).join(" ");
  }

  /** The rows of numbers stay; only what they say is new. */
  function drawFacts(state) {
    say(about, words.about(state));
    const wanted = words.facts(state);
    if (facts.children.length !== wanted.length) {
      const row = ([kind, name, , values]) =>
        h(
          "div",
          { class: `rv-fact rv-fact-${kind}` },
          h("dt", {}, h("span", {}, name), " ", h("i", {})),
          values.map(() => h("dd", {})),
        );
      facts.replaceChildren(...wanted.map(row));
    }
    wanted.forEach(([, , rule, values], i) => {
      const texts = [rule, ...values];
      facts.children[i].querySelectorAll("i, dd").forEach((part, j) => say(part, texts[j]));
    });
    chosen.hidden = state.pair === null;
    say(chosen, `pair ${state.pair}`);
    say(others, state.pair === null ? "each pair" : "other pairs");
    others.hidden = state.pair !== null && state.all.length === 1;
  }

  function now() {
    const state = traits.all();
    const all = rotary.pairs(state.query, state.key, state.m, state.n, state.base);
    return { ...state, all, score: rotary.sum(all.map(({ contribution }) => contribution)) };
  }

  function draw() {
    const [before, state] = [drawn, now()];
    const { m, n, pair, all, score } = (drawn = state);
    const changed = (...several) => words.differs(state, before, several);
    const resized = all.length !== before.all?.length;
    if (resized) makeSwitch(state);
    if (resized || changed("pair")) makeDials(state);
    if (changed("query", "key") && !byHand) scale = null;
    byHand = false;
    if (changed("query", "key", "pair")) setVectors(state);
    if (changed("query", "key", "base")) setCurves(state);

    ofQuery.set({ value: m });
    ofKey.set({ value: n });
    ofBoth.set({ max: room(), value: first(), text: `m = ${m}, n = ${n}` });
    ofQuery.say(`m = ${m}`);
    ofKey.say(`n = ${n}`);
    ofBoth.say(`m − n stays ${words.show(m - n, 0)}`);
    ofBoth.input.disabled = room() === 0;
    playButton.set();

    for (const { number, dial } of dials) dial.rotate(all[number].angleQ, all[number].angleK);
    places.forEach(({ small, part, box }, i) => {
      const { angleQ, angleK, difference, contribution } = all[i];
      small.rotate(angleQ, angleK);
      say(part, words.signed(contribution));
      Object.assign(box.dataset, { angleQ, angleK, difference, contribution });
    });
    say(total, words.short(score));
    root.dataset.score = score;
    if (resized || changed("pair")) choice.set(String(pair ?? "all"));
    chart.mark(m - n, score, pair);
    drawFacts(state);
    picture.setAttribute("aria-label", words.dialLabel(state));
    plot.setAttribute("aria-label", words.chartLabel(state, LAST));
    live.say(words.sentence(state, before));
    table.update();
  }

  return traits.start(play, live, table);
}

export default { render };
