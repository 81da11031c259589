// What SamplerLab computes: the stages in their order, and the draws.

import * as heat from "../formulas/temperature.js";
import * as penalties from "../formulas/penalties.js";
import * as sampling from "../formulas/sampling.js";
import * as philox from "../formulas/philox.js";

/** Each stage with the numbers that set it, and the value of each that changes nothing. */
export const SETTINGS = {
  penalties: { frequency_penalty: 0, presence_penalty: 0, repetition_penalty: 1 },
  temperature: { temperature: 1 },
  top_k: { top_k: null },
  top_p: { top_p: null },
  min_p: { min_p: null },
};

/** Whether a stage has a number that may change something. */
export const isOn = (stage, state) =>
  Object.entries(SETTINGS[stage]).some(([name, neutral]) => state[name] !== neutral);

const STAGES = {
  penalties(z, { counts, frequency_penalty, presence_penalty, repetition_penalty }) {
    const less = penalties.frequencyPenalty(z, counts, frequency_penalty);
    const lesser = penalties.presencePenalty(less, counts, presence_penalty);
    return penalties.repetitionPenalty(lesser, counts, repetition_penalty);
  },
  temperature: (z, { temperature }) => heat.applyTemperature(z, temperature),
  top_k: (z, { top_k: k }) => sampling.topK(z, k),
  top_p: (z, { top_p: p }) => sampling.topP(z, p),
  min_p: (z, { min_p: p }) => sampling.minP(z, p),
};

/**
 * All stages in order: [{ stage, on, shares, left, removed, moved }]. left: how many tokens are
 * possible after it; removed: the probability that those had which no longer are; moved: the
 * probability that is elsewhere now, removed or not. The first entry is what there was before.
 */
export function run(state) {
  let logits = state.logits;
  let shares = heat.softmax(logits);
  const possible = (z) => z.reduce((count, each) => count + (each > -Infinity ? 1 : 0), 0);
  const rows = [{ stage: null, on: true, logits, shares, left: possible(logits) }];
  for (const stage of state.order) {
    const on = isOn(stage, state);
    const next = on ? STAGES[stage](logits, state) : logits;
    const after = on ? heat.softmax(next) : shares;
    let [removed, moved] = [0, 0];
    shares.forEach((p, i) => {
      if (next[i] === -Infinity) removed += p;
      moved += Math.max(0, p - after[i]);
    });
    rows.push({ stage, on, logits: next, shares: after, left: possible(next), removed, moved });
    [logits, shares] = [next, after];
  }
  return rows;
}

/** A function that gives the first n numbers of a seed, and remembers them. */
export function numbers() {
  let known = [];
  let of;
  return (seed, n) => {
    if (seed !== of) [known, of] = [[], seed];
    while (known.length < n) known.push(philox.randomAt(seed, known.length));
    return known.slice(0, n);
  };
}

/** The token that each number draws: the first whose running sum exceeds its part of all. */
export function drawAll(shares, all) {
  let sum = 0;
  const ends = shares.map((p) => (sum += p));
  const last = ends.indexOf(sum); // where rounding leaves no sum above the number
  return all.map((u) => {
    let [low, high] = [0, last];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > u * sum) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}

/** How often each of V tokens was drawn, how far that is from its due at most, and where. */
export function tally(tokens, shares) {
  const counts = penalties.countTokens(tokens, shares.length);
  let [gap, at] = [0, 0];
  if (tokens.length) {
    counts.forEach((count, i) => {
      const here = Math.abs(count / tokens.length - shares[i]);
      if (here > gap) [gap, at] = [here, i];
    });
  }
  return { counts, gap, at };
}
