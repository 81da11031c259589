// GradientFlow: nudge one number of attention and see which others move; or, backward, see how fast
// the loss grows with each of them.
//
// flow.js computes, words.js speaks, map.js draws the matrices; here are the controls.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as flow from "./flow.js";
import * as words from "./words.js";
import * as maps from "./map.js";
const { h } = kit;

const PROMPT = ["Nudge a number.", "A weight moves alone; a score moves the weights of its whole row."];
const FARTHEST = 1; // the farthest nudge
const HUNDREDTHS = 100; // steps of the slider in 1
const VIEWS = [
  ["numbers", "Numbers"],
  ["forward", "Forward: changes"],
  ["backward", "Backward: gradients"],
];

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const numbers = flow.forward(data);
  let pointed = null; // the number under the mouse
  let drawn = {}; // the state that is on the screen
  const last = (count) => () => count(numbers[traits.get("matrix")]) - 1;
  const traits = kit.mount({
    model,
    traits: ["view", "matrix", "row", "column", "nudge", "target"],
    draw,
    checks: {
      row: kit.within(0, last((rows) => rows.length)),
      column: kit.within(0, last((rows) => rows[0].length)),
      nudge: kit.within(-FARTHEST, FARTHEST, { real: true }),
      target: kit.within(0, data.wanted.length - 1, { open: true }),
    },
    links: {
      view: kit.oneOf(VIEWS.map(([view]) => view)),
      matrix: kit.oneOf(flow.NAMES.filter((each) => each !== "loss")),
    },
  });
  const { set } = traits;

  const views = choices.choice({
    label: "Show",
    options: VIEWS,
    value: traits.get("view"),
    onChoose: (view) => set({ view }),
  });
  const targets = choices.choice({
    label: "Changes and gradients of",
    options: [["null", "loss"], ...data.wanted.map((_, d) => [String(d), `output ${d}`])],
    value: String(traits.get("target")),
    onChoose: (chosen) => set({ target: chosen === "null" ? null : Number(chosen) }),
  });
  const slider = kit.slider({
    label: "",
    min: -FARTHEST * HUNDREDTHS,
    max: FARTHEST * HUNDREDTHS,
    onInput: (steps) => set({ nudge: steps / HUNDREDTHS }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(() => words.tables(drawn));
  const map = maps.map({
    numbers,
    data,
    onPoint(cell) {
      if (JSON.stringify(cell) === JSON.stringify(pointed)) return;
      pointed = cell;
      traits.redraw();
    },
    onKeep: set,
  });
  const name = h("strong", {});
  const rest = h("span", {});
  kit.card(
    el,
    "Nudge one number: which others move?",
    prompts.prompt(...PROMPT),
    h(
      "div",
      { class: "gf-controls" },
      views.el,
      h("div", { class: "gf-target" }, h("span", { "aria-hidden": "true" }, "of"), targets.el),
    ),
    h("div", { class: "gf-controls" }, slider.el, table.button),
    live.el,
    map.el,
    h("p", { class: "gf-reading" }, name, ": ", rest),
    table.box,
  );

  function draw() {
    const { view, nudge, target, matrix, row, column } = traits.all();
    const chosen = { matrix, row, column };
    const nudged = flow.forward(data, { ...chosen, by: nudge });
    const now = {
      ...{ data, view, nudge, target, chosen, numbers, nudged },
      changes: flow.changes(numbers, nudged),
      gradients: flow.backward(numbers, data, target),
    };
    drawn = now;
    const shown = { numbers: nudged, forward: now.changes, backward: now.gradients }[view];
    views.set(view);
    targets.set(String(target));
    const by = words.number(nudge, true);
    slider.set({
      value: Math.round(nudge * HUNDREDTHS),
      text: `by ${by}`,
      label: `Nudge ${words.nameOf(chosen, data)} by ${by}`,
    });
    map.set(shown, view !== "numbers");
    map.mark(chosen, (cell) => words.reading(now, cell).join(": "));
    [name.textContent, rest.textContent] = words.reading(now, pointed ?? chosen);
    live.say(words.sentence(now));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
