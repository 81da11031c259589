// BlockSweep: the online softmax, one block of keys a step.
//
// Every step shows what was kept, the factor by which it fades, what the block adds, and what is
// kept now. The last step divides, and lays the plain softmax beside it.

import * as kit from "./kit.js";
const { h } = kit;

const MOST_LIFT = 10; // as MAX_LIFT in Python
const HEADS = ["", "kept", "× fade", "+ block", "= now"];
const LEGEND = "Above each bar the key’s score; the bar and below it exp(score − top), so far.";
const WAITS = [
  "Nothing is read yet: no top, and two empty sums.",
  "Every block is read. Now, and only now, divide.",
];
const PACE = 1600; // milliseconds a step stays while it plays

const number = (value, digits = 3) => {
  if (!Number.isFinite(value)) return "−∞";
  const idle = Math.abs(value) < 0.5 / 10 ** digits;
  return kit.format(idle ? 0 : value, digits).replace("-", "−");
};
const ninth = (value) =>
  Number.isFinite(value) ? String(Number(value.toFixed(9)) + 0).replace("-", "−") : "−∞";
const vector = (values) =>
  values.length > 1 ? `[${values.map((x) => number(x)).join(", ")}]` : number(values[0]);
const blocksOf = (count) => `${count} block${count === 1 ? "" : "s"}`;

/** What is kept after every block: [{ start, end, high, fade, added, top, total, output }]. */
function sweep(scores, values, size) {
  const width = values[0].length;
  const zeros = () => new Array(width).fill(0);
  const kept = [{ start: 0, end: 0, top: -Infinity, total: 0, output: zeros() }];
  for (let start = 0; start < scores.length; start += size) {
    const before = kept[kept.length - 1];
    const end = Math.min(start + size, scores.length);
    const block = scores.slice(start, end);
    const high = Math.max(...block);
    const top = Math.max(before.top, high);
    const fade = Math.exp(before.top - top);
    const e = block.map((score) => Math.exp(score - top));
    const sum = e.reduce((a, b) => a + b, 0);
    const column = (c) => e.reduce((a, weight, i) => a + weight * values[start + i][c], 0);
    const add = zeros().map((_, c) => column(c));
    const total = fade * before.total + sum;
    const output = add.map((x, c) => fade * before.output[c] + x);
    kept.push({ start, end, high, fade, sum, add, top, total, output });
  }
  return kept;
}

