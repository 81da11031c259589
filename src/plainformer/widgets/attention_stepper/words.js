// What AttentionStepper says: of each step, of each cell, and of what the reader has changed.

import * as math from "./sums.js";

/** "step 2 of 4": without a mask there are only four. */
export function place({ step, causal }) {
  const steps = math.stepsOf(causal);
  return `step ${steps.indexOf(step) + 1} of ${steps.length}`;
}

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** A row's name; of two rows of one name, with its place. */
export function nameIn(names, i) {
  const again = names.filter((each) => each === names[i]).length > 1;
  return again ? `“${names[i]}” (${i})` : `“${names[i]}”`;
}

/** What the matrix of a step is called. */
export const called = (name) => ({ scaled: "scaled scores", masked: "masked scores" })[name] ?? name;

/** What a step does: { formula, what }. */
export function about(step, { q }) {
  const width = q[0].length;
  return [
    { formula: "scores = q kᵀ", what: "each query times each key, a dot product" },
    {
      formula: `scaled = scores / √${width}`,
      what: `a key has K = ${width} numbers, so all is divided by √${width}`,
    },
    {
      formula: "masked = scaled, or −∞ where forbidden",
      what: "−∞ where a key comes after the query",
    },
    { formula: "weights = softmax of each row", what: "each row becomes shares of 1" },
    { formula: "output = weights · v", what: "each query gets a mixture of the values" },
  ][step];
}

/** What a cell is, before its sum. */
export function cellName(step, i, j, { tokens, keys }) {
  const query = nameIn(tokens, i);
  if (math.STEPS[step] === "output") return `Output of ${query}, column ${j}`;
  const key = nameIn(keys, j);
  return {
    scores: `Score of ${query} for ${key}`,
    scaled: `Scaled score of ${query} for ${key}`,
    masked: `Masked score of ${query} for ${key}`,
    weights: `Weight of ${key} for ${query}`,
  }[math.STEPS[step]];
}

/** A sentence for a change: of the step, the mask, a number, or the cell that is looked at. */
export function sentence(state, before, [i, j]) {
  const { step, causal, all, tokens, keys } = state;
  const name = math.STEPS[step];
  const value = math.write(all[name][i][j]);
  const query = nameIn(tokens, i);
  const key = nameIn(keys, j);
  const forbidden = all.masked[i][j] === -Infinity;
  const now = {
    scores: `${query} asks, ${key} answers: ${value}`,
    scaled: `${query} and ${key}: ${math.write(all.scores[i][j])} becomes ${value}`,
    masked: forbidden
      ? `${query} may not look at ${key}, which comes later`
      : `${query} may look at ${key}: ${value} stays`,
    weights: forbidden
      ? `${query} may not look at ${key} and gives it nothing`
      : `${query} gives ${value} of its attention to ${key}`,
    output: `${query} gets ${value} in column ${j}`,
  }[name];
  const where = `${capital(place(state))}, ${name}`;
  if (before.causal !== undefined && before.causal !== causal) {
    const later = step < 2 ? ", from the step “masked” on" : "";
    const mask = causal
      ? `The causal mask is on: no query sees a later key${later}`
      : "The causal mask is off: every query sees every key";
    return `${mask}. ${where}: ${now}.`;
  }
  return `${where}: ${about(step, state).what}. ${now}.`;
}

/** What a number that the reader changed has changed: the first that differs. */
export function edited(state, before) {
  for (const name of ["q", "k", "v"]) {
    const names = name === "q" ? state.tokens : state.keys;
    for (const [i, row] of state[name].entries()) {
      for (const [d, value] of row.entries()) {
        if (value === before[name][i][d]) continue;
        const where = `${name} of ${nameIn(names, i)}, column ${d}`;
        return `${where} is now ${math.show(value)}. `;
      }
    }
  }
  return "";
}

/** The matrix of the step as a table for the kit. */
export function tables(state, i) {
  const { step, all, tokens, keys } = state;
  const name = math.STEPS[step];
  const rows = all[name];
  const sixth = (value) =>
    Number.isFinite(value) ? String(Number(value.toFixed(6)) + 0).replace("-", "−") : "−∞";
  const columns =
    name === "output" ? rows[0].map((_, d) => `#Column ${d}`) : keys.map((key) => `#${key}`);
  return [
    {
      caption: `${capital(place(state)).replace(/ of .*/, "")}: ${name}, ${rows.length} by ${rows[0].length}`,
      columns: ["Query", ...columns],
      rows: rows.map((row, r) => [tokens[r], ...row.map(sixth)]),
      current: i,
    },
  ];
}
