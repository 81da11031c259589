// All numbers of one token's attention, from its inputs to a loss, and the gradients of all: what
// flow.py computes, with one number moved by hand.

import * as attention from "../formulas/self_attention.js";
import * as gradients from "../formulas/attention_gradients.js";
const { product } = gradients;

// The matrices, each after those that it is made of.
export const NAMES = ["x", "w_q", "q", "w_k", "k", "scores", "weights", "w_v", "v", "output", "loss"];

/** A matrix as it is on the page: scores and weights stand on end, a row for each token. */
export const upright = (name) => name === "scores" || name === "weights";

const transposed = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

/**
 * Every matrix by its name. nudge is { matrix, row, column, by }: that number is moved, and all that
 * comes after it is computed again.
 */
export function forward({ x, w_q, w_k, w_v, query, wanted }, nudge) {
  const found = {};
  function keep(name, rows) {
    found[name] = rows.map((row) => [...row]);
    if (nudge?.matrix === name) found[name][nudge.row][nudge.column] += nudge.by;
    return found[name];
  }
  const tokens = keep("x", x);
  const q = keep("q", product([tokens[query]], keep("w_q", w_q)));
  const k = keep("k", product(tokens, keep("w_k", w_k)));
  const root = Math.sqrt(q[0].length);
  const [scores] = product(q, transposed(k));
  keep("scores", [scores.map((each) => each / root)]);
  keep("weights", [attention.softmax(found.scores[0])]);
  const v = keep("v", product(tokens, keep("w_v", w_v)));
  const [output] = keep("output", product(found.weights, v));
  keep("loss", [[output.reduce((sum, each, d) => sum + (each - wanted[d]) ** 2, 0) / 2]]);
  return found;
}

/** By how much each number moves, from one state to another. */
export function changes(before, after) {
  const rows = (name) => after[name].map((row, i) => row.map((each, j) => each - before[name][i][j]));
  return Object.fromEntries(NAMES.map((name) => [name, rows(name)]));
}

/** The gradient of a column of the output, or, where target is null, of the loss, for every number. */
export function backward(numbers, { query, wanted }, target) {
  const { x, w_q, w_k, w_v, k, output } = numbers;
  const gradOutput = output.map((row) =>
    row.map((each, d) => (target === null ? each - wanted[d] : Number(d === target))),
  );
  const grads = gradients.attentionBackward(gradOutput, numbers);
  const gradQueries = k.map((row, t) => (t === query ? grads.q[0] : row.map(() => 0)));
  const [xq, gradWq] = gradients.linearBackward(gradQueries, x, w_q);
  const [xk, gradWk] = gradients.linearBackward(grads.k, x, w_k);
  const [xv, gradWv] = gradients.linearBackward(grads.v, x, w_v);
  const gradX = xq.map((row, t) => row.map((each, d) => each + xk[t][d] + xv[t][d]));
  return {
    ...{ x: gradX, w_q: gradWq, w_k: gradWk, w_v: gradWv },
    ...{ ...grads, output: gradOutput, loss: [[target === null ? 1 : 0]] },
  };
}
