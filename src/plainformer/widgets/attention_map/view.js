// AttentionMap: tokens against tokens, and where the weight of one query flows.
//
// Python gives the weights of every layer and head. Masks, temperature and scaling are worked out
// here (weights.js); the map, the flow and the words have modules of their own. What a mouse points
// at is shown at once and forgotten when it leaves (`pointed`); what is pressed, tapped or reached by
// key is kept in the model.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as scales from "../kit/scales.js";
import * as sums from "./weights.js";
import * as words from "./words.js";
import * as written from "../kit/token_words.js";
import * as grids from "./grid.js";
import * as flows from "./flow.js";
const { h } = kit;

const PROMPT = ["Point at a row.", "Its bands show where that query looks."];
const TRAITS = ["layer", "head", "query", "key", "causal", "padding", "scaled", "temperature"];
const WEIGHING = ["layer", "head", "causal", "padding", "scaled", "temperature"]; // change the map
const RESETS = ["causal", "padding", "scaled", "temperature"];
const STEPS = 40; // of the temperature's slider, to either side of 1, by which it goes tenfold

const degrees = (step) => Number((10 ** (step / STEPS)).toPrecision(3));
const stepOf = (temperature) => Math.round(Math.log10(temperature) * STEPS);

/** A box to tick: { el, input, set }. */
function tick({ label, onChange }) {
  const input = h("input", { type: "checkbox", "data-lm-suppress-shortcuts": true });
  input.addEventListener("change", () => onChange(input.checked));
  const el = h("label", { class: "am-tick" }, input, h("span", {}, label));
  return { el, input, set: (on) => (input.checked = on) };
}