/** The same result by the softmax of all scores at once. */
function plain(scores, values) {
  const top = Math.max(...scores);
  const e = scores.map((score) => Math.exp(score - top));
  const total = e.reduce((a, b) => a + b, 0);
  const weights = e.map((x) => x / total);
  const output = values[0].map((_, c) => weights.reduce((a, w, j) => a + w * values[j][c], 0));
  return { weights, output };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { keys, queries, scores: table, values } = model.get("data");
  const S = keys.length;
  const T = queries.length;
  const width = values[0].length;
  const frame = kit.redraw(draw);

  /** Everything that the picture shows, from the traits. */
  function now() {
    const query = model.get("query");
    const size = model.get("block_size");
    const seen = model.get("causal") ? S - T + query + 1 : S;
    const lift = model.get("lift");
    const scores = table[query].slice(0, seen);
    scores[seen - 1] += lift;
    const blocks = Math.ceil(seen / size);
    const last = blocks + 1;
    const step = Math.min(model.get("step"), last);
    return { query, size, seen, lift, scores, blocks, last, step };
  }

  function set(name, value) {
    model.set(name, value);
    const { last } = now();
    if (model.get("step") > last) model.set("step", last);
    model.save_changes();
  }
  const go = (step) => set("step", Math.max(0, Math.min(now().last, step)));

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const play = kit.player({
    tick() {
      go(now().step + 1);
      return now().step < now().last;
    },
    every: () => (calm.matches ? 2 * PACE : PACE),
    onChange: (on) => playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });
  const turn = (by) => () => (play.stop(), go(now().step + by));
  const back = kit.button({ label: "Back", icon: "previous", onPress: turn(-1) });
  const next = kit.button({ label: "Next", icon: "next", onPress: turn(1) });
  const playButton = kit.button({
    label: "Play",
    icon: "play",
    onPress() {
      if (!play.playing() && now().step === now().last) go(0);
      play.toggle();
    },
  });
  const stepper = kit.slider({ label: "Step", onInput: (step) => (play.stop(), go(step)) });
  const onInput = (name) => (value) => (play.stop(), set(name, value));
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
  box.addEventListener("change", () => (play.stop(), set("causal", box.checked)));
  const causal = h("label", { class: "bs-check", for: box.id }, box, "Causal: no later key");
  causal.hidden = T > S || T === 1;
  const live = kit.liveRegion();
  const numbers = kit.tableToggle(tables);

  // A column for each key; above them the names of the blocks.
  const heads = h("div", { class: "bs-heads", "aria-hidden": "true" });
  const columns = keys.map((token) => {
    const score = h("span", { class: "bs-score" });
    const fill = h("i", {});
    const weight = h("span", { class: "bs-weight" });
    const bar = h("span", { class: "bs-bar" }, fill);
    const name = h("span", { class: "bs-token" }, token);
    return { box: h("div", { class: "bs-key" }, name, score, bar, weight), score, fill, weight };
  });
  const all = h("div", { class: "bs-keys" }, columns.map((column) => column.box));
  const strip = h("div", { class: "bs-strip", style: `--bs-keys: ${S}` }, heads, all);
  const about = { role: "group", "aria-label": "Keys, scores and weights so far" };
  const stage = h("div", { class: "bs-stage", ...about }, strip);

  // The ledger: what was kept, what it is multiplied by, what comes in, what is kept now.
  const outputs = values[0].map((_, c) => (width > 1 ? `output ${c}` : "output"));
  const names = ["top", "total", ...outputs];
  const kinds = ["bs-old", "bs-fade", "bs-add", "bs-now"];
  const cells = names.map(() => kinds.map((kind) => h("span", { class: `bs-cell ${kind}` })));
  const ledger = h(
    "div",
    { class: "bs-ledger" },
    HEADS.map((text) => h("span", { class: "bs-head" }, text)),
    names.flatMap((name, r) => [
      h("span", { class: `bs-name bs-row${Math.min(r, 2)}` }, name),
      ...cells[r],
    ]),
  );
  const formula = h("p", { class: "bs-formula" });
  const result = h("p", { class: "bs-result" });

  kit.card(
    el,
    "The online softmax, block by block",
    h("div", { class: "bs-controls" }, stepper.el, back.el, playButton.el, next.el),
    live.el,
    stage,
    h("p", { class: "pf-note bs-legend" }, LEGEND),
    formula,
    ledger,
    result,
    h("div", { class: "bs-foot" }, asks.el, sizes.el, lifts.el),
    h("div", { class: "pf-row" }, causal, numbers.button),
    numbers.box,
  );

  const overflow = new ResizeObserver(() => {
    if (stage.scrollWidth > stage.clientWidth + 1) stage.tabIndex = 0;
    else stage.removeAttribute("tabindex");
  });
  overflow.observe(stage);

  function sentence(state, kept) {
    const { query, size, step, blocks, last, lift, scores } = state;
    const who = `“${queries[query]}” (query ${query})`;
    const raised = lift ? ` The last score is raised by ${number(lift, 1)}.` : "";
    if (step === 0) {
      const count = `${scores.length} score${scores.length === 1 ? "" : "s"}`;
      const start = "So far top −∞, total 0, output 0.";
      return `${who}: ${count} to read, in ${blocksOf(blocks)} of ${size}. ${start}${raised}`;
    }
    if (step === last) {
      const { total, output } = kept[blocks];
      const found = vector(output.map((x) => x / total));
      const what = `Output divided by the total ${number(total)} is ${found}`;
      const read = `${blocksOf(blocks)} of ${size} read`;
      return `${who}, ${read}. ${what}, as by the plain softmax.${raised}`;
    }
    const { top, total, fade, start, end } = kept[step];
    const old = kept[step - 1].top;
    const read = `${end - start === 1 ? "key" : "keys"} ${keys.slice(start, end).join(", ")}`;
    const fades = `the top rises from ${number(old)} to ${number(top)}, so the old sums fade`;
    let what = `the top stays ${number(top)}, nothing fades`;
    if (step === 1) what = `the top is ${number(top)}`;
    else if (top > old) what = `${fades} to ${number(fade)} of what they were`;
    const where = `block ${step} of ${blocks} (block size ${size}): ${read}`;
    return `${who}, ${where}; ${what}. The total is ${number(total)}.${raised}`;
  }

  function put(cell, text, value) {
    if (cell.textContent !== text) cell.textContent = text;
    if (value === undefined) delete cell.dataset.value;
    else cell.dataset.value = value;
  }

  function drawKeys(state, kept) {
    const { step, blocks, seen, size, scores } = state;
    const at = kept[Math.min(step, blocks)];
    const labels = [];
    for (let b = 0; b * size < S; b += 1) {
      const start = b * size;
      const count = Math.min(size, S - start);
      const gone = start >= seen;
      const kind = gone ? "bs-gone" : b + 1 === step ? "bs-current" : "";
      const name = gone ? "not read" : count === 1 ? `${b + 1}` : `block ${b + 1}`;
      const span = { class: `bs-block ${kind}`, style: `grid-column: span ${count}` };
      labels.push(h("span", span, name));
    }
    heads.replaceChildren(...labels);
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

  /** The factor of a step, with its numbers filled in. */
  function fading(step, before, { top, fade }) {
    const taken = top < 0 ? `(${number(top)})` : number(top);
    const digits = fade > 0 && fade < 0.01 ? 6 : 4;
    const why = step === 1 ? ": there was nothing to keep" : fade === 1 ? ": the top stays" : "";
    return `fade = exp(${number(before.top)} − ${taken}) = ${number(fade, digits)}${why}`;
  }

  function drawLedger(state, kept) {
    const { step, blocks, last } = state;
    const done = kept[Math.min(step, blocks)];
    const before = kept[Math.min(step, blocks) - 1];
    const moving = step > 0 && step < last;
    const old = moving ? [before.top, before.total, ...before.output] : [];
    const add = moving ? [done.high, done.sum, ...done.add] : [];
    const after = [done.top, done.total, ...done.output];
    cells.forEach(([was, fade, plus, is], r) => {
      put(was, moving ? number(old[r]) : "", old[r]);
      put(fade, moving && r > 0 ? `× ${number(done.fade)}` : "");
      put(plus, moving ? `${r > 0 ? "+" : "max"} ${number(add[r])}` : "", add[r]);
      put(is, number(after[r]), after[r]);
    });
    formula.textContent = moving ? fading(step, before, done) : WAITS[step === 0 ? 0 : 1];
    result.hidden = step !== last;
    if (step === last) {
      const { output } = plain(state.scores, values);
      const ours = done.output.map((x) => x / done.total);
      const off = Math.max(...ours.map((x, c) => Math.abs(x - output[c])));
      result.replaceChildren(
        `output / total = ${vector(done.output)} / ${number(done.total)} = `,
        h("strong", { "data-value": JSON.stringify(ours) }, vector(ours)),
        `. All ${state.scores.length} at once, by the plain softmax: `,
        h("span", { class: "bs-plain", "data-value": JSON.stringify(output) }, vector(output)),
        `; the largest difference is ${off && off.toExponential(0).replace("-", "−")}.`,
      );
    }
  }

  function tables() {
    const state = now();
    const kept = sweep(state.scores, values, state.size);
    const { weights } = plain(state.scores, values);
    const at = kept[Math.min(state.step, state.blocks)];
    const column = (name) => values[0].map((_, c) => `#${name} ${c}`);
    return [
      {
        caption: "What is kept after each block",
        columns: ["#Block", "Keys", "#Fade", "#Top", "#Total", ...column("Output")],
        rows: kept.map((row, b) => [
          b,
          b ? keys.slice(row.start, row.end).join(", ") : "none",
          b ? ninth(row.fade) : "",
          ninth(row.top),
          ninth(row.total),
          ...row.output.map(ninth),
        ]),
        current: Math.min(state.step, state.blocks),
      },
      {
        caption: "The keys",
        columns: [
          ...["#Key", "Token", "#Score", "#exp(score − top)", "#Plain softmax"],
          ...column("Value"),
        ],
        rows: keys.map((token, j) => [
          j,
          token,
          j < state.seen ? ninth(state.scores[j]) : "hidden",
          j < at.end ? ninth(Math.exp(state.scores[j] - at.top)) : "",
          j < state.seen ? ninth(weights[j]) : "0",
          ...values[j].map(ninth),
        ]),
      },
    ];
  }

  function draw() {
    const state = now();
    const kept = sweep(state.scores, values, state.size);
    const { step, last, blocks, query, size, lift } = state;
    drawKeys(state, kept);
    drawLedger(state, kept);
    const named = step === 0 ? "start" : step === last ? "divide" : `block ${step} of ${blocks}`;
    stepper.set({ max: last, value: step, text: named });
    stepper.label.textContent = `Step: ${named}`;
    sizes.set({ value: size, text: `${size} keys` });
    sizes.label.textContent = `Block size: ${size}`;
    asks.set({ value: query, text: `${queries[query]}, query ${query}` });
    asks.label.textContent = `Query: ${queries[query]} (${query})`;
    lifts.set({ value: lift, text: `plus ${number(lift, 1)}` });
    lifts.label.textContent = `Add to the last score: ${number(lift, 1)}`;
    box.checked = model.get("causal");
    back.set({ disabled: step === 0 });
    next.set({ disabled: step === last });
    live.say(sentence(state, kept));
    numbers.update();
  }

  const changes = ["query", "block_size", "step", "causal", "lift"].map((name) => `change:${name}`);
  for (const change of changes) model.on(change, frame.ask);
  draw();

  return () => {
    for (const change of changes) model.off(change, frame.ask);
    for (const part of [frame, play, live, numbers]) part.stop();
    overflow.disconnect();
  };
}

export default { render };
