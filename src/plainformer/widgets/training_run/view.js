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
const PACE = 1200; // milliseconds that a moment stays

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
  const moments = () => model.get("data").moments;
  const last = () => Math.max(0, moments().length - 1);
  const traits = kit.mount({
    model,
    traits: ["data", "moment"],
    draw,
    checks: { moment: kit.within(0, last) },
  });
  const here = () => traits.get("moment");
  const go = (moment) => traits.set({ moment });

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

  function sentence({ data, moment, seen }) {
    if (!data.steps.length && !moment) return "Nothing is recorded yet.";
    const count = kit.many(moment ? moment.step : data.steps.at(-1) + 1, "update");
    const said = [
      seen.loss !== null && `loss ${two(seen.loss)} in training`,
      seen.heldOut !== null && `${two(seen.heldOut)} on held-out text`,
      seen.rate !== null && `learning rate ${short(seen.rate)}`,
    ].filter(Boolean);
    const after = `After ${count}${said.length ? `: ${said.join(", ")}` : ""}.`;
    return moment?.tokens.length ? `${after} ${look(moment)}` : after;
  }

  function tables() {
    const { data, moment } = drawn;
    const text = (value, how) => (value === null ? "" : how(value));
    const list = data.moments.length ? data.moments : data.steps.slice(-20).map((step) => ({ step }));
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
    if (moment?.tokens.length) {
      const names = moment.tokens.map(written.label);
      found.push({
        caption: `After ${kit.many(moment.step, "update")}: how much each token looks at each`,
        columns: ["Token", ...names.map((name) => `#${name}`)],
        rows: moment.attention.map((row, i) => [names[i], ...row.map(written.share)]),
      });
    }
    return found;
  }

  function draw() {
    const { data, moment: i } = traits.all();
    const moment = data.moments[i];
    const step = moment?.step ?? data.steps.at(-1) ?? 0;
    drawn = { data, moment, seen: at(step, data) };
    const count = data.moments.length;
    controls.hidden = count === 0;
    side.hidden = count === 0;
    const text = moment ? `${whole(step)}, moment ${i + 1} of ${count}` : "";
    slider.set({ max: last(), value: i, text: `after ${text}`, label: `Updates: ${text}` });
    walk.draw();
    curves.draw({ data, step, seen: drawn.seen });
    if (moment && sample.textContent !== moment.sample) sample.textContent = moment.sample;
    map.el.hidden = mapTitle.hidden = !moment?.tokens.length;
    if (moment?.tokens.length) map.draw(moment, ground.dark());
    live.say(sentence(drawn));
    table.update();
  }

  return traits.start(walk, live, table, ground);
}

export default { render };
