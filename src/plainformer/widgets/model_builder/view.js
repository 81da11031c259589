// ModelBuilder: a whole model by its sizes, the parameters of each part, memory, and what a token costs.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as sizes from "../formulas/sizes.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = [
  "Move the sizes.",
  "Watch which part has most of the parameters, and when another takes over.",
];
const PARTS = [
  ["embedding", "table of words"],
  ["positions", "positions"],
  ["attention", "attention"],
  ["feed_forward", "feed-forward"],
  ["norms", "norms"],
  ["head", "head"],
];
const WORDS = [1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000];
const TIMES = [1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 160, 192]; // of the least width

const sum = (parts) => Object.values(parts).reduce((total, each) => total + each, 0);
const number = (value) => kit.format(value);
const digits = (share) => (share === 0 || share >= 0.0995 ? 0 : share >= 0.00095 ? 1 : 2);
const percent = (share) => `${kit.format(100 * share, digits(share))}%`;
const order = (a, b) => a - b;

/** A large number in words: 1.2 billion. */
function large(value) {
  const names = [[1e12, " trillion"], [1e9, " billion"], [1e6, " million"]]; // prettier-ignore
  const [unit, name] = names.find(([least]) => value >= least) ?? [1, ""];
  return unit === 1 ? number(value) : `${kit.format(value / unit, value < 99.5 * unit ? 1 : 0)}${name}`;
}

/** Bytes: 0.5 GB. */
const bytes = (value) =>
  value >= 1e8
    ? `${kit.format(value / 1e9, value < 99.5e9 ? 1 : 0)} GB`
    : `${kit.format(value / 1e6, 1)} MB`;

/** The configuration that follows from a preset and the four sizes, as `config` in Python. */
export function build(start, { d_model, n_layers, vocab_size, length }) {
  const group = start.n_heads / start.n_kv_heads;
  const n_kv_heads = Math.max(1, Math.floor(d_model / (start.d_head * group)));
  return {
    ...start,
    ...{ d_model, n_layers, vocab_size, n_kv_heads },
    n_heads: n_kv_heads * group,
    d_ff: Math.floor((d_model * start.d_ff) / start.d_model),
    max_length: Math.max(start.max_length ?? 0, length),
  };
}

