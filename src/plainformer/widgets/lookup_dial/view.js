// LookupDial: turn a query among keys, and see what comes back.
//
// Here are the controls, the words, and who tells whom; formulas/lookup.js computes, drawing.js draws.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as equations from "../kit/equations.js";
import * as formula from "../formulas/lookup.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = [
  "Turn the query.",
  "The answer moves towards the values of the keys that it points at.",
];
const SHARPEST = 100; // the longest query; the same as in Python
const NAMES = ["vectors", "values", "angle", "sharpness", "hard"];
const [TENTH, TOP] = [-20, 40]; // places of the sharpness slider: 10^(place / 20), from 0.1 to 100
const AROUND = Array.from({ length: 361 }, (_, turn) => 90 - (turn - 180)); // as the slider turns

const EVERY_15 = Array.from({ length: 24 }, (_, i) => 15 * i); // directions in the table

const two = (value) => kit.format(Math.abs(value) < 0.005 ? 0 : value, 2).replace("-", "−");
const brief = (value) => String(Number(value.toFixed(2)) + 0).replace("-", "−");
const sixth = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−");
const several = (value, show) =>
  value.length === 1 ? show(value[0]) : `[${value.map(show).join(", ")}]`;

/** The place of a sharpness on its slider, and back: 0 at the left end, then a scale of powers. */
const place = (sharpness) =>
  sharpness > 0 ? Math.max(TENTH, Math.round(20 * Math.log10(sharpness))) : TENTH - 1;
