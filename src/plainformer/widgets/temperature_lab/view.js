// TemperatureLab: a dial from frozen to boiling, a bar for each word, and a heap of drawn words.
//
// The random numbers stay when the dial turns, so that the heap shows what the same luck would have
// drawn at another temperature. heap.js draws bars and heap, story.js lets a model write beside them.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as heat from "../formulas/temperature.js";
import * as sampling from "../formulas/sampling.js";
import * as philox from "../formulas/philox.js";
import * as tokens from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
import * as heaps from "./heap.js";
import * as stories from "./story.js";
const { h, many } = kit;
const { brief, plain, sixth } = tokens;
const { label, share } = written;

const prompt = (unit) => [`Draw ten ${unit}s, then turn the dial.`, `Watch where the ${unit}s go.`];
const NAMES = ["logits", "temperature", "drawn", "seed"];
const MOST = 1000; // draws; the same as MOST_DRAWN in Python
const LAST_SEED = 999; // the same as MAX_SEED
const END = 60; // places of the dial: τ = place / (60 − place), from 0 by 1, in the middle, to ∞

const degrees = (place) => (place === END ? null : Number((place / (END - place)).toPrecision(2)));
function placeOf(t) {
  if (t === null || t === 0) return t === 0 ? 0 : END;
  return kit.clamp(Math.round((END * t) / (1 + t)), 1, END - 1);
}
const name = (t) => (t === null ? "∞" : plain(t));