/** One of some layers or heads: a choice where they are few, a slider where they are many. */
function picker({ label, names, onPick }) {
  if (names.length > 6 || names.join("").length > 30) {
    const control = kit.slider({ label, max: names.length - 1, onInput: onPick });
    return {
      el: control.el,
      set(value) {
        control.set({ value, text: names[value], label: `${label}: ${names[value]}` });
      },
    };
  }
  const control = choices.choice({
    label,
    options: names.map((name, i) => [String(i), name]),
    onChoose: (key) => onPick(Number(key)),
  });
  const name = h("span", { class: "am-pick-name", "aria-hidden": "true" }, label);
  const el = h("div", { class: "am-pick" }, name, control.el);
  return { el, set: (value) => control.set(String(value)) };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { tokens, keys, names, shape, d_head } = model.get("data");
  const [layers, heads, T, S] = shape;
  const roomy = grids.roomy(shape);
  const large = Math.max(T, S) > flows.MOST;
  let pointed = null; // the cell under the mouse: [row, column]
  let numbers = roomy;
  let choosing = false; // whether the tokens to pad are shown
  let remembered = keys.map((_, j) => j === S - 1); // what the padding mask hides when turned on
  let data; // that `weights` were read from
  let weights;
  let drawn = {}; // the state that the page shows
  const shown = new Float64Array(T * S);
  const nats = new Float64Array(T);
  const most = new Float64Array(T);

  const traits = kit.mount({
    model,
    traits: ["data", ...TRAITS],
    draw,
    checks: {
      layer: kit.within(0, layers - 1),
      head: kit.within(0, heads - 1),
      query: kit.within(0, T - 1),
      key: kit.within(0, S - 1),
    },
    links: {
      causal: (on) => on === true && S >= T,
      scaled: (on) => on === true || !d_head,
      padding: (list) => list.length === S && list.map(Boolean),
      temperature: kit.within(0.1, 10, { real: true }),
    },
  });
  const { redraw } = traits;
  const start = Object.fromEntries(RESETS.map((name) => [name, traits.get(name)]));

  /** What a control does: the mouse no longer counts. */
  function choose(changes) {
    pointed = null;
    traits.set(changes);
    redraw();
  }

  function point(cell) {
    if (String(cell) === String(pointed)) return;
    pointed = cell;
    redraw();
  }

  const list = (count, name) => Array.from({ length: count }, (_, i) => name(i));
  const layer = picker({
    label: "Layer",
    names: list(layers, String),
    onPick: (value) => choose({ layer: value }),
  });
  const head = picker({
    label: "Head",
    names: names?.map(written.label) ?? list(heads, String),
    onPick: (value) => choose({ head: value }),
  });
  const live = kit.liveRegion();
  const map = grids.grid({
    tokens,
    keys,
    shape,
    onPoint: point,
    onKeep: ([query, key]) => choose({ query, key }),
    onFit: (flat) => both.classList.toggle("am-flat", flat),
  });
  const flow = flows.flow({
    tokens,
    keys,
    onPoint: (query) => point(query === null ? null : [query, traits.get("key")]),
    onKeep: (query) => choose({ query }),
    onKey: (key) => choose({ key }),
  });
  const query = kit.slider({
    label: "Query",
    max: T - 1,
    onInput: (value) => choose({ query: value }),
  });
  const key = kit.slider({ label: "Key", max: S - 1, onInput: (value) => choose({ key: value }) });

  const causal = tick({ label: "Causal mask", onChange: (on) => choose({ causal: on }) });
  const padding = tick({
    label: "Padding mask",
    onChange(on) {
      choosing = on;
      if (!on && traits.get("padding").some(Boolean)) remembered = traits.get("padding");
      choose({ padding: on ? remembered : keys.map(() => false) });
    },
  });
  const scaled = tick({
    label: `Scores divided by √${d_head}`,
    onChange: (on) => choose({ scaled: on }),
  });
  const inCells = tick({
    label: "Numbers",
    onChange(on) {
      numbers = on;
      redraw();
    },
  });
  const temperature = kit.slider({
    label: "Temperature",
    min: -STEPS,
    max: STEPS,
    onInput: (step) => choose({ temperature: degrees(step) }),
  });
  const pads = keys.map((token, j) =>
    tick({
      label: [h("small", {}, String(j)), h("bdi", {}, written.label(token))],
      onChange: (on) =>
        choose({ padding: traits.get("padding").map((was, i) => (i === j ? on : was)) }),
    }),
  );
  const padBox = h(
    "fieldset",
    { class: "am-pads" },
    h("legend", {}, "Keys that are padding"),
    h("div", {}, pads.map((each) => each.el)),
  );
  const reset = kit.button({ label: "Reset", onPress: () => ((choosing = false), choose(start)) });
  const table = kit.tableToggle(() => words.tables(drawn));
  const note = h("p", { class: "pf-note" });

  const both = h(
    "div",
    { class: "am-both", style: grids.sizes(tokens, keys) },
    h("div", {}, map.el),
    h(
      "div",
      { class: "am-right" },
      h("p", { class: "am-title" }, "Where the query looks"),
      flow.el,
    ),
  );

  const root = kit.card(
    el,
    "Attention map",
    prompts.prompt(...PROMPT),
    h(
      "div",
      { class: `am-root${large ? " am-large" : ""}` },
      layers * heads === 1
        ? null
        : h("div", { class: "am-picks" }, layers > 1 ? layer.el : null, heads > 1 ? head.el : null),
      live.el,
      both,
      h(
        "div",
        { class: "am-places" },
        T > 1 ? query.el : null,
        S > 1 ? key.el : null,
        temperature.el,
      ),
      h(
        "div",
        { class: "am-ticks" },
        T === S ? causal.el : null,
        padding.el,
        d_head === null ? null : scaled.el,
        roomy ? inCells.el : null,
      ),
      padBox,
      h("div", { class: "pf-row am-foot" }, reset.el, table.button, folds.fold("How to use it", note)),
      table.box,
    ),
  );

  const ground = scales.ground(root, redraw);

  function drawControls(now) {
    const say = (control, label, text, value) =>
      control.set({ value, text, label: `${label}: ${text}` });
    layer.set(now.layer);
    head.set(now.head);
    say(query, "Query", `${written.label(tokens[now.query])} (${now.query})`, now.query);
    say(key, "Key", `${written.label(keys[now.key])} (${now.key})`, now.key);
    say(temperature, "Temperature", words.degrees(now.temperature), stepOf(now.temperature));
    causal.set(now.causal);
    scaled.set(now.scaled);
    inCells.set(numbers);
    const any = now.padding.some(Boolean);
    choosing ||= any;
    padding.set(choosing);
    padBox.hidden = !choosing;
    pads.forEach((each, j) => each.set(now.padding[j]));
  }

  function draw() {
    if (traits.get("data") !== data) {
      data = traits.get("data");
      weights = sums.decode(data.code);
      note.textContent = words.note(data);
    }
    const now = { tokens, keys, names, shape, d_head, shown, nats, most, numbers };
    Object.assign(now, traits.all(), { dark: ground.dark() });
    if (pointed) [now.query, now.key] = pointed;
    const before = drawn;
    const other = ["data", ...WEIGHING].some((name) => now[name] !== before[name]);
    drawn = now;
    if (other) {
      sums.share(weights, (now.layer * heads + now.head) * T * S, T, S, now, shown);
      for (let i = 0; i < T; i += 1) {
        nats[i] = sums.entropy(shown, i * S, S);
        most[i] = sums.largestEntropy(i, S, now);
      }
    }
    map.draw(now, other || ["numbers", "dark"].some((name) => now[name] !== before[name]));
    flow.draw(now);
    drawControls(now);
    live.say(words.sentence(now, before));
    table.update();
  }

  return traits.start(map, live, table, ground);
}

export default { render };
