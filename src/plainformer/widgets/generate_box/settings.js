// The settings of a GenerateBox: a slider for each, folded away under a line that sums them up.

import * as kit from "../kit/kit.js";
const { h } = kit;

/** Two decimals; more digits where these would make another number of it: 0.001 is not 0. */
function two(value) {
  const exact = Number(value.toFixed(2)) === value;
  const text = exact ? kit.format(value, 2) : String(Number(value.toPrecision(3)));
  return text.replaceAll("-", "−");
}
const STEPS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500]; // of top-k

/** A setting whose slider stands at its value: from min to max, and off where it is `off`. */
const plain = (label, min, max, step, off, show = two) => ({
  label,
  min,
  max,
  step,
  off,
  place: (value) => value,
  value: (place) => Number(place.toFixed(2)),
  words: (value) => show(value),
});

/** One whose value is null when its slider stands at `away`, the end where it does nothing. */
const optional = (label, min, max, step, away) => ({
  ...plain(label, min, max, step, null),
  place: (value) => value ?? away,
  value: (place) => (Number(place.toFixed(2)) === away ? null : Number(place.toFixed(2))),
  words: (value) => (value === null ? "off" : two(value)),
});

/** The settings by name; a vocabulary of so many tokens bounds top-k, if it is known. */
export function settingsFor(size) {
  const steps = STEPS.filter((k) => k < size);
  return {
    temperature: plain("Temperature", 0, 3, 0.05, 1),
    top_k: {
      ...plain("Top-k", 0, steps.length, 1, null),
      place: (k) => (k === null ? steps.length : steps.filter((each) => each < k).length),
      value: (place) => steps[place] ?? null,
      words: (k) => (k === null ? "off" : kit.format(k)),
    },
    top_p: optional("Top-p", 0.05, 1, 0.05, 1),
    min_p: optional("Min-p", 0, 1, 0.05, 0),
    frequency_penalty: plain("Frequency penalty", -2, 2, 0.1, 0),
    presence_penalty: plain("Presence penalty", -2, 2, 0.1, 0),
    repetition_penalty: plain("Repetition penalty", 0.5, 2, 0.05, 1),
    seed: plain("Seed", 0, 999, 1, undefined, kit.format),
  };
}

/** What a link may set: each setting within the range of its slider. */
export function limits(settings, size) {
  const ends = ([name, { min, max, step, off }]) => {
    const real = name !== "seed" && name !== "top_k";
    const open = off === null; // then null is what its end means, and the end itself is no value
    const [least, most] = name === "top_k" ? [1, size] : [open && min === 0 ? step : min, max];
    return [name, kit.within(least, most, { real, open })];
  };
  return Object.fromEntries(Object.entries(settings).map(ends));
}

/** The fold: { el, draw(values) }; onChange(name, value) is called when a reader moves a slider. */
export function panel({ settings, onChange }) {
  const names = Object.keys(settings);
  const sliders = names.map((name) => {
    const { label, min, max, step, value } = settings[name];
    const slider = kit.slider({
      label,
      min,
      max,
      step,
      onInput: (place) => onChange(name, value(place)),
    });
    slider.el.classList.add("gen-setting");
    return slider;
  });
  const summary = h("summary", {});
  const el = h(
    "details",
    { class: "gen-settings" },
    summary,
    h("div", { class: "gen-sliders" }, sliders.map((slider) => slider.el)),
  );

  function draw(values) {
    names.forEach((name, i) => {
      const { label, place, words } = settings[name];
      sliders[i].set({
        value: place(values[name]),
        text: words(values[name]),
        label: `${label}: ${words(values[name])}`,
      });
    });
    const on = names.filter((name) => name !== "temperature" && values[name] !== settings[name].off);
    const said = ["temperature", ...on.filter((name) => name !== "seed"), "seed"].map(
      (name) => `${settings[name].label.toLowerCase()} ${settings[name].words(values[name])}`,
    );
    summary.textContent = `Sampler settings: ${said.join(", ")}`;
  }
  return { el, draw };
}