/** The logits at a temperature; null is ∞, where all that is possible is equally likely. */
const heated = (logits, t) =>
  t === null ? logits.map((z) => (z > -Infinity ? 0 : z)) : heat.applyTemperature(logits, t);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { words, context, shown, story: given } = model.get("data");
  const names = words.map(label);
  // What is too many for the picture is a model's vocabulary, in which a word may be several tokens.
  const unit = words.length > shown ? "token" : "word";
  const traits = kit.mount({
    model,
    traits: NAMES,
    draw,
    checks: { drawn: kit.within(0, MOST), seed: kit.within(0, LAST_SEED) },
    links: { temperature: tokens.warmth({ open: true }) },
  });
  const { get, set } = traits;
  let now; // the state that is on the screen

  const dial = kit.slider({
    label: "",
    max: END,
    onInput: (place) => set({ temperature: degrees(place) }),
  });
  dial.el.classList.add("tl-dial");
  dial.el.append(
    h("div", { class: "tl-ends", "aria-hidden": "true" }, ["frozen", "unchanged", "boiling"].map((end) => h("span", {}, end))),
  );
  const [ten, hundred] = [10, 100].map((count) =>
    kit.button({
      label: count === 10 ? `Draw 10 ${unit}s` : "Draw 100",
      when: () => get("drawn") < MOST,
      onPress: () => set({ drawn: get("drawn") + count }),
    }),
  );
  const again = kit.button({
    label: "Start over",
    when: () => get("drawn") > 0,
    onPress: () => set({ drawn: 0, seed: (get("seed") + 1) % (LAST_SEED + 1) }),
  });
  hundred.el.hidden = again.el.hidden = true; // until there is a heap
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  table.box.classList.add("tb-tables");
  const heap = heaps.heap({ context: context && label(context) });
  const story = given && stories.story({ given, weights: model.get("weights"), at: heated, get, say: live.say });
  const openness = h("p", { class: "tl-openness" });
  const root = kit.card(
    el,
    "Temperature lab: from frozen to boiling",
    prompts.prompt(...prompt(unit)),
    dial.el,
    h("div", { class: "tl-main" }, heap.el, story?.el),
    h("div", { class: "pf-row tl-buttons" }, ten.el, hundred.el, again.el, story?.button),
    live.el,
    h("div", { class: "pf-row tl-foot" }, folds.fold("Numbers", openness), table.button),
    table.box,
  );
  const reachable = kit.reachable(heap.el);

  function read() {
    const { logits: numbers, temperature, drawn, seed } = traits.all();
    const logits = now?.numbers === numbers ? now.logits : tokens.logitsOf(numbers);
    const shares = Array.from(heat.softmax(heated(logits, temperature)));
    const draws = Array.from({ length: drawn }, (_, n) => sampling.draw(shares, philox.randomAt(seed, n)));
    return {
      ...{ numbers, logits, temperature, shares, draws },
      order: tokens.leading(logits, shown),
      possible: logits.filter((z) => z > -Infinity).length,
      entropy: shares.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0),
    };
  }

  /** A row for each token that has a bar, with its share and how often it was drawn; then the others. */
  function rowsOf({ order, shares, draws }) {
    const counts = shares.map(() => 0);
    for (const id of draws) counts[id] += 1;
    const rows = order.map((id) => ({ ids: [id], name: names[id], share: shares[id], count: counts[id] }));
    const rest = shares.length - order.length;
    if (!rest) return rows;
    const sums = [shares, counts].map((all) => tokens.restOf(all, order));
    return [...rows, { ids: null, name: tokens.others(rest), share: sums[0], count: sums[1] }];
  }

  function sentence({ temperature: t, shares, order: [best], logits, possible, draws }, same) {
    const who = `“${names[best]}”`;
    const alike = logits.filter((z) => z === logits[best]).length;
    const first = alike > 1 ? `: the largest logit takes all, the first of ${alike} alike` : "";
    let text = `At temperature ${name(t)}, ${who} has probability ${share(shares[best])}.`;
    if (t === 0) text = `Frozen, at temperature 0, ${who} is certain${first}.`;
    if (t === null) text = `Boiling, at temperature ∞, all ${many(possible, unit)} are equally likely.`;
    if (!draws.length) return text;
    const times = draws.filter((id) => id === best).length;
    const kinds = many(new Set(draws).size, `different ${unit}`);
    const luck = same ? "With the same random numbers, " : "";
    const found = times === draws.length ? `nothing but ${who}` : `${who} ${many(times, "time")}, ${kinds} in all`;
    return `${text} ${luck}${many(draws.length, "draw")} gave ${found}.`;
  }

  function tables() {
    const rows = rowsOf(now).map(({ ids, name: token, share: p, count }) => [
      token, ids ? sixth(now.logits[ids[0]]) : "", sixth(p), kit.format(count),
    ]); // prettier-ignore
    const most = Math.log(now.possible);
    rows.push(["together", "", "1", kit.format(now.draws.length)]);
    rows.push(["entropy, nats", "", sixth(now.entropy), ""]);
    rows.push([`at most, ln ${now.possible}`, "", sixth(most), ""]);
    const columns = ["Token", "#Logit z", `#Probability at ${name(now.temperature)}`, "#Drawn"];
    return [{ caption: "Every token, its probability, and how often it was drawn", columns, rows }];
  }

  function draw() {
    const before = now;
    now = read();
    const { temperature: t, draws, entropy, possible } = now;
    dial.set({ value: placeOf(t), text: name(t), label: `Temperature τ = ${name(t)}` });
    if (draws.length) hundred.el.hidden = again.el.hidden = false;
    for (const button of [ten, hundred, again]) button.set();
    root.style.setProperty("--tl-heat", placeOf(t) / END);
    heap.draw(rowsOf(now), draws.map((id) => names[id]), draws);
    const choice = brief(Math.exp(entropy));
    openness.textContent =
      `Entropy ${entropy.toFixed(2)} of at most ln ${kit.format(possible)} = ${Math.log(possible).toFixed(2)} nats: ` +
      `as unpredictable as a choice among ${choice === "1" ? `1 ${unit}` : `${choice} equally likely ${unit}s`}.`;
    root.dataset.entropy = entropy;
    root.dataset.draws = draws.slice(-200).join(" ");
    if (before && before.temperature !== t) story?.turn();
    live.say(sentence(now, before?.draws.length === draws.length));
    table.update();
  }

  return traits.start(live, table, reachable, heap, ...(story ? [story] : []));
}

export default { render };
