// The rows of SamplerLab's pipeline: one for each stage, with a switch, sliders, what it did, and
// buttons that move it. They show a state and ask for another; they keep none.

import * as kit from "../kit/kit.js";
import * as math from "./math.js";
import * as tokens from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
const { h } = kit;
const { plain } = tokens;
const { share } = written;

export const NAMES = {
  penalties: "Penalties",
  temperature: "Temperature",
  top_k: "Top-k",
  top_p: "Top-p",
  min_p: "Min-p",
};

// What a switch turns on where nothing was set before.
const USUAL = {
  penalties: { frequency_penalty: 0.5, presence_penalty: 0.5, repetition_penalty: 1.3 },
  temperature: { temperature: 0.7 },
  top_k: { top_k: 3 },
  top_p: { top_p: 0.9 },
  min_p: { min_p: 0.1 },
};

const SIGNS = {
  frequency_penalty: "α",
  presence_penalty: "β",
  repetition_penalty: "ρ",
  temperature: "τ",
  top_k: "k",
}; // of the others: p

export const LAST_SEED = 2 ** 53 - 1; // this and the next as in Python
const STRONGEST = 10; // penalty
const MOST_NAMED = 5; // tokens that have occurred
const MOST_K = 64; // the largest k that the slider has, besides all

const tenth = (number) => Number(number.toFixed(2));
const same = { to: (number) => number, from: tenth };

/** Each number's slider: its name, its places, what a place means, and how that is written. */
function scales(size) {
  const most = Math.min(size - 1, MOST_K);
  return {
    frequency_penalty: { name: "Frequency α, each time", min: -2, max: 2, step: 0.1, ...same },
    presence_penalty: { name: "Presence β, once", min: -2, max: 2, step: 0.1, ...same },
    repetition_penalty: { name: "Repetition ρ, a factor", min: 0.5, max: 2, step: 0.05, ...same },
    temperature: { name: "τ, divide by", ...tokens.degrees },
    top_k: {
      name: "k, how many stay",
      min: 1,
      max: most + 1,
      to: (k) => Math.min(k ?? most + 1, most + 1),
      from: (at) => (at > most ? null : at),
      none: "all",
    },
    top_p: {
      name: "p, to reach together",
      min: 0.01,
      max: 1,
      step: 0.01,
      to: (p) => p ?? 1,
      from: (at) => (at >= 1 ? null : tenth(at)),
      none: "1, all",
    },
    min_p: {
      name: "p, of the best one’s",
      min: 0,
      max: 1,
      step: 0.01,
      to: (p) => p ?? 0,
      from: (at) => (at > 0 ? tenth(at) : null),
      none: "0, all",
    },
  };
}

/** What a link may set, as Python checks it; so many tokens bound top-k. */
export function limits(size) {
  const share = kit.within(0.01, 1, { real: true, open: true });
  const penalty = kit.within(-STRONGEST, STRONGEST, { real: true });
  const stages = Object.keys(NAMES);
  return {
    frequency_penalty: penalty,
    presence_penalty: penalty,
    repetition_penalty: kit.within(1 / STRONGEST, STRONGEST, { real: true }),
    temperature: tokens.warmth(),
    top_k: kit.within(1, size, { open: true }),
    top_p: share,
    min_p: share,
    order: (list) => list.length === stages.length && stages.every((s) => list.includes(s)) && list,
    seed: kit.within(0, LAST_SEED),
  };
}

/** How a stage's numbers are written: "k = 3", "α = 0.5, ρ = 1.3", or "off". */
export function settings(stage, state) {
  if (!math.isOn(stage, state)) return "off";
  return Object.entries(math.SETTINGS[stage])
    .filter(([name, neutral]) => state[name] !== neutral)
    .map(([name]) => `${SIGNS[name] ?? "p"} = ${plain(state[name])}`)
    .join(", ");
}

/** What a stage did, in a few words. */
export function did({ stage, on, removed, moved, left }) {
  const stay = `${kit.format(left)} left`;
  if (!on) return `off · ${stay}`;
  if (removed > 0) return `removes ${share(removed)} · ${stay}`;
  const does = ["penalties", "temperature"].includes(stage) ? "shifts" : "removes";
  return `${does} ${share(does === "shifts" ? moved : removed)} · ${stay}`;
}

/** Settings that go by a name, as traits: what it does not set changes nothing. */
export const preset = (settings) => ({
  ...Object.assign({}, ...Object.values(math.SETTINGS)),
  ...settings,
});

/**
 * The rows: { el, draw(state, rows), fold }; onChange is told { name: value } of traits. fold()
 * closes the stages that are off.
 */
