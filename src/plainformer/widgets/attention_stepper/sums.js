// Of each cell of the five matrices of attention, the sum that it came from.

import * as kit from "../kit/kit.js";

export const STEPS = ["scores", "scaled", "masked", "weights", "output"]; // the same as in Python
const NB = "\u00a0"; // a space at which no line ends
const [TIMES, OVER] = [`${NB}·${NB}`, `${NB}/${NB}`];

// Where a row's largest score lies outside of these, it is taken off before exp: the exps would be
// too tall to read, or 0.00 all of them.
const [LOW, TALL] = [-2, 12];

/** A number for people: 4, 2.83, −0.5, −∞. */
export function show(value) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  const text = size >= 1e6 ? value.toExponential(2) : kit.format(value, 2);
  const short = text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
  return short === "-0" ? "0" : short.replace("-", "−");
}

/** The same in brackets if it is negative. */
const factor = (value) => (value < 0 ? `(${show(value)})` : show(value));

const between = (parts, mark) => parts.flatMap((part, i) => (i ? [["", mark], ...part] : part));

const result = (value) => [["", ` =${NB}`], ["r", show(value)]];

/** a · b + c · d …, and the kinds of the left and the right factors. */
function products([kind, left], [other, right]) {
  const pair = (each, i) => [[kind, factor(each)], ["", TIMES], [other, factor(right[i])]];
  return between(left.map(pair), " + ");
}

const SUMS = {
  scores(i, j, { q, k, all }) {
    return [...products(["q", q[i]], ["k", k[j]]), ...result(all.scores[i][j])];
  },
  scaled(i, j, { q, all }) {
    const width = q[0].length;
    const root = Math.sqrt(width);
    const score = factor(all.scores[i][j]);
    const again = Number.isInteger(root) ? [] : [["", ` =${NB}${score}${OVER}${show(root)}`]];
    return [["s", score], ["", `${OVER}√${width}`], ...again, ...result(all.scaled[i][j])];
  },
  masked(i, j, { all }) {
    const [before, after] = [all.scaled[i][j], all.masked[i][j]];
    const verb = after === -Infinity ? " becomes " : " stays ";
    return [["s", show(before)], ["", verb], ["r", show(after)]];
  },
  weights(i, j, { all }) {
    const row = all.masked[i];
    const most = Math.max(...row);
    if (most === -Infinity) return [["", "everything is forbidden here: no weights are right"]];
    const off = most > TALL || most < LOW ? most : 0;
    const grown = row.map((each) => Math.exp(each - off));
    const total = grown.reduce((so, each) => so + each, 0);
    const exp = (each) => [[each === -Infinity ? "x" : "s", `exp(${show(each - off)})`]];
    const first = off ? [["", `less the largest, ${show(off)}, everywhere: `]] : [];
    return [
      ...first,
      ...exp(row[j]),
      ["", `${OVER}(`],
      ...between(row.map(exp), " + "),
      ["", `) =${NB}${show(grown[j])}${OVER}${show(total)}`],
      ...result(all.weights[i][j]),
    ];
  },
  output(i, j, { v, all }) {
    const column = v.map((value) => value[j]);
    return [...products(["w", all.weights[i]], ["v", column]), ...result(all.output[i][j])];
  },
};

/**
 * The sum behind cell (i, j) of a step, as [kind, text] pairs; the kind is "q", "k", "v", "w" (a
 * weight), "s" (a score), "r" (the result), "x" (a term that counts for nothing) or "".
 */
export const sum = (step, i, j, state) => SUMS[STEPS[step]](i, j, state);

/** The parts of a sum as one text. */
export const text = (parts) => parts.map(([, each]) => each).join("");
