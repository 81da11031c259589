// ScheduleLab: four schedules under the same sliders, and the rate that each has at a step.
//
// Here are the controls, the words, and who tells whom; formulas/schedules.js computes, drawing.js
// draws.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as schedules from "../formulas/schedules.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = ["Choose a schedule.", "All rise alike; each comes down in its own way."];
const NAMES = {
  constant: "Constant",
  step: "Step decay",
  cosine: "Cosine",
  inverse: "Inverse square root",
};
const KINDS = Object.keys(NAMES);
// Those first on which the range of others depends.
const TRAITS = ["schedule", "total", "peak", "warmup", "every", "factor", "floor", "step"];
const OWN = { every: "step", factor: "step", floor: "cosine" }; // a slider of one schedule alone
const [LEAST, MOST] = [1e-6, 1];
const PEAKS = [-5, -4, -3, -2].flatMap((power) =>
  [1, 1.5, 2, 3, 5, 7].map((digit) => Number(`${digit}e${power}`)),
);
const TOTALS = [100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];
const ROWS = 10; // of the table, besides the steps that matter

const short = (rate) => String(Number(rate.toPrecision(3)));
const exact = (rate) => String(Number(rate.toPrecision(7)));
const percent = (share) => `${Number((100 * share).toPrecision(6))}%`;
const whole = (number) => kit.format(number);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let drawn; // the state that is on the screen
  const checks = {
    schedule: kit.oneOf(KINDS),
    total: kit.within(2, 1e6),
    peak: kit.within(LEAST, MOST, { real: true }),
    warmup: kit.within(0, () => get("total") - 1),
    every: kit.within(1, () => get("total")),
    factor: kit.within(0.01, 1, { real: true }),
    floor: kit.within(0, 1, { real: true }),
    step: kit.within(0, () => get("total")),
  };
  const traits = kit.mount({ model, traits: TRAITS, draw, checks });
  const { get, set } = traits;

  const rates = Object.fromEntries(KINDS.map((kind) => [kind, h("span", { class: "sl-rate" })]));
  const kinds = choices.choice({
    label: "Schedule",
    options: KINDS.map((kind) => [
      kind,
      h(
        "span",
        { class: "sl-kind" },
        h("span", { class: "sl-name" }, drawing.sample(kind), NAMES[kind]),
        rates[kind],
      ),
    ]),
    value: get("schedule"),
    onChoose: (schedule) => set({ schedule }),
  });

  /** A slider over some values, and over the one that Python has set besides. */
  function listed(trait, values) {
    const all = [...values];
    const slider = kit.slider({ label: "", onInput: (i) => set({ [trait]: all[i] }) });
    const place = (value) => {
      if (!all.includes(value)) all.push(value), all.sort((a, b) => a - b);
      return { max: all.length - 1, value: all.indexOf(value) };
    };
    return { el: slider.el, set: (value, more) => slider.set({ ...place(value), ...more }) };
  }

  /** A slider over numbers from min on; one unit is a `part` of the trait's. */
  function counted(trait, { min = 0, max = 1, part = 1 } = {}) {
    const onInput = (units) => set({ [trait]: units / part });
    const slider = kit.slider({ label: "", min, max, onInput });
    return {
      el: slider.el,
      set: (value, more) => slider.set({ ...more, value: Math.round(value * part) }),
    };
  }

  const sliders = {
    step: counted("step"),
    peak: listed("peak", PEAKS),
    warmup: counted("warmup"),
    total: listed("total", TOTALS),
    floor: counted("floor", { max: 100, part: 100 }),
    factor: counted("factor", { min: 1, max: 100, part: 100 }),
    every: counted("every", { min: 1 }),
  };
  const { step: at, ...others } = sliders;
  const chart = drawing.chart(KINDS);
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const root = kit.card(
    el,
    "Schedule lab: the learning rate of every step",
    prompts.prompt(...PROMPT),
    h("div", { class: "sl-kinds" }, kinds.el),
    live.el,
    chart.el,
    h("div", { class: "sl-at" }, at.el),
    h("div", { class: "sl-controls" }, Object.values(others).map((each) => each.el)),
    h("div", { class: "pf-row sl-foot" }, table.button),
    table.box,
  );

  /** The state, with the floor as a rate, and what each schedule gives at a step. */
  function now() {
    const state = traits.all();
    const settings = { ...state, floor: state.floor * state.peak };
    return { ...state, settings, rate: (kind, step) => schedules.rate(kind, step, settings) };
  }

  function sentence({ schedule, peak, warmup, total, floor, factor, every, step, rate }) {
    const up = warmup
      ? `up to ${short(peak)} in ${kit.many(warmup, "step")}`
      : `at ${short(peak)} from the first step`;
    const then = {
      constant: `and there it stays, for ${whole(total)} steps`,
      step: `then times ${short(factor)} every ${kit.many(every, "step")}, until step ${whole(total)}`,
      cosine: `then down to ${percent(floor)} of it at step ${whole(total)}`,
      inverse: `then down with the root of the step, for ${whole(total)} steps`,
    };
    const here = `At step ${whole(step)} the rate is ${short(rate(schedule, step))}`;
    return `${NAMES[schedule]}: ${up}, ${then[schedule]}. ${here}.`;
  }

  function tables() {
    const { step, warmup, total, rate } = drawn;
    const even = Array.from({ length: ROWS + 1 }, (_, i) => Math.round((i * total) / ROWS));
    const steps = [...new Set([...even, warmup, step])].sort((a, b) => a - b);
    return [
      {
        caption: "The learning rate at some steps, by each schedule",
        columns: ["#Step", ...KINDS.map((kind) => `#${NAMES[kind]}`)],
        rows: steps.map((each) => [whole(each), ...KINDS.map((kind) => exact(rate(kind, each)))]),
        current: steps.indexOf(step),
      },
    ];
  }

  function drawControls({ schedule, peak, warmup, total, floor, factor, every, step }) {
    for (const [trait, kind] of Object.entries(OWN)) sliders[trait].el.hidden = kind !== schedule;
    kinds.set(schedule);
    const show = (trait, value, name, text, more) =>
      sliders[trait].set(value, { text, label: `${name}: ${text}`, ...more });
    const steps = (count) => ({ text: kit.many(count, "step") });
    show("step", step, "Look at step", `${whole(step)} of ${whole(total)}`, { max: total });
    show("peak", peak, "Peak", short(peak));
    show("warmup", warmup, "Warm-up", whole(warmup), { ...steps(warmup), max: total - 1 });
    show("total", total, "Steps in all", whole(total), steps(total));
    show("floor", floor, "Floor", percent(floor));
    show("factor", factor, "Factor", short(factor));
    show("every", every, "Every", whole(every), { ...steps(every), max: total });
  }

  function draw() {
    drawn = now();
    const { schedule: kind, settings, step, rate } = drawn;
    drawControls(drawn);
    for (const each of KINDS) rates[each].textContent = short(rate(each, step));
    root.dataset.rates = KINDS.map((each) => rate(each, step)).join(" ");
    chart.draw({ kind, settings, step, rate });
    live.say(sentence(drawn));
    table.update();
  }

  const stop = traits.start(live, table);
  traits.set({}); // a link may have brought a shorter run: what lies beyond its end moves to it
  return stop;
}

export default { render };