export function list({ names, onChange }) {
  const size = names.length;
  const all = scales(size);
  const occurred = h("p", { class: "sl-facts sl-occurred" });
  let shown = []; // the order that is on the screen
  let state = {};
  const opened = new Set(); // stages that stay open though a slider has turned them off
  const stages = Object.fromEntries(Object.keys(NAMES).map((stage) => [stage, row(stage)]));
  const el = h("ol", { class: "sl-stages" });

  function row(stage) {
    let before = { ...USUAL[stage] }; // what the switch turns on again
    if (stage === "top_k") before.top_k = Math.max(1, Math.min(before.top_k, size - 1));
    const sliders = Object.keys(math.SETTINGS[stage]).map((name) => {
      const { min, max, step = 1, from } = all[name];
      const one = kit.slider({
        label: "",
        min,
        max,
        step,
        onInput: (at) => onChange({ [name]: from(at) }),
      });
      one.el.hidden = min >= max;
      return [name, one];
    });
    const box = h("input", {
      type: "checkbox",
      onchange() {
        opened.delete(stage);
        if (box.checked) onChange(before);
        else {
          before = Object.fromEntries(sliders.map(([name]) => [name, state[name]]));
          onChange(math.SETTINGS[stage]);
        }
      },
    });
    const place = h("span", { class: "sl-place", "aria-hidden": "true" });
    const facts = h("p", { class: "sl-facts" });
    const kept = h("i", { class: "sl-kept" });
    const lost = h("i", { class: "sl-lost" });
    const [up, down] = [
      ["↑", "up", -1],
      ["↓", "down", 1],
    ].map(([sign, way, by]) => {
      const { el: button } = kit.button({ label: sign, onPress: () => move(stage, by) });
      button.setAttribute("aria-label", `Move ${NAMES[stage]} ${way}`);
      button.title = `Move ${NAMES[stage]} ${way}`;
      return button;
    });
    const item = h(
      "li",
      { class: "sl-stage" }, // one that is off shows its name alone
      h(
        "div",
        { class: "sl-head" },
        place,
        h("label", { class: "sl-switch" }, box, NAMES[stage]),
        h("span", { class: "sl-moves" }, up, down),
      ),
      h("div", { class: "sl-sliders" }, sliders.map(([, one]) => one.el)),
      stage === "penalties" ? occurred : null,
      facts,
      h("div", { class: "sl-mass", "aria-hidden": "true" }, kept, lost),
    );
    return { item, box, sliders, place, facts, kept, lost, up, down };
  }

  /** Which tokens have occurred, and how often. */
  function before(counts) {
    const found = counts.flatMap((count, i) =>
      count ? `${names[i]}${count > 1 ? ` ×${count}` : ""}` : [],
    );
    const more = found.length > MOST_NAMED ? ` and ${tokens.others(found.length - MOST_NAMED)}` : "";
    return `Occurred: ${found.slice(0, MOST_NAMED).join(", ") || "nothing yet"}${more}.`;
  }

  function move(stage, by) {
    const order = [...state.order];
    const from = order.indexOf(stage);
    order.splice(from + by, 0, ...order.splice(from, 1));
    onChange({ order });
  }

  /** Put the rows in order; the button that moved one keeps the focus, or its neighbour gets it. */
  function arrange(order) {
    if (order.join() === shown.join()) return;
    shown = [...order];
    const held = el.contains(document.activeElement) ? document.activeElement : null;
    el.replaceChildren(...order.map((stage) => stages[stage].item));
    order.forEach((stage, i) => {
      const { place, up, down } = stages[stage];
      place.textContent = i + 1;
      up.hidden = i === 0;
      down.hidden = i === order.length - 1;
    });
    if (!held) return;
    const other = Object.values(stages).find(({ up, down }) => up === held || down === held);
    const target = held.hidden ? (other.up === held ? other.down : other.up) : held;
    target.focus({ preventScroll: true });
  }

  function draw(next, rows) {
    state = next;
    arrange(state.order);
    occurred.textContent = before(state.counts);
    rows.slice(1).forEach((found) => {
      const { box, sliders, item, facts, kept, lost } = stages[found.stage];
      box.checked = found.on;
      if (found.on) opened.add(found.stage);
      item.classList.toggle("sl-off", !found.on);
      item.classList.toggle("sl-folded", !opened.has(found.stage));
      for (const [name, one] of sliders) {
        const { name: title, to, none } = all[name];
        const text = state[name] === null ? none : plain(state[name]);
        one.set({ value: to(state[name]), text, label: `${title}: ${text}` });
      }
      facts.textContent = did(found);
      for (const name of ["removed", "moved", "left"]) facts.dataset[name] = found[name];
      kept.style.width = `${100 * (1 - found.removed)}%`;
      lost.style.width = `${100 * found.removed}%`;
    });
  }
  return { el, draw, fold: () => opened.clear() };
}
