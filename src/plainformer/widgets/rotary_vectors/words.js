// What RotaryVectors says: its numbers as text, its sentences and its tables.
//
// A state is { query, key, m, n, base, pair, all, score }: all is what rotary.pairs returns, and pair
// is the number of the pair that is shown large, or null for all of them.

import * as kit from "../kit/kit.js";
import * as equations from "../kit/equations.js";
import * as rotary from "../formulas/rope.js";

/** A number with so many digits after the point, and a true minus; never "−0.00". */
export function show(number, digits = 3) {
  const text = kit.format(number, digits);
  return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "");
}

/** A number in little room: fewer digits where it is large. */
export function short(number) {
  const size = Math.abs(number);
  return show(number, size < 100 ? 2 : size < 1000 ? 1 : 0);
}

/** The same with its sign, for what is added up. */
export function signed(number, text = short(number)) {
  return text.startsWith("−") ? text : `+${text}`;
}

const threeFigures = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** A frequency or a wavelength, with three figures that count. */
export function brief(number) {
  if (number >= 1e7 || number < 1e-5) return number.toExponential(2).replace("-", "−");
  return number >= 100 ? kit.format(number) : threeFigures.format(number);
}

/** An angle in degrees. */
export const degrees = (angle) => `${show((angle * 180) / Math.PI, 1)}°`;

/** How far something has turned, in degrees, its whole turns taken off. */
export const turned = (angle) => degrees(angle % (2 * Math.PI));

/** The direction of a vector [x, y], from 0 to a whole turn, and its length. */
export function polar([x, y]) {
  const direction = Math.atan2(y, x);
  return [direction < 0 ? direction + 2 * Math.PI : direction, Math.hypot(x, y)];
}

/** Whether one of these differs between two states. (Jupyter sends equal lists as new ones.) */
export function differs(state, before, names) {
  return names.some((name) => String(state[name]) !== String(before[name]));
}

/** What changed, in a sentence; before is the state that was shown until now. */
export function sentence(state, before) {
  const { m, n, pair, all, score } = state;
  const same = (...names) => !differs(state, before, names);
  const value = show(score);
  if (before.all && !same("pair")) {
    if (pair === null) return `All ${all.length} pairs: together they make the score, ${value}.`;
    const { angleQ, angleK, contribution } = all[pair];
    const by = `q turned by ${turned(angleQ)}, k by ${turned(angleK)}`;
    return `Pair ${pair}: ${by}. It adds ${signed(contribution)} to the score.`;
  }
  const edited = ["query", "key"].filter((name) => before.all && !same(name));
  if (edited.length === 1 && pair !== null) {
    const [direction, length] = polar(rotary.split(state[edited[0]])[pair]);
    const arrow = `${edited[0]} points at ${degrees(direction)} before turning`;
    return `Pair ${pair}: the ${arrow}, ${show(length, 2)} long. Score ${value}.`;
  }
  const [places, distance] = [`m = ${m}, n = ${n}`, show(m - n, 0)];
  if (same("query", "key", "base") && m !== before.m && m - n === before.m - before.n) {
    return `${places}: both turned. Distance still ${distance}, score still ${value}.`;
  }
  if (m < n) return `${places}: distance ${distance}, the key comes later. Score ${value}.`;
  return `${places}: distance ${distance}. Score ${value}. Shifting both leaves it as it is.`;
}

/** What the large dial shows, for whoever cannot see it. */
export function dialLabel({ pair, all }) {
  if (pair === null) return `All ${all.length} pairs of dimensions as arrows, q and k in each.`;
  const { angleQ, angleK, after } = all[pair];
  const by = `q turned by ${turned(angleQ)}, k by ${turned(angleK)}`;
  return `Pair ${pair} as arrows: ${by}; now q is ${degrees(after)} from k.`;
}

/** What the curve shows, for whoever cannot see it. */
export function chartLabel({ m, n, score }, last) {
  const now = `a mark at ${show(m - n, 0)}, where it is ${show(score)}`;
  return `The score at every distance from −${last} to ${last}, and ${now}.`;
}

/** How fast a pair turns. */
export function about({ pair, all }) {
  if (pair === null) {
    return "Each pair turns slower than the one before it. Choose one to see its numbers.";
  }
  const { omega, wavelength } = all[pair];
  const round = `all the way round in ${brief(wavelength)} positions`;
  const turns = `Pair ${pair} turns ω = ${brief(omega)} rad at each position, ${round}`;
  return `${turns}. In degrees, whole turns are left out.`;
}

/** 5 · 0.3162, and the angle beside it, 1.581: with as many digits as it takes to be true. */
export function turning(place, omega, angle) {
  const sides = [[[angle], ([m, w]) => [m * w]]];
  const { decimals: [few, last] } = equations.equation([place, omega], sides, 3);
  const product = `${place} · ${equations.text(omega, few)}`;
  return { product, result: equations.fixed(angle, last) };
}

/** The numbers of the chosen pair, [kind, name, rule, values]; those that a shift keeps are last. */
export function facts({ m, n, pair, all }) {
  if (pair === null) return [];
  const { omega, angleQ, angleK, before, difference, after, contribution } = all[pair];
  const [ofQ, ofK] = [turning(m, omega, angleQ), turning(n, omega, angleK)];
  const angle = (radians, inDegrees) => [`${show(radians)} rad`, inDegrees(radians)];
  return [
    ["q", "q turns by", `m·ω = ${ofQ.product}`, [`${ofQ.result} rad`, turned(angleQ)]],
    ["k", "k turns by", `n·ω = ${ofK.product}`, [`${ofK.result} rad`, turned(angleK)]],
    ["both", "from k to q, before", "", angle(before, degrees)],
    ["both", "turning adds", "(m − n)·ω", angle(difference, (x) => degrees(rotary.wrap(x)))],
    ["now", "from k to q, now", "", angle(after, degrees)],
    ["part", "adds to the score", "", [signed(contribution, show(contribution))]],
  ];
}

/** The numbers behind the dials and behind the curve, for kit.tableToggle. */
export function tables({ query, key, m, n, base, pair, all, score }, last) {
  const rows = all.map((each, i) => [
    i,
    each.omega.toPrecision(6),
    each.wavelength.toPrecision(6),
    ...[each.angleQ, each.angleK, each.difference, each.contribution].map((x) => show(x, 6)),
  ]);
  const distances = Array.from({ length: 2 * last + 1 }, (_, i) => i - last);
  const curves = rotary.curves(query, key, distances, base);
  const columns = ["Frequency ω", "Wavelength", "q turns by", "k turns by", "Turning adds"];
  return [
    {
      caption: `Each pair at m = ${m}, n = ${n}; angles in radians`,
      columns: ["#Pair", ...columns.map((name) => `#${name}`), "#Contribution"],
      rows: [...rows, ["Sum", "", "", "", "", "", show(score, 6)]],
      current: pair,
    },
    {
      caption: "The score at every distance, and each pair’s part of it",
      columns: ["#Distance m − n", "#Score", ...curves.map((_, i) => `#Pair ${i}`)],
      rows: distances.map((distance, j) => {
        const parts = curves.map((row) => row[j]);
        return [show(distance, 0), ...[rotary.sum(parts), ...parts].map((x) => show(x, 6))];
      }),
      current: m - n + last,
    },
  ];
}
