// SharingLab: four ways to share out a step of training; who holds what, and what is sent when.
//
// A full bar of what is held is all that there is of it, as one process has it. A full bar of what is
// sent is twice the weights.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as sharing from "../formulas/sharing.js";
const { h } = kit;

const PROMPT = [
  "Share out a step: choose a way.",
  "Each way makes some bars shorter, and leaves the others."
];
const LABELS = { one: "One process", accumulate: "Accumulate", ddp: "DDP", fsdp: "FSDP" };
const HELD = [
  ["weights", "weights"],
  ["gradients", "gradients"],
  ["adam", "Adam’s means"],
  ["activations", "activations"],
];
const SENT = [
  ["forward", "forward"],
  ["backward", "backward"],
];
const WHEN = {
  one: ["nothing", "nothing"],
  accumulate: ["nothing", "nothing"],
  ddp: ["nothing", "all-reduce of gradients"],
  fsdp: ["all-gather of weights", "all-gather again, reduce-scatter"],
};

/** Bytes, with the digits that Python's picture has. */
const bytes = (size) =>
  size === 0 ? "0 GB" : `${kit.format(size / 1e9, size < 9.95e9 ? 2 : 0)} GB`;

/** A large number in words: 124 million. */
function large(value) {
  const [unit, name] = value < 1e9 ? [1e6, "million"] : [1e9, "billion"];
  return `${kit.format(value / unit, value < 99.5 * unit ? 1 : 0)} ${name}`;
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { models, batch } = model.get("data");
  const names = Object.keys(models);
  const stops = Array.from({ length: batch }, (_, i) => i + 1).filter((n) => batch % n === 0);
  const whole = (parts) => (stops.includes(parts) ? parts : 1);
  const traits = kit.mount({
    model,
    traits: ["how", "parts", "model"],
    draw,
    checks: { how: kit.oneOf(Object.keys(LABELS)), parts: whole, model: kit.oneOf(names) },
  });
  const { get, set } = traits;

  const ways = choices.choice({
    label: "Way",
    options: Object.entries(LABELS),
    value: get("how"),
    onChoose: (how) => set({ how }),
  });
  const parts = kit.slider({
    label: "Parts",
    max: stops.length - 1,
    onInput: (i) => set({ parts: stops[i] }),
  });
  const sizes = kit.slider({
    label: "Model",
    max: names.length - 1,
    onInput: (i) => set({ model: names[i] }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);

  function bars(kinds) {
    const lines = kinds.map(([part, label]) => {
      const fill = h("i", {});
      const size = h("span", { class: "sh-size" });
      const bar = h("span", { class: `sh-bar sh-${part}` }, fill);
      return { part, fill, size, cells: [h("span", {}, label), bar, size] };
    });
    const cells = lines.flatMap((line) => line.cells);
    return { lines, el: h("div", { class: "sh-lines", "aria-hidden": "true" }, cells) };
  }
  const held = bars(HELD);
  const sent = bars(SENT);
  const when = SENT.map(([, label]) => {
    const text = h("span", {});
    return { text, el: h("p", { class: "sh-when" }, h("b", {}, `${label}: `), text) };
  });
  const extra = h("p", { class: "sh-when sh-two" });
  const work = h("p", { class: "sh-when" });
  const side = (title, ...rest) =>
    h("div", { class: "sh-side" }, h("p", { class: "sh-title" }, title), ...rest);
  const root = kit.card(
    el,
    "Sharing lab: who holds what, and what is sent",
    prompts.prompt(...PROMPT),
    h("div", { class: "sh-ways" }, ways.el),
    h("div", { class: "sh-controls" }, parts.el, sizes.el),
    live.el,
    h(
      "div",
      { class: "sh-main" },
      side("Each process holds (full bar: all of it)", held.el, extra),
      side("Each sends in a step", sent.el, ...when.map((each) => each.el), work),
    ),
    h("div", { class: "pf-row sh-foot" }, table.button),
    table.box,
  );

  const costsOf = (how, n = get("parts")) => sharing.shareOut(models[get("model")], batch, how, n);

  function sentence(costs) {
    const { how, parts: n, model: name } = traits.all();
    const { label, parameters } = models[name];
    const several = how === "ddp" || how === "fsdp";
    const who = {
      one: "one process reads all",
      accumulate: `one process reads ${kit.many(batch / n, "text")} at a time, ${kit.many(n, "time")}`,
    };
    const these = n === 1 ? "one process reads" : `${n} processes read`;
    const each = `${these} ${kit.many(batch / n, "text")} each`;
    const fixed = bytes(costs.weights + costs.gradients + costs.adam);
    const holds = `${fixed} for ${large(parameters)} parameters and ${bytes(costs.activations)} of activations`;
    const total = costs.forward + costs.backward;
    const sends = total ? `sends ${bytes(total)} in a step` : "sends nothing";
    return `${LABELS[how]}, ${label}: of ${batch} texts, ${several ? each : who[how]}. A process holds ${holds}, and ${sends}.`;
  }

  function tables() {
    const all = Object.keys(LABELS).map((how) => [how, costsOf(how)]);
    return [
      {
        caption: "What each process holds and sends, by each way",
        columns: ["What", ...Object.values(LABELS).map((name) => `#${name}`)],
        rows: [...HELD, ["collected", "whole weights, for a moment"], ...SENT].map(([part, label]) => [
          SENT.some(([each]) => each === part) ? `sent ${label}` : label,
          ...all.map(([, costs]) => bytes(costs[part])),
        ]),
      },
    ];
  }

  function fill({ lines }, costs, most) {
    for (const { part, fill: bar, size } of lines) {
      bar.style.width = `${(100 * costs[part]) / most(part)}%`;
      size.textContent = bytes(costs[part]);
    }
  }

  function draw() {
    const { how, parts: n, model: name } = traits.all();
    const costs = costsOf(how);
    ways.set(how);
    parts.el.hidden = how === "one";
    const label = how === "accumulate" ? "Turns" : "Processes";
    parts.set({ value: stops.indexOf(n), text: String(n), label: `${label}: ${n}` });
    const { label: called, parameters } = models[name];
    const text = `${called}, ${large(parameters)} parameters`;
    sizes.set({ value: names.indexOf(name), text, label: `Model: ${called}` });
    const one = costsOf("one");
    fill(held, costs, (part) => one[part]);
    fill(sent, costs, () => 8 * parameters);
    WHEN[how].forEach((words, i) => (when[i].text.textContent = n > 1 ? words : "nothing"));
    extra.textContent = costs.collected
      ? `and, while a layer computes, its whole weights and the tables’: ${bytes(costs.collected)}`
      : "";
    work.textContent = `It computes ${kit.format(costs.operations / 1e12, costs.operations < 99.5e12 ? 1 : 0)} · 10¹² operations.`;
    root.dataset.costs = JSON.stringify(costs);
    live.say(sentence(costs));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
