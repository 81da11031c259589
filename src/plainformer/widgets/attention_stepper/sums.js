// Of each cell of the five matrices of attention, the sum that it came from.
//
// A sum is true as it is printed: its numbers get as many decimals as that takes (kit/equations.js).

import * as equations from "../kit/equations.js";
import * as written from "../kit/token_words.js";

export const STEPS = ["scores", "scaled", "masked", "weights", "output"]; // the same as in Python
const NB = "\u00a0"; // a space at which no line ends
const [TIMES, OVER] = [`${NB}·${NB}`, `${NB}/${NB}`];

/** The steps that do something: without a mask nothing is masked. */
export const stepsOf = (causal) => [0, 1, 2, 3, 4].filter((step) => step !== 2 || causal);

/** The step that is shown for one: the scaled scores, while nothing masks them. */
export const shownStep = (step, causal) => (step === 2 && !causal ? 1 : step);

// Where a row's largest score lies outside of these, it is taken off before exp: the exps would be
// too tall to read, or 0.00 all of them.
const [LOW, TALL] = [-2, 12];

/** A number for people: 4, 2.83, −0.5, −∞. */
export const show = (value) => equations.text(value);

/** A number in a sentence: 0.996 is not 1, nor 0.0004 nothing. */
export const write = (value) => equations.alone(value);

/** A number in a cell; of a weight, which side of 0 or 1 it is on, where two digits would hide it. */
export const inCell = (value, isWeight) =>
  isWeight && value > 0 && value < 1 ? written.share(value).replace(/\.?0+$/, "") : show(value);

/** The same in brackets if it is negative. */
const factor = (value, decimals) => {
  const text = equations.text(value, decimals);
  return value < 0 ? `(${text})` : text;
};

const between = (parts, mark) => parts.flatMap((part, i) => (i ? [["", mark], ...part] : part));

const result = (sign, value, decimals) => [
  ["", ` ${sign}${NB}`],
  ["r", equations.text(value, decimals)],
];

/** a · b + c · d … = the sum, and the kinds of the left and the right factors. */
function products([kind, left], [other, right], value) {
  const dot = (all) => left.reduce((sum, _, i) => sum + all[i] * all[left.length + i], 0);
  const { decimals: [few, last], sign } = equations.equation(
    [...left, ...right],
    [[[value], (all) => [dot(all)]]],
  );
  const pair = (each, i) => [
    [kind, factor(each, few)],
    ["", TIMES],
    [other, factor(right[i], few)],
  ];
  return [...between(left.map(pair), " + "), ...result(sign, value, last)];
}

const SUMS = {
  scores: (i, j, { q, k, all }) => products(["q", q[i]], ["k", k[j]], all.scores[i][j]),
  scaled(i, j, { q, all }) {
    const width = q[0].length;
    const root = Math.sqrt(width);
    const [score, value] = [all.scores[i][j], all.scaled[i][j]];
    const { decimals: [few, last], sign } = equations.equation(
      [score, root],
      [[[value, value], ([s, r]) => [s / r, s / root]]], // with the root as printed, and with √
    );
    const top = factor(score, few);
    const second = ` =${NB}${top}${OVER}${equations.text(root, few)}`;
    const again = Number.isInteger(root) ? [] : [["", second]];
    return [["s", top], ["", `${OVER}√${width}`], ...again, ...result(sign, value, last)];
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
    const less = row.map((each) => each - off);
    const grow = (scores) => {
      const grown = scores.map(Math.exp);
      return [grown[j], grown.reduce((so, each) => so + each, 0)];
    };
    const [part, total] = grow(less);
    const value = all.weights[i][j];
    const { decimals: [few, middle, last], inner, sign } = equations.equation(
      less,
      [
        [[part, total], grow],
        [[value], ([a, b]) => [a / b]],
      ],
    );
    const write = equations.text;
    const exp = (each) => [[each === -Infinity ? "x" : "s", `exp(${write(each, few)})`]];
    const first = off ? [["", `less the largest, ${write(off, few)}, everywhere: `]] : [];
    return [
      ...first,
      ...exp(less[j]),
      ["", `${OVER}(`],
      ...between(less.map(exp), " + "),
      ["", `) ${inner}${NB}${write(part, middle)}${OVER}${write(total, middle)}`],
      ...result(sign, value, last),
    ];
  },
  output(i, j, { v, all }) {
    const column = v.map((value) => value[j]);
    return products(["w", all.weights[i]], ["v", column], all.output[i][j]);
  },
};

/**
 * The sum behind cell (i, j) of a step, as [kind, text] pairs; the kind is "q", "k", "v", "w" (a
 * weight), "s" (a score), "r" (the result), "x" (a term that counts for nothing) or "".
 */
export const sum = (step, i, j, state) => SUMS[STEPS[step]](i, j, state);

/** The parts of a sum as one text. */
export const text = (parts) => parts.map(([, each]) => each).join("");
