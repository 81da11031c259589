// BlockSweep: the online softmax, one block of keys a step.
//
// Every step shows what was kept, the factor by which it fades, what the block adds, and what is
// kept now. The last step divides, and lays the plain softmax beside it. formulas/blockwise.js
// computes, words.js speaks; here are the picture and its controls.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as steps from "../kit/steps.js";
import * as math from "../formulas/blockwise.js";
import * as words from "./words.js";
const { h } = kit;
const { number, vector } = words;

const PROMPT = ["Press Next, block by block.", "When the top rises, what was kept fades."];
const MOST_LIFT = 10; // as MAX_LIFT in Python
const HEADS = ["kept", "× fade", "+ block", "= now"];
const LEGEND = "Above each bar the key’s score; the bar and below it exp(score − top), so far.";
const WAITS = [
  "Nothing is read yet: no top, and two empty sums.",
  "Every block is read. Now, and only now, divide.",
];
const PACE = 1600; // milliseconds a step stays while it plays

const written = (value) => (value === undefined ? "" : number(value));

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { keys, queries, scores: table, values } = model.get("data");
  const S = keys.length;
  const T = queries.length;
  const width = values[0].length;
  const traits = kit.mount({
    model,
    traits: ["query", "block_size", "causal", "lift", "step"],
    draw,
    checks: {
      query: kit.within(0, T - 1),
      block_size: kit.within(1, S),
      step: kit.within(0, () => last()),
    },
    links: {
      causal: (on) => on === true && S >= T,
      lift: kit.within(0, MOST_LIFT, { real: true }),
    },
  });
  const { get, set } = traits;
  let drawn; // { state, kept }, as they are on the screen
  let blocksDrawn = ""; // what the names of the blocks were made for

  /** How many keys the query sees; how many blocks they are; the step that divides. */
  const seenKeys = () => (get("causal") ? S - T + get("query") + 1 : S);
  const blockCount = () => Math.ceil(seenKeys() / get("block_size"));
  const last = () => blockCount() + 1;

  /** Everything that the picture shows, from the traits. */
  function now() {
    const { query, block_size: size, lift, step } = traits.all();
    const seen = seenKeys();
    const scores = table[query].slice(0, seen);
    scores[seen - 1] += lift;
    const known = { seen, blocks: blockCount(), last: last(), keys, queries, values };
    return { query, size, lift, scores, step, ...known };
  }
  const go = (step) => set({ step });

  const walk = steps.controls({
    atStart: () => get("step") === 0,
    atEnd: () => get("step") === last(),
    goBack: () => go(get("step") - 1),
    goOn: () => go(get("step") + 1),
    startOver: () => go(0),
    pace: PACE,
  });
  const stepper = kit.slider({ label: "Step", onInput: walk.halting(go) });
  const onInput = (name) => walk.halting((value) => set({ [name]: value }));
  const sizes = kit.slider({ label: "Block size", min: 1, max: S, onInput: onInput("block_size") });
  const asks = kit.slider({ label: "Query", max: T - 1, onInput: onInput("query") });
  const lifts = kit.slider({
    label: "Add to the last score",
    max: MOST_LIFT,
    step: 0.5,
    onInput: onInput("lift"),
  });
  asks.el.hidden = T === 1;
  sizes.el.hidden = S === 1;
  const box = h("input", { type: "checkbox", id: kit.uid() });
  box.addEventListener("change", walk.halting(() => set({ causal: box.checked })));
  const causal = h("label", { class: "bs-check", for: box.id }, box, "Causal: no later key");
  causal.hidden = T > S || T === 1;
  const live = kit.liveRegion();
  const numbers = kit.tableToggle(() => words.tables(drawn.state, drawn.kept));

  // A column for each key; above them the names of the blocks.
  const heads = h("div", { class: "bs-heads" });
  const columns = keys.map((token) => {
    const score = h("span", { class: "bs-score" });
    const fill = h("i", {});
    const weight = h("span", { class: "bs-weight" });
    const bar = h("span", { class: "bs-bar" }, fill);
    const name = h("span", { class: "bs-token" }, token);
    return { box: h("div", { class: "bs-key" }, name, score, bar, weight), score, fill, weight };
  });
  const all = h("div", { class: "bs-keys" }, columns.map((column) => column.box));
  const bars = { class: "bs-strip", style: `--bs-keys: ${S}`, "aria-hidden": "true" };
  const strip = h("div", bars, heads, all);
  const about = { role: "group", "aria-label": "A bar for each key; the table has the numbers" };
  const stage = h("div", { class: "bs-stage", ...about }, strip);

  // The ledger: what was kept, what it is multiplied by, what comes in, what is kept now.
  const outputs = values[0].map((_, c) => (width > 1 ? `output ${c}` : "output"));
  const names = ["top", "total", ...outputs];
  const kinds = ["bs-old", "bs-fade", "bs-add", "bs-now"];
  const cells = names.map(() => kinds.map((kind) => h("td", { class: `bs-cell ${kind}` })));
  const ledger = h(
    "table",
    { class: "bs-ledger", "aria-label": "What is kept" },
    h("thead", {}, h("tr", {}, h("td"), HEADS.map((text) => h("th", { scope: "col" }, text)))),
    h(
      "tbody",
      {},
      names.map((name, r) => {
        const head = { scope: "row", class: `bs-name bs-row${Math.min(r, 2)}` };
        return h("tr", {}, h("th", head, name), cells[r]);
      }),
    ),
  );
  const formula = h("p", { class: "bs-formula" });
  const found = {
    sum: h("span"),
    ours: h("strong"),
    count: h("span"),
    plain: h("span", { class: "bs-plain" }),
    off: h("span"),
  };
  const result = h("p", { class: "bs-result" }, Object.values(found));

  kit.card(
    el,
    "The online softmax, block by block",
    prompts.prompt(...PROMPT),
    h("div", { class: "bs-controls" }, stepper.el, walk.back, walk.play, walk.next),
    live.el,
    stage,
    formula,
    ledger,
    result,
    h("div", { class: "bs-foot" }, asks.el, sizes.el, lifts.el),
    h(
      "div",
      { class: "pf-row" },
      causal,
      numbers.button,
      folds.fold("How to read it", h("p", { class: "pf-note bs-legend" }, LEGEND)),
    ),
    numbers.box,
  );

  function put(cell, text, value) {
    if (cell.textContent !== text) cell.textContent = text;
    if (value === undefined) delete cell.dataset.value;
    else cell.dataset.value = value;
  }

  /** The names of the blocks, made anew only for other blocks. */
  function drawHeads({ size, seen, blocks, step }) {
    const wanted = `${size} ${seen}`;
    if (wanted !== blocksDrawn) {
      blocksDrawn = wanted;
      const starts = keys.map((_, j) => j).filter((j) => j % size === 0);
      const made = starts.map((start, b) => {
        const count = Math.min(size, S - start);
        const gone = start >= seen;
        const name = gone ? "not read" : count === 1 ? `${b + 1}` : `block ${b + 1}`;
        const style = `grid-column: span ${count}`;
        return h("span", { class: `bs-block ${gone ? "bs-gone" : ""}`, style }, name);
      });
      heads.replaceChildren(...made);
    }
    const current = step <= blocks ? step - 1 : -1;
    [...heads.children].forEach((head, b) => head.classList.toggle("bs-current", b === current));
  }

  function drawKeys(state, kept) {
    const { step, blocks, seen, size, scores } = state;
    const at = kept[Math.min(step, blocks)];
    columns.forEach(({ box: key, score, fill, weight }, j) => {
      const gone = j >= seen;
      const read = j < at.end;
      const e = read ? Math.exp(scores[j] - at.top) : 0;
      put(score, gone ? "–" : number(scores[j]), gone ? undefined : scores[j]);
      put(weight, gone ? "hidden" : read ? number(e) : "·", read ? e : undefined);
      fill.style.transform = `scaleY(${e})`;
      key.classList.toggle("bs-gone", gone);
      key.classList.toggle("bs-read", read);
      key.classList.toggle("bs-current", step <= blocks && j >= at.start && j < at.end);
      key.classList.toggle("bs-first", j % size === 0);
    });
  }

  function drawLedger(state, kept) {
    const { step, blocks, last } = state;
    const done = kept[Math.min(step, blocks)];
    const before = kept[Math.min(step, blocks) - 1];
    const moving = step > 0 && step < last;
    const old = moving ? [before.top, before.total, ...before.output] : [];
    const add = moving ? [done.high, done.sum, ...done.add] : [];
    const after = [done.top, done.total, ...done.output];
    const texts = moving ? words.ledger(before, done) : null;
    cells.forEach(([was, fade, plus, is], r) => {
      const [kept, more, now] = texts?.rows[r - 1] ?? [old[r], add[r], after[r]].map(written);
      put(was, moving ? kept : "", old[r]);
      put(fade, moving && r > 0 ? `× ${texts.fade}` : "");
      put(plus, moving ? `${r > 0 ? "+" : "max"} ${more}` : "", add[r]);
      put(is, now, after[r]);
    });
    formula.textContent = moving ? words.fading(step, before, done) : WAITS[step === 0 ? 0 : 1];
    result.hidden = step !== last;
    if (step === last) {
      const { output } = math.plain(state.scores, values);
      const ours = done.output.map((x) => x / done.total);
      const off = Math.max(...ours.map((x, c) => Math.abs(x - output[c])));
      const difference = off && off.toExponential(0).replace("-", "−");
      const { sum, result: quotient } = words.quotient(done.output, done.total);
      put(found.sum, `output / total = ${sum}`);
      put(found.ours, quotient, JSON.stringify(ours));
      put(found.count, `. All ${state.scores.length} at once, by the plain softmax: `);
      put(found.plain, vector(output), JSON.stringify(output));
      put(found.off, `; the largest difference is ${difference}.`);
    }
  }

  function draw() {
    const state = now();
    const kept = math.sweep(state.scores, values, state.size);
    drawn = { state, kept };
    const { step, blocks, query, size, lift } = state;
    drawHeads(state);
    drawKeys(state, kept);
    drawLedger(state, kept);
    const named = step === 0 ? "start" : step === state.last ? "divide" : `block ${step} of ${blocks}`;
    stepper.set({ max: state.last, value: step, text: named, label: `Step: ${named}` });
    sizes.set({ value: size, text: `${size} keys`, label: `Block size: ${size}` });
    asks.set({
      value: query,
      text: `${queries[query]}, query ${query}`,
      label: `Query: ${queries[query]} (${query})`,
    });
    lifts.set({
      value: lift,
      text: `plus ${number(lift, 1)}`,
      label: `Add to the last score: ${number(lift, 1)}`,
    });
    box.checked = get("causal");
    walk.draw();
    live.say(words.sentence(state, kept));
    numbers.update();
  }

  return traits.start(walk, live, numbers, kit.reachable(stage));
}

export default { render };
