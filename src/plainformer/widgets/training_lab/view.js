// TrainingLab: a small decoder trains in the page, slice by slice: its loss, what it writes, and where
// it looks. Here are the controls, the words, and who tells whom; run.js trains, drawing.js draws, and
// inside.js opens the model in a GlassModel.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as scales from "../kit/scales.js";
import * as boxes from "../kit/text_box.js";
import * as tokenMap from "../kit/token_map.js";
import * as written from "../kit/token_words.js";
import * as drawing from "./drawing.js";
import * as glass from "./inside.js";
import * as training from "./run.js";
const { h } = kit;

const PROMPT = ["Press Start, and watch what it writes.", "Then break something, and begin a new run."];
const NAMES = { story: "A story", recipes: "Recipes", program: "A program", own: "Your own" };
const BROKEN = { nothing: "Nothing", residuals: "Residuals", rate: "Learning rate × 100", mask: "Mask" };
const SAID = {
  nothing: "",
  residuals: ", without residuals",
  rate: " times a hundred",
  mask: ", without the mask",
};
const RATES = [-5, -4, -3, -2].flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)));
const [LEAST_RATE, MOST_RATE] = [1e-5, 0.1]; // these four are the same as in Python
const [LEAST_TEXT, MOST_TEXT] = [100, 5000];
const ROWS = 12; // of the table

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const traits = kit.mount({
    model,
    traits: ["text", "rate", "broken", "own"],
    draw,
    checks: {
      text: kit.oneOf(Object.keys(NAMES)),
      rate: kit.within(LEAST_RATE, MOST_RATE, { real: true }),
      broken: kit.oneOf(Object.keys(BROKEN)),
    },
    links: { own: (own) => Array.from(own).slice(0, MOST_TEXT).join("") },
    heed: (name) => ["text", "own"].includes(name) && lab.begin(),
  });
  const { get, set } = traits;
  const learned = () => (get("text") === "own" ? get("own") : model.get("texts")[get("text")]);
  const lab = training.makeLab({
    engine: model.get("engine"),
    text: learned,
    settings: () => ({ rate: get("rate"), broken: get("broken") }),
    name: ({ rate, broken }) => `rate ${rate}${SAID[broken]}`,
    onChange: traits.redraw,
  });
  const fits = () => learned().length >= LEAST_TEXT;

  const texts = choices.choice({
    label: "Text",
    options: Object.entries(NAMES),
    value: get("text"),
    onChoose: (text) => set({ text }),
  });
  const box = boxes.textBox({
    label: `Your text, of ${LEAST_TEXT} characters or more`,
    rows: 3,
    limit: MOST_TEXT,
    onInput: (own) => set({ own }),
  });
  const start = kit.button({ label: "Start", icon: "play", text: true, when: fits, onPress: lab.toggle });
  const fresh = kit.button({ label: "New run", when: () => lab.now().points.length > 0, onPress: lab.begin });
  const look = kit.button({ label: "Look inside", when: () => lab.now().points.length > 0 && !opening, onPress: lookInside });
  const inside = glass.inside({ code: model.get("glass"), onBack: () => start.el.focus() });
  let opening = false; // the glass model
  const rates = [...new Set([...RATES, MOST_RATE, get("rate")])].sort((a, b) => a - b);
  const rate = kit.slider({ label: "", max: rates.length - 1, onInput: (i) => set({ rate: rates[i] }) });
  const broken = choices.choice({
    label: "What is broken",
    options: Object.entries(BROKEN),
    value: get("broken"),
    onChoose: (which) => set({ broken: which }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const curves = drawing.curves();
  const sample = h("div", { class: "tl-sample", tabindex: "0", role: "group", "aria-label": "Text" });
  const map = tokenMap.map();
  const sampleTitle = h("p", { class: "tl-title" });
  const mapTitle = h("p", { class: "tl-title" }, "Where each character (a row) looks, in one head");
  // What to break is asked for once there is something to compare it with.
  const next = h(
    "div",
    { class: "pf-row tl-row" },
    h("span", { class: "tl-name" }, "Break"),
    broken.el,
    fresh.el,
    look.el,
  );
  const root = kit.card(
    el,
    "Training lab: a small model learns a text",
    prompts.prompt(...PROMPT),
    h("div", { class: "pf-row tl-row" }, h("span", { class: "tl-name" }, "Text"), texts.el),
    box.el,
    h("div", { class: "pf-row tl-row" }, start.el, rate.el),
    live.el,
    h("div", { class: "tl-columns" }, curves.el, h("div", {}, sampleTitle, sample, mapTitle, map.el)),
    next,
    h("div", { class: "pf-row tl-foot" }, table.button),
    table.box,
  );
  el.append(inside.el);
  const ground = scales.ground(root, traits.redraw);

  /** Show the model as it is now in a GlassModel, below; the training waits. */
  async function lookInside() {
    opening = true;
    look.set({ label: "Opening …" });
    try {
      const found = await lab.pack();
      if (found) await inside.open(found, opened(found));
    } catch (error) {
      lab.state().problem = error.message;
    }
    opening = false;
    look.set({ label: "Look inside" });
    traits.redraw();
  }

  function opened({ step, broken }) {
    const mask = broken === "mask" ? " It reads as it writes: no character sees those after it." : "";
    return `The model after ${kit.many(step, "step")}.${mask} Train on and look again, to see what has changed.`;
  }

  function sentence({ problem, running, parameters, pace }, { points }, before) {
    const [text, count] = [get("text"), learned().length];
    if (problem) return problem;
    if (!fits()) return `Type or paste ${LEAST_TEXT} characters or more: here there are ${count}.`;
    const which = `${NAMES[text].toLowerCase()}, ${kit.many(count, "character")}`;
    const way = `at a learning rate of ${get("rate")}${SAID[get("broken")]}`;
    const last = points.at(-1);
    if (!last) return running ? `The model is made: ${which}, ${way}.` : `Nothing is trained yet. Next: ${which}, ${way}.`;
    const other = before?.points.findLast(({ step }) => step <= last.step);
    const than = other ? `, where the run before had ${kit.format(other.loss, 2)}` : "";
    const loss = `After ${kit.many(last.step, "step")} the loss is ${kit.format(last.loss, 2)} nats per character${than}.`;
    const size = `${kit.many(parameters, "parameter")}, ${kit.many(pace, "step")} a second`;
    return running ? `${loss} ${size}, ${way}.` : `${loss} It can go on, ${way}.`;
  }

  function tables() {
    const [now, before] = [lab.now(), lab.before()];
    const stride = Math.ceil(now.points.length / ROWS) || 1;
    const shown = now.points.filter((_, i) => (now.points.length - 1 - i) % stride === 0);
    const at = (step) => before?.points.findLast((each) => each.step <= step)?.loss;
    const loss = (value) => (value === undefined ? "" : kit.format(value, 2));
    const found = [
      {
        caption: "What is trained, and how",
        columns: ["Setting", "Value"],
        rows: [
          ["Text", NAMES[get("text")]],
          ["Learning rate", get("rate")],
          ["Broken", BROKEN[get("broken")]],
        ],
      },
    ];
    if (shown.length) {
      found.push({
        caption: "The loss in nats per character, of this run and of the one before it",
        columns: ["#Steps", "#Loss", "#Before"],
        rows: shown.map((each) => [kit.format(each.step), loss(each.loss), loss(at(each.step))]),
      });
    }
    if (now.tokens) {
      found.push({
        caption: "How much each character looks at each, in one head of the last layer",
        columns: ["Character", ...now.tokens.map((token) => `#${written.label(token)}`)],
        rows: now.attention.map((row, i) => [written.label(now.tokens[i]), ...row.map(written.share)]),
      });
    }
    return found;
  }

  function draw() {
    const [state, now, before] = [lab.state(), lab.now(), lab.before()];
    texts.set(get("text"));
    broken.set(get("broken"));
    box.el.hidden = get("text") !== "own";
    if (box.input.value !== get("own")) box.input.value = get("own");
    const value = rates.indexOf(get("rate"));
    const said = String(get("rate"));
    rate.set({ value: value < 0 ? 0 : value, text: said, label: `Learning rate: ${said}` });
    start.set({ label: state.running ? "Pause" : now.points.length ? "Go on" : "Start", icon: state.running ? "pause" : "play" });
    next.hidden = !now.points.length && !before && get("broken") === "nothing";
    fresh.set();
    look.set();
    curves.draw({ now, before });
    const begun = now.points.length > 0;
    sampleTitle.textContent = begun ? "What it writes" : "The text that it will learn";
    const shown = begun ? now.sample : learned();
    if (sample.textContent !== shown) sample.textContent = shown;
    map.el.hidden = mapTitle.hidden = !now.tokens;
    if (now.tokens) map.draw(now, ground.dark());
    live.say(sentence(state, now, before));
    table.update();
  }

  return traits.start(lab, live, table, ground, inside);
}

export default { render };
