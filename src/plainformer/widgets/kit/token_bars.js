// Bars for the probabilities of tokens: a name, one bar or several above one another, and numbers.
//
// Bars of several kinds differ in their edge and pattern, not in colour alone. What has no bar of
// its own is one row, the others, and the last row is the sum of all.

import * as kit from "./kit.js";
const { h } = kit;

/** A number with at most two decimals: 4, 2.83, −0.5. */
export const brief = (number) => String(Number(number.toFixed(2)) + 0).replace("-", "−");

/** A setting as a person would write it: 0.999, 2, −0.5. */
export const plain = (number) => String(Number(number.toPrecision(4))).replace("-", "−");

/** A number with at most six decimals, for tables. */
export const sixth = (number) =>
  Number.isFinite(number)
    ? String(Number(number.toFixed(6)) + 0).replace("-", "−")
    : number < 0
      ? "−∞"
      : "∞";

const [COLD, HOT] = [-20, 20]; // places of a temperature: 10^(place / 20), from 0.1 to 10

/** A slider of temperatures, and what its places mean: 0 at its left end, then a scale of powers. */
export const degrees = {
  min: COLD - 1,
  max: HOT,
  to: (t) => (t > 0 ? Math.max(COLD, Math.round(20 * Math.log10(t))) : COLD - 1),
  from: (at) => (at < COLD ? 0 : Number((10 ** (at / 20)).toPrecision(2))),
};

/** A check for mount, as check_temperature in Python: 0, or a number from 0.01 to 100. */
export const warmth = ({ open = false } = {}) =>
  Object.assign((t) => (t === 0 || t === null ? t : kit.clamp(t, 0.01, 100)), { real: true, open });

/** The logits of a widget's state: JSON has no −∞, so null stands for an impossible token. */
export const logitsOf = (numbers) => numbers.map((each) => each ?? -Infinity);

/** The tokens of the largest numbers, as many as there is room for; of two alike the first. */
export const leading = (numbers, room) =>
  numbers
    .map((_, i) => i)
    .sort((a, b) => numbers[b] - numbers[a] || a - b) // −∞ less −∞ is no number, and so false
    .slice(0, room);

/** The sum of what the others have: all tokens but those of an order. */
export function restOf(shares, order) {
  const shown = new Set(order);
  return shares.reduce((total, each, i) => (shown.has(i) ? total : total + each), 0);
}

/** "3 others" */
export const others = (count) => kit.many(count, "other");

const put = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/**
 * The bars: { el, draw({ heads, rows, kinds }) }. heads: the names of the columns of numbers.
 * rows: [{ name, shares, texts, sum }], a share (0 to 1) and a text for each kind of bar; a row that
 * is a sum has no bar. kinds: how many kinds are shown now, of as many as there are heads.
 */
export function bars() {
  const head = [h("span", { class: "tb-head" }, "token"), h("span", { class: "tb-head" })];
  const el = h("div", { class: "tb-bars", "aria-hidden": "true" });
  let made = "";
  let lines = [];
  let numbers = [];

  function build(heads, rows) {
    numbers = heads.map(() => h("span", { class: "tb-head tb-right" }));
    lines = rows.map(({ name, sum }) => {
      const fills = heads.map((_, k) => h("i", { class: `tb-bar tb-bar-${k}` }));
      const texts = heads.map(() => h("span", { class: `tb-number${sum ? " tb-sum" : ""}` }));
      const title = h("span", { class: `tb-name${sum ? " tb-sum" : ""}`, title: name }, name);
      const track = h("span", { class: sum ? "tb-sum" : "tb-track" }, sum ? [] : fills);
      return { title, track, fills, texts };
    });
    el.replaceChildren(
      ...head,
      ...numbers,
      ...lines.flatMap(({ title, track, texts }) => [title, track, ...texts]),
    );
  }

  function draw({ heads, rows, kinds = heads.length }) {
    const key = JSON.stringify([heads.length, rows.map(({ name, sum }) => [name, sum])]);
    if (key !== made) build(heads, rows);
    made = key;
    el.style.setProperty("--tb-numbers", kinds);
    heads.forEach((text, k) => {
      put(numbers[k], text);
      numbers[k].hidden = k >= kinds;
    });
    rows.forEach(({ shares, texts: numerals, sum }, r) => {
      const { title, fills, texts } = lines[r];
      title.classList.toggle("tb-out", !sum && shares[0] === 0);
      heads.forEach((_, k) => {
        fills[k].hidden = texts[k].hidden = k >= kinds;
        if (k >= kinds) return;
        fills[k].style.width = `${100 * shares[k]}%`;
        put(texts[k], numerals[k]);
        texts[k].dataset.value = shares[k];
      });
    });
  }
  return { el, draw };
}
