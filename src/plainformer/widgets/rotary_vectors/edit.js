// The fold in which RotaryVectors' reader changes the arrows of one pair: by sliders, for what a
// pointer does by dragging their tips.

import * as kit from "../kit/kit.js";
import * as words from "./words.js";
const { h } = kit;

const SHORTEST = 10; // percent of the longest: a vector of length 0 would forget its direction
const LARGEST = 100; // the largest number of a vector; the same as in Python
const RADIANS = Math.PI / 180;

/** A vector [x, y] with numbers that can be read, to a thousandth of it, and that Python takes. */
function tidy(vector) {
  const digits = Math.max(0, Math.min(20, 3 - Math.floor(Math.log10(Math.hypot(...vector)))));
  const kept = vector.map((number) => Math.max(-LARGEST, Math.min(LARGEST, number)));
  return kept.map((number) => Number(number.toFixed(digits)) || 0); // no -0
}

/** A vector that is no shorter than the sliders can say, and no longer than a limit. */
export function within([x, y], limit) {
  const length = Math.hypot(x, y) || 1e-9;
  const kept = Math.max((SHORTEST / 100) * limit, Math.min(length, limit));
  return tidy([(x / length) * kept, (y / length) * kept]);
}

/**
 * The fold: { el, set({ q, k, limits }) }, with q and k as they are before they are turned.
 * onChange(kind, [x, y]) gets a new vector for "q" or "k"; onReset() asks for the first ones.
 */
export function editor({ onChange, onReset }) {
  const shown = {}; // kind -> { vector, limit }
  const sliders = {};
  const rows = ["q", "k"].map((kind) => {
    const change = (name, value) => {
      const { vector, limit } = shown[kind];
      let [angle, length] = words.polar(vector);
      if (name === "length") length = (value / 100) * limit;
      else angle = value * RADIANS;
      length ||= (SHORTEST / 100) * limit; // a vector of zeros has no direction to keep
      onChange(kind, tidy([length * Math.cos(angle), length * Math.sin(angle)]));
    };
    const make = (name, min, max) => {
      const onInput = (value) => change(name, value);
      const made = kit.slider({ label: "", min, max, onInput });
      made.el.classList.add(`rv-slide-${kind}`);
      return made;
    };
    sliders[kind] = { angle: make("angle", 0, 359), length: make("length", SHORTEST, 100) };
    return h("div", { class: "rv-controls" }, sliders[kind].angle.el, sliders[kind].length.el);
  });
  const reset = kit.button({ label: "Back to the first arrows", onPress: onReset });
  const el = h(
    "details",
    { class: "rv-edit" },
    h("summary", {}, "Change q and k, or drag their tips"),
    rows,
    reset.el,
  );

  function set({ q, k, limits }) {
    for (const [kind, vector, limit] of [
      ["q", q, limits[0]],
      ["k", k, limits[1]],
    ]) {
      shown[kind] = { vector, limit };
      const { angle, length } = sliders[kind];
      const [direction, size] = words.polar(vector);
      const whole = Math.round(direction / RADIANS) % 360;
      angle.set({
        value: whole,
        text: `${whole} degrees`,
        label: `${kind} points at ${words.show(whole, 0)}°`,
      });
      length.set({
        value: Math.round((size / limit) * 100),
        text: words.show(size, 2),
        label: `${kind} is ${words.show(size, 2)} long`,
      });
    }
  }
  return { el, set };
}
