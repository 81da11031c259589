// SamplerLab: the stages between logits and a draw, and draws from what they leave.
//
// math.js computes, stages.js draws the stages, words.js says
// what changed; here are the bars, the buttons that draw, and who tells whom.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as math from "./math.js";
import * as pipeline from "./stages.js";
import * as tokens from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
import * as words from "./words.js";
const { h } = kit;
const { share } = written;

const MOST = 10000; // draws; the same as in Python
const PROMPT = ["Choose a preset, then draw.", "Each stage tells what it takes away."];
const NAMES = [
  ...["logits", "counts", "frequency_penalty", "presence_penalty", "repetition_penalty"],
  ...["temperature", "top_k", "top_p", "min_p", "order", "seed", "drawn"],
];

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const names = data.words.map(written.label);
  const numbers = math.numbers();
  const traits = kit.mount({
    model,
    traits: NAMES,
    draw,
    checks: { drawn: kit.within(0, MOST) },
    links: pipeline.limits(names.length),
  });
  const { set } = traits;
  let now; // the state that is on the screen
  let given = {}; // the logits, and the tokens that have a bar of their own

  const drawn = () => traits.get("drawn");
  const stages = pipeline.list({ names, onChange: set });
  const settings = data.presets.map(([name, own]) => [name, pipeline.preset(own)]);
  const named = (state) =>
    settings.find(([, own]) => Object.entries(own).every(([key, value]) => state[key] === value));
  const presets = choices.choice({
    label: "Preset",
    options: settings.map(([name]) => [name, `${name[0].toUpperCase()}${name.slice(1)}`]),
    value: "",
    onChoose(name) {
      stages.fold();
      set(Object.fromEntries(settings)[name]);
    },
  });
  presets.el.classList.add("sl-presets");
  const [one, hundred] = [["Draw one", 1], ["Draw 100", 100]].map(([label, count]) =>
    kit.button({
      label,
      when: () => drawn() < MOST,
      onPress: () => set({ drawn: drawn() + count }),
    }),
  ); // prettier-ignore
  const reset = kit.button({
    label: "Reset draws",
    when: () => drawn() > 0,
    onPress: () => set({ drawn: 0 }),
  });
  const seed = kit.button({
    label: "Next seed",
    onPress: () => set({ seed: (traits.get("seed") + 1) % (pipeline.LAST_SEED + 1) }),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(() => words.tables(now));
  table.box.classList.add("tb-tables");
  const bars = tokens.bars();
  const strip = h("div", { class: "sl-strip" });
  const needle = h("i", { class: "tb-needle sl-needle" });
  const ruler = h("p", { class: "sl-note" });
  const gap = h("p", { class: "sl-note sl-gap" });
  let pieces = [];
  let cut = "";
  const root = kit.card(
    el,
    "Sampler lab: from logits to a drawn token",
    prompts.prompt(...PROMPT),
    presets.el,
    live.el,
    h(
      "div",
      { class: "sl-main" },
      stages.el,
      h(
        "div",
        { class: "sl-result" },
        bars.el,
        h("div", { class: "sl-ruler", "aria-hidden": "true" }, strip, needle),
        ruler,
        gap,
      ),
    ),
    h("div", { class: "pf-row sl-foot" }, one.el, hundred.el, reset.el, seed.el, table.button),
    table.box,
  );

  function read() {
    const values = traits.all();
    if (given.raw !== values.logits) {
      const logits = tokens.logitsOf(values.logits);
      given = { raw: values.logits, logits, shown: tokens.leading(logits, data.shown) };
    }
    const { logits, shown } = given;
    values.logits = logits;
    const rows = math.run(values);
    const { shares } = rows.at(-1);
    const all = numbers(values.seed, values.drawn);
    const found = math.drawAll(Array.from(shares), all);
    const tally = math.tally(found, shares);
    return { ...values, names, rows, shown, numbers: all, tokens: found, tally };
  }

  function drawBars({ rows, shown, tally, drawn: total }) {
    const shares = Array.from(rows.at(-1).shares);
    const counts = Array.from(tally.counts);
    const line = (name, part, count) => ({
      name,
      shares: [part, total ? count / total : 0],
      texts: [share(part), kit.format(count)],
    });
    const lines = shown.map((i) => line(names[i], shares[i], counts[i]));
    const rest = names.length - shown.length;
    if (rest) {
      const sums = [shares, counts].map((all) => tokens.restOf(all, shown));
      lines.push(line(tokens.others(rest), ...sums));
    }
    lines.push({ ...line(`all ${kit.format(names.length)}`, 1, total), sum: true });
    bars.draw({ heads: ["p", "drawn"], rows: lines });
  }

  // All probabilities side by side, from 0 to 1, in the order of ids; the others in between.
  function drawStrip({ rows, shown, numbers: all, tokens: found }) {
    const { shares } = rows.at(-1);
    const key = shown.join();
    if (key !== cut) {
      cut = key;
      const own = new Set(shown);
      pieces = [];
      shares.forEach((_, i) => {
        const last = pieces.at(-1);
        if (own.has(i)) pieces.push({ name: names[i], ids: [i] });
        else if (last && last.ids.every((id) => !own.has(id))) last.ids.push(i);
        else pieces.push({ name: "…", ids: [i] });
      });
      for (const piece of pieces) {
        piece.el = h("span", { class: "sl-piece", title: piece.name, style: "width: 0" }, piece.name);
      }
      strip.replaceChildren(...pieces.map((piece) => piece.el));
    }
    let tinted = false; // every second one of those that can be seen
    for (const { el: piece, ids } of pieces) {
      const part = ids.reduce((sum, i) => sum + shares[i], 0);
      if (part > 0) tinted = !tinted;
      piece.classList.toggle("sl-tinted", tinted);
      piece.style.width = `${100 * part}%`;
      piece.classList.toggle("sl-narrow", part < 0.12);
    }
    needle.hidden = !all.length;
    if (all.length) needle.style.left = `${100 * all.at(-1)}%`;
    const last = all.length
      ? `Draw ${kit.format(all.length)}: u = ${all.at(-1).toFixed(4)}, “${names[found.at(-1)]}”`
      : "u, from 0 to 1, falls on one of these";
    ruler.textContent = `${last}. Seed ${now.seed}.`;
  }

  function draw() {
    const before = now;
    now = read();
    const { rows, tally, drawn: total } = now;
    presets.set(named(now)?.[0]);
    stages.draw(now, rows);
    drawBars(now);
    drawStrip(now);
    const largest = tally.gap
      ? `the largest gap to the bars: ${tally.gap.toFixed(3)}, “${names[tally.at]}”`
      : "no gap to the bars";
    gap.textContent = total ? `${kit.format(total)} drawn; ${largest}` : "Nothing is drawn yet.";
    for (const button of [one, hundred, reset]) button.set();
    root.dataset.draws = now.tokens.slice(-200).join(" ");
    root.dataset.gap = tally.gap;
    live.say(words.sentence(now, before));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
