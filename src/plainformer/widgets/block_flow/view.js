// BlockFlow: the stream of six tokens through two encoder layers, and what each sublayer writes.
//
// Here are the controls, the words, and who tells whom; formulas/block.js computes, drawing.js draws.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as formula from "../formulas/block.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = [
  "Switch a sublayer off.",
  "The stream goes straight through: nothing is lost, one term is missing.",
];
const SUBLAYERS = ["attention", "feed-forward", "attention", "feed-forward"]; // the same as in Python
const NORMS = [
  ["pre", "Pre-norm"],
  ["post", "Post-norm"],
  ["none", "No norms"],
];
const LEAST = 3; // a bar's whole height, unless a number is larger

const two = (value) => kit.format(Math.abs(value) < 0.005 ? 0 : value, 2).replace("-", "−");
const sixth = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−");
const place = (row, column, span = 1) => `grid-area: ${row} / ${column} / auto / span ${span}`;
const layerOf = (s) => `layer ${Math.floor(s / 2) + 1}`;
const title = (s) => `${SUBLAYERS[s]} of ${layerOf(s)}`;

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { tokens, features, x, weights, eps } = model.get("data");
  let drawn = {}; // the state that is on the screen
  const checks = {
    norms: kit.oneOf(NORMS.map(([name]) => name)),
    token: kit.within(0, tokens.length - 1),
    sublayer: kit.within(0, SUBLAYERS.length - 1),
  };
  const flags = (list) =>
    list.length === SUBLAYERS.length && list.every((each) => typeof each === "boolean") && list;
  const names = ["on", ...Object.keys(checks)];
  const traits = kit.mount({ model, traits: names, draw, checks, links: { on: flags } });

  const norms = choices.choice({
    label: "Where the norms stand",
    options: NORMS,
    value: traits.get("norms"),
    onChoose: (chosen) => traits.set({ norms: chosen }),
  });
  const look = kit.slider({
    label: "",
    max: SUBLAYERS.length - 1,
    onInput: (sublayer) => traits.set({ sublayer }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);

  // The river: a switch above each column, a row for each token, whose name chooses it.
  const heads = SUBLAYERS.map((name, s) => {
    const input = h("input", {
      type: "checkbox",
      "aria-label": title(s),
      ...kit.OWN_KEYS,
      onchange: () =>
        traits.set({
          on: traits.get("on").map((each, i) => (i === s ? input.checked : each)),
          sublayer: s,
        }),
    });
    const label = h("label", { class: "bf-head", style: place(2, s + 3) }, input, h("span", {}, name));
    return { input, label };
  });
  const picker = choices.choice({
    label: "Token",
    options: tokens.map((token, t) => [String(t), token]),
    value: String(traits.get("token")),
    onChoose: (chosen) => traits.set({ token: Number(chosen) }),
  });
  picker.el.classList.add("bf-tokens");
  picker.el.querySelectorAll("label").forEach((label, t) => (label.style = place(t + 3, 1)));
  const cells = tokens.map((_, token) =>
    [null, ...SUBLAYERS.keys()].map((sublayer, c) =>
      drawing.cell({
        width: features.length,
        style: place(token + 3, c + 2),
        gate: sublayer !== null,
        onPick: () => traits.set(sublayer === null ? { token } : { token, sublayer }),
      }),
    ),
  );
  const river = h(
    "div",
    { class: "bf-river" },
    [1, 2].map((n) => h("span", { class: "bf-layer", style: place(1, 2 * n + 1, 2) }, `layer ${n}`)),
    h("span", { class: "bf-head bf-input", style: place(2, 2) }, h("span", {}, "input")),
    heads.map((each) => each.label),
    picker.el,
    cells.flat().map((each) => each.el),
  );

  // The chosen sublayer's numbers for the chosen token, a line for each feature.
  const span = (kind, text = "") => h("span", { class: kind }, text);
  const lines = features.map(() => Array.from({ length: 4 }, () => span("bf-number")));
  const what = h("p", { class: "bf-what" });
  const note = h("p", { class: "bf-note" });
  const legend =
    `Bars, from left to right: ${features.join(", ")}. ` +
    "Filled: the stream. Hollow: what was just written.";
  const panel = h(
    "div",
    { class: "bf-panel", "aria-hidden": "true" },
    what,
    h(
      "div",
      { class: "bf-numbers" },
      ["", "before", "reads", "writes", "after"].map((name) => span("bf-column", name)),
      lines.flatMap((line, d) => [span("bf-feature", features[d]), ...line]),
    ),
    note,
  );
  kit.card(
    el,
    "Block flow: the stream through two encoder layers",
    prompts.prompt(...PROMPT),
    h("div", { class: "bf-controls" }, norms.el, look.el),
    live.el,
    h(
      "div",
      { class: "bf-main" },
      river,
      h("div", { class: "bf-side" }, panel, h("div", { class: "pf-row bf-foot" }, table.button)),
    ),
    table.box,
  );

  function sentence({ on, norms: where, token, sublayer, steps }) {
    const name = `${title(sublayer)[0].toUpperCase()}${title(sublayer).slice(1)}`;
    const then = where === "post" ? ` Then ${on[sublayer] ? "the sum" : "it"} is normed.` : "";
    if (!on[sublayer]) return `${name} is off: “${tokens[token]}” goes straight on.${then}`;
    const row = steps[sublayer].written[token];
    const said = row.flatMap((each, d) => (two(each) === "0.00" ? [] : [`${features[d]} ${two(each)}`]));
    const added = said.join(", ") || "nothing";
    return `${name} adds to “${tokens[token]}”: ${added}.${then}`;
  }

  function tables() {
    const { steps, token } = drawn;
    const columns = features.map((name) => `#${name}`);
    const line = (rows, t) => rows[t].map(sixth);
    return [
      {
        caption: `“${tokens[token]}”, sublayer by sublayer`,
        columns: ["Sublayer", "What", ...columns],
        rows: [
          ["", "comes in", ...line(x, token)],
          ...steps.flatMap(({ read, written, stream }, s) => [
            [title(s), "reads", ...line(read, token)],
            [title(s), "writes", ...line(written, token)],
            [title(s), "the stream is", ...line(stream, token)],
          ]),
        ],
        current: 3 * drawn.sublayer + 2,
      },
      {
        caption: "What comes out",
        columns: ["Token", ...columns],
        rows: tokens.map((name, t) => [name, ...line(steps.at(-1).stream, t)]),
        current: token,
      },
    ];
  }

  function draw() {
    const state = traits.all();
    const { on, token, sublayer } = state;
    const steps = formula.flow(x, { ...state, weights, eps });
    drawn = { ...state, steps };
    norms.set(state.norms);
    picker.set(String(token));
    look.set({ value: sublayer, text: title(sublayer), label: `Look at: ${title(sublayer)}` });
    heads.forEach(({ input, label }, s) => {
      input.checked = on[s];
      label.classList.toggle("bf-off", !on[s]);
      label.classList.toggle("bf-chosen", s === sublayer);
    });
    const sizes = steps.flatMap(({ written, stream }) => [...written.flat(), ...stream.flat()]);
    const limit = Math.max(LEAST, ...sizes.map(Math.abs));
    cells.forEach((row, t) =>
      row.forEach((each, c) => {
        const step = steps[c - 1];
        each.draw((step ? step.stream : x)[t], step ? step.written[t] : null, limit);
        each.el.classList.toggle("bf-chosen", t === token && c === sublayer + 1);
      }),
    );
    const before = sublayer ? steps[sublayer - 1].stream : x;
    const { read, written, stream } = steps[sublayer];
    river.classList.toggle("bf-gated", state.norms === "post");
    const gates = state.norms === "post" ? " A stroke across the stream: a norm." : "";
    note.textContent = `${legend}${gates} A bar of full height: ${two(limit)}.`;
    what.textContent = `“${tokens[token]}”, ${title(sublayer)}`;
    lines.forEach((line, d) =>
      [before, read, written, stream].forEach((rows, i) => {
        const value = rows[token][d];
        line[i].textContent = two(value);
        line[i].dataset.value = value;
      }),
    );
    live.say(sentence(drawn));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