/** All that is shown of a configuration. */
export function count(config, T) {
  const parameters = sizes.countParameters(config);
  const { weights, activations } = sizes.trainingBytes(config, T);
  const cache = config.family === "encoder" ? 0 : sizes.cacheBytes(config, T);
  const memory = { weights: 2 * sum(parameters), cache, training: weights, activations };
  return { parameters, operations: sizes.countOperations(config, T), memory };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { presets, limits } = model.get("data");
  const names = Object.keys(presets);
  const steps = (value) =>
    kit.clamp(Math.round(value / limits.step) * limits.step, limits.step, limits.d_model);
  const traits = kit.mount({
    model,
    traits: ["preset", "d_model", "n_layers", "vocab_size", "length"],
    draw,
    checks: {
      preset: kit.oneOf(names),
      d_model: steps,
      n_layers: kit.within(1, limits.n_layers),
      vocab_size: kit.within(2, limits.vocab_size),
      length: kit.within(1, limits.length),
    },
  });
  const { set } = traits;

  const picker = choices.choice({
    label: "Start from",
    options: names.map((name) => [name, presets[name].label]),
    value: traits.get("preset"),
    onChoose(preset) {
      const { d_model, n_layers, vocab_size, max_length } = presets[preset];
      set({ preset, d_model, n_layers, vocab_size, length: max_length ?? limits.usual });
    },
  });
  picker.el.classList.add("mb-presets");

  // The stops of a slider: round numbers, those of the presets, and what Python or a link has set.
  const of = (name) => names.map((preset) => presets[preset][name]);
  const widths = TIMES.map((times) => times * limits.step);
  const lengths = Array.from({ length: 16 }, (_, i) => 2 ** i).filter((T) => T <= limits.length);
  const sliders = [
    ["d_model", "Width D", [...widths, ...of("d_model")]],
    ["n_layers", "Layers", Array.from({ length: limits.n_layers }, (_, i) => i + 1)],
    ["vocab_size", "Words V", [...WORDS, ...of("vocab_size")]],
    ["length", "Tokens of the text T", lengths],
  ].map(([name, label, all]) => {
    const stops = [...new Set(all)].sort(order);
    const slider = kit.slider({ label, onInput: (i) => set({ [name]: stops[i] }) });
    return {
      el: slider.el,
      set(value) {
        if (!stops.includes(value)) stops.push(value);
        const place = stops.sort(order).indexOf(value);
        const text = number(value);
        slider.set({ max: stops.length - 1, value: place, text, label: `${label}: ${text}` });
      },
      name,
    };
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const picture = drawing.stack();

  const lines = PARTS.map(([part, label]) => {
    const fill = h("i", {});
    return {
      part,
      name: h("span", {}, label),
      fill,
      bar: h("span", { class: `mb-bar mb-${part}` }, fill),
      count: h("span", { class: "mb-number" }),
      share: h("span", { class: "mb-number" }),
    };
  });
  const grid = h(
    "div",
    { class: "mb-lines", "aria-hidden": "true" },
    lines.flatMap(({ name, bar, count: n, share }) => [name, bar, n, share]),
  );
  const total = h("p", { class: "mb-total" });
  const facts = h("dl", { class: "mb-facts" });
  const root = kit.card(
    el,
    "Model builder: a model by its sizes, and what it costs",
    prompts.prompt(...PROMPT),
    picker.el,
    h("div", { class: "mb-controls" }, sliders.map((each) => each.el)),
    live.el,
    h("div", { class: "mb-main" }, picture.el, h("div", {}, total, grid, facts)),
    h("div", { class: "pf-row mb-foot" }, table.button),
    table.box,
  );

  let state = now();
  function now() {
    const all = traits.all();
    const config = build(presets[all.preset], all);
    return { ...all, config, ...count(config, all.length) };
  }

  function rows() {
    const { parameters, operations, memory, length, config } = state;
    const cost = sum(operations);
    const reads = kit.many(length, "token");
    return [
      ["To run it, weights", bytes(memory.weights)],
      [`Cache of ${reads}`, config.family === "encoder" ? "none" : bytes(memory.cache)],
      ["To train it, weights and Adam", bytes(memory.training)],
      [`Activations of ${reads}`, bytes(memory.activations)],
      ["Operations for a token", large(cost)],
      ["of these, scores", percent(operations.scores / cost)],
    ];
  }

  function sentence({ parameters, operations, length }) {
    const all = sum(parameters);
    const [part, label] = PARTS.reduce((a, b) => (parameters[b[0]] > parameters[a[0]] ? b : a));
    const most = `Of ${large(all)} parameters most, ${percent(parameters[part] / all)}, sit in `;
    const where = { positions: "the table of positions", attention: "attention" }[part];
    const scores = percent(operations.scores / sum(operations));
    const named = where ?? `the ${label}${part === "feed_forward" ? " layers" : ""}`;
    return `${most}${named}. At ${kit.many(length, "token")} the scores take ${scores} of the arithmetic.`;
  }

  function tables() {
    const { parameters, operations } = state;
    const all = sum(parameters);
    return [
      {
        caption: "Parameters by part",
        columns: ["Part", "#Parameters", "#Share"],
        rows: [
          ...PARTS.map(([part, label]) => [
            label,
            number(parameters[part]),
            percent(parameters[part] / all),
          ]),
          ["all", number(all), "100%"],
        ],
      },
      {
        caption: "Operations for a token",
        columns: ["Part", "#Operations"],
        rows: Object.entries(operations).map(([part, n]) => [part.replace("_", "-"), number(n)]),
      },
    ];
  }

  function draw() {
    state = now();
    const { config, parameters, operations, memory } = state;
    picker.set(state.preset);
    sliders.forEach((slider) => slider.set(state[slider.name]));
    const all = sum(parameters);
    total.textContent = `${number(all)} parameters`;
    lines.forEach(({ part, fill, count: n, share }) => {
      const text = number(parameters[part]);
      if (n.textContent !== text) n.textContent = text;
      share.textContent = percent(parameters[part] / all);
      fill.style.width = `${(100 * parameters[part]) / all}%`;
    });
    facts.replaceChildren(
      ...rows().map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
    picture.set(config);
    root.dataset.counts = JSON.stringify({ parameters, operations, memory });
    live.say(sentence(state));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
