// What PositionalWaves says: names, formulas, sentences and tables of the state that it shows.
//
// That state is the widget's traits with two readers: at(position, dimension), a value, and
// like(p, q), a similarity.

import * as kit from "../kit/kit.js";
import * as sinusoids from "../formulas/sinusoidal.js";
import * as hands from "./clocks.js";
const { h } = kit;

const SENTENCE = "your cat is a lovely cat and it sat on a mat till the sun set".split(" ");

export const ODD =
  "With an odd d_model the last sine has no cosine, so the similarity depends on more than the distance.";

// Numbers for people: values with four decimals, sizes with three or four digits that count.
const digits = (most) => new Intl.NumberFormat("en", { maximumSignificantDigits: most });
const [two, three, four] = [2, 3, 4].map(digits);
const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });
const short = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 4 });

/** A base with commas, as it is: 10,000 or 1.0000001; from a thousand million on as 1E9. */
export const whole = (number) => (number < 1e9 ? plain : short).format(number);

/** A value with a true minus sign, and none before a zero. */
export function signed(number, decimals = 4) {
  const text = number.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** The wavelength of a dimension: "19.9" */
export const wave = (dimension, { d_model: D, base }) => three.format(sinusoids.wavelength(dimension, D, base));

/** The word at a position: the sentence starts again at its end. */
export const word = (position) => SENTENCE[position % SENTENCE.length];

/** "dimension 4 (sine, wavelength 19.9)" */
export function nameOf(dimension, now) {
  return `dimension ${dimension} (${dimension % 2 ? "cosine" : "sine"}, wavelength ${wave(dimension, now)})`;
}

/** The chosen cell: "position 3, dimension 4 (sine, wavelength 19.9): 0.813" */
export function cell(now) {
  const { view, position: p, other: q, dimension: d } = now;
  if (view !== "similarity") return `position ${p}, ${nameOf(d, now)}: ${signed(now.at(p, d), 3)}`;
  const both = p === q ? `position ${p} with itself` : `positions ${p} and ${q}, ${Math.abs(p - q)} apart`;
  return `${both}: similarity ${signed(now.like(p, q), 3)}`;
}

/** The chosen position, and how often its hands have turned. */
export function rotations(now) {
  const { position: p, d_model: D, base } = now;
  const here = `Position ${p}, “${word(p)}”`;
  if (p === 0) return `${here}: every hand points straight up.`;
  const all = hands.shownPairs(now).map((i) => two.format(p / sinusoids.wavelength(2 * i, D, base)));
  if (all.length === 1) return `${here}: the hand has turned ${all} times.`;
  return `${here}: the hands have turned ${all.slice(0, -1).join(", ")} and ${all.at(-1)} times.`;
}

/** The chosen cell's formula with its numbers, in pieces between which a line may break; or nothing. */
export function formula(now) {
  const { view, position: p, other: q, dimension: d, d_model: D, base } = now;
  if (view === "waves") return [];
  const result = (value) => h("span", {}, " = ", h("strong", { "data-value": value }, signed(value)));
  if (view === "similarity") {
    return [h("span", {}, `PE(${p}) · PE(${q}) / (${D} / 2)`), result(now.like(p, q))];
  }
  const spoken = (text) => h("span", { class: "pf-sr-only" }, text);
  const power = h("sup", {}, spoken("^("), `${d - (d % 2)}/${D}`, spoken(")"));
  const name = d % 2 ? "cos" : "sin";
  const angle = four.format(p * sinusoids.frequency(d, D, base));
  const filled = [[`PE(${p}, ${d})`], [` = ${name}(${p} / ${whole(base)}`, power, ")"], [` = ${name}(${angle})`]];
  return [...filled.map((each) => h("span", {}, ...each)), result(now.at(p, d))];
}

/** A sentence on what has changed since the state before. */
export function sentence(now, before) {
  const { view, d_model: D, length: T, position: p } = now;
  const changed = (name) => before[name] !== undefined && before[name] !== now[name];
  const range = `the wavelengths go from ${wave(0, now)} to ${wave(D - 1, now)} positions`;
  const opened = {
    fingerprint: `The ${D} numbers of position ${p}: for each hand how far right its tip is, and how high.`,
    matrix: `The ${D} numbers of all ${T} positions, a row for each.`,
    similarity: `How similar position ${p} is to every other.`,
  };
  if (changed("view") && opened[view]) return opened[view];
  if (changed("base")) return `Base ${whole(now.base)}: ${range}.`;
  if (changed("d_model")) {
    return `${D} dimensions: ${range}.${D % 2 ? " The last dimension is a sine alone." : ""}`;
  }
  if (changed("length")) return `${kit.many(T, "position")}, from 0 to ${T - 1}.`;
  return view === "waves" ? rotations(now) : `${cell(now).replace("p", "P")}.`;
}

/** The numbers behind the pictures: the row and the columns, or the similarities of the row. */
export function tables(now) {
  const { view, position: p, dimension: d, d_model: D, length: T } = now;
  const positions = Array.from({ length: T }, (_, i) => i);
  if (view === "similarity") {
    const rows = positions.map((q) => [q, Math.abs(p - q), signed(now.like(p, q), 7)]);
    const columns = ["#Position", "#Distance", "#Similarity"];
    return [{ caption: `Similarity of position ${p}`, columns, rows, current: now.other }];
  }
  const row = (each) => {
    const turned = three.format(p / sinusoids.wavelength(each, D, now.base));
    return [each, each % 2 ? "cosine" : "sine", wave(each, now), signed(now.at(p, each), 7), turned];
  };
  return [
    {
      caption: `The row of position ${p}`,
      columns: ["#Dimension", "Wave", "#Wavelength", "#Value", "#Turns"],
      rows: Array.from({ length: D }, (_, each) => row(each)),
      current: d,
    },
    {
      caption: `The column of dimension ${d}`,
      columns: ["#Position", "#Value", "Word"],
      rows: positions.map((i) => [i, signed(now.at(i, d), 7), word(i)]),
      current: p,
    },
  ];
}
