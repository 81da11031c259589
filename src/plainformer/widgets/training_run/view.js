// TrainingRun: a training run scrubbed like a film: losses, rates, and what the model does.
//
// Here are the controls, the words, and who tells whom; drawing.js draws. All numbers come from
// Python, which may send more of them while the run goes on.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as scales from "../kit/scales.js";
import * as steps from "../kit/steps.js";
import * as tokenMap from "../kit/token_map.js";
import * as written from "../kit/token_words.js";
import * as drawing from "./drawing.js";
const { h } = kit;

const PROMPT = ["Play the run.", "Watch what it writes as the loss falls."];
const PACE = 1200; // milliseconds that a snapshot stays

const whole = (number) => kit.format(number);
const two = (loss) => kit.format(loss, 2);
const short = (rate) => String(Number(rate.toPrecision(3)));

/** What is known of a step: { loss, heldOut, rate }, each null where it is not. */
function at(step, { steps: all, loss, learning_rate: rates, held_out: pairs }) {
  const later = all.findIndex((each) => each >= step);
  const i = later < 0 ? all.length - 1 : later;
  const known = pairs.filter(([each]) => each <= step).at(-1);
  return { loss: loss[i] ?? null, rate: rates[i] ?? null, heldOut: known?.[1] ?? null };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let drawn; // the state that is on the screen
  const snapshots = () => model.get("data").snapshots;
  const last = () => Math.max(0, snapshots().length - 1);
  const traits = kit.mount({
    model,
    traits: ["data", "snapshot"],
    draw,
    checks: { snapshot: kit.within(0, last) },
  });
  const here = () => traits.get("snapshot");
  const go = (snapshot) => traits.set({ snapshot });

  const walk = steps.controls({
    atStart: () => here() === 0,
    atEnd: () => here() === last(),
    goBack: () => go(here() - 1),
    goOn: () => go(here() + 1),
    startOver: () => go(0),
    pace: PACE,
  });
  const slider = kit.slider({ label: "", onInput: walk.halting(go) });
  const controls = h("div", { class: "tr-controls" }, slider.el, walk.back, walk.play, walk.next);
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const curves = drawing.curves();
  const map = tokenMap.map();
  const sample = h("div", {
    class: "tr-sample",
    tabindex: "0",
    role: "group",
    "aria-label": "What it writes",
  });
  const mapTitle = h("p", { class: "tr-title" }, "Where each token (a row) looks");
  const side = h(
    "div",
    { class: "tr-side" },
    h("p", { class: "tr-title" }, "What it writes"),
    sample,
    mapTitle,
    map.el,
  );
  const root = kit.card(
    el,
    "A training run: losses, and what the model does",
    prompts.prompt(...PROMPT),
    controls,
    live.el,
    h("div", { class: "tr-columns" }, h("div", {}, curves.el), side),
    h("div", { class: "pf-row tr-foot" }, table.button),
    table.box,
  );
  const ground = scales.ground(root, traits.redraw);

  /** Of the last token of a map: which one it looks at most, and how much. */
  function look({ tokens, attention }) {
    const row = attention.at(-1);
    const most = row.indexOf(Math.max(...row));
    const name = (i) => `“${written.label(tokens[i])}”`;
    return `The last token, ${name(tokens.length - 1)}, looks most at ${name(most)}, ${written.share(row[most])}.`;
  }

  function sentence({ data, snapshot, seen }) {
    if (!data.steps.length && !snapshot) return "Nothing is recorded yet.";
    const count = kit.many(snapshot ? snapshot.step : data.steps.at(-1) + 1, "update");
    const said = [
      seen.loss !== null && `loss ${two(seen.loss)} in training`,
      seen.heldOut !== null && `${two(seen.heldOut)} on held-out text`,
      seen.rate !== null && `learning rate ${short(seen.rate)}`,
    ].filter(Boolean);
    const after = `After ${count}${said.length ? `: ${said.join(", ")}` : ""}.`;
    return snapshot?.tokens.length ? `${after} ${look(snapshot)}` : after;
  }

  function tables() {
    const { data, snapshot } = drawn;
    const text = (value, how) => (value === null ? "" : how(value));
    const list = data.snapshots.length ? data.snapshots : data.steps.slice(-20).map((step) => ({ step }));
    const found = [
      {
        caption: "The run: losses in nats per token, the learning rate, and what the model writes",
        columns: ["#Updates", "#Loss", "#Held out", "#Rate", "It writes"],
        rows: list.map(({ step, sample: words = "" }) => {
          const { loss, heldOut, rate } = at(step, data);
          return [whole(step), text(loss, two), text(heldOut, two), text(rate, short), words];
        }),
        current: here(),
      },
    ];
    if (snapshot?.tokens.length) {
      const names = snapshot.tokens.map(written.label);
      found.push({
        caption: `After ${kit.many(snapshot.step, "update")}: how much each token looks at each`,
        columns: ["Token", ...names.map((name) => `#${name}`)],
        rows: snapshot.attention.map((row, i) => [names[i], ...row.map(written.share)]),
      });
    }
    return found;
  }

  function draw() {
    const { data, snapshot: i } = traits.all();
    const snapshot = data.snapshots[i];
    const step = snapshot?.step ?? data.steps.at(-1) ?? 0;
    drawn = { data, snapshot, seen: at(step, data) };
    const count = data.snapshots.length;
    controls.hidden = count === 0;
    side.hidden = count === 0;
    const text = snapshot ? `${whole(step)}, snapshot ${i + 1} of ${count}` : "";
    slider.set({ max: last(), value: i, text: `after ${text}`, label: `Updates: ${text}` });
    walk.draw();
    curves.draw({ data, step, seen: drawn.seen });
    if (snapshot && sample.textContent !== snapshot.sample) sample.textContent = snapshot.sample;
    map.el.hidden = mapTitle.hidden = !snapshot?.tokens.length;
    if (snapshot?.tokens.length) map.draw(snapshot, ground.dark());
    live.say(sentence(drawn));
    table.update();
  }

  return traits.start(walk, live, table, ground);
}

export default { render };
