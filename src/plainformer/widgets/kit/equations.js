// The digits of a printed equation: as many as it takes for both sides to agree as they are printed.
//
// 1,177.4 / 1,182.4 = 1 is what rounding each number by itself leads to. Here the numbers of the left
// get more digits until what a reader computes from them rounds to what stands on the right; and a
// result that is no whole number is not printed as one.

import * as kit from "./kit.js";

const [FEW, MOST] = [2, 9]; // decimals
const HUGE = 1e9; // from here on, and below TINY, a number is written with a power of ten
const TINY = 5e-7;
const [EXACT, CLOSE] = [1e-12, 5e-7]; // from a whole number: as good as it, and hardly to be told
const FINE = 7; // with fewer decimals than these, what is tiny is 0

/** How many decimals stand before the power of ten; 0 for a number that is written without one. */
function powers(value, decimals) {
  const size = Math.abs(value);
  if (size >= HUGE) return decimals;
  return value !== 0 && size < TINY && decimals >= FINE ? decimals - FINE + 1 : 0;
}

/** The decimals of any other number: fewer where it is large, for they would say nothing new. */
function places(value, decimals) {
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < 2 ? decimals : Math.max(0, decimals + 1 - size);
}

/** The number that a reader reads where text() has written one. */
function read(value, decimals) {
  if (!Number.isFinite(value) || value === 0) return value + 0; // no −0
  const power = powers(value, decimals);
  if (power) return Number(value.toExponential(power));
  return Number(value.toFixed(places(value, decimals))) + 0;
}

/** A number with so many decimals, as a person would write it: 0.50, 1,177, 3.1e−9, −∞. */
export function fixed(value, decimals = FEW) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const near = read(value, decimals);
  const power = powers(near, decimals);
  const found = power ? near.toExponential() : kit.format(near, places(near, decimals));
  return found.replaceAll("-", "−");
}

/** The same without zeros at its end: 4, 2.83, −0.5. */
export function text(value, decimals = FEW) {
  const found = fixed(value, decimals);
  return /^[^e]*\.[^e]*$/.test(found) ? found.replace(/\.?0+$/, "") : found;
}

/** Whether a number would be printed as a whole one that it is not. */
const falselyWhole = (value, near) =>
  Number.isInteger(near) && Math.abs(near) < 1000 && Math.abs(value - near) > EXACT;

/**
 * The fewest decimals that leave a number what it is: 0.996 is not printed as 1, nor 0.04 as 0. What
 * is nearer to a whole number than six decimals tell is printed as that one. In a list, where each
 * number is one of several, what is small may be 0.00.
 */
export function decimalsOf(value, least = FEW, listed = false) {
  if (!Number.isFinite(value) || Math.abs(value - Math.round(value)) < CLOSE) return least;
  if (listed && Math.abs(value) < 0.5) return least;
  for (let decimals = least; decimals < MOST; decimals += 1) {
    const near = read(value, decimals);
    const close = Math.abs(value - near) <= 0.05 * Math.abs(value);
    if (close && !falselyWhole(value, near)) return decimals;
  }
  return MOST;
}

/** A number that stands alone, with the decimals that it needs. */
export const alone = (value, least = FEW) => text(value, decimalsOf(value, least));

/** Whether a number, to so many decimals, is the printed one. */
function agrees(value, near, decimals) {
  if (value === near) return true;
  const power = powers(near, decimals);
  const digits = power ? power - Math.floor(Math.log10(Math.abs(near))) : places(near, decimals);
  return Math.abs(value - near) <= 10 ** -digits / 2 + 1e-12 * Math.abs(near); // false for NaN
}

/**
 * The decimals of every side of an equation: { decimals: [4, 2, 2], inner: "=", sign: "=" }.
 *
 * given are the numbers of the first side, each of sides is [numbers, of]: the numbers that it
 * really has, and the function that makes them from those of the side before. Each side as printed
 * must lead to each later one as printed. The result has the decimals that it needs by itself, the
 * others as few as that allows, least at least. sign stands before the result, inner before the sides between: "≈"
 * where no decimals do, or where the result is hardly to be told from a whole number.
 */
export function equation(given, sides, least = FEW) {
  const exact = [given, ...sides.map(([numbers]) => numbers)];
  const last = exact.length - 1;
  const near = [];
  const decimals = [];

  /** Whether side s as printed leads to all that stand behind it. */
  function leads(s) {
    let found = near[s];
    for (let t = s + 1; t <= last; t += 1) {
      found = sides[t - 1][1](found);
      if (!found.every((value, i) => agrees(value, near[t][i], decimals[t]))) return false;
    }
    return true;
  }

  /** Find decimals for side s and all before it, once those behind it are settled. */
  function settle(s, from) {
    for (let d = from; d <= MOST; d += 1) {
      decimals[s] = d;
      near[s] = exact[s].map((value) => read(value, d));
      if (leads(s) && (s === 0 || settle(s - 1, least))) return true;
    }
    return false;
  }

  const listed = new Set(exact[last]).size > 1; // one number may be checked in two ways
  const need = Math.max(...exact[last].map((value) => decimalsOf(value, least, listed)));
  if (!settle(last, need)) {
    return { decimals: exact.map((_, s) => (s === last ? need : need + 2)), inner: "≈", sign: "≈" };
  }
  const whole = exact[last].some(
    (value, i) => falselyWhole(value, near[last][i]) && !(listed && near[last][i] === 0),
  );
  return { decimals, inner: "=", sign: whole ? "≈" : "=" };
}