const sharpnessAt = (at) => (at < TENTH ? 0 : Number((10 ** (at / 20)).toPrecision(2)));

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { labels, unit, parts } = model.get("data");
  const width = model.get("values")[0].length;
  const one = width === 1; // a number for each key
  const names = parts.length ? parts : Array.from({ length: width }, (_, c) => `Value ${c}`);
  const behind = unit ? ` ${unit}` : "";
  let drawn = {}; // the state that is on the screen
  const around = (angle) => ((angle % 360) + 360) % 360;
  const real = { real: true };
  const checks = {
    angle: Object.assign(around, real),
    sharpness: kit.within(0, SHARPEST, real),
  };
  const traits = kit.mount({ model, traits: NAMES, draw, checks });

  const turn = kit.slider({
    label: "",
    min: -180,
    max: 179,
    onInput: (clockwise) => traits.set({ angle: 90 - clockwise }),
  });
  turn.el.classList.add("dial-turn");
  const sharp = kit.slider({
    label: "",
    min: TENTH - 1,
    max: TOP,
    onInput: (at) => traits.set({ sharpness: sharpnessAt(at) }),
  });
  const mode = choices.choice({
    label: "Which values come back",
    options: [
      ["soft", "Soft: mix all"],
      ["hard", "Hard: best only"],
    ],
    value: traits.get("hard") ? "hard" : "soft",
    onChoose: (chosen) => traits.set({ hard: chosen === "hard" }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  table.box.classList.add("dial-tables");
  const dial = drawing.dial({ labels, onTurn: (angle) => traits.set({ angle }) });
  const chart = drawing.chart({ names: one ? [] : names });

  // One line for each key: its score, a bar as long as its weight, its value.
  const span = (kind, text = "") => h("span", { class: `dial-${kind}` }, text);
  const lines = labels.map((label) => {
    const fill = h("i", {});
    return {
      name: span("name", label),
      score: span("score"),
      fill,
      bar: h("span", { class: "dial-bar" }, fill),
      weight: span("weight"),
      value: span(one ? "value dial-value-one" : "value"),
    };
  });
  const heads = [
    span("head", "key"),
    span("head dial-right", "score"),
    span("head dial-wide", "weight"),
    span("head dial-right", "value"),
  ];
  const grid = h(
    "div",
    { class: "dial-lines", "aria-hidden": "true" },
    heads,
    lines.flatMap(({ name, score, bar, weight, value }) => [name, score, bar, weight, value]),
  );
  const sum = h("p", { class: "dial-sum" });
  const root = kit.card(
    el,
    "Lookup dial: a query turned among keys",
    prompts.prompt(...PROMPT),
    h("div", { class: "dial-controls" }, turn.el, sharp.el, mode.el),
    live.el,
    h(
      "div",
      { class: "dial-main" },
      dial.el,
      h("div", {}, grid, sum, chart.el),
    ),
    h("div", { class: "pf-row dial-foot" }, table.button),
    table.box,
  );

  if (parts.length) root.classList.add("dial-wordy");

  const now = () => ({ ...traits.all(), ...formula.lookup(traits.all()) });

  /** The two keys that count most, by name. */
  function leaders({ weights }) {
    const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a] || a - b);
    return order.slice(0, 2);
  }

  function sentence(state) {
    const { angle, sharpness, hard, weights, best, ties } = state;
    const named = parts.map((name, c) => `${name} ${two(state.answer[c])}`);
    const result = `${parts.length ? named.join(", ") : several(state.answer, two)}${behind}`;
    const at = `At ${brief(angle)}°`;
    if (hard) {
      const first = `“${labels[best]}”`;
      const alike = `${ties} keys fit alike, and the first of them, ${first},`;
      const who = ties > 1 ? alike : `${first} fits best and`;
      return `${at}, hard: ${who} takes all. Its value comes back: ${result}.`;
    }
    const [first, second] = leaders(state).map(
      (i) => `“${labels[i]}” counts ${two(weights[i])}`,
    );
    const [who, what] =
      sharpness === 0
        ? [`all keys count alike, ${two(weights[0])}`, "mean"]
        : [`${first}, ${second}`, "mixture"];
    return `${at}, sharpness ${brief(sharpness)}: ${who}. The ${what} comes back: ${result}.`;
  }

  function tables() {
    const { vectors, values, scores, weights, answer: found } = drawn;
    const heads = (one && !parts.length ? ["Value"] : names).map((name) => `#${name || "Value"}`);
    const columns = ["Key", "#x", "#y", "#Score", "#Weight", ...heads];
    const rows = labels.map((label, i) =>
      [label, ...[...vectors[i], scores[i], weights[i], ...values[i]].map(sixth)],
    ); // prettier-ignore
    const total = sixth(weights.reduce((all, each) => all + each, 0));
    return [
      {
        caption: "Every key, its score, its weight and its value; then what comes back",
        columns,
        rows: [...rows, ["comes back", "", "", "", total, ...found.map(sixth)]],
        current: drawn.best,
      },
      {
        caption: "What comes back when the query points elsewhere",
        columns: ["Query at", ...heads],
        rows: EVERY_15.map((angle) => {
          const there = formula.lookup({ ...drawn, angle });
          return [`${angle}°`, ...there.answer.map(sixth)];
        }),
      },
    ];
  }

  function drawSum({ weights, values, answer: found }) {
    const mean = (all) =>
      found.map((_, c) => weights.reduce((s, __, i) => s + all[i] * all[at(i, c)], 0));
    const at = (i, c) => weights.length + i * width + c;
    const given = [...weights, ...values.flat()];
    const { decimals: [few, last], sign } = equations.equation(given, [[found, mean]]);
    const inBrackets = (value) => {
      const text = several(value, (each) => equations.text(each, few));
      return one && value[0] < 0 ? `(${text})` : text;
    };
    const terms = weights.flatMap((weight, i) => [
      i ? " + " : "",
      h(
        "span",
        { class: one && "dial-term" },
        h("span", { class: "dial-w" }, equations.fixed(weight, few)),
        " · ",
        h("span", { class: "dial-v" }, inBrackets(values[i])),
      ),
    ]);
    const total = `${several(found, (each) => equations.fixed(each, last))}${behind}`;
    sum.replaceChildren(...terms, ` ${sign} `, h("b", { class: one && "dial-term" }, total));
  }

  function draw() {
    const before = drawn;
    const state = (drawn = now());
    const { vectors, values, angle, sharpness, hard, scores, weights } = state;
    const changed = (...names) =>
      names.some((name) => JSON.stringify(state[name]) !== JSON.stringify(before[name]));

    const clockwise = 90 - (angle > 270 ? angle - 360 : angle); // from straight up
    turn.set({
      value: Math.round(clockwise),
      text: `${brief(angle)} degrees`,
      label: `Query points at ${brief(angle)}°`,
    });
    sharp.set({
      value: place(sharpness),
      text: sharpness ? brief(sharpness) : "0, all alike",
      label: `Sharpness, its length: ${brief(sharpness)}`,
    });
    sharp.input.disabled = hard;
    mode.set(hard ? "hard" : "soft");

    if (changed("vectors")) dial.keys(vectors);
    const length = (place(sharpness) - TENTH + 1) / (TOP - TENTH + 1);
    dial.point(angle, hard ? 1 : length, weights);
    lines.forEach(({ score, fill, weight, value }, i) => {
      score.textContent = two(scores[i]);
      score.dataset.value = scores[i];
      fill.style.width = `${100 * weights[i]}%`;
      weight.textContent = two(weights[i]);
      weight.dataset.value = weights[i];
      value.textContent = `${several(values[i], brief)}${behind}`;
    });
    drawSum(state);
    root.dataset.answer = state.answer.join(" ");

    if (changed("vectors", "values", "sharpness", "hard")) {
      const found = AROUND.map((each) => formula.lookup({ ...state, angle: each }).answer);
      chart.curves(found, { vectors, values });
      root.dataset.answers = found.map((each) => each.join(" ")).join(" ");
    }
    chart.mark(clockwise, state.answer);
    live.say(sentence(state));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
