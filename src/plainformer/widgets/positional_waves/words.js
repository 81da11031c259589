// What PositionalWaves says: names, formulas, sentences and tables of the state that it shows.
//
// That state is the widget's traits with two readers: at(position, dimension), a value, and
// like(p, q), a similarity.

import * as kit from "../kit/kit.js";
import * as sinusoids from "../formulas/sinusoidal.js";
const { h } = kit;

// Numbers for people: values with four decimals, sizes with three or four digits that count.
const digits = (most) => new Intl.NumberFormat("en", { maximumSignificantDigits: most });
const [three, four] = [3, 4].map(digits);
const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });
const short = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 4 });

/** A base with commas, as it is: 10,000 or 1.0000001; from a thousand million on as 1E9. */
export function whole(number) {
  return (number < 1e9 ? plain : short).format(number);
}

/** A value with a true minus sign, and none before a zero. */
export function signed(number, decimals = 4) {
  const text = number.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

const SENTENCE = "your cat is a lovely cat".split(" ");
const ROUND = 3; // words on either side of the chosen one

/** The word at a position: the sentence again and again. */
export const word = (p) => SENTENCE[p % SENTENCE.length];

/** The words around position p of T, each in an element; the one in the middle is marked. */
export function around(p, T) {
  return Array.from({ length: 2 * ROUND + 1 }, (_, i) => {
    const at = p + i - ROUND;
    return h("span", { class: i === ROUND ? "pw-word pw-chosen" : "pw-word" }, at >= 0 && at < T ? word(at) : "\u00a0");
  });
}

/** "1 position", "48 positions" */
export function places(n) {
  return `${n} ${n === 1 ? "position" : "positions"}`;
}

/** The wavelength of a dimension: "19.9" */
export function wave(dimension, { d_model: D, base }) {
  return three.format(sinusoids.wavelength(dimension, D, base));
}

/** "1.11 times": how often a hand has gone round */
export function turns(number) {
  return `${three.format(number)} times`;
}

/** "dimension 4 (sine, wavelength 19.9)" */
export function nameOf(dimension, now) {
  const kind = dimension % 2 ? "cosine" : "sine";
  return `dimension ${dimension} (${kind}, wavelength ${wave(dimension, now)})`;
}

/** The chosen cell: "position 3, dimension 4 (sine, wavelength 19.9): 0.813" */
export function cell(now) {
  const { view, position: p, other: q, dimension: d } = now;
  if (view !== "similarity") return `position ${p}, ${nameOf(d, now)}: ${signed(now.at(p, d), 3)}`;
  const value = `similarity ${signed(now.like(p, q), 3)}`;
  if (p === q) return `position ${p} with itself: ${value}`;
  return `positions ${p} and ${q}, ${Math.abs(p - q)} apart: ${value}`;
}

/** The chosen cell's formula with its numbers, in pieces between which a line may break. */
export function formula(now) {
  const { view, position: p, other: q, dimension: d, d_model: D, base } = now;
  const result = (value) =>
    h("span", {}, " = ", h("strong", { "data-value": value }, signed(value)));
  if (view === "similarity") {
    return [h("span", {}, `PE(${p}) · PE(${q}) / (${D} / 2)`), result(now.like(p, q))];
  }
  const spoken = (text) => h("span", { class: "pf-sr-only" }, text);
  const power = h("sup", {}, spoken("^("), `${d - (d % 2)}/${D}`, spoken(")"));
  const name = d % 2 ? "cos" : "sin";
  const angle = four.format(p * sinusoids.frequency(d, D, base));
  return [
    h("span", {}, `PE(${p}, ${d})`),
    h("span", {}, ` = ${name}(${p} / ${whole(base)}`, power, ")"),
    h("span", {}, ` = ${name}(${angle})`),
    result(now.at(p, d)),
  ];
}

/** A sentence on what has changed since the state before. */
export function sentence(now, before) {
  const { view, d_model: D, length: T } = now;
  const changed = (name) =>
    before[name] !== undefined && String(before[name]) !== String(now[name]);
  const range = `the wavelengths go from ${wave(0, now)} to ${wave(D - 1, now)} positions`;
  if (changed("view") && view !== "clocks") {
    return {
      fingerprint: `Position ${now.position} in ${D} numbers: where the tip of each hand is, to the right and up.`,
      waves: `Values and waves: ${places(T)} by ${D} dimensions.`,
      similarity: `Similarity of every position with every other, of ${T}.`,
    }[view];
  }
  if (changed("base")) return `Base ${whole(now.base)}: ${range}.`;
  if (changed("d_model")) {
    return `${D} dimensions: ${range}.${D % 2 ? " The last dimension is a sine alone." : ""}`;
  }
  if (changed("length")) return `${places(T)}, from 0 to ${T - 1}.`;
  if (changed("pinned")) {
    const { pinned } = now;
    if (pinned.length === 0) return "No dimension is pinned.";
    const gone = before.pinned.filter((each) => !pinned.includes(each));
    const isNew = pinned.some((each) => !before.pinned.includes(each));
    const room = isNew && gone.length ? ` Dimension ${gone.join(", ")} made room.` : "";
    return `Pinned: dimension${pinned.length > 1 ? "s" : ""} ${pinned.join(", ")}.${room}`;
  }
  if (view === "clocks") {
    if (changed("dimension")) return `This clock goes round once in ${wave(now.dimension, now)} positions.`;
    return `Position ${now.position}, “${word(now.position)}”.`;
  }
  const said = cell(now);
  return `${said[0].toUpperCase()}${said.slice(1)}.`;
}

/** How to use the view, or what it shows. */
export function explain({ view, d_model: D }, mostPinned) {
  if (view === "clocks") return "";
  if (view === "fingerprint") {
    return "Each clock gives two numbers: how far its tip is to the right (its sine) and how far up (its cosine).";
  }
  if (view === "waves") {
    return (
      "PE(p, d) is the positional encoding of position p in dimension d. Point at a cell to read " +
      "it, press to keep it. In the heat map, arrow keys move and Enter pins a dimension, up to " +
      `${mostPinned}. Two neighbours, such as dimensions 4 and 5, are the sine and the cosine of ` +
      "one angle."
    );
  }
  return D % 2
    ? "With an odd d_model the last sine has no cosine beside it. So the two curves part a " +
        "little: the similarity depends on more than the distance."
    : "The two curves agree everywhere: the similarity depends on the distance alone. Each pair " +
        "of dimensions adds the cosine of distance × frequency, and no position stands in that.";
}

/** The numbers behind the pictures: the row and the columns, or the similarities of the row. */
export function tables(now) {
  const { view, position: p, dimension: d, d_model: D, length: T } = now;
  const positions = Array.from({ length: T }, (_, i) => i);
  if (view === "similarity") {
    return [
      {
        caption: `Similarity of position ${p}`,
        columns: ["#Position", "#Distance", "#Similarity"],
        rows: positions.map((q) => [q, Math.abs(p - q), signed(now.like(p, q), 7)]),
        current: now.other,
      },
    ];
  }
  const dimensions = Array.from({ length: D }, (_, i) => i);
  const columns = [d, ...now.pinned.filter((each) => each < D && each !== d)];
  const row = (each) => [each, each % 2 ? "cosine" : "sine", wave(each, now)];
  return [
    {
      caption: `The row of position ${p}`,
      columns: ["#Dimension", "Wave", "#Wavelength", "#Value", "#Turns"],
      rows: dimensions.map((each) => {
        const turned = p / sinusoids.wavelength(each, D, now.base);
        return [...row(each), signed(now.at(p, each), 7), three.format(turned)];
      }),
      current: d,
    },
    {
      caption: `The column of dimension ${d}`,
      columns: ["#Position", ...columns.map((each) => `#Dimension ${each}`)],
      rows: positions.map((i) => [i, ...columns.map((each) => signed(now.at(i, each), 7))]),
      current: p,
    },
  ];
}
