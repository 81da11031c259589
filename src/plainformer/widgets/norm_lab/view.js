// NormLab: scale and shift a token, and see what LayerNorm and RMSNorm keep of it.
//
// Here are the controls, the words, and who tells whom; formulas/normalization.js computes,
// drawing.js draws.

import * as kit from "../kit/kit.js";
import * as folds from "../kit/fold.js";
import * as prompts from "../kit/prompt.js";
import * as formula from "../formulas/normalization.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = ["Multiply the token, then add to it.", "LayerNorm forgets both, RMSNorm one of them."];
const FACTORS = [0.25, 0.5, 1, 2];
const [FEATURE, LEARNED, SHIFT] = [4, 2, 4];
const TOKEN = FACTORS.at(-1) * FEATURE + SHIFT; // the largest number that the norms read

const two = (value) => kit.format(Math.abs(value) < 0.005 ? 0 : value, 2).replace("-", "−");
const brief = (value) => String(Number(value.toFixed(2)) + 0).replace("-", "−");
const sixth = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−");
const tenth = (value) => Math.round(10 * value) / 10;
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;
const largest = (values) => Math.max(...values.map(Math.abs));

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { eps, ...data } = model.get("data");
  const names = data.names.map((name, i) => name || `feature ${i + 1}`);
  let drawn = {}; // the state that is on the screen
  const all = (most) => (values) => values.map((each) => kit.clamp(each, -most, most));
  const checks = {
    x: all(FEATURE),
    factor: kit.oneOf(FACTORS),
    shift: kit.within(-SHIFT, SHIFT, { real: true }),
    gamma: all(LEARNED),
    beta: all(LEARNED),
  };
  checks.factor.real = true;
  const many = (check) => (list) =>
    list.length === names.length && list.every(Number.isFinite) && check(list);
  const links = { x: many(checks.x), gamma: many(checks.gamma), beta: many(checks.beta) };
  const traits = kit.mount({ model, traits: Object.keys(checks), draw, checks, links });
  const get = traits.get;
  const put = (trait, i, value) =>
    traits.set({ [trait]: get(trait).map((each, j) => (j === i ? value : each)) });

  const sliders = (trait, most) =>
    names.map((_, i) =>
      kit.slider({
        label: "",
        min: -10 * most,
        max: 10 * most,
        onInput: (tenths) => put(trait, i, tenths / 10),
      }),
    );
  const features = sliders("x", FEATURE);
  const learned = { gamma: sliders("gamma", LEARNED), beta: sliders("beta", LEARNED) };
  const times = kit.slider({
    label: "",
    max: FACTORS.length - 1,
    onInput: (i) => traits.set({ factor: FACTORS[i] }),
  });
  const plus = kit.slider({
    label: "",
    min: -10 * SHIFT,
    max: 10 * SHIFT,
    step: 5,
    onInput: (tenths) => traits.set({ shift: tenths / 10 }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const group = (title, kind, onMove) => drawing.bars({ title, names, kind, text: two, onMove });
  const drag = (i, value) => {
    const feature = (value - get("shift")) / get("factor");
    put("x", i, tenth(kit.clamp(feature, -FEATURE, FEATURE)));
  };
  const token = group("The token", "token", drag);
  const layer = group("LayerNorm", "normed");
  const rms = group("RMSNorm", "normed");
  const els = (list) => list.map((each) => each.el);
  const besides = folds.fold(
    "γ and β",
    h("div", { class: "nl-controls" }, els(learned.gamma)),
    h("div", { class: "nl-controls" }, els(learned.beta)),
  );
  const root = kit.card(
    el,
    "Norm lab: a token, and what two norms make of it",
    prompts.prompt(...PROMPT),
    h("div", { class: "nl-controls nl-all" }, times.el, plus.el),
    live.el,
    h("div", { class: "nl-groups" }, token.el, layer.el, rms.el),
    h("div", { class: "nl-controls nl-features" }, els(features)),
    h(
      "div",
      { class: "pf-row nl-foot" },
      besides,
      h("span", { class: "nl-note" }, "Dashes: times 1, plus 0."),
      table.button,
    ),
    table.box,
  );

  /** What the norms read, and what each makes of it. */
  function norms({ x, factor, shift, gamma, beta }) {
    const read = x.map((each) => factor * each + shift);
    const options = { gamma, beta, eps };
    return [read, formula.layerNorm(read, options), formula.rmsNorm(read, options)];
  }

  function sentence({ factor, shift, gamma, beta, now: [read] }, moved) {
    const row = (values) => `(${values.map(brief).join(", ")})`;
    const plain = gamma.every((each) => each === 1) && beta.every((each) => each === 0);
    const learned = plain ? "" : ` γ is ${row(gamma)}, β is ${row(beta)}.`;
    const what = `Times ${brief(factor)}, plus ${brief(shift)}: ${row(read)}.${learned}`;
    if (factor === 1 && shift === 0) return `${what} That is the token as it is.`;
    const [a, b] = moved.map((by) => (by < 0.005 ? "stay" : `move by up to ${two(by)}`));
    return `${what} LayerNorm’s numbers ${a}, RMSNorm’s ${b}.`;
  }

  function tables() {
    const rows = names.map((name, i) => [
      name,
      ...[drawn.x[i], ...drawn.now.map((row) => row[i]), drawn.gamma[i], drawn.beta[i]].map(sixth),
    ]);
    return [
      {
        caption: "Every feature: as it is, as the norms read it, and what they make of it",
        columns: ["Feature", "#As it is", "#Read", "#LayerNorm", "#RMSNorm", "#γ", "#β"],
        rows,
      },
    ];
  }

  function show(list, values, title) {
    list.forEach((slider, i) => {
      const text = brief(values[i]);
      slider.set({ value: Math.round(10 * values[i]), text, label: `${title(names[i])}: ${text}` });
    });
  }

  function draw() {
    const state = traits.all();
    const now = norms(state);
    const before = norms({ ...state, factor: 1, shift: 0 });
    drawn = { ...state, now };
    const { factor, shift } = state;
    times.set({ value: FACTORS.indexOf(factor), text: brief(factor), label: `All times: ${brief(factor)}` });
    plus.set({ value: Math.round(10 * shift), text: brief(shift), label: `Then plus: ${brief(shift)}` });
    show(features, state.x, (name) => name);
    show(learned.gamma, state.gamma, (name) => `γ, ${name}`);
    show(learned.beta, state.beta, (name) => `β, ${name}`);
    const limit = Math.max(2.5, largest([...now[1], ...now[2], ...before[1], ...before[2]]));
    [token, layer, rms].forEach((each, g) => {
      each.draw(now[g], before[g], g ? limit : TOKEN);
      const size = Math.sqrt(mean(now[g].map((value) => value * value)));
      each.say(`mean ${two(mean(now[g]))}`, `root mean square ${two(size)}`);
    });
    const moved = [1, 2].map((g) => largest(now[g].map((value, i) => value - before[g][i])));
    live.say(sentence(drawn, moved));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
