// What BlockSweep says: of each step, of each fade, and as tables.

import * as kit from "../kit/kit.js";
import * as equations from "../kit/equations.js";
import * as math from "../formulas/blockwise.js";

/** A number with three decimals, −∞ too; never −0.000. */
export const number = (value, digits = 3) => {
  if (!Number.isFinite(value)) return "−∞";
  const idle = Math.abs(value) < 0.5 / 10 ** digits;
  return kit.format(idle ? 0 : value, digits).replace("-", "−");
};

/** The same for tables, with up to nine. */
const ninth = (value) =>
  Number.isFinite(value) ? String(Number(value.toFixed(9)) + 0).replace("-", "−") : "−∞";

/** A fade, with more digits where three would hide it. */
const faded = (fade) => equations.alone(fade, 3);

/** One number, or a list of them in brackets. */
export const vector = (values) =>
  values.length > 1 ? `[${values.map((x) => number(x)).join(", ")}]` : number(values[0]);

/** What has just been read, and what is kept. */
export function sentence(state, kept) {
  const { query, size, step, blocks, last, lift, scores, keys, queries } = state;
  const who = `“${queries[query]}” (query ${query})`;
  const raised = lift ? ` The last score is raised by ${number(lift, 1)}.` : "";
  if (step === 0) {
    const count = kit.many(scores.length, "score");
    const start = "So far top −∞, total 0, output 0.";
    return `${who}: ${count} to read, in ${kit.many(blocks, "block")} of ${size}. ${start}${raised}`;
  }
  if (step === last) {
    const { total, output } = kept[blocks];
    const found = vector(output.map((x) => x / total));
    const what = `Output divided by the total ${number(total)} is ${found}`;
    const read = `${kit.many(blocks, "block")} of ${size} read`;
    return `${who}, ${read}. ${what}, as by the plain softmax.${raised}`;
  }
  const { top, total, fade, start, end } = kept[step];
  const old = kept[step - 1].top;
  const read = `${end - start === 1 ? "key" : "keys"} ${keys.slice(start, end).join(", ")}`;
  const fades = `the top rises from ${number(old)} to ${number(top)}, so the old sums fade`;
  let what = `the top stays ${number(top)}, nothing fades`;
  if (step === 1) what = `the top is ${number(top)}`;
  else if (top > old) what = `${fades} to ${faded(fade)} of what they were`;
  const where = `block ${step} of ${blocks} (block size ${size}): ${read}`;
  return `${who}, ${where}; ${what}. The total is ${number(total)}.${raised}`;
}

/** The factor of a step, with its numbers filled in. */
export function fading(step, before, { top, fade }) {
  const sides = [[[fade], ([old, now]) => [Math.exp(old - now)]]];
  const { decimals: [few, last], sign } = equations.equation([before.top, top], sides, 3);
  const [old, now] = [before.top, top].map((each) => lean(each, few));
  const taken = top < 0 ? `(${now})` : now;
  const why = step === 1 ? ": there was nothing to keep" : fade === 1 ? ": the top stays" : "";
  return `fade = exp(${old} − ${taken}) ${sign} ${lean(fade, last)}${why}`;
}

/** A number with as many decimals, three at least, and no zeros after those. */
const lean = (value, decimals) =>
  equations.fixed(value, decimals).replace(/(\.\d{3}\d*?)0+$/, "$1");

/**
 * The ledger of a step: { fade, rows: [[kept, added, now]] }, the total and every output, as texts
 * with which kept × fade + added = now is true in each row.
 */
export function ledger(before, { fade, sum, add, total, output }) {
  const olds = [before.total, ...before.output];
  const news = [sum, ...add];
  const now = [total, ...output];
  const sides = [
    [now, ([f, ...all]) => now.map((_, r) => f * all[r] + all[now.length + r])],
  ];
  const { decimals: [few, last] } = equations.equation([fade, ...olds, ...news], sides, 3);
  return {
    fade: lean(fade, few),
    rows: now.map((value, r) => [lean(olds[r], few), lean(news[r], few), lean(value, last)]),
  };
}

/** The output over the total, and what that makes: { sum: "[1.2, 3.0] / 2.0 = ", result }. */
export function quotient(output, total) {
  const sides = [[output.map((x) => x / total), ([t, ...all]) => all.map((x) => x / t)]];
  const { decimals: [few, last], sign } = equations.equation([total, ...output], sides, 3);
  const list = (values, decimals) => {
    const texts = values.map((x) => lean(x, decimals));
    return texts.length > 1 ? `[${texts.join(", ")}]` : texts[0];
  };
  const sum = `${list(output, few)} / ${lean(total, few)} ${sign} `;
  return { sum, result: list(sides[0][0], last) };
}

/** What is kept after every block, and the keys, as tables for the kit. */
export function tables(state, kept) {
  const { keys, values } = state;
  const { weights } = math.plain(state.scores, values);
  const at = kept[Math.min(state.step, state.blocks)];
  const column = (name) => values[0].map((_, c) => `#${name} ${c}`);
  return [
    {
      caption: "What is kept after each block",
      columns: ["#Block", "Keys", "#Fade", "#Top", "#Total", ...column("Output")],
      rows: kept.map((row, b) => [
        b,
        b ? keys.slice(row.start, row.end).join(", ") : "none",
        b ? ninth(row.fade) : "",
        ninth(row.top),
        ninth(row.total),
        ...row.output.map(ninth),
      ]),
      current: Math.min(state.step, state.blocks),
    },
    {
      caption: "The keys",
      columns: [
        ...["#Key", "Token", "#Score", "#exp(score − top)", "#Plain softmax"],
        ...column("Value"),
      ],
      rows: keys.map((token, j) => [
        j,
        token,
        j < state.seen ? ninth(state.scores[j]) : "hidden",
        j < at.end ? ninth(Math.exp(state.scores[j] - at.top)) : "",
        j < state.seen ? ninth(weights[j]) : "0",
        ...values[j].map(ninth),
      ]),
    },
  ];
}
