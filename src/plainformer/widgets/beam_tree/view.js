// BeamTree: a beam search that grows step by step, and the ranking of what it finished.
//
// Back, Next, Play and a slider go through the steps; the node that has the focus tells its path;
// the slider of α ranks the finished texts anew. tree.js computes, words.js speaks, drawing.js
// draws the tree; here are the controls and the ranking.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as steps from "../kit/steps.js";
import * as math from "./tree.js";
import * as words from "./words.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = [
  "Press Next.",
  "Only the best few beams go on, and the largest first step need not win.",
];
const PACE = 2600; // milliseconds a step stays while it plays
const MAX_ALPHA = 2; // as in Python
const ALPHA_LIMIT = 10; // either side of zero; the same as in Python
const FINE = 20; // stops of the slider from 0 to 1
const TRAITS = ["step", "length_penalty", "node"];
const LEGEND =
  "In each box: the token, its probability, the logarithm of it, and Σ, the sum from the prompt " +
  "on. Thick line: kept, and continued. Dashed and struck: died. Double line: finished. The " +
  "heavy way leads to the best finished so far.";

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const nodes = math.plant(data);
  const last = data.more.length;
  const isShown = (id) => nodes.some((node) => node.id === id) && id;
  const traits = kit.mount({
    model,
    traits: TRAITS,
    draw,
    checks: { step: kit.within(0, last) },
    links: {
      length_penalty: kit.within(-ALPHA_LIMIT, ALPHA_LIMIT, { real: true }),
      node: Object.assign(isShown, { open: true }),
    },
  });
  const { set } = traits;
  let drawn = null; // the state that is on the screen

  const at = () => traits.get("step");
  const walk = steps.controls({
    atStart: () => at() === 0,
    atEnd: () => at() === last,
    goBack: () => set({ step: at() - 1 }),
    goOn: () => set({ step: at() + 1 }),
    startOver: () => set({ step: 0 }),
    pace: PACE,
  });
  const onInput = (name) => walk.halting((value) => set({ [name]: value }));
  const stepper = kit.slider({ label: "Step", max: last, onInput: onInput("step") });
  const alphas = kit.slider({
    label: "α",
    min: 0,
    max: MAX_ALPHA,
    step: 1 / FINE,
    onInput: onInput("length_penalty"),
  });
  const forest = drawing.forest({
    nodes,
    data,
    onChoose: walk.halting((node) => set({ node: node.id })),
  });

  const live = kit.liveRegion();
  const table = kit.tableToggle(() => words.tables(drawn));
  const head = h("p", { class: "bt-head" });
  const rows = new Map(); // node -> its row in the ranking
  for (const node of nodes.filter((each) => each.whole)) {
    const sum = h("span", { class: "bt-sum" });
    const text = h("span", { class: "bt-text" }, words.plain(node.text) || "(nothing)");
    rows.set(node, { el: h("li", {}, text, " ", sum), sum });
  }
  const list = h("ol", { class: "bt-ranking" }, [...rows.values()].map((row) => row.el));
  const news = h("p", { class: "bt-news" });
  const greedy = h("p", { class: "bt-greedy" });
  const [beams, own] = [words.beamsOf(data.beams), `α = ${words.short(data.grown)}`];
  const root = kit.card(
    el,
    "Beam search, step by step",
    prompts.prompt(...PROMPT),
    h("div", { class: "bt-controls" }, stepper.el, walk.back, walk.play, walk.next),
    live.el,
    forest.el,
    h(
      "div",
      { class: "bt-below" },
      h(
        "div",
        {},
        alphas.el,
        h(
          "div",
          { class: "pf-row bt-foot" },
          table.button,
          folds.fold(
            "How to read it",
            h("p", { class: "pf-note bt-legend" }, LEGEND),
            h(
              "p",
              { class: "pf-note" },
              `The tree was grown with ${beams} and ${own}, and stays as it is: the slider ranks `,
              "anew what this search finished. A search with another α might finish other texts.",
            ),
          ),
        ),
      ),
      h("div", {}, head, list),
      h("div", { class: "bt-says" }, news, greedy),
    ),
    table.box,
  );
  root.classList.add("bt-card");

  function now() {
    const { step, length_penalty: alpha, node: id } = traits.all();
    const chosen = nodes.find((node) => node.id === id) ?? null;
    const ranked = math.ranking(nodes, data.lengths, step, alpha);
    const first = math.ranking(nodes, data.lengths, step, data.grown)[0]?.node;
    return { step, last, alpha, chosen, ranked, first, nodes, data };
  }

  /** The sentence for what has changed: a path that is looked at, another α, or the step. */
  function sentence(next) {
    if (drawn?.step === next.step) {
      if (drawn.alpha !== next.alpha) return words.alphaSentence(next);
      if (drawn.chosen === next.chosen) return null;
    } else if (drawn) return words.stepSentence(next);
    const { chosen, step } = next;
    const seen = chosen && chosen.step <= step;
    return seen ? words.pathSentence(chosen, data.prompt) : words.stepSentence(next);
  }

  /** Make the slider reach an α that Python set: a thumb that stops short would lie. */
  function stretch(alpha) {
    const { input } = alphas;
    input.min = Math.min(input.min, Math.floor(alpha * FINE) / FINE);
    input.max = Math.max(input.max, Math.ceil(alpha * FINE) / FINE);
  }

  function drawRanking({ ranked, alpha, first, step }) {
    head.textContent = ranked.length
      ? `Finished texts, ranked by sum / ${data.rule}^α, α = ${words.short(alpha)}:`
      : `No text is finished${step < last ? " yet" : ""}.`;
    const order = ranked.map(({ node }) => rows.get(node).el);
    if (order.some((row, i) => list.children[i] !== row)) list.prepend(...order);
    for (const [node, row] of rows) row.el.hidden = node.step > step;
    ranked.forEach(({ node, normalised }, i) => {
      const row = rows.get(node);
      row.el.classList.toggle("bt-first", i === 0);
      row.sum.textContent = words.division(node.score, data.lengths[node.step], alpha, normalised);
      row.sum.dataset.value = normalised;
    });
    const moved = ranked.length > 0 && ranked[0].node !== first;
    const grown = `at ${own}, with which the tree was grown,`;
    news.textContent = moved ? `Another winner: ${grown} ${words.named(first)} was first.` : "";
    news.hidden = !moved;
  }

  function draw() {
    const next = now();
    const { step, alpha, chosen, ranked } = next;
    const said = sentence(next);
    drawn = next;
    const best = ranked[0]?.node;
    const seen = chosen && chosen.step <= step ? chosen : null;
    const [trail, way] = [best, seen].map((node) => new Set(math.path(node)));
    stepper.set({ value: step, text: `${step} of ${last}`, label: `Step: ${step} of ${last}` });
    walk.draw();
    stretch(alpha);
    alphas.set({
      value: alpha,
      text: `α = ${words.short(alpha)}`,
      label: `α, the power of the length: ${words.short(alpha)}`,
    });
    drawRanking(next);
    greedy.textContent = words.greedySentence(next);
    if (said !== null) live.say(said);
    table.update();
    forest.draw({ step, chosen: seen, best, trail, way }); // last: it measures what is written
  }

  stretch(data.grown);
  return traits.start(walk, live, table, forest);
}

export default { render };
