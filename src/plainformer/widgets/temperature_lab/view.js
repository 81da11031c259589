// TemperatureLab: one slider, and what it does to the probabilities of the next token.
//
// Here are the controls, the bars, the entropy and who tells whom; levels.js draws
// the levels of energy.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as heat from "../formulas/temperature.js";
import * as tokens from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
import * as levels from "./levels.js";
const { h } = kit;
const { brief, degrees, plain, sixth } = tokens;
const { label, share } = written;

const PROMPT = ["Move the temperature.", "The bars change, and their order never does."];
const NAMES = ["logits", "temperature", "compare"];

/** Probabilities at a temperature, and how open they are. */
function at(logits, temperature) {
  const shares = Array.from(heat.softmax(heat.applyTemperature(logits, temperature)));
  const entropy = shares.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  return { temperature, shares, entropy };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { words, context, shown } = model.get("data");
  const names = words.map(label);
  const links = { temperature: tokens.warmth(), compare: tokens.warmth({ open: true }) };
  const traits = kit.mount({ model, traits: NAMES, draw, links });
  let drawn; // the state that is on the screen
  let given = {}; // the logits, and what follows from them alone

  const slider = kit.slider({
    label: "",
    min: degrees.min,
    max: degrees.max,
    onInput: (at) => traits.set({ temperature: degrees.from(at) }),
  });
  const keep = kit.button({
    label: "Keep this one to compare",
    onPress: () =>
      traits.set({ compare: traits.get("compare") === null ? traits.get("temperature") : null }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  table.box.classList.add("tb-tables");
  const bars = tokens.bars();
  const energies = levels.picture();
  const fill = h("i", { class: "tl-fill" });
  const mark = h("i", { class: "tb-needle" });
  const openness = h("p", { class: "tl-openness" });
  const root = kit.card(
    el,
    "Temperature lab: the probabilities of the next token",
    prompts.prompt(...PROMPT),
    context ? h("p", { class: "tl-context" }, `${label(context)} …`) : null,
    h("div", { class: "tl-controls" }, slider.el, keep.el),
    live.el,
    h("div", { class: "tl-main" }, h("div", {}, bars.el), energies.el),
    h(
      "div",
      { class: "tl-entropy", "aria-hidden": "true" },
      openness,
      h("div", { class: "tl-meter" }, fill, mark),
    ),
    h("div", { class: "pf-row tl-foot" }, table.button),
    table.box,
  );

  function now() {
    const numbers = traits.get("logits");
    if (given.numbers !== numbers) {
      const logits = tokens.logitsOf(numbers);
      const possible = logits.filter((each) => each > -Infinity).length;
      const order = tokens.leading(logits, shown);
      given = { numbers, logits, possible, order, most: Math.log(possible) };
    }
    const kept = traits.get("compare");
    return {
      ...given,
      here: at(given.logits, traits.get("temperature")),
      kept: kept === null ? null : at(given.logits, kept),
    };
  }

  function sentence({ logits, order, here, kept, most }) {
    const [best] = order;
    const alike = logits.filter((each) => each === logits[best]).length;
    const who = `“${names[best]}”`;
    const where = `At temperature ${plain(here.temperature)}`;
    const certain = `${where}, ${who} is certain: the largest logit takes all`;
    const first = alike > 1 ? `, the first of ${alike} alike` : "";
    const what = here.temperature
      ? `${where}, ${who} has probability ${share(here.shares[best])}`
      : certain + first;
    const open = `Entropy: ${here.entropy.toFixed(2)} of at most ${most.toFixed(2)} nats.`;
    if (!kept) return `${what}. ${open}`;
    const then = `${share(kept.shares[best])}, entropy ${kept.entropy.toFixed(2)}`;
    return `${what}. ${open} Kept to compare, at ${plain(kept.temperature)}: ${then}.`;
  }

  function tables() {
    const { logits, order, here, kept, possible } = drawn;
    const both = kept ? [here, kept] : [here];
    const heads = both.map(({ temperature }) => `#Probability at ${plain(temperature)}`);
    const rows = order.map((i) => [
      names[i],
      sixth(logits[i]),
      sixth(-logits[i]),
      ...both.map(({ shares }) => sixth(shares[i])),
    ]);
    const rest = logits.length - order.length;
    if (rest) {
      const sums = both.map(({ shares }) => sixth(tokens.restOf(shares, order)));
      rows.push([tokens.others(rest), "", "", ...sums]);
    }
    rows.push(["together", "", "", ...both.map(() => "1")]);
    rows.push(["entropy, nats", "", "", ...both.map(({ entropy }) => sixth(entropy))]);
    rows.push([`at most, ln ${possible}`, "", "", ...both.map(() => sixth(drawn.most))]);
    return [
      {
        caption: "Every token, its logit, its energy and its probability; then the entropy",
        columns: ["Token", "#Logit z", "#Energy −z", ...heads],
        rows,
      },
    ];
  }

  function drawBars({ logits, order, here, kept }) {
    const both = [here, kept ?? here];
    const line = (name, shares, sum = false) => ({ name, shares, texts: shares.map(share), sum });
    const rows = order.map((i) => line(names[i], both.map(({ shares }) => shares[i])));
    const rest = logits.length - order.length;
    if (rest) {
      const sums = both.map(({ shares }) => tokens.restOf(shares, order));
      rows.push(line(tokens.others(rest), sums));
    }
    rows.push(line(`all ${kit.format(logits.length)}`, [1, 1], true));
    const heads = both.map(({ temperature }) => `τ = ${plain(temperature)}`);
    bars.draw({ heads, rows, kinds: kept ? 2 : 1 });
  }

  function drawEntropy({ here, kept, most, possible }) {
    const part = (entropy) => `${most > 0 ? Math.min(100, (100 * entropy) / most) : 0}%`;
    fill.style.width = part(here.entropy);
    mark.hidden = !kept;
    if (kept) mark.style.left = part(kept.entropy);
    const alike = brief(Math.exp(here.entropy));
    openness.textContent =
      `Entropy ${here.entropy.toFixed(2)} of at most ln ${kit.format(possible)} = ` +
      `${most.toFixed(2)} nats: as open as ${alike === "1" ? "1 token" : `${alike} tokens alike`}`;
  }

  function draw() {
    drawn = now();
    const { logits, order, here, kept } = drawn;
    const text = plain(here.temperature);
    slider.set({ value: degrees.to(here.temperature), text, label: `Temperature τ: ${text}` });
    keep.set({ label: kept ? "Stop comparing" : "Keep this one to compare" });
    root.classList.toggle("tl-both", Boolean(kept));
    drawBars(drawn);
    energies.draw({
      names: order.map((i) => names[i]),
      energies: order.map((i) => -logits[i]),
      shares: order.map((i) => here.shares[i]),
      kept: kept && order.map((i) => kept.shares[i]),
      temperature: here.temperature,
    });
    drawEntropy(drawn);
    root.dataset.entropy = [here, ...(kept ? [kept] : [])].map((each) => each.entropy).join(" ");
    live.say(sentence(drawn));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
