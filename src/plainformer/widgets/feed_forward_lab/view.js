// FeedForwardLab: drag a vector, and see which units are on and what the layer gives.
//
// Here are the controls, the words, and who tells whom; formulas/feed_forward.js computes, drawing.js
// draws.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as choices from "../kit/choice.js";
import * as equations from "../kit/equations.js";
import * as formula from "../formulas/feed_forward.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = ["Drag the point.", "With ReLU, a unit has its say on one side of its line, and is silent on the other."];
const CHOICES = [
  ["relu", "ReLU"],
  ["gelu", "GELU"],
  ["silu", "SiLU"],
  ["none", "No activation"],
];

const two = (value) => kit.format(Math.abs(value) < 0.005 ? 0 : value, 2).replace("-", "−");
const brief = (value) => String(Number(value.toFixed(2)) + 0).replace("-", "−");
const sixth = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−");
const pair = (value, show) => `(${value.map(show).join(", ")})`;
const list = (names) => names.join(", ").replace(/, (?=[^,]*$)/, " and ");

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const { w_up, b_up, w_down, units, names, points, span } = data;
  const features = data.features.map((feature, c) => feature || ["first", "second"][c]);
  const [low, high] = span;
  let drawn = {}; // the state that is on the screen
  const inPlane = (x) => x.map((each) => kit.clamp(each, low, high));
  const checks = { x: inPlane, activation: kit.oneOf(CHOICES.map(([name]) => name)) };
  const links = { x: (list) => list.length === 2 && list.every(Number.isFinite) && inPlane(list) };
  const traits = kit.mount({ model, traits: ["x", "activation"], draw, checks, links });
  const x = () => traits.get("x");

  const sliders = features.map((feature, c) =>
    kit.slider({
      label: "",
      min: Math.ceil(10 * low),
      max: Math.floor(10 * high),
      onInput: (tenths) => traits.set({ x: x().map((each, i) => (i === c ? tenths / 10 : each)) }),
    }),
  );
  const activations = choices.choice({
    label: "Activation",
    options: CHOICES,
    value: traits.get("activation"),
    onChoose: (activation) => traits.set({ activation }),
  });
  const picker = choices.choice({
    label: "Take the vector of",
    options: names.map((name, i) => [String(i), name]),
    value: "",
    onChoose: (i) => traits.set({ x: points[i] }),
  });
  picker.el.classList.add("ff-points");
  picker.el.hidden = names.length === 0;
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const plane = drawing.plane({ data, onMove: (to) => traits.set({ x: to }) });

  // The most that a unit says anywhere on the plane: the length of a whole bar.
  const corners = [low, high].flatMap((a) => [low, high].map((b) => [a, b]));
  const all = corners.flatMap((corner) =>
    formula.feedForward({ ...data, x: corner, activation: "none" }).wide,
  ); // prettier-ignore
  const most = Math.max(1e-9, ...all.map(Math.abs));

  // One line for each unit: what it says, what the activation leaves, a bar of it, its row of W_down.
  const cell = (kind, text = "") => h("span", { class: `ff-${kind}` }, text);
  const lines = units.map((unit, i) => {
    const fill = h("i", {});
    return {
      name: h("span", { class: "ff-unit" }, h("b", {}, `${i + 1}`), ` ${unit}`),
      wide: cell("wide"),
      fill,
      bar: h("span", { class: "ff-bar" }, fill),
      hidden: cell("hidden"),
      row: cell("row", pair(w_down[i], brief)),
    };
  });
  const heads = [
    cell("head", "unit"),
    cell("head ff-right", "before"),
    cell("head ff-two", "after"),
    cell("head ff-right", "its row"),
  ];
  const grid = h(
    "div",
    { class: "ff-lines", "aria-hidden": "true" },
    heads,
    lines.flatMap(({ name, wide, bar, hidden, row }) => [name, wide, bar, hidden, row]),
  );
  const sum = h("p", { class: "ff-sum" });
  const root = kit.card(
    el,
    "Feed-forward lab: a vector and the units that it switches on",
    prompts.prompt(...PROMPT),
    picker.el,
    h("div", { class: "ff-controls" }, sliders.map((each) => each.el), activations.el),
    live.el,
    h("div", { class: "ff-main" }, plane.el, h("div", {}, grid, sum)),
    h("div", { class: "pf-row ff-foot" }, table.button),
    table.box,
  );

  const now = () => {
    const state = traits.all();
    return { ...state, ...formula.feedForward({ ...data, ...state }) };
  };

  function sentence({ x: at, wide, output, activation }) {
    const place = features.map((feature, c) => `${feature} ${brief(at[c])}`).join(", ");
    const gives = `The layer gives ${pair(output, two)}.`;
    if (activation === "none") return `At ${place}, with no activation, every unit counts. ${gives}`;
    const on = wide.flatMap((each, i) => (each > 0 ? [String(i + 1)] : []));
    const which = on.length ? `on: ${list(on)} of ${units.length}` : "no unit is on";
    const [, word] = CHOICES.find(([name]) => name === activation);
    return `At ${place}, with ${word}, ${which}. ${gives}`;
  }

  function tables() {
    const { wide, hidden, output } = drawn;
    const columns = ["Unit", ...features.map((each) => `#times ${each}`), "#plus"];
    const rows = units.map((unit, i) => [
      unit,
      ...[w_up[0][i], w_up[1][i], b_up[i], wide[i], hidden[i], ...w_down[i]].map(sixth),
    ]);
    return [
      {
        caption: "Every unit: what it says, what the activation leaves, its row; then what the layer gives",
        columns: [...columns, "#Before", "#After", ...features.map((each) => `#${each}`)],
        rows: [...rows, ["the layer gives", "", "", "", "", "", ...output.map(sixth)]],
      },
    ];
  }

  const inBrackets = (text) => (text.startsWith("−") ? `(${text})` : text);

  function drawSum({ hidden, output }) {
    const count = hidden.length;
    const weighted = (all) =>
      [0, 1].map((c) => hidden.reduce((s, _, i) => s + all[i] * all[count + 2 * i + c], 0));
    const given = [...hidden, ...w_down.flat()];
    const { decimals: [few, last], sign } = equations.equation(given, [[output, weighted]]); // prettier-ignore
    const terms = hidden.flatMap((each, i) => [
      i ? " + " : "",
      h(
        "span",
        { class: "ff-term" },
        h("span", { class: "ff-h" }, inBrackets(equations.fixed(each, few))),
        " · ",
        h("span", { class: "ff-v" }, pair(w_down[i], (n) => equations.text(n, few))),
      ),
    ]);
    const total = pair(output, (each) => equations.fixed(each, last));
    sum.replaceChildren(...terms, ` ${sign} `, h("b", { class: "ff-term" }, total));
  }

  function draw() {
    const state = (drawn = now());
    const { x: at, activation, wide, hidden } = state;
    sliders.forEach((slider, c) => {
      slider.set({ value: Math.round(10 * at[c]), text: brief(at[c]) });
      slider.label.textContent = `${features[c]}: ${brief(at[c])}`;
    });
    activations.set(activation);
    picker.set(String(points.findIndex((point) => point.every((each, c) => each === at[c]))));
    const on = wide.map((each) => activation === "none" || each > 0);
    plane.point(at, on);
    lines.forEach((line, i) => {
      line.wide.textContent = two(wide[i]);
      line.wide.dataset.value = wide[i];
      line.hidden.textContent = two(hidden[i]);
      line.hidden.dataset.value = hidden[i];
      line.name.classList.toggle("ff-on", on[i]);
      const share = (50 * Math.abs(hidden[i])) / most;
      line.fill.style.width = `${share}%`;
      line.fill.style.left = `${hidden[i] < 0 ? 50 - share : 50}%`;
    });
    drawSum(state);
    root.dataset.output = state.output.join(" ");
    live.say(sentence(state));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
